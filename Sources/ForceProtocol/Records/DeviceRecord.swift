/// What has happened on a device, or on all of them, since the daemon started.
public struct EventCounters: Equatable, Sendable {
  /// Kernel events taken in.
  public var events: UInt64
  /// Frames: events up to one `SYN_REPORT`.
  public var frames: UInt64
  /// Times that the kernel's queue overflowed (`SYN_DROPPED`).
  public var drops: UInt64

  public init(events: UInt64 = 0, frames: UInt64 = 0, drops: UInt64 = 0) {
    self.events = events
    self.frames = frames
    self.drops = drops
  }
}

/// A device as `ListDevices` and `device_added` tell it. nil means unknown.
public struct DeviceRecord: Equatable, Sendable {
  /// The same each time that the device is plugged in.
  public var id: String
  /// The name that the device gives itself.
  public var name: String
  /// `pen`, `touchpad`, `touchscreen`, `pressurepad`, `gamepad`, `balance_board`, `motor`, `other`.
  public var kind: String
  /// `force`, `contact` or `none`.
  public var measure: String
  /// Why it cannot measure force; nil where it can.
  public var reason: String?
  /// False for a device that has been here and is gone.
  public var connected: Bool
  /// The raw value of no force.
  public var minimum: Int32?
  /// The raw value of full force.
  public var maximum: Int32?
  /// Units per gram, where the device declares them.
  public var resolution: Int32?
  /// Grams at 100 %.
  public var spanGrams: Double?
  /// `calibrated`, `profile`, `device` or `nominal`.
  public var gramsSource: String?
  /// The ranges of positions; nil unless the daemon publishes positions of this device.
  public var xMinimum: Int32?
  public var xMaximum: Int32?
  public var yMinimum: Int32?
  public var yMaximum: Int32?
  /// How far its readings can be trusted; nil unless it measures force and is connected.
  public var accuracy: AccuracyRecord?
  /// What plays haptics: `FF_HAPTIC`, `FF_RUMBLE`, `FF_PERIODIC`, or `none`, also where the motor
  /// refuses now.
  public var haptics: String
  /// Why that one, or why none.
  public var hapticsReason: String?
  /// The id of the device whose motor plays for this one.
  public var motor: String?
  /// `/dev/input/eventN`.
  public var node: String?
  public var bus: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var counters: EventCounters

  public init(
    id: String, name: String, kind: String, measure: String, reason: String? = nil,
    connected: Bool = true, minimum: Int32? = nil, maximum: Int32? = nil,
    resolution: Int32? = nil, spanGrams: Double? = nil, gramsSource: String? = nil,
    accuracy: AccuracyRecord? = nil, haptics: String = "none", hapticsReason: String? = nil,
    motor: String? = nil,
    node: String? = nil, bus: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0,
    counters: EventCounters = EventCounters()
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.measure = measure
    self.reason = reason
    self.connected = connected
    self.minimum = minimum
    self.maximum = maximum
    self.resolution = resolution
    self.spanGrams = spanGrams
    self.gramsSource = gramsSource
    self.accuracy = accuracy
    self.haptics = haptics
    self.hapticsReason = hapticsReason
    self.motor = motor
    self.node = node
    self.bus = bus
    self.vendor = vendor
    self.product = product
    self.counters = counters
  }
}

extension DeviceRecord {
  public init(_ object: JSONObject) throws(FieldError) { try self.init(object, at: "") }

  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    id = try fields.string("id")
    name = try fields.string("name")
    kind = try fields.string("kind")
    measure = try fields.string("measure")
    reason = try fields.optionalString("reason")
    connected = try fields.bool("connected")
    minimum = try fields.optionalInteger("minimum")
    maximum = try fields.optionalInteger("maximum")
    resolution = try fields.optionalInteger("resolution")
    spanGrams = try fields.optionalNumber("span_grams")
    gramsSource = try fields.optionalString("grams_source")
    xMinimum = try fields.optionalInteger("x_minimum")
    xMaximum = try fields.optionalInteger("x_maximum")
    yMinimum = try fields.optionalInteger("y_minimum")
    yMaximum = try fields.optionalInteger("y_maximum")
    accuracy = try fields.optionalObject("accuracy").map { object throws(FieldError) in
      try AccuracyRecord(object, at: path + "accuracy.")
    }
    haptics = try fields.string("haptics")
    hapticsReason = try fields.optionalString("haptics_reason")
    motor = try fields.optionalString("motor")
    node = try fields.optionalString("node")
    bus = try fields.integer("bus")
    vendor = try fields.integer("vendor")
    product = try fields.integer("product")
    let counters = try fields.required(
      "counters", "an object", try fields.optionalObject("counters"))
    self.counters = try EventCounters(counters, at: path + "counters.")
  }

  public var object: JSONObject {
    var object: JSONObject = [
      "id": .string(id), "name": .string(name), "kind": .string(kind),
      "measure": .string(measure),
    ]
    object.set("reason", reason)
    object["connected"] = .bool(connected)
    object.set("minimum", minimum)
    object.set("maximum", maximum)
    object.set("resolution", resolution)
    object["span_grams"] = spanGrams.map { .number(toHundredths($0)) }
    object.set("grams_source", gramsSource)
    object.set("x_minimum", xMinimum)
    object.set("x_maximum", xMaximum)
    object.set("y_minimum", yMinimum)
    object.set("y_maximum", yMaximum)
    object["accuracy"] = accuracy.map { .object($0.object) }
    object["haptics"] = .string(haptics)
    object.set("haptics_reason", hapticsReason)
    object.set("motor", motor)
    object.set("node", node)
    object["bus"] = .integer(Int64(bus))
    object["vendor"] = .integer(Int64(vendor))
    object["product"] = .integer(Int64(product))
    object["counters"] = .object(counters.object)
    return object
  }
}

extension EventCounters {
  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    events = try fields.integer("events")
    frames = try fields.integer("frames")
    drops = try fields.integer("drops")
  }

  var object: JSONObject {
    ["events": JSONValue(events), "frames": JSONValue(frames), "drops": JSONValue(drops)]
  }
}

extension JSONObject {
  /// Sets a member, or leaves it out: null is never sent.
  mutating func set(_ key: String, _ value: String?) { self[key] = value.map { .string($0) } }
  mutating func set(_ key: String, _ value: Int32?) {
    self[key] = value.map { .integer(Int64($0)) }
  }
}
