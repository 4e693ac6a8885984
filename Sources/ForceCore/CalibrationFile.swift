/// A device's calibrations as a file.
///
///     forced calibration 1
///     device 0003 1234 5678 usb-0000%3a00/input0
///     contact 0 line
///     point 12.5 0.0
///     point 612.25 500.0
///     checksum 9f2c51aa
public enum CalibrationFile {
  private static let file = DeviceFile(kind: "calibration")

  /// The name of the file about the device with this key.
  public static func name(for key: String) -> String { file.name(for: key) }

  public static func encode(_ key: String, _ calibrations: [Int32: Calibration]) -> [UInt8] {
    var lines: [String] = []
    for (contact, calibration) in calibrations.sorted(by: { $0.key < $1.key }) {
      lines.append("contact \(contact) \(calibration.method.rawValue)")
      for point in calibration.points { lines.append("point \(point.raw) \(point.grams)") }
    }
    return file.encode(key, lines)
  }

  /// - Throws: what is wrong; never returns a part.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(DeviceFile.Damage) -> (key: String, calibrations: [Int32: Calibration]) {
    let (key, lines) = try file.decode(bytes)
    return (key, try calibrations(in: lines))
  }

  private static func calibrations(
    in lines: ArraySlice<Substring>
  ) throws(DeviceFile.Damage) -> [Int32: Calibration] {
    var found: [Int32: (method: CalibrationMethod, points: [CalibrationPoint])] = [:]
    var contact: Int32?
    for line in lines {
      let words = line.split(separator: " ")
      if words.count == 3, words[0] == "contact", let number = Int32(words[1]),
        let method = CalibrationMethod(rawValue: String(words[2]))
      {
        contact = number
        found[number] = (method, [])
      } else if words.count == 3, words[0] == "point", let number = contact,
        let raw = Double(words[1]), let grams = Double(words[2])
      {
        found[number]?.points.append(CalibrationPoint(raw: raw, grams: grams))
      } else {
        throw DeviceFile.Damage.unreadable(line)
      }
    }
    var calibrations: [Int32: Calibration] = [:]
    for (contact, entry) in found {
      do throws(CalibrationRefused) {
        calibrations[contact] = try Calibration(entry.points, method: entry.method)
      } catch { throw DeviceFile.Damage(description: "\(error)") }
    }
    return calibrations
  }
}
