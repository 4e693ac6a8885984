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
    let output = invocation.environment.output
    if device.gramsSource == "nominal" {
      try invocation.environment.errors.line(
        "forcectl: the grams of \(printable(device.id)) are nominal and no measurement; "
          + "`forcectl calibrate` makes them one")
    }
    for index in 0..<options.count {
      if index > 0 { try await scale.untilItMoves() }
      while !scale.load.isLoaded { _ = try await scale.wait() }
      guard let grams = try await scale.steady() else { return }
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
  var candidates = devices.filter { $0.connected && $0.measure == "force" }
  if let name {
    let ids = try deviceIDs(name, among: devices)
    candidates = candidates.filter { ids.contains($0.id) }
  }
  guard let only = candidates.first, candidates.count == 1 else {
    throw .failed(
      candidates.isEmpty
        ? "no device here measures force; `forcectl devices` says why"
        : "several devices measure force: name one with --device; `forcectl devices` lists them")
  }
  return only
}

/// Watches a device for what lies on it.
struct Weighing {
  private(set) var load: SteadyLoad
  private var events: Watch.AsyncIterator
  private let now: @Sendable () -> Instant

  init(_ device: DeviceRecord, _ invocation: Invocation, _ load: SteadyLoad) throws(CommandFailure)
  {
    self.load = load
    now = invocation.environment.now
    self.load.begin(at: now())
    var client = invocation.client
    client.reconnection = nil
    // A steady load sends nothing; heartbeats make the time pass.
    events = client.watch(
      WatchRequest(devices: [device.id], events: [.reading], heartbeatMilliseconds: 50)
    ) { _ in }.makeAsyncIterator()
  }

  /// Waits for the next event; false when there is none any more.
  mutating func wait() async throws(CommandFailure) -> Bool {
    do throws(ForceClientError) {
      guard let event = try await events.next() else { return false }
      if case .reading(let reading) = event.kind { load.take(reading, at: now()) }
      return true
    } catch { throw .daemon(error) }
  }

  /// Waits until the load is steady; nil when the daemon ends.
  /// - Parameter expectingNothing: an empty device will do.
  mutating func steady(
    expectingNothing: Bool = false
  ) async throws(CommandFailure) -> Double? {
    while try await wait() {
      guard load.isLoaded || expectingNothing else { continue }
      if let value = load.steadyValue(at: now()) { return value }
    }
    return nil
  }

  mutating func untilItMoves() async throws(CommandFailure) {
    while load.steadyValue(at: now()) != nil {
      guard try await wait() else { return }
    }
  }
}
