import ForceCore
import ForceProtocol
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// A press from the device to the watcher, through the whole daemon.
@Suite struct WatchTests {
  private let watch = #"{"method":"org.forced.Force.Watch","more":true}"#

  private func event(_ line: String) throws -> WatchEvent {
    let object = try #require(try JSONValue.parse(Array(line.utf8)).objectValue)
    return try WatchEvent(parameters: try #require(object["parameters"]?.objectValue))
  }

  private func readings(_ client: LineClient, until end: (ReadingRecord) -> Bool) throws
    -> [ReadingRecord]
  {
    var readings: [ReadingRecord] = []
    while true {
      guard case .reading(let reading) = try event(client.line()).kind else { continue }
      readings.append(reading)
      if end(reading) { return readings }
    }
  }

  @Test func aPressIsSmoothedReachesTheMaximumAndEndsAtZero() throws {
    let ramp = (0...20).map { Int32($0 * 30) }
    let values = ramp + Array(repeating: 1_023, count: 40) + [-1]
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(maximum: 1_023), values)])
    let client = try daemon.client()
    try client.send(watch)
    guard case .deviceAdded(let device) = try event(client.line()).kind else {
      Issue.record("the devices come first")
      return
    }
    #expect(device.measure == "force" && device.maximum == 1_023)
    let readings = try readings(client) { $0.state == .released }
    #expect(readings.map(\.sequence) == Array(1...UInt64(readings.count)))
    #expect(readings.allSatisfy { $0.device == device.id })
    let peak = try #require(readings.first { $0.atMaximum })
    #expect(peak.percent == 100 && peak.grams == 385)
    let rise = readings.prefix { !$0.atMaximum }
    #expect(rise.allSatisfy { $0.percent <= $0.unsmoothedPercent + 0.01 })
    #expect(zip(rise, rise.dropFirst()).allSatisfy { $0.percent <= $1.percent })
    let last = try #require(readings.last)
    #expect(last.percent == 0 && last.grams == 0 && last.unsmoothedPercent == 0)
    #expect(daemon.log.contains("motor plays effect 0"))
  }

  @Test func whoComesLateGetsTheCurrentStateFirst() throws {
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(maximum: 100), [50])])
    let first = try daemon.client()
    try first.send(watch)
    _ = try readings(first) { $0.state == .steady }
    let second = try daemon.client()
    try second.send(watch)
    _ = try second.line()
    guard case .reading(let reading) = try event(second.line()).kind else {
      Issue.record("the current reading comes second")
      return
    }
    #expect(reading.state == .steady && reading.percent == 50)
  }

  @Test func aDeviceThatLeavesInMidPressReleasesAndIsAnnounced() throws {
    let daemon = try RunningDaemon([
      ScriptedInput.press(.forcePad(maximum: 100), [10, 20, 30], leaves: true)
    ])
    let client = try daemon.client()
    try client.send(watch)
    let readings = try readings(client) { $0.state == .released }
    #expect(readings.last?.percent == 0)
    guard case .deviceRemoved(let device) = try event(client.line()).kind else {
      Issue.record("the release comes before the leaving")
      return
    }
    #expect(!device.connected)
    let read = #"{"method":"org.forced.Force.GetReading"}"#
    #expect(try daemon.client().call(read) == #"{"parameters":{"readings":[]}}"#)
  }

  @Test(arguments: ["5e-324", "1e-13", "1e-300"])
  func aRateTooSmallForAnyIntervalEndsNobody(rate: String) throws {
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(maximum: 100), [10, 20, -1])])
    let client = try daemon.client()
    try client.send(
      #"{"method":"org.forced.Force.Watch","more":true,"parameters":{"max_hz":\#(rate)}}"#)
    let readings = try readings(client) { $0.state == .released }
    #expect(readings.first?.state == .touching)
  }

  @Test func aHeartbeatComesWhileNothingElseDoes() throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    try client.send(
      #"{"method":"org.forced.Force.Watch","more":true,"parameters":{"heartbeat_ms":20}}"#)
    for _ in 0..<3 {
      #expect(try client.line() == #"{"parameters":{"event":"heartbeat"},"continues":true}"#)
    }
  }

  /// A pad whose force changes without end, far faster than anybody needs.
  private func restless(leaves: Bool) -> ScriptedInput {
    let values = (0..<4_000).map { Int32($0 % 2 == 0 ? 10 : 60) } + [-1]
    return ScriptedInput.press(
      .forcePad(maximum: 100), values, every: Microseconds(200), leaves: leaves)
  }

  /// A watcher that reads nothing before the pad is released and readings had to make way.
  private func lateWatcher(of daemon: RunningDaemon, _ parameters: String = "{}") throws
    -> LineClient
  {
    let (late, other) = (try daemon.client(), try daemon.client())
    try late.send(
      #"{"method":"org.forced.Force.Watch","more":true,"parameters":\#(parameters)}"#)
    try other.send(watch)
    _ = try other.line { $0.contains("released") }
    #expect(daemon.replaced > 0, "the late one had room for everything")
    return late
  }

  @Test func aHeartbeatComesAlsoAfterOneThatFoundNoRoom() throws {
    let daemon = try RunningDaemon([restless(leaves: false)])
    let client = try lateWatcher(of: daemon, #"{"heartbeat_ms":20}"#)
    sleepThread(microseconds: 100_000)
    _ = try client.line { $0.contains("released") }
    _ = try client.line { $0.contains("heartbeat") }
  }

  @Test func aDeviceThatLeavesIsTheLastThingSaidOfItAlsoToTheLate() throws {
    let daemon = try RunningDaemon([restless(leaves: true)])
    let client = try lateWatcher(of: daemon)
    _ = try client.line { $0.contains("released") }
    #expect(try client.line().contains("device_removed"))
  }

  @Test func aWatcherOfOneDeviceSeesNoOther() throws {
    var left = DeviceDescription.forcePad(maximum: 100)
    left.identity.name = "Left"
    var right = left
    right.identity.name = "Right"
    let daemon = try RunningDaemon([
      ScriptedInput.press(left, [10, 20, -1]), ScriptedInput.press(right, [10, 20, -1]),
    ])
    let client = try daemon.client()
    try client.send(
      #"{"method":"org.forced.Force.Watch","more":true,"parameters":{"devices":["right"]}}"#)
    let readings = try readings(client) { $0.state == .released }
    #expect(Set(readings.map(\.device)) == ["right"])
  }

  @Test func theStatusCounts() throws {
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(maximum: 100), [10, 20, -1])])
    let client = try daemon.client()
    try client.send(watch)
    _ = try readings(client) { $0.state == .released }
    let status = try daemon.status()
    #expect(status.counters.events == 9 && status.counters.frames == 3)
    #expect(status.subscribers == 1 && status.connections == 2)
    #expect(status.counters.readings >= 3 && status.counters.replaced == 0)
    #expect(status.motors.first?.haptics == "FF_RUMBLE")
  }
}
