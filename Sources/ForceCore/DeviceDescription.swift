/// Who a device is, across unplugging and a new node number.
public struct DeviceIdentity: Hashable, Sendable {
  public var bus: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  public var name: String
  /// The serial number, or "" where the device has none.
  public var uniq: String
  /// Where it is plugged in, or "".
  public var phys: String

  public init(
    bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16 = 0,
    name: String, uniq: String = "", phys: String = ""
  ) {
    self.bus = bus
    self.vendor = vendor
    self.product = product
    self.version = version
    self.name = name
    self.uniq = uniq
    self.phys = phys
  }
}

/// One absolute axis, as `EVIOCGABS` describes it.
public struct AbsoluteAxis: Equatable, Sendable {
  public var minimum: Int32
  public var maximum: Int32
  public var fuzz: Int32
  public var flat: Int32
  /// Units per millimetre, radian or, for pressure, gram; 0 means arbitrary units.
  public var resolution: Int32
  /// The value when the device was opened.
  public var value: Int32

  public init(
    minimum: Int32, maximum: Int32, fuzz: Int32 = 0, flat: Int32 = 0, resolution: Int32 = 0,
    value: Int32 = 0
  ) {
    self.minimum = minimum
    self.maximum = maximum
    self.fuzz = fuzz
    self.flat = flat
    self.resolution = resolution
    self.value = value
  }
}

/// Everything that a node says of itself: what is needed to decide, before any event, what it can do.
public struct DeviceDescription: Equatable, Sendable {
  public var identity: DeviceIdentity
  /// Input properties (`INPUT_PROP_…`).
  public var properties: Set<UInt16>
  /// Codes of `EV_KEY`.
  public var keys: Set<UInt16>
  /// Codes of `EV_ABS`, with their ranges.
  public var axes: [UInt16: AbsoluteAxis]
  /// Codes of `EV_MSC`.
  public var miscellaneous: Set<UInt16> = []
  /// Codes of `EV_FF`.
  public var forceFeedback: Set<UInt16>
  /// How many effects fit the device at once, from `EVIOCGEFFECTS`; 0 without force feedback.
  public var effectSlots: Int
  /// Keys that were down when the device was opened.
  public var pressedKeys: Set<UInt16>
  /// The state of each multitouch slot when the device was opened; empty where it has none.
  public var slots: [SlotState]
  /// Units of the pressure axis per gram, as the HID report descriptor declares them; nil where it
  /// declares none or cannot be read.
  public var unitsPerGram: Double?
  /// Whether a balance board's own calibration makes sense; true where it cannot be read.
  public var isBoardCalibrated = true
  /// The physical device that this node is one part of: equal for siblings, "" where unknown.
  public var parent: String
  /// The seat it belongs to, "seat0" by default.
  public var seat: String
  /// `/dev/input/eventN`, or the place that a recording came from; for people only.
  public var node: String

  public init(
    identity: DeviceIdentity, properties: Set<UInt16> = [], keys: Set<UInt16> = [],
    axes: [UInt16: AbsoluteAxis] = [:], forceFeedback: Set<UInt16> = [], effectSlots: Int = 0,
    pressedKeys: Set<UInt16> = [], slots: [SlotState] = [], parent: String = "",
    seat: String = "seat0", node: String = ""
  ) {
    self.identity = identity
    self.properties = properties
    self.keys = keys
    self.axes = axes
    self.forceFeedback = forceFeedback
    self.effectSlots = effectSlots
    self.pressedKeys = pressedKeys
    self.slots = slots
    self.parent = parent
    self.seat = seat
    self.node = node
  }
}

/// What a multitouch slot holds at one moment.
public struct SlotState: Equatable, Sendable {
  /// -1 when nothing touches.
  public var trackingID: Int32
  public var pressure: Int32
  /// 0 when touching; above 0 when hovering.
  public var distance: Int32
  public var position: Position

  public init(
    trackingID: Int32 = -1, pressure: Int32 = 0, distance: Int32 = 0,
    position: Position = Position(x: 0, y: 0)
  ) {
    self.trackingID = trackingID
    self.pressure = pressure
    self.distance = distance
    self.position = position
  }
}

/// A device as the engine and the daemon refer to it: a small number, never used again for another
/// device while the daemon runs.
public struct DeviceHandle: Hashable, Comparable, Sendable {
  public var index: Int
  public init(_ index: Int) { self.index = index }
  public static func < (a: DeviceHandle, b: DeviceHandle) -> Bool { a.index < b.index }
}
