import ForceClient
import LinuxSystem

extension Command {
  static let weigh = Command(
    name: "weigh",
    summary: "wait until what lies on a device is steady, and tell its weight",
    details: """
      The sum of all contacts counts: an object with feet is one object. Steady is what stays within
      the tolerance for the time. Each result is a line; what lies there has to move before the next.
      """,
    options: [
      .init("device", value: .required("ID"), summary: "this device, by its id or name"),
      .init("unit", value: .required("UNIT"), summary: "g (the default), oz, N or lb"),
      .init("time", value: .required("TIME"), summary: "how long it has to be steady: 1s"),
      .init("tolerance", value: .required("GRAMS"), summary: "how much it may move: 2"),
      .init("count", value: .required("N"), summary: "end after so many results: 1"),
    ]
  ) { (invocation) async throws(CommandFailure) in
    try invocation.refuseOperands()
    let options = try WeighOptions(invocation.line)
    let device = try await measuringDevice(options.device, invocation)
    var scale = try Weighing(
      device, invocation,
      SteadyLoad(
        time: options.time, tolerance: options.tolerance, of: .grams,
        contact: sumContact(of: device)))
    let (output, errors) = (invocation.environment.output, invocation.environment.errors)
    if device.gramsSource == "nominal" {
      try errors.line(
        "forcectl: the grams of \(printable(device.id)) are nominal and no measurement; "
          + "`forcectl calibrate` makes them one")
    }
    for index in 0..<options.count {
      let grams: Double
      do throws(CommandFailure) {
        if index > 0 { try await scale.untilItMoves() }
        try await scale.untilItIsLoaded {
          guard index == 0, invocation.environment.errorsHaveTerminal else { return }
          try? errors.line(options.expectation(of: device))
        }
        grams = try await scale.steady()
      } catch {
        // Ctrl-C is how to end it once it has told something.
        if Task.isCancelled && index > 0 { return }
        throw error
      }
      let over = scale.load.isOverMaximum ? "  over the maximum: it may be more" : ""
      try output.line(options.unit.text(grams) + over)
    }
  }
}

private struct WeighOptions {
  var device: String?
  var unit = WeightUnit.grams
  var time = Microseconds.seconds(1)
  var tolerance = 2.0
  var count = 1

  /// What it waits for while nothing lies there.
  func expectation(of device: DeviceRecord) -> String {
    "forcectl: nothing lies on \(printable(device.name)); waiting for something that stays within "
      + "\(brief(tolerance)) g for \(brief(time.seconds)) s"
  }

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    for option in line.options {
      let value = option.value ?? ""
      switch option.name {
      case "device": device = value
      case "unit":
        guard let known = WeightUnit(rawValue: value) else {
          throw .usage("--unit is g, oz, N or lb, not '\(printable(value))'")
        }
        unit = known
      case "time": time = try steadyTime(value)
      case "tolerance":
        guard let grams = Double(value), grams >= 0, grams.isFinite else {
          throw .usage("--tolerance takes grams, such as 2")
        }
        tolerance = grams
      case "count":
        guard let number = Int(value), number > 0 else {
          throw .usage("--count takes a whole number above 0")
        }
        count = number
      default: break
      }
    }
  }
}

func steadyTime(_ text: String) throws(CommandFailure) -> Microseconds {
  guard let time = duration(text), time >= .milliseconds(50), time <= .seconds(60) else {
    throw .usage("--time takes 50ms to 60s")
  }
  return time
}

/// A balance board has a contact that is the sum of its cells.
func sumContact(of device: DeviceRecord) -> Int32? { device.kind == "balance_board" ? 4 : nil }

/// The named device, where it can be weighed with; without a name the only one.
func measuringDevice(
  _ name: String?, _ invocation: Invocation
) async throws(CommandFailure) -> DeviceRecord {
  let devices = try await asking { () async throws(ForceClientError) in
    try await invocation.client.devices()
  }
  var named = devices
  if let name {
    let ids = try deviceIDs(name, among: devices)
    named = devices.filter { ids.contains($0.id) }
  }
  let candidates = named.filter { $0.connected && $0.measure == "force" }
  if let only = candidates.first, candidates.count == 1 { return only }
  if name != nil, candidates.isEmpty, let first = named.first(where: \.connected) ?? named.first {
    throw .failed(whyNot(first))
  }
  throw .failed(
    candidates.isEmpty
      ? "no device here measures force; `forcectl devices` says why"
      : "several devices measure force: name one with --device; `forcectl devices` lists them")
}

/// Why a device that was named cannot be measured with.
private func whyNot(_ device: DeviceRecord) -> String {
  guard device.connected else { return "\(printable(device.id)) is not connected" }
  let reason = device.reason.map { ": \(printable($0))" } ?? ""
  return "\(printable(device.name)) does not measure force\(reason)"
}

/// Watches a device for what lies on it.
struct Weighing {
  private(set) var load: SteadyLoad
  private var events: Watch.AsyncIterator
  private let device: DeviceRecord
  private let now: @Sendable () -> Instant
  private let outcome: String

  /// - Parameter outcome: what the user has to know where it ends early, as in
  ///   "; nothing was changed".
  init(
    _ device: DeviceRecord, _ invocation: Invocation, _ load: SteadyLoad, outcome: String = ""
  ) throws(CommandFailure) {
    self.load = load
    self.device = device
    self.outcome = outcome
    now = invocation.environment.now
    self.load.begin(at: now())
    var client = invocation.client
    client.reconnection = nil
    // A steady load sends nothing; heartbeats make the time pass.
    events = client.watch(
      WatchRequest(
        devices: [device.id], events: [.reading, .deviceRemoved], heartbeatMilliseconds: 50)
    ) { _ in }.makeAsyncIterator()
  }

  /// Waits for the next event.
  /// - Returns: whether it was a heartbeat: nothing has happened for a while.
  /// - Throws: also where the device is unplugged, and where the user interrupts.
  @discardableResult
  mutating func wait() async throws(CommandFailure) -> Bool {
    let event: WatchEvent?
    do throws(ForceClientError) { event = try await events.next() } catch { throw .daemon(error) }
    // A watch without an end ends when it is cancelled.
    guard let event else { throw .failed("interrupted\(outcome)") }
    switch event.kind {
    case .reading(let reading): load.take(reading, at: now())
    case .deviceRemoved(let gone) where gone.id == device.id:
      throw .failed("\(printable(device.name)) was unplugged\(outcome)")
    case .heartbeat: return true
    case .deviceAdded, .deviceRemoved, .unknown: break
    }
    return false
  }

  /// - Parameter nothing: told once when nothing lies there.
  mutating func untilItIsLoaded(_ nothing: () -> Void) async throws(CommandFailure) {
    var isTold = false
    while !load.isLoaded {
      guard try await wait(), !isTold else { continue }
      isTold = true
      nothing()
    }
  }

  /// Waits until the load is steady.
  /// - Parameter expectingNothing: an empty device will do.
  mutating func steady(expectingNothing: Bool = false) async throws(CommandFailure) -> Double {
    while true {
      try await wait()
      guard load.isLoaded || expectingNothing else { continue }
      if let value = load.steadyValue(at: now()) { return value }
    }
  }

  mutating func untilItMoves() async throws(CommandFailure) {
    while load.steadyValue(at: now()) != nil { try await wait() }
  }
}
