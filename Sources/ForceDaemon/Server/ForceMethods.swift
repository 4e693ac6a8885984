import ForceCore
import ForceProtocol
import LinuxSystem

/// `org.varlink.service` and `org.forced.Force`, as the interface definitions have them.
final class ForceMethods: Methods {
  private unowned let daemon: Daemon

  init(_ daemon: Daemon) { self.daemon = daemon }

  func call(
    _ request: Request, from connection: Connection, at now: Instant
  ) throws(VarlinkError) -> CallOutcome {
    switch request.method {
    case ServiceInterface.Method.getInfo:
      try read { () throws(FieldError) in try NoParameters.check(request.parameters) }
      return .reply(serviceInfo.parameters)
    case ServiceInterface.Method.getInterfaceDescription: return try describe(request)
    case ForceInterface.Method.watch: return try watch(request, connection, at: now)
    case ForceInterface.Method.getReading: return try getReading(request)
    case ForceInterface.Method.listDevices:
      try read { () throws(FieldError) in try NoParameters.check(request.parameters) }
      return .reply(["devices": .array(daemon.pipeline.records.map { .object($0.object) })])
    case ForceInterface.Method.getStatus:
      try read { () throws(FieldError) in try NoParameters.check(request.parameters) }
      return .reply(["status": .object(daemon.status(at: now).object)])
    case ForceInterface.Method.getLatency:
      try read { () throws(FieldError) in try NoParameters.check(request.parameters) }
      return .reply(daemon.pipeline.latency.parameters)
    case ForceInterface.Method.playHaptic, ForceInterface.Method.stopHaptics,
      ForceInterface.Method.reload, ForceInterface.Method.setSmoothing,
      ForceInterface.Method.calibrate, ForceInterface.Method.tare, ForceInterface.Method.untare:
      return try control(request, connection, at: now)
    default: throw unknown(request)
    }
  }

  /// Reads parameters, and turns what is wrong with them into the reply that says so.
  private func read<Value>(
    _ body: () throws(FieldError) -> Value
  ) throws(VarlinkError) -> Value {
    do throws(FieldError) { return try body() } catch { throw VarlinkError(error) }
  }

  private func unknown(_ request: Request) -> VarlinkError {
    switch request.interface {
    case ForceInterface.name, ServiceInterface.name: .methodNotFound(method: request.method)
    default: .interfaceNotFound(interface: request.interface)
    }
  }

  private func describe(_ request: Request) throws(VarlinkError) -> CallOutcome {
    let asked = try read { () throws(FieldError) in
      try InterfaceDescriptionRequest(parameters: request.parameters)
    }
    guard let text = interfaceDefinition(of: asked.interface) else {
      throw .interfaceNotFound(interface: asked.interface)
    }
    return .reply(["description": .string(text)])
  }

  // MARK: Reading

  private func watch(
    _ request: Request, _ connection: Connection, at now: Instant
  ) throws(VarlinkError) -> CallOutcome {
    let asked = try read { () throws(FieldError) in
      try WatchRequest(parameters: request.parameters)
    }
    guard request.more else { throw .expectedMore }
    guard !request.oneway else { return .answered }
    let pipeline = daemon.pipeline
    connection.beginWatching(asked, pipeline.table)
    let here = pipeline.table.connected.filter { connection.watches($0.handle) }
    var current: [Reading] = []
    pipeline.engine.forEachCurrent(of: nil) { current.append($0) }
    pipeline.publisher.add(
      connection, devices: here.map { DeviceRecord($0, in: pipeline) }, current: current, at: now)
    return .answered
  }

  private func getReading(_ request: Request) throws(VarlinkError) -> CallOutcome {
    let asked = try read { () throws(FieldError) in
      try ContactSelection(parameters: request.parameters)
    }
    let pipeline = daemon.pipeline
    let device = try asked.device.map { name throws(VarlinkError) in
      try pipeline.table.find(name)
    }
    var readings: [JSONValue] = []
    pipeline.engine.forEachCurrent(of: device?.handle) { reading in
      guard asked.contact == nil || asked.contact == reading.contact else { return }
      let id = pipeline.table[reading.device].id
      readings.append(.object(ReadingRecord(reading, device: id).object))
    }
    return .reply(["readings": .array(readings)])
  }

  // MARK: Control

  private func control(
    _ request: Request, _ connection: Connection, at now: Instant
  ) throws(VarlinkError) -> CallOutcome {
    try daemon.access.checkControl(connection.peer, groups: connection.descriptor)
    let parameters = request.parameters
    switch request.method {
    case ForceInterface.Method.playHaptic:
      let asked = try read { () throws(FieldError) in try HapticRequest(parameters: parameters) }
      return try play(asked, at: now)
    case ForceInterface.Method.stopHaptics:
      let asked = try read { () throws(FieldError) in
        try StopHapticsRequest(parameters: parameters)
      }
      return try stop(asked, at: now)
    case ForceInterface.Method.tare:
      let asked = try read { () throws(FieldError) in try ContactSelection(parameters: parameters) }
      return .reply(try daemon.pipeline.tare(asked, at: now))
    case ForceInterface.Method.untare:
      let asked = try read { () throws(FieldError) in try ContactSelection(parameters: parameters) }
      return .reply(try daemon.pipeline.untare(asked, at: now))
    case ForceInterface.Method.calibrate:
      let asked = try read { () throws(FieldError) in
        try CalibrateRequest(parameters: parameters)
      }
      let plan = try daemon.pipeline.calibration(asked)
      if asked.isTrial { return .reply(plan.reply) }
      connection.postponeReply()
      daemon.save(plan) { [server = daemon.server] result, now in
        server.finish(request, result, to: connection, at: now)
      }
      return .answered
    case ForceInterface.Method.reload:
      try read { () throws(FieldError) in try NoParameters.check(parameters) }
      connection.postponeReply()
      daemon.reload { [server = daemon.server] problems, now in
        let result: Result<JSONObject, VarlinkError> =
          problems.isEmpty ? .success([:]) : .failure(.configurationRejected(problems: problems))
        server.finish(request, result, to: connection, at: now)
      }
      return .answered
    default:
      let asked = try read { () throws(FieldError) in
        try SmoothingRecord(parameters: parameters)
      }
      return .reply(["smoothing": .object(daemon.setSmoothing(asked, at: now).parameters)])
    }
  }

  private func play(_ asked: HapticRequest, at now: Instant) throws(VarlinkError) -> CallOutcome {
    let haptics = daemon.pipeline.haptics
    let entry = try motorDevice(asked.device)
    guard let motor = haptics.motor(for: entry.handle) else {
      throw .noMotor(device: entry.id, reason: daemon.pipeline.motorReason(of: entry))
    }
    var pattern = try effect(named: asked.effect, haptics.settings)
    // Nothing presses that it could follow.
    pattern.followsForce = false
    if let strength = asked.strength { pattern.pulse.strength = strength / 100 }
    if let length = asked.lengthMilliseconds { pattern.pulse.length = .milliseconds(length) }
    if let error = haptics.play(pattern, for: entry.handle, at: now) {
      throw .hapticFailed(device: entry.id, reason: error.words)
    }
    return .reply(["motor": .string(daemon.pipeline.table[motor].id)])
  }

  /// The named effect; without a name the one that is played at the maximum.
  private func effect(
    named name: String?, _ settings: HapticSettings
  ) throws(VarlinkError) -> HapticPattern {
    guard let name else {
      return settings.effect(on: .maximum) ?? HapticPattern(strength: 1, length: .milliseconds(60))
    }
    guard let pattern = settings.effect(named: name) else {
      throw .invalidValue(
        parameter: "effect", found: name,
        allowed: settings.effects.keys.sorted().joined(separator: ", "))
    }
    return pattern
  }

  /// The named device; without a name the only one that a motor plays for, of those that measure force if
  /// there is one for any of them.
  private func motorDevice(_ name: String?) throws(VarlinkError) -> DeviceEntry {
    let pipeline = daemon.pipeline
    if let name { return try pipeline.table.find(name) }
    let served = pipeline.table.connected.filter { pipeline.haptics.motor(for: $0.handle) != nil }
    var candidates = served.filter { $0.capability.measure == .force }
    if candidates.isEmpty {
      // A vibrator serves all of its seat, a power button too.
      let motors = Set(served.compactMap { pipeline.haptics.motor(for: $0.handle) })
      candidates = pipeline.table.connected.filter { motors.contains($0.handle) }
    }
    guard let only = candidates.first, candidates.count == 1 else {
      throw .noMotor(
        device: "",
        reason: candidates.isEmpty
          ? "no device has a motor" : "several devices have one: name the device")
    }
    return only
  }

  private func stop(
    _ asked: StopHapticsRequest, at now: Instant
  ) throws(VarlinkError) -> CallOutcome {
    let pipeline = daemon.pipeline
    guard let name = asked.device else {
      pipeline.haptics.stopAll(at: now)
      return .reply([:])
    }
    pipeline.haptics.stop(try pipeline.table.find(name).handle, at: now)
    return .reply([:])
  }
}
