internal import CEvdev
internal import CLinux
import ForceCore
import LinuxSystem

/// Reads everything that a node says of itself, through a libevdev context of its own that is gone
/// afterwards: it reads no event.
func describe(_ number: Int32, at place: NodePlace) throws(DeviceError) -> DeviceDescription {
  // libevdev would print its findings about odd axes; the classifier tells them better.
  libevdev_set_log_function(nil, nil)
  var created: OpaquePointer?
  let result = libevdev_new_from_fd(number, &created)
  guard result >= 0, let device = created else {
    throw DeviceError("read the description of", place.path, Errno(rawValue: -result))
  }
  defer { libevdev_free(device) }
  let effects = codes(of: device, type: EventType.forceFeedback, upTo: 0x7f)
  var description = DeviceDescription(
    identity: identity(of: device),
    properties: Set((0...0x1f).filter { libevdev_has_property(device, UInt32($0)) == 1 }),
    keys: codes(of: device, type: EventType.key, upTo: 0x2ff),
    axes: axes(of: device),
    forceFeedback: effects,
    effectSlots: effects.isEmpty ? 0 : Int(max(clinux_effect_slots(number), 0)),
    pressedKeys: codes(of: device, type: EventType.key, upTo: 0x2ff).filter {
      libevdev_get_event_value(device, UInt32(EventType.key), UInt32($0)) != 0
    },
    slots: slots(of: device), parent: place.parent, seat: place.seat, node: place.path)
  description.miscellaneous = codes(of: device, type: EventType.miscellaneous, upTo: 0x07)
  description.readDeclarations(at: place)
  return description
}

private func identity(of device: OpaquePointer) -> DeviceIdentity {
  DeviceIdentity(
    bus: UInt16(truncatingIfNeeded: libevdev_get_id_bustype(device)),
    vendor: UInt16(truncatingIfNeeded: libevdev_get_id_vendor(device)),
    product: UInt16(truncatingIfNeeded: libevdev_get_id_product(device)),
    version: UInt16(truncatingIfNeeded: libevdev_get_id_version(device)),
    name: text(libevdev_get_name(device)), uniq: text(libevdev_get_uniq(device)),
    phys: text(libevdev_get_phys(device)))
}

private func text(_ bytes: UnsafePointer<CChar>?) -> String {
  bytes.map { String(cString: $0) } ?? ""
}

private func codes(of device: OpaquePointer, type: UInt16, upTo last: UInt16) -> Set<UInt16> {
  Set((0...last).filter { libevdev_has_event_code(device, UInt32(type), UInt32($0)) == 1 })
}

private func axes(of device: OpaquePointer) -> [UInt16: AbsoluteAxis] {
  var axes: [UInt16: AbsoluteAxis] = [:]
  for code in codes(of: device, type: EventType.absolute, upTo: 0x3f) {
    guard let info = libevdev_get_abs_info(device, UInt32(code))?.pointee else { continue }
    axes[code] = AbsoluteAxis(
      minimum: info.minimum, maximum: info.maximum, fuzz: info.fuzz, flat: info.flat,
      resolution: info.resolution, value: info.value)
  }
  if axes[AbsoluteCode.slot] != nil, libevdev_get_num_slots(device) > 0 {
    axes[AbsoluteCode.slot]?.value = libevdev_get_current_slot(device)
  }
  return axes
}

private func slots(of device: OpaquePointer) -> [SlotState] {
  // -1 without slots, and for devices that only pretend to have them.
  (0..<max(libevdev_get_num_slots(device), 0)).map { slot in
    var state = SlotState()
    var value: Int32 = 0
    let slot = UInt32(slot)
    if libevdev_fetch_slot_value(device, slot, UInt32(AbsoluteCode.trackingID), &value) == 1 {
      state.trackingID = value
    }
    if libevdev_fetch_slot_value(device, slot, UInt32(AbsoluteCode.touchPressure), &value) == 1 {
      state.pressure = value
    }
    if libevdev_fetch_slot_value(device, slot, UInt32(AbsoluteCode.touchDistance), &value) == 1 {
      state.distance = value
    }
    if libevdev_fetch_slot_value(device, slot, UInt32(AbsoluteCode.positionX), &value) == 1 {
      state.position.x = value
    }
    if libevdev_fetch_slot_value(device, slot, UInt32(AbsoluteCode.positionY), &value) == 1 {
      state.position.y = value
    }
    return state
  }
}
