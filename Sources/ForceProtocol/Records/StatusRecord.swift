/// How the daemon is, as `GetStatus` tells it.
public struct StatusRecord: Equatable, Sendable {
  /// The daemon's version.
  public var version: String
  public var pid: Int32
  /// Seconds since the daemon started.
  public var uptimeSeconds: Double
  /// The configuration files in force, in the order in which they were read.
  public var config: [String]
  /// The path of the socket.
  public var socket: String
  /// Calls of `Watch` under way.
  public var subscribers: Int
  public var connections: Int
  /// Bytes that wait for clients to take them, and of messages that have not come whole.
  public var bufferedBytes: Int
  public var counters: DaemonCounters
  /// Each real-time measure: got, or refused and why.
  public var realtime: [RealtimeRecord]
  /// Which motor plays for which device, and why.
  public var motors: [MotorRecord]
  /// The smoothing in force; nil: an older daemon does not say.
  public var smoothing: SmoothingRecord?

  public init(
    version: String, pid: Int32, uptimeSeconds: Double, config: [String], socket: String,
    subscribers: Int, connections: Int, bufferedBytes: Int = 0, counters: DaemonCounters,
    realtime: [RealtimeRecord], motors: [MotorRecord], smoothing: SmoothingRecord? = nil
  ) {
    self.version = version
    self.pid = pid
    self.uptimeSeconds = uptimeSeconds
    self.config = config
    self.socket = socket
    self.subscribers = subscribers
    self.connections = connections
    self.bufferedBytes = bufferedBytes
    self.counters = counters
    self.realtime = realtime
    self.motors = motors
    self.smoothing = smoothing
  }
}

/// What has happened since the daemon started.
public struct DaemonCounters: Equatable, Sendable {
  public var events: UInt64 = 0
  public var frames: UInt64 = 0
  public var drops: UInt64 = 0
  /// Times that the loop woke up.
  public var wakeups: UInt64 = 0
  public var readings: UInt64 = 0
  /// Readings that a newer one replaced before a slow subscriber took them.
  public var replaced: UInt64 = 0
  public var requests: UInt64 = 0
  /// Requests that were answered with an error.
  public var errors: UInt64 = 0
  public var hapticsPlayed: UInt64 = 0
  public var hapticsFailed: UInt64 = 0
  /// Effects that a newer one or a stop replaced before they reached their motor.
  public var hapticsCoalesced: UInt64 = 0
  /// Uploads of effects that took a driver longer than a second.
  public var uploadsSlow: UInt64 = 0
  /// Uploads for which a device had no slot.
  public var uploadsFull: UInt64 = 0
  /// Uploads that a device refused.
  public var uploadsRefused: UInt64 = 0
  /// Motors that went in the middle of an effect.
  public var motorsGone: UInt64 = 0
  /// Times that a device's node refused to open; some open a moment later.
  public var nodesDenied: UInt64 = 0
  /// Messages of plugged devices that the kernel dropped, because too many came at once; every device
  /// was looked at again then.
  public var hotplugLost: UInt64 = 0

  public init() {}
}

/// One real-time measure.
public struct RealtimeRecord: Equatable, Sendable {
  /// `scheduler`, `run_time_limit`, `memory_lock`, `timer_slack`.
  public var name: String
  /// `got`, `refused` or `off`.
  public var state: String
  /// Why it was refused.
  public var reason: String?

  public init(name: String, state: String, reason: String? = nil) {
    self.name = name
    self.state = state
    self.reason = reason
  }
}

/// Which motor plays for a device.
public struct MotorRecord: Equatable, Sendable {
  /// The id of the device that is pressed.
  public var device: String
  /// The id of the device whose motor plays; nil where none does.
  public var motor: String?
  /// `FF_HAPTIC`, `FF_RUMBLE`, `FF_PERIODIC`, or `none`, also where the motor refuses now.
  public var haptics: String
  /// Why this one, or why none.
  public var reason: String?

  public init(device: String, motor: String? = nil, haptics: String, reason: String? = nil) {
    self.device = device
    self.motor = motor
    self.haptics = haptics
    self.reason = reason
  }
}

extension StatusRecord {
  public init(_ object: JSONObject) throws(FieldError) { try self.init(object, at: "") }

  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    version = try fields.string("version")
    pid = try fields.integer("pid")
    uptimeSeconds = try fields.number("uptime_s")
    config = try fields.optionalArray("config", of: "a string") { $0.stringValue } ?? []
    socket = try fields.string("socket")
    subscribers = try fields.integer("subscribers")
    connections = try fields.integer("connections")
    bufferedBytes = try fields.optionalInteger("buffered_bytes") ?? 0
    let counters = try fields.required(
      "counters", "an object", try fields.optionalObject("counters"))
    self.counters = try DaemonCounters(counters, at: path + "counters.")
    realtime = try fields.records("realtime") { (object, path) throws(FieldError) in
      try RealtimeRecord(object, at: path)
    }
    motors = try fields.records("motors") { (object, path) throws(FieldError) in
      try MotorRecord(object, at: path)
    }
    if let smoothing = try fields.optionalObject("smoothing") {
      self.smoothing = try SmoothingRecord(smoothing, at: path + "smoothing.")
    }
  }

  public var object: JSONObject {
    var object: JSONObject = [
      "version": .string(version), "pid": .integer(Int64(pid)),
      "uptime_s": .number(toHundredths(uptimeSeconds)),
      "config": .array(config.map { .string($0) }), "socket": .string(socket),
      "subscribers": JSONValue(subscribers), "connections": JSONValue(connections),
      "buffered_bytes": JSONValue(bufferedBytes),
      "counters": .object(counters.object),
      "realtime": .array(realtime.map { .object($0.object) }),
      "motors": .array(motors.map { .object($0.object) }),
    ]
    object["smoothing"] = smoothing.map { .object($0.parameters) }
    return object
  }
}

extension DaemonCounters {
  private static var names: [(String, WritableKeyPath<DaemonCounters, UInt64>)] {
    [
      ("events", \.events), ("frames", \.frames), ("drops", \.drops), ("wakeups", \.wakeups),
      ("readings", \.readings), ("replaced", \.replaced), ("requests", \.requests),
      ("errors", \.errors), ("haptics_played", \.hapticsPlayed),
      ("haptics_failed", \.hapticsFailed), ("haptics_coalesced", \.hapticsCoalesced),
      ("uploads_slow", \.uploadsSlow), ("uploads_full", \.uploadsFull),
      ("uploads_refused", \.uploadsRefused), ("motors_gone", \.motorsGone),
      ("nodes_denied", \.nodesDenied), ("hotplug_lost", \.hotplugLost),
    ]
  }

  /// A counter that an older daemon does not keep stays 0.
  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    for (name, counter) in Self.names {
      self[keyPath: counter] = try fields.optionalInteger(name) ?? 0
    }
  }

  var object: JSONObject {
    JSONObject(Self.names.map { ($0, JSONValue(self[keyPath: $1])) })
  }
}

extension RealtimeRecord {
  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    name = try fields.string("name")
    state = try fields.string("state")
    reason = try fields.optionalString("reason")
  }

  var object: JSONObject {
    var object: JSONObject = ["name": .string(name), "state": .string(state)]
    object.set("reason", reason)
    return object
  }
}

extension MotorRecord {
  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    device = try fields.string("device")
    motor = try fields.optionalString("motor")
    haptics = try fields.string("haptics")
    reason = try fields.optionalString("reason")
  }

  var object: JSONObject {
    var object: JSONObject = ["device": .string(device)]
    object.set("motor", motor)
    object["haptics"] = .string(haptics)
    object.set("reason", reason)
    return object
  }
}
