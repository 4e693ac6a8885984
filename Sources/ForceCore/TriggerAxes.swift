/// Finds the triggers of a gamepad, or the pedals of a wheel, among axes that could be sticks.
///
/// | axes | triggers where |
/// |---|---|
/// | BRAKE, GAS | always: HID's simulation controls (pads over Bluetooth, wheels) |
/// | HAT2Y, HAT2X | with a range that starts at 0: the kernel's gamepad API, hid-steam |
/// | Z, RZ | the right stick is RX, RY: xpad, hid-playstation, hid-sony, xpadneo |
/// | RX, RY | Z and RZ rest in the middle, so they are the right stick: DualShock 4 on hid-generic |
///
/// Where an axis rests tells a stick from a trigger, but only if both of a pair say the same: one
/// trigger may be held while the device is plugged in. Until its first report the kernel says 0 for
/// every axis, so for a range from 0 to 255 resting at 0 proves nothing, and the layout decides.
enum TriggerAxes {
  static func capability(of device: DeviceDescription) -> Capability {
    let isGamepad = KeyCode.gamepadButtons.contains { device.keys.contains($0) }
    let isJoystick = KeyCode.joystickButtons.contains { device.keys.contains($0) }
    let candidates = find(in: device, isGamepad: isGamepad)
    guard !candidates.isEmpty else {
      guard isGamepad || isJoystick else {
        return .unable(.other, because: "it has neither a pressure axis nor triggers")
      }
      return .unable(.gamepad, because: whyNone(device, isGamepad: isGamepad))
    }
    return Capability(
      kind: .gamepad, measure: .force, layout: .triggers(candidates),
      axes: candidates.compactMap { device.axes[$0] },
      neededCodes: [EventType.absolute: candidates.sorted()])
  }

  private static func find(in device: DeviceDescription, isGamepad: Bool) -> [UInt16] {
    let pedals = usable([AbsoluteCode.brake, AbsoluteCode.gas], device)
    if !pedals.isEmpty && !rests(pedals, device, at: .middle) { return pedals }
    guard isGamepad else { return [] }
    let hats = usable([AbsoluteCode.hat2Y, AbsoluteCode.hat2X], device)
    if !hats.isEmpty { return hats }

    let depth = usable([AbsoluteCode.z, AbsoluteCode.rz], device)
    let rotation = usable([AbsoluteCode.rx, AbsoluteCode.ry], device)
    // With neither RX nor RY, Z and RZ are the right stick, wherever they rest.
    guard device.axes[AbsoluteCode.rx] != nil, device.axes[AbsoluteCode.ry] != nil else {
      return []
    }
    if !depth.isEmpty && !rests(depth, device, at: .middle) { return depth }
    if depth.count == 2 && rotation.count == 2 && rests(rotation, device, at: .minimum) {
      return rotation
    }
    return []
  }

  /// Those of the axes that the device has, that are wider than a digital button and that have no
  /// negative side: a trigger has no other direction to go.
  private static func usable(_ codes: [UInt16], _ device: DeviceDescription) -> [UInt16] {
    codes.filter { code in
      guard let axis = device.axes[code], axis.width > 1 else { return false }
      return !(axis.minimum < 0 && rest(of: axis) == .middle)
    }
  }

  private enum Rest { case minimum, middle, maximum }

  private static func rest(of axis: AbsoluteAxis) -> Rest {
    let quarters = (Int64(axis.value) - Int64(axis.minimum)) * 4
    if quarters <= axis.width { return .minimum }
    return quarters < axis.width * 3 ? .middle : .maximum
  }

  private static func rests(
    _ codes: [UInt16], _ device: DeviceDescription, at place: Rest
  ) -> Bool {
    codes.allSatisfy { device.axes[$0].map(rest) == place }
  }

  private static func whyNone(_ device: DeviceDescription, isGamepad: Bool) -> String {
    let depth = [AbsoluteCode.z, AbsoluteCode.rz].compactMap { device.axes[$0] }
    if depth.isEmpty { return "it has buttons and sticks, but no analogue triggers" }
    if !isGamepad {
      return "its Z and RZ axes are a stick's twist and throttle, not triggers"
    }
    if depth.allSatisfy({ $0.width <= 1 }) { return "its trigger axes have no width" }
    return "its Z and RZ axes are a stick, not triggers (a trigger rests at its minimum)"
  }
}
