import ForceCore

/// Builds device descriptions the way one would tell of them:
///
///     .pen(maximum: 2_047).axis(AbsoluteCode.distance, 0...63)
extension DeviceDescription {
  public static func named(_ name: String, bus: UInt16 = Bus.usb) -> DeviceDescription {
    DeviceDescription(
      identity: DeviceIdentity(bus: bus, vendor: 0x1234, product: 0x5678, name: name))
  }

  public func axis(
    _ code: UInt16, _ range: ClosedRange<Int32>, flat: Int32 = 0, resolution: Int32 = 0,
    value: Int32? = nil
  ) -> DeviceDescription {
    axis(
      code,
      AbsoluteAxis(
        minimum: range.lowerBound, maximum: range.upperBound, flat: flat, resolution: resolution,
        value: value ?? range.lowerBound))
  }

  /// An axis whose range may make no sense.
  public func axis(_ code: UInt16, _ axis: AbsoluteAxis) -> DeviceDescription {
    var copy = self
    copy.axes[code] = axis
    return copy
  }

  public func keys(_ codes: UInt16...) -> DeviceDescription {
    var copy = self
    copy.keys.formUnion(codes)
    return copy
  }

  public func pressed(_ codes: UInt16...) -> DeviceDescription {
    var copy = self
    copy.pressedKeys.formUnion(codes)
    return copy
  }

  public func properties(_ codes: UInt16...) -> DeviceDescription {
    var copy = self
    copy.properties.formUnion(codes)
    return copy
  }

  public func forceFeedback(_ codes: UInt16..., slots: Int = 16) -> DeviceDescription {
    var copy = self
    copy.forceFeedback.formUnion(codes)
    copy.effectSlots = slots
    return copy
  }

  public func slots(_ states: SlotState...) -> DeviceDescription {
    var copy = self
    copy.slots = states
    return copy
  }

  public func at(
    uniq: String = "", phys: String = "", parent: String = "", bus: UInt16? = nil
  ) -> DeviceDescription {
    var copy = self
    copy.identity.uniq = uniq
    copy.identity.phys = phys
    copy.identity.bus = bus ?? copy.identity.bus
    copy.parent = parent
    return copy
  }
}

/// The devices that most tests need.
extension DeviceDescription {
  public static func pen(maximum: Int32 = 2_047) -> DeviceDescription {
    named("Test Pen")
      .keys(KeyCode.touch, KeyCode.toolPen, KeyCode.toolRubber, KeyCode.stylus)
      .axis(AbsoluteCode.x, 0...40_000).axis(AbsoluteCode.y, 0...25_000)
      .axis(AbsoluteCode.pressure, 0...maximum)
  }

  /// A multitouch pad of protocol B.
  public static func pad(
    maximum: Int32 = 1_000, slots: Int32 = 5, resolution: Int32 = 0
  ) -> DeviceDescription {
    named("Test Pad").properties(InputProperty.pointer)
      .keys(KeyCode.touch, KeyCode.toolFinger, KeyCode.toolDoubleTap)
      .axis(AbsoluteCode.x, 0...1_000).axis(AbsoluteCode.y, 0...600)
      .axis(AbsoluteCode.pressure, 0...maximum, resolution: resolution)
      .axis(AbsoluteCode.slot, 0...(slots - 1))
      .axis(AbsoluteCode.positionX, 0...1_000).axis(AbsoluteCode.positionY, 0...600)
      .axis(AbsoluteCode.trackingID, 0...65_535)
      .axis(AbsoluteCode.touchPressure, 0...maximum, resolution: resolution)
  }

  public static func gamepad(maximum: Int32 = 255) -> DeviceDescription {
    named("Test Gamepad").keys(KeyCode.gamepad)
      .forceFeedback(ForceFeedbackCode.rumble, ForceFeedbackCode.gain)
      .axis(AbsoluteCode.x, -32_768...32_767, value: 0)
      .axis(AbsoluteCode.y, -32_768...32_767, value: 0)
      .axis(AbsoluteCode.rx, -32_768...32_767, value: 0)
      .axis(AbsoluteCode.ry, -32_768...32_767, value: 0)
      .axis(AbsoluteCode.z, 0...maximum).axis(AbsoluteCode.rz, 0...maximum)
      .axis(AbsoluteCode.hat0X, -1...1, value: 0).axis(AbsoluteCode.hat0Y, -1...1, value: 0)
  }

  public static func balanceBoard() -> DeviceDescription {
    let cells = [
      AbsoluteCode.hat0X, AbsoluteCode.hat0Y, AbsoluteCode.hat1X, AbsoluteCode.hat1Y,
    ]
    return cells.reduce(named("Test Board", bus: Bus.bluetooth).keys(KeyCode.gamepad)) {
      $0.axis($1, 0...65_535, flat: 4)
    }
  }
}
