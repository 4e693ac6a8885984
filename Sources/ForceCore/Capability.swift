/// What kind of thing a device is, as people would call it.
public enum DeviceKind: String, Sendable, CaseIterable {
  case pen
  case touchpad
  case touchscreen
  /// A touchpad that measures real force.
  case pressurepad
  /// A gamepad, joystick, wheel or set of pedals.
  case gamepad
  case balanceBoard = "balance_board"
  /// A node that only plays effects.
  case motor
  case other
}

/// What a device can measure.
public enum Measure: String, Sendable, CaseIterable {
  case force
  /// Whether something touches, but not how hard. The engine makes no readings of it: their force
  /// would be invented.
  case contact
  case none
}

/// How a device reports its contacts.
public enum SensorLayout: Equatable, Sendable {
  /// One contact: `ABS_PRESSURE`, with `BTN_TOUCH`, `BTN_TOOL_*` or `ABS_DISTANCE`.
  case single
  /// Multitouch protocol B: so many slots.
  case slots(Int)
  /// Multitouch protocol A: a packet for each contact in each frame.
  case protocolA
  /// One axis for each trigger or pedal, left before right.
  case triggers([UInt16])
  /// The four load cells of a balance board, and their sum.
  case balanceBoard
}

/// What a device can do for this daemon, and why not more. See `Capability.classify(_:)`.
public struct Capability: Equatable, Sendable {
  public var kind: DeviceKind
  public var measure: Measure
  /// Why it cannot measure force: "cannot measure force, because …"; nil where it can.
  public var reason: String?
  /// How its contacts arrive; nil unless it measures force.
  public var layout: SensorLayout?
  /// The axes that measure, with the range that is really used: one for each trigger, or one for all
  /// contacts. Empty unless it measures force.
  public var axes: [AbsoluteAxis]
  /// Where its contacts are; nil unless that is to be followed and the device tells it.
  public var positions: PositionAxes?
  /// The codes that have to arrive, by event type and in rising order. What isn't here can be masked
  /// away with `EVIOCSMASK`, which never masks `EV_SYN`. Empty unless it measures force.
  public var neededCodes: [UInt16: [UInt16]]
  /// Units per gram of the pressure axis, from the HID report descriptor.
  public var declaredUnitsPerGram: Double?
  /// Whether a balance board's units can be believed.
  public var isBoardCalibrated = true

  public init(
    kind: DeviceKind, measure: Measure, reason: String? = nil, layout: SensorLayout? = nil,
    axes: [AbsoluteAxis] = [], neededCodes: [UInt16: [UInt16]] = [:]
  ) {
    self.kind = kind
    self.measure = measure
    self.reason = reason
    self.layout = layout
    self.axes = axes
    self.neededCodes = neededCodes
  }

  /// The axis of the first contact: what stands for the device where one range is to be told.
  public var axis: AbsoluteAxis? { axes.first }
}

extension Capability {
  /// More slots than this are not followed: it is the kernel's own limit (`input_mt_init_slots`).
  static let mostSlots = 1_024

  static func unable(
    _ kind: DeviceKind, _ measure: Measure = .none, because why: String
  ) -> Capability {
    Capability(kind: kind, measure: measure, reason: "cannot measure force, because " + why)
  }
}
