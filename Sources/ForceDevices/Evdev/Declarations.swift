import ForceCore
import LinuxSystem

extension DeviceDescription {
  /// Adds what the device declares beside its event node: the force unit of its HID report descriptor,
  /// and whether a balance board's calibration makes sense. Both are attributes of the HID device in
  /// `/sys`, which everybody may read. A device without them is as it was.
  mutating func readDeclarations(at place: NodePlace) {
    readDeclarations(inDeviceFolder: place.parent)
  }

  /// - Parameter folder: the HID device's directory in `/sys`.
  public mutating func readDeclarations(inDeviceFolder folder: String) {
    guard !folder.isEmpty else { return }
    // HID_MAX_DESCRIPTOR_SIZE.
    if let bytes = try? FileSystem.read("\(folder)/report_descriptor", limit: 4_096) {
      unitsPerGram = HIDReportDescriptor.unitsPerGram(bytes)
    }
    if let bytes = try? FileSystem.read("\(folder)/bboard_calib", limit: 4_096) {
      takeBoardCalibration(String(decoding: bytes, as: UTF8.self))
    }
  }
}
