import ForceClient
import LinuxSystem

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
