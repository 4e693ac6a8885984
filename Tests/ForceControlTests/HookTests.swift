import ForceClient
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceControl

private func event(_ reading: ReadingRecord) -> WatchEvent { WatchEvent(.reading(reading)) }

private let script: [WatchEvent] = [
  event(reading(sequence: 1, percent: 0, grams: 0, state: .released)),
  event(reading(sequence: 2, percent: 10)),
  event(reading(contact: 1, sequence: 3, percent: 20)),
  event(reading(sequence: 4, percent: 100, atMaximum: true)),
  event(reading(sequence: 5, percent: 97, atMaximum: true, state: .steady)),
  event(reading(sequence: 6, percent: 50)),
  event(reading(sequence: 7, percent: 100, atMaximum: true)),
  event(reading(sequence: 8, percent: 0, grams: 0, state: .released)),
  event(reading(sequence: 9, percent: 30)),
]

@Suite("What triggers a hook")
struct HookTriggerTests {
  /// The sequence numbers of the readings at which a command would be run.
  private func hits(_ event: HookEvent) -> [String] {
    var trigger = HookTrigger(event)
    return script.compactMap { update in
      trigger.variables(for: update, at: time(0))?.first { $0.name == "FORCED_SEQUENCE" }?.value
    }
  }

  @Test("A press is a contact's first reading, a release its last")
  func contacts() {
    #expect(hits(.press) == ["2", "3", "9"])
    #expect(hits(.release) == ["8"])
  }

  @Test("The maximum counts when it is reached, not while it lasts")
  func maximum() {
    #expect(hits(.maximum) == ["4", "7"])
  }

  @Test("Every reading counts as a reading")
  func readings() {
    #expect(hits(.reading).count == script.count)
  }

  @Test("A device that is new counts, one that was there does not, and one that returns does")
  func devices() {
    var added = HookTrigger(.deviceAdded, knownDevices: ["old"])
    #expect(added.variables(for: WatchEvent(.deviceAdded(device("old"))), at: time(0)) == nil)
    let variables = added.variables(
      for: WatchEvent(.deviceAdded(device("new", name: "New pad"))), at: time(0))
    #expect(variables?.map(\.value) == ["device-added", "new", "New pad", "pressurepad", "force"])
    #expect(added.variables(for: WatchEvent(.deviceAdded(device("new"))), at: time(0)) == nil)
    #expect(added.variables(for: WatchEvent(.deviceRemoved(device("old"))), at: time(0)) == nil)
    #expect(added.variables(for: WatchEvent(.deviceAdded(device("old"))), at: time(0)) != nil)
    var removed = HookTrigger(.deviceRemoved)
    #expect(removed.variables(for: WatchEvent(.deviceRemoved(device("old"))), at: time(0)) != nil)
    #expect(removed.variables(for: WatchEvent(.heartbeat), at: time(0)) == nil)
  }

  @Test("After a reconnect a press that had no end is forgotten, and so the next one counts")
  func pressAfterReconnect() {
    for (kind, atMaximum) in [(HookEvent.press, false), (.maximum, true)] {
      var trigger = HookTrigger(kind)
      let touch = event(reading(percent: 100, atMaximum: atMaximum))
      #expect(trigger.variables(for: touch, at: time(0)) != nil)
      #expect(trigger.variables(for: touch, at: time(1)) == nil)
      trigger.connected(at: time(2))
      #expect(trigger.variables(for: touch, at: time(3)) != nil)
    }
    var release = HookTrigger(.release)
    _ = release.variables(for: event(reading()), at: time(0))
    release.connected(at: time(1))
    let end = event(reading(percent: 0, grams: 0, state: .released))
    #expect(release.variables(for: end, at: time(2)) == nil)
  }

  @Test("After a reconnect a device that has stayed is no news, and one that returns later is")
  func devicesAfterReconnect() {
    var trigger = HookTrigger(.deviceAdded, knownDevices: ["stays", "returns"])
    let (stays, returns) = (
      WatchEvent(.deviceAdded(device("stays"))), WatchEvent(.deviceAdded(device("returns")))
    )
    trigger.connected(at: time(0))
    #expect(trigger.variables(for: stays, at: time(5_000)) == nil)
    // The daemon was lost again before it had found all its devices.
    trigger.connected(at: time(6_000))
    #expect(trigger.variables(for: stays, at: time(15_999)) == nil)
    #expect(trigger.variables(for: returns, at: time(16_000)) != nil)
    #expect(trigger.variables(for: returns, at: time(16_001)) == nil)
    let new = WatchEvent(.deviceAdded(device("new")))
    trigger.connected(at: time(20_000))
    #expect(trigger.variables(for: new, at: time(20_001)) != nil)
    // Gone and back, as the daemon saw itself.
    _ = trigger.variables(for: WatchEvent(.deviceRemoved(device("stays"))), at: time(20_002))
    #expect(trigger.variables(for: stays, at: time(20_003)) != nil)
  }

  @Test("The reading is in the environment")
  func variables() throws {
    var trigger = HookTrigger(.reading)
    let run = trigger.variables(for: event(reading(contact: 2)), at: time(0))
    let variables = try #require(run)
    let values = Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
    #expect(values["FORCED_EVENT"] == "reading")
    #expect(values["FORCED_DEVICE"] == "pad")
    #expect(values["FORCED_CONTACT"] == "2")
    #expect(values["FORCED_PERCENT"] == "42.30")
    #expect(values["FORCED_GRAMS"] == "162.86")
    #expect(values["FORCED_RAW"] == "1732")
    #expect(values["FORCED_AT_MAXIMUM"] == "0")
    #expect(values["FORCED_STATE"] == "touching")
    #expect(values["FORCED_GRAMS_SOURCE"] == "nominal")
  }

  @Test("Where the daemon publishes positions, the command gets them")
  func positions() throws {
    var trigger = HookTrigger(.reading)
    var reading = reading()
    let without = trigger.variables(for: event(reading), at: time(0))
    #expect(without?.contains { $0.name == "FORCED_X" } == false)
    reading.position = Position(x: -7, y: 70)
    let with = trigger.variables(for: event(reading), at: time(0))
    let variables = try #require(with)
    let values = Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
    #expect(values["FORCED_X"] == "-7")
    #expect(values["FORCED_Y"] == "70")
  }

  @Test("Only readings need a high rate: changes of state come at any")
  func requests() {
    #expect(HookEvent.press.request(devices: nil, rate: nil).maximumHertz == 1)
    #expect(HookEvent.reading.request(devices: ["a"], rate: nil).maximumHertz == nil)
    #expect(HookEvent.reading.request(devices: ["a"], rate: 5).maximumHertz == 5)
  }

  @Test("To see a device return, a hook for new devices hears of those that go, too")
  func deviceRequests() {
    let asked = HookEvent.deviceAdded.request(devices: nil, rate: nil).events
    #expect(asked == [.deviceAdded, .deviceRemoved])
    #expect(HookEvent.deviceRemoved.request(devices: nil, rate: nil).events == [.deviceRemoved])
  }
}

@Suite("Running hooks")
struct HookRunnerTests {
  private let place: TemporaryFolder
  private var folder: String { place.path }

  init() throws { place = try TemporaryFolder() }

  private func text(_ path: String) throws -> String {
    String(decoding: try FileSystem.read(path), as: UTF8.self)
  }

  @Test("While one runs, the newest event waits and replaces older ones")
  func newestWins() async throws {
    // Runs until the file "go" is there, then notes its event.
    let script = """
      until [ -e \(folder)/go ]; do sleep 0.01; done
      echo "$NUMBER $FORCED_REPLACED" >> \(folder)/log
      """
    let runner = HookRunner(["sh", "-c", script], limit: 1) { Issue.record("\($0)") }
    #expect(try runner.offer([("NUMBER", "1")]) == 1)
    for number in 2...5 { #expect(try runner.offer([("NUMBER", "\(number)")]) == 2) }
    _ = try FileDescriptor.open("\(folder)/go", [.writeOnly, .create])
    try await runner.finish()
    #expect(try text("\(folder)/log") == "1 0\n5 3\n")
  }

  @Test("As many as allowed run at a time")
  func parallel() async throws {
    // Each waits until the other runs, too.
    let script = """
      touch \(folder)/$NUMBER
      until [ -e \(folder)/1 ] && [ -e \(folder)/2 ]; do sleep 0.01; done
      """
    let runner = HookRunner(["sh", "-c", script], limit: 2) { Issue.record("\($0)") }
    _ = try runner.offer([("NUMBER", "1")])
    #expect(try runner.offer([("NUMBER", "2")]) == 2)
    try await runner.finish()
  }

  @Test("A command that cannot be run is an error at once, one that fails is reported")
  func failures() async throws {
    let missing = HookRunner(["/nonexistent/program"], limit: 1) { _ in }
    #expect(
      throws: CommandFailure.failed("cannot run /nonexistent/program: No such file or directory")
    ) { try missing.offer([]) }
    let (reports, log) = AsyncStream.makeStream(of: String.self)
    let failing = HookRunner(["sh", "-c", "exit 3"], limit: 1) { log.yield($0) }
    _ = try failing.offer([])
    try await failing.finish()
    log.finish()
    for await report in reports { #expect(report == "sh ended with status 3") }
  }

  @Test("Terminating ends what runs and forgets what waits, without a report")
  func terminate() async throws {
    let runner = HookRunner(["sleep", "1000"], limit: 1) { Issue.record("\($0)") }
    _ = try runner.offer([])
    _ = try runner.offer([])
    runner.terminate()
    try await runner.finish()
  }
}
