import CAllocations
import CSystemCalls
import ForceConfig
import ForceCore
import ForceDevices
import ForceProtocol
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// What a frame costs between the device's descriptor and the watcher's socket.
@Suite struct HotPathTests {
  /// A daemon's way of a press without Dispatch: the test turns the loop itself.
  private final class Rig {
    let loop: Loop
    let pipeline: Pipeline
    let server: Server
    let methods: RigMethods
    private let folder: TemporaryFolder
    private var device: Owned?
    private var live: LiveDevice?
    private var watcher: FileDescriptor
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
    private var value: Int32 = 0
    /// Frames that went to the device's end whole.
    private(set) var sent = 0
    /// System calls of the loop's turns, not of the test's two ends.
    private(set) var systemCalls: Int64 = 0

    init() throws {
      folder = try TemporaryFolder()
      loop = try Loop()
      let log = Log(write: { _ in })
      let publisher = Publisher()
      let settings = EngineSettings()
      pipeline = Pipeline(
        engine: Engine(settings: settings),
        haptics: HapticRouter(settings: settings.haptics, loop: LoopMailbox(loop), log: log),
        publisher: publisher, log: log)
      let listener = try UnixListener(at: folder.path + "/s", permissions: 0o600)
      server = Server(
        listener: listener, settings: ServerSettings(), loop: loop, publisher: publisher, log: log)
      methods = RigMethods(pipeline)
      server.methods = methods
      try server.start()
      // As in a daemon: whoever has a deadline is asked for it at every frame.
      let work: [any TimedWork] = [pipeline, publisher, server, ServiceNotifier(), LogTimer(log)]
      for work in work { loop.add(work) }
      watcher = try UnixSocket.connect(to: folder.path + "/s")
      try plugIn(log)
      try watch()
    }

    deinit { bytes.deallocate() }

    private func plugIn(_ log: Log) throws {
      let entry = pipeline.attach(.forcePad(maximum: 4_095), at: Loop.now())
      pipeline.settle(entry, at: Loop.now())
      let live = LiveDevice(
        entry: entry, node: nil, worker: WorkerQueue(), pipeline: pipeline, loop: loop, log: log
      ) { _, _ in }
      var reader: EventReader?
      try UnixSocket.pair().take {
        (first: consuming FileDescriptor, second: consuming FileDescriptor) in
        reader = EventReader(first)
        device = Owned(second)
      }
      try live.start(try #require(reader))
      self.live = live
    }

    private func watch() throws {
      let call = Array("{\"method\":\"org.forced.Force.Watch\",\"more\":true}\n".utf8)
      _ = call.withUnsafeBytes { watcher.send($0) }
      loop.turn(lingers: false)
      loop.turn(lingers: false)
      #expect(drain() > 0)
    }

    /// One frame: pressure, and the touch that holds it.
    func press() {
      value = (value + 37) % 4_096
      let now = monotonicNow()
      let events = bytes.bindMemory(to: RawEvent.self)
      events[0] = RawEvent(now, EventType.key, KeyCode.touch, 1)
      events[1] = RawEvent(now, EventType.absolute, AbsoluteCode.pressure, value)
      events[2] = RawEvent(now, EventType.synchronization, SynchronizationCode.report, 0)
      let frame = UnsafeRawBufferPointer(rebasing: bytes[..<72])
      if case .bytes(72) = device?.descriptor.send(frame) { sent += 1 }
      system_calls_begin()
      loop.turn(lingers: false)
      systemCalls += system_calls_end()
    }

    /// Takes what came for the watcher; returns how many bytes.
    func drain() -> Int {
      var total = 0
      while case .bytes(let count) = watcher.receive(into: bytes) { total += count }
      return total
    }
  }

  private final class Owned {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  @Test(.enabled(if: allocations_available() == 1, "a sanitizer has malloc's place"))
  func tenThousandFramesInSteadyStateAllocateNothing() throws {
    let rig = try Rig()
    for _ in 0..<500 {
      rig.press()
      _ = rig.drain()
    }
    let before = rig.pipeline.publisher.readings
    var bytes = 0
    allocations_begin()
    for _ in 0..<10_000 {
      rig.press()
      bytes += rig.drain()
    }
    let allocations = allocations_end()
    #expect(allocations == 0)
    #expect(rig.sent == 10_500)
    // The frames did come through: a watcher that gets nothing costs nothing.
    #expect(rig.pipeline.publisher.readings - before >= 10_000)
    #expect(bytes > 10_000 * 150)
  }

  @Test(.enabled(if: system_calls_available() == 1, "a sanitizer has the calls' place"))
  func aFrameCostsAWaitAReadAndASend() throws {
    let rig = try Rig()
    for _ in 0..<500 {
      rig.press()
      _ = rig.drain()
    }
    let before = (calls: rig.systemCalls, wakeups: rig.loop.wakeups)
    var bytes = 0
    for _ in 0..<1_000 {
      rig.press()
      bytes += rig.drain()
    }
    #expect(bytes > 1_000 * 150)
    // Each turn of this test ends with the frame, and sets the timer that a longer one would not
    // need: two more calls whenever that comes due. Never twice for one frame.
    #expect(rig.systemCalls - before.calls >= 3_000)
    #expect(rig.systemCalls - before.calls <= 4_000)
    #expect(rig.loop.wakeups - before.wakeups == 1_000)
  }

  @Test func nothingIsDueAtRest() throws {
    let daemon = try RunningDaemon(
      [ScriptedInput.press(.forcePad(), [50, 50, -1]), ScriptedInput.press(.forcePad(), [60])])
    let watchers = try (0..<10).map { _ in try daemon.client() }
    for watcher in watchers {
      try watcher.send(#"{"method":"org.forced.Force.Watch","more":true}"#)
    }
    for watcher in watchers {
      _ = try watcher.line { $0.contains("\"released\"") }
      _ = try watcher.line { $0.contains("\"steady\"") }
    }
    // The script of a test's device never ends; the daemon's own work has nothing to wait for.
    let due = daemon.daemon.onLoop { $0.pipeline.deadline ?? $0.pipeline.publisher.deadline }
    #expect(due == nil)
  }

  @Test(.enabled(if: allocations_available() == 1, "a sanitizer has malloc's place"))
  func theCounterSeesAnAllocation() {
    allocations_begin()
    let array = [Int](repeating: 1, count: 1_000)
    let count = allocations_end()
    #expect(count >= 1 && array.count == 1_000)
  }
}

/// `Watch` alone, for a pipeline without a daemon around it.
private final class RigMethods: Methods {
  private let pipeline: Pipeline

  init(_ pipeline: Pipeline) { self.pipeline = pipeline }

  func call(
    _ request: Request, from connection: Connection, at now: Instant
  ) throws(VarlinkError) -> CallOutcome {
    connection.beginWatching(WatchRequest(), pipeline.table)
    pipeline.publisher.add(
      connection, devices: pipeline.records, current: [], at: now)
    return .answered
  }
}
