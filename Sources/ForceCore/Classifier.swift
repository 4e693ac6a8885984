extension Capability {
  /// Decides from a node's own description what it is and what it can measure.
  ///
  /// The order of the questions matters: what lies about its axes is sorted out before anything
  /// believes them.
  public static func classify(_ device: DeviceDescription) -> Capability {
    var capability = classifyAxes(of: device)
    capability.declaredUnitsPerGram = device.unitsPerGram.flatMap {
      $0.isFinite && $0 > 0 ? $0 : nil
    }
    capability.isBoardCalibrated = device.isBoardCalibrated
    return capability
  }

  private static func classifyAxes(of device: DeviceDescription) -> Capability {
    if device.keys.isEmpty && device.axes.isEmpty { return withoutInput(device) }
    if device.properties.contains(InputProperty.accelerometer) {
      return unable(
        .other,
        because: "it is a motion sensor: its axes tell acceleration and rotation, not pressure")
    }
    if device.announcesEveryAxis {
      return unable(
        .other,
        because: "it announces every axis there is, so its pressure axis means nothing "
          + "(keyboards and headsets do this)")
    }
    if let board = BalanceBoard.capability(of: device) { return board }
    if device.axes[AbsoluteCode.pressure] != nil || device.axes[AbsoluteCode.touchPressure] != nil {
      return withPressureAxis(device)
    }
    // Some pads have triggers and a touchpad in one node.
    let triggers = TriggerAxes.capability(of: device)
    guard triggers.measure == .none && device.touches else { return triggers }
    return unable(
      device.touchKind, .contact,
      because: "it has no pressure axis: it only tells that something touches")
  }

  private static func withoutInput(_ device: DeviceDescription) -> Capability {
    device.forceFeedback.isEmpty
      ? unable(.other, because: "it has neither axes nor keys")
      : unable(.motor, because: "it is a motor, with no axis and no key")
  }

  private static func withPressureAxis(_ device: DeviceDescription) -> Capability {
    let kind = device.touchKind
    if let axis = device.axes[AbsoluteCode.touchPressure], axis.width > 1 {
      if device.axes[AbsoluteCode.slot] == nil {
        return Capability(
          kind: kind, measure: .force, layout: .protocolA, axes: [axis],
          neededCodes: ProtocolATracker.neededCodes(device))
      }
      if device.axes[AbsoluteCode.trackingID] != nil {
        return Capability(
          kind: kind, measure: .force, layout: .slots(device.slotCount), axes: [axis],
          neededCodes: SlotTracker.neededCodes(device))
      }
    }
    // On multitouch devices this axis repeats the oldest contact, which is all there is to know when
    // the slots carry no pressure of their own.
    if let axis = device.axes[AbsoluteCode.pressure], axis.width > 1 {
      return Capability(
        kind: kind, measure: .force, layout: .single, axes: [axis],
        neededCodes: SingleContactTracker.neededCodes(device))
    }
    return unable(kind, device.touches ? .contact : .none, because: whyPressureIsUseless(device))
  }

  private static func whyPressureIsUseless(_ device: DeviceDescription) -> String {
    let axes = [AbsoluteCode.touchPressure, AbsoluteCode.pressure].compactMap { device.axes[$0] }
    if axes.contains(where: { $0.width > 1 }) {
      return "its slots carry no tracking IDs: nothing tells which contact a pressure belongs to"
    }
    if axes.contains(where: { $0.width == 1 }) {
      return "its pressure axis has only two values: pressed and not pressed"
    }
    let axis = axes.first ?? AbsoluteAxis(minimum: 0, maximum: 0)
    return "its pressure axis has no width (minimum \(axis.minimum), maximum \(axis.maximum))"
  }
}

extension AbsoluteAxis {
  /// Maximum − minimum; 0 or less where the axis measures nothing.
  public var width: Int64 { Int64(maximum) - Int64(minimum) }
}

extension DeviceDescription {
  /// Multitouch that isn't: `ABS_RESERVED` is no axis, and no real device has every one of the
  /// per-contact axes. Either comes of a HID descriptor that claims a whole range of usages.
  var announcesEveryAxis: Bool {
    axes[AbsoluteCode.reserved] != nil || AbsoluteCode.perContact.allSatisfy { axes[$0] != nil }
  }

  /// `BTN_STYLUS` alone is no pen: the button panels of tablets announce it too.
  var hasPenTool: Bool {
    KeyCode.penTools.contains { keys.contains($0) }
      || (keys.contains(KeyCode.stylus)
        && (keys.contains(KeyCode.touch) || axes[AbsoluteCode.pressure] != nil))
  }

  /// Whether it tells that something touches it, whatever else it tells.
  var touches: Bool {
    keys.contains(KeyCode.touch) || hasPenTool
      || KeyCode.fingerTools.contains { keys.contains($0) }
      || axes[AbsoluteCode.trackingID] != nil || axes[AbsoluteCode.positionX] != nil
  }

  var touchKind: DeviceKind {
    if hasPenTool { return .pen }
    guard touches else { return .other }
    let isPad =
      properties.contains(InputProperty.pointer)
      || (keys.contains(KeyCode.toolFinger) && !properties.contains(InputProperty.direct))
    guard isPad else { return .touchscreen }
    return properties.contains(InputProperty.pressurePad) || hasPressureInGrams
      || (unitsPerGram ?? 0) > 0
      ? .pressurepad : .touchpad
  }

  private var hasPressureInGrams: Bool {
    [AbsoluteCode.touchPressure, AbsoluteCode.pressure]
      .contains { (axes[$0]?.resolution ?? 0) > 0 }
  }

  var slotCount: Int {
    let last = Int(axes[AbsoluteCode.slot]?.maximum ?? 0)
    return min(max(last, 0) + 1, Capability.mostSlots)
  }
}
