/// One event of the kernel's input layer, as `struct input_event` carries it.
public struct InputEvent: Equatable, Sendable {
  public var time: Instant
  /// `EV_SYN`, `EV_KEY`, `EV_ABS` …: see `EventType`.
  public var type: UInt16
  public var code: UInt16
  public var value: Int32

  public init(time: Instant, type: UInt16, code: UInt16, value: Int32) {
    self.time = time
    self.type = type
    self.code = code
    self.value = value
  }
}

/// Event types of `linux/input-event-codes.h`.
public enum EventType {
  public static let synchronization: UInt16 = 0x00
  public static let key: UInt16 = 0x01
  public static let relative: UInt16 = 0x02
  public static let absolute: UInt16 = 0x03
  public static let miscellaneous: UInt16 = 0x04
  public static let forceFeedback: UInt16 = 0x15
}

/// Codes of `EV_SYN`.
public enum SynchronizationCode {
  public static let report: UInt16 = 0
  public static let multitouchReport: UInt16 = 2
  public static let dropped: UInt16 = 3
}

/// Codes of `EV_ABS` that say something about force or contact, and those that tell devices apart.
public enum AbsoluteCode {
  public static let x: UInt16 = 0x00
  public static let y: UInt16 = 0x01
  public static let z: UInt16 = 0x02
  public static let rx: UInt16 = 0x03
  public static let ry: UInt16 = 0x04
  public static let rz: UInt16 = 0x05
  public static let gas: UInt16 = 0x09
  public static let brake: UInt16 = 0x0a
  public static let hat0X: UInt16 = 0x10
  public static let hat0Y: UInt16 = 0x11
  public static let hat1X: UInt16 = 0x12
  public static let hat1Y: UInt16 = 0x13
  public static let hat2X: UInt16 = 0x14
  public static let hat2Y: UInt16 = 0x15
  public static let pressure: UInt16 = 0x18
  public static let distance: UInt16 = 0x19
  /// `ABS_MISC`: on pen tablets which tool it is.
  public static let miscellaneous: UInt16 = 0x28
  public static let reserved: UInt16 = 0x2e
  public static let slot: UInt16 = 0x2f
  public static let touchMajor: UInt16 = 0x30
  public static let positionX: UInt16 = 0x35
  public static let positionY: UInt16 = 0x36
  public static let toolType: UInt16 = 0x37
  public static let trackingID: UInt16 = 0x39
  public static let touchPressure: UInt16 = 0x3a
  public static let touchDistance: UInt16 = 0x3b
  /// Every per-contact code that Linux defines, `ABS_MT_TOUCH_MAJOR` to `ABS_MT_TOOL_Y`.
  public static let perContact: ClosedRange<UInt16> = 0x30...0x3d
}

/// Codes of `EV_MSC`.
public enum MiscellaneousCode {
  /// `MSC_SERIAL`: on pen tablets the serial number of the tool, in every frame.
  public static let serial: UInt16 = 0x00
}

/// Codes of `EV_KEY` that say whether something touches, and what.
public enum KeyCode {
  /// `BTN_JOYSTICK`, the first of the joystick buttons.
  public static let joystick: UInt16 = 0x120
  /// The joystick's buttons, `BTN_TRIGGER` to `BTN_DEAD`.
  public static let joystickButtons: ClosedRange<UInt16> = 0x120...0x12f
  /// The gamepad's buttons, `BTN_SOUTH` to `BTN_THUMBR`.
  public static let gamepadButtons: ClosedRange<UInt16> = 0x130...0x13e
  /// `BTN_GAMEPAD`, also called `BTN_SOUTH`.
  public static let gamepad: UInt16 = 0x130
  public static let toolPen: UInt16 = 0x140
  public static let toolRubber: UInt16 = 0x141
  public static let toolBrush: UInt16 = 0x142
  public static let toolPencil: UInt16 = 0x143
  public static let toolAirbrush: UInt16 = 0x144
  public static let toolFinger: UInt16 = 0x145
  public static let toolMouse: UInt16 = 0x146
  public static let toolLens: UInt16 = 0x147
  public static let toolQuintTap: UInt16 = 0x148
  public static let touch: UInt16 = 0x14a
  public static let stylus: UInt16 = 0x14b
  public static let toolDoubleTap: UInt16 = 0x14d
  public static let toolTripleTap: UInt16 = 0x14e
  public static let toolQuadTap: UInt16 = 0x14f
  /// The tools of a tablet. They tell that something is near, and of themselves not that it touches.
  public static let penTools: [UInt16] = [
    toolPen, toolRubber, toolBrush, toolPencil, toolAirbrush, toolMouse, toolLens,
  ]
  /// How many fingers touch: exactly one of these is down while any does.
  public static let fingerTools: [UInt16] = [
    toolFinger, toolDoubleTap, toolTripleTap, toolQuadTap, toolQuintTap,
  ]
}

/// Codes of `EV_FF`.
public enum ForceFeedbackCode {
  /// `FF_HAPTIC`: host-driven haptic pads, Linux 6.18 and later.
  public static let haptic: UInt16 = 0x4f
  public static let rumble: UInt16 = 0x50
  public static let periodic: UInt16 = 0x51
  public static let sine: UInt16 = 0x5a
  public static let gain: UInt16 = 0x60
}

/// Input properties of `EVIOCGPROP`.
public enum InputProperty {
  public static let pointer: UInt16 = 0x00
  public static let direct: UInt16 = 0x01
  public static let buttonPad: UInt16 = 0x02
  public static let accelerometer: UInt16 = 0x06
  /// `INPUT_PROP_PRESSUREPAD`: the pad measures real force.
  public static let pressurePad: UInt16 = 0x07
}

/// Bus types of `linux/input.h` that change how a device is treated.
public enum Bus {
  public static let usb: UInt16 = 0x03
  public static let bluetooth: UInt16 = 0x05
  public static let virtual: UInt16 = 0x06
}
