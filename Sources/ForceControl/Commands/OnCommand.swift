import ForceClient
import LinuxSystem
import Synchronization

extension Command {
  static let on = Command(
    name: "on",
    operands: "EVENT -- COMMAND...",
    summary: "run a command whenever something happens",
    details: """
      EVENT is press, release, maximum, reading, device-added or device-removed. The command is
      run without a shell and has the reading in its environment: FORCED_EVENT, FORCED_DEVICE,
      FORCED_CONTACT, FORCED_PERCENT, FORCED_GRAMS, FORCED_RAW, FORCED_STATE, FORCED_AT_MAXIMUM,
      FORCED_TIME and more, FORCED_X and FORCED_Y where positions are published; at a device's
      events FORCED_NAME, FORCED_KIND and FORCED_MEASURE.
      A contact that touches at the start, or when a daemon that restarted is back, counts as a
      press. While the command runs, the newest event waits; FORCED_REPLACED says how many gave way
      to it.
      """,
    options: [
      .init("device", value: .required("ID"), summary: "only this device, by its id or name"),
      .init(
        "rate", value: .required("HZ"), summary: "at most so many readings a second and contact"),
      .init("parallel", value: .required("N"), summary: "run up to N at a time, not one"),
      .init("count", value: .required("N"), summary: "end after so many runs"),
    ]
  ) { (invocation) async throws(CommandFailure) in
    let options = try HookOptions(invocation.line)
    let devices = try await asking { () async throws(ForceClientError) in
      try await invocation.client.devices()
    }
    let ids = try options.device.map { (name) throws(CommandFailure) in
      try deviceIDs(name, among: devices)
    }
    let errors = invocation.environment.errors
    let runner = HookRunner(options.command, limit: options.parallel) {
      try? errors.line("forcectl: \(printable($0))")
    }
    var client = invocation.client
    client.reconnection = Reconnection()
    let (line, now) = (Line(), invocation.environment.now)
    let watch = client.watch(options.event.request(devices: ids, rate: options.rate)) { change in
      if case .connected = change { line.connected(at: now()) }
      guard case .disconnected(.connectionLost) = change else { return }
      try? errors.line("forcectl: the daemon has gone; waiting for it to come back")
    }
    let present = Set(devices.filter(\.connected).map(\.id))
    try await runCommand(
      watch, line, HookTrigger(options.event, knownDevices: present), runner,
      count: options.count, now: now)
  }
}

/// Carries news of a connection from the watch's callback, which is called between the events, to the
/// next event.
private final class Line: Sendable {
  private let connection = Atomic<Int64>(.min)

  func connected(at now: Instant) { connection.store(now.microseconds, ordering: .relaxed) }

  /// When the connection was made that the next event is the first of; nil for later ones.
  func takeConnection() -> Instant? {
    let time = connection.exchange(.min, ordering: .relaxed)
    return time == .min ? nil : Instant(microseconds: time)
  }
}

/// What `on` was asked for.
struct HookOptions {
  var event: HookEvent
  var command: [String]
  var device: String?
  var rate: Double?
  var parallel: Int
  var count: Int

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    let events = HookEvent.allCases.map(\.rawValue)
    let allowed = "the events are \(events.joined(separator: ", "))"
    guard let name = line.operands.first else {
      throw .usage("the event is missing", hint: allowed)
    }
    guard let event = HookEvent(rawValue: name) else {
      let near = nearest(to: name, among: events).map { "did you mean '\($0)'?" }
      throw .usage("there is no event '\(printable(name))'", hint: near ?? allowed)
    }
    self.event = event
    command = Array(line.operands.dropFirst())
    guard let program = command.first, !program.isEmpty else {
      throw .usage("the command is missing", hint: "such as `forcectl on \(name) -- echo pressed`")
    }
    device = line.value(of: "device")
    rate = try rateOption(line)
    parallel = try countOption("parallel", line) ?? 1
    count = try countOption("count", line) ?? .max
  }
}

/// Runs the command at every event that triggers it, until there were enough or the task is
/// cancelled. Whatever ends it, no command runs on afterwards.
private func runCommand(
  _ watch: Watch, _ line: Line, _ trigger: HookTrigger, _ runner: HookRunner, count: Int,
  now: @Sendable () -> Instant
) async throws(CommandFailure) {
  var trigger = trigger
  var events = watch.makeAsyncIterator()
  var taken = 0
  do throws(CommandFailure) {
    while taken < count {
      guard let event = try await next(&events) else {
        runner.terminate()
        break
      }
      if let time = line.takeConnection() { trigger.connected(at: time) }
      if let variables = trigger.variables(for: event, at: now()) {
        taken = try runner.offer(variables)
      }
    }
  } catch {
    runner.terminate()
    try? await runner.finish()
    throw error
  }
  try await runner.finish()
}
