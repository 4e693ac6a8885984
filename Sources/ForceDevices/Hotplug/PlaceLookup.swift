internal import CSystemd

extension NodePlace {
  /// The place of an event node by its path, as far as `/sys` and udev's database tell.
  public init(lookingUp path: String) {
    var device: OpaquePointer?
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    if sd_device_new_from_subsystem_sysname(&device, "input", name) >= 0, let device {
      let place = NodePlace(device)
      sd_device_unref(device)
      if var place {
        place.path = path
        self = place
        return
      }
    }
    self.init(path: path)
  }

  /// Nil when the device is no event node.
  init?(_ device: OpaquePointer) {
    guard let name = text({ sd_device_get_sysname(device, $0) }), name.hasPrefix("event"),
      let path = text({ sd_device_get_devname(device, $0) })
    else { return nil }
    self.init(
      path: path, syspath: text { sd_device_get_syspath(device, $0) } ?? "",
      parent: physicalParent(of: device),
      seat: property("ID_SEAT", of: device) ?? "seat0", port: property("ID_PATH", of: device) ?? "")
  }
}

/// The device that all nodes of one gadget have in common: the HID device, or the USB interface of a
/// driver that is no HID driver, or whatever the input device hangs on. Not the whole USB device: a
/// receiver can be one for several pads.
private func physicalParent(of device: OpaquePointer) -> String {
  var parent: OpaquePointer?
  for (subsystem, type) in [("hid", nil), ("usb", "usb_interface")] as [(String, String?)] {
    if sd_device_get_parent_with_subsystem_devtype(device, subsystem, type, &parent) >= 0,
      let parent
    {
      return text { sd_device_get_syspath(parent, $0) } ?? ""
    }
  }
  // Parents belong to their child: nothing to release.
  guard sd_device_get_parent(device, &parent) >= 0, let input = parent,
    sd_device_get_parent(input, &parent) >= 0, let parent
  else { return "" }
  return text { sd_device_get_syspath(parent, $0) } ?? ""
}

private func property(_ key: String, of device: OpaquePointer) -> String? {
  text { sd_device_get_property_value(device, key, $0) }
}

/// A string that libsystemd hands out, and keeps.
private func text(
  _ get: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
) -> String? {
  var bytes: UnsafePointer<CChar>?
  guard get(&bytes) >= 0, let bytes else { return nil }
  return String(cString: bytes)
}
