import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

@Suite("Finding devices")
struct DiscoveryTests {
  @Test("Nodes that cannot be looked at are looked at again every 2 s, and it is said once")
  func failedLook() throws {
    let folder = try TemporaryFolder()
    let nodes = "\(folder.path)/input"
    let notes = Notes()
    let log = Log { _, text, _ in notes.add(text) }
    let loop = try Loop()
    let pipeline = Pipeline(
      engine: Engine(settings: EngineSettings()),
      haptics: HapticRouter(settings: HapticSettings(), loop: LoopMailbox(loop), log: log),
      publisher: Publisher(), log: log)
    let discovery = try Discovery(
      pipeline: pipeline, loop: loop, log: log,
      monitor: DeviceMonitor(directory: nodes, udevControl: "/nonexistent"))
    let now = Loop.now()
    try discovery.start(at: now)
    defer { discovery.stop() }
    #expect(discovery.deadline == nil && notes.lines.count == 1)
    // A link to itself: whoever follows it gets an error that says nothing about what was there.
    #expect(try ChildProcess.start(["ln", "-s", nodes, nodes]).wait() == .exited(0))
    discovery.descriptorReady(.readable, at: now)
    #expect(discovery.deadline == now + .seconds(2))
    #expect(
      notes.lines.last?.hasPrefix(
        "devices that come or go are not noticed for now: cannot list \(nodes): ") == true)
    discovery.run(at: now + .seconds(2))
    #expect(discovery.deadline == now + .seconds(4))
    try FileSystem.unlink(nodes)
    discovery.run(at: now + .seconds(4))
    #expect(discovery.deadline == nil && notes.lines.count == 2)
  }
}
