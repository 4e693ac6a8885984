import ForceCore

/// What a subscriber wants to see, as the parameters of `Watch` say it. nil means no restriction.
public struct WatchRequest: Equatable, Sendable {
  /// Kinds of event that a subscription can carry.
  public enum Kind: String, Sendable, CaseIterable {
    case reading
    case deviceAdded = "device_added"
    case deviceRemoved = "device_removed"
    case heartbeat
  }

  /// Ids or names of devices; events of no other device are sent. A device need not be there yet.
  public var devices: [String]?
  /// Numbers of contacts.
  public var contacts: [Int32]?
  public var events: [Kind]?
  /// Most readings a second for each contact, above 0 to 10,000. A change of state or of
  /// `at_maximum` is always sent.
  public var maximumHertz: Double?
  /// A reading is sent only when its percent differs by at least this much from the last one sent
  /// for the contact, 0…100. A change of state or of `at_maximum` is always sent.
  public var onChange: Double?
  /// A heartbeat is sent whenever nothing else was for so long, 10 ms…1 h. nil: none.
  public var heartbeatMilliseconds: Int64?

  public init(
    devices: [String]? = nil, contacts: [Int32]? = nil, events: [Kind]? = nil,
    maximumHertz: Double? = nil, onChange: Double? = nil, heartbeatMilliseconds: Int64? = nil
  ) {
    self.devices = devices
    self.contacts = contacts
    self.events = events
    self.maximumHertz = maximumHertz
    self.onChange = onChange
    self.heartbeatMilliseconds = heartbeatMilliseconds
  }
}

extension WatchRequest {
  /// Reads the parameters of a call.
  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    devices = try fields.optionalArray("devices", of: "a string") { $0.stringValue }
    contacts = try fields.optionalArray("contacts", of: "a contact's number") {
      $0.integerValue.flatMap { Int32(exactly: $0) }
    }
    events = try Self.kinds(&fields)
    maximumHertz = try fields.optionalNumber(
      "max_hz", in: 0...10_000, allowed: "above 0 to 10000 readings a second")
    if maximumHertz == 0 {
      throw fields.notAllowed("max_hz", found: "0", allowed: "above 0 to 10000 readings a second")
    }
    onChange = try fields.optionalNumber("on_change", in: 0...100, allowed: "0 to 100 per cent")
    heartbeatMilliseconds = try fields.optionalInteger("heartbeat_ms")
    if let heartbeatMilliseconds, !(10...3_600_000).contains(heartbeatMilliseconds) {
      throw fields.notAllowed(
        "heartbeat_ms", found: String(heartbeatMilliseconds), allowed: "10 to 3600000 ms")
    }
    try fields.refuseUnknown()
  }

  private static func kinds(_ fields: inout FieldReader) throws(FieldError) -> [Kind]? {
    guard
      let names = try fields.optionalArray("events", of: "a string", { $0.stringValue })
    else { return nil }
    var kinds: [Kind] = []
    for name in names {
      guard let kind = Kind(rawValue: name) else {
        let allowed = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw fields.notAllowed("events", found: name, allowed: allowed)
      }
      kinds.append(kind)
    }
    return kinds
  }

  /// The parameters of a call.
  public var parameters: JSONObject {
    var object = JSONObject()
    object["devices"] = devices.map { .array($0.map { .string($0) }) }
    object["contacts"] = contacts.map { .array($0.map { .integer(Int64($0)) }) }
    object["events"] = events.map { .array($0.map { .string($0.rawValue) }) }
    object["max_hz"] = maximumHertz.map { .number($0) }
    object["on_change"] = onChange.map { .number($0) }
    object["heartbeat_ms"] = heartbeatMilliseconds.map { .integer($0) }
    return object
  }
}

/// One reply to `Watch`.
public struct WatchEvent: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case reading(ReadingRecord)
    case deviceAdded(DeviceRecord)
    case deviceRemoved(DeviceRecord)
    /// Nothing has changed; the daemon is there.
    case heartbeat
    /// An event of a newer daemon that this version does not know.
    case unknown(name: String)
  }

  public var kind: Kind
  /// How many readings of the device, of those asked for by devices and contacts, were not sent since
  /// the one before: a newer one replaced them, the rate or the threshold held them back.
  public var dropped: UInt64

  public init(_ kind: Kind, dropped: UInt64 = 0) {
    self.kind = kind
    self.dropped = dropped
  }
}

extension WatchEvent {
  /// Reads the parameters of a reply.
  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    let name = try fields.string("event")
    dropped = try fields.optionalInteger("dropped") ?? 0
    switch WatchRequest.Kind(rawValue: name) {
    case .reading:
      let object = try fields.required(
        "reading", "an object", try fields.optionalObject("reading"))
      kind = .reading(try ReadingRecord(object, at: "reading."))
    case .deviceAdded: kind = .deviceAdded(try Self.device(&fields))
    case .deviceRemoved: kind = .deviceRemoved(try Self.device(&fields))
    case .heartbeat: kind = .heartbeat
    case nil: kind = .unknown(name: name)
    }
  }

  private static func device(_ fields: inout FieldReader) throws(FieldError) -> DeviceRecord {
    let object = try fields.required("device", "an object", try fields.optionalObject("device"))
    return try DeviceRecord(object, at: "device.")
  }

  /// The parameters of a reply.
  public var parameters: JSONObject {
    var object = JSONObject()
    switch kind {
    case .reading(let reading):
      object = ["event": "reading", "reading": .object(reading.object)]
    case .deviceAdded(let device):
      object = ["event": "device_added", "device": .object(device.object)]
    case .deviceRemoved(let device):
      object = ["event": "device_removed", "device": .object(device.object)]
    case .heartbeat: object = ["event": "heartbeat"]
    case .unknown(let name): object = ["event": .string(name)]
    }
    if dropped > 0 { object["dropped"] = JSONValue(dropped) }
    return object
  }
}
