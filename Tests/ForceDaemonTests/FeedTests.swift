import ForceCore
import ForceDevices
import ForceTestSupport
import Glibc
import LinuxSystem
import Testing

@testable import ForceDaemon

/// A device that another program plays: the daemon's `--feed`.
@Suite struct FeedTests {
  private final class Program {
    let end: FileDescriptor
    init(_ end: consuming FileDescriptor) { self.end = end }

    func write(_ events: [RawEvent]) {
      _ = events.withUnsafeBytes { end.write($0) }
    }

    /// The `EV_FF` event that the motor's next command is.
    func motorEvent() throws -> RawEvent {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 24, alignment: 8)
      defer { bytes.deallocate() }
      let poll = try EventPoll()
      try poll.add(end, token: 0)
      #expect(try poll.wait(microseconds: 10_000_000) == 1)
      #expect(end.read(into: bytes) == .bytes(24))
      return bytes.load(as: RawEvent.self)
    }
  }

  private struct NoFeed: Error {}

  /// A daemon without smoothing, and the program that plays its only device.
  private func playing() throws -> (RunningDaemon, Program) {
    let folder = try TemporaryFolder()
    let listener = try UnixListener(at: folder.path + "/pad", permissions: 0o600)
    let feed = try EventFeed(folder.path + "/pad", EventFeed.pad)
    let daemon = try RunningDaemon(
      feeds: [feed], configuration: "[Smoothing]\nFilter=none\nRiseRate=1000000\n")
    guard let end = try listener.accept() else { throw NoFeed() }
    return (daemon, Program(end))
  }

  private func watcher(of daemon: RunningDaemon) throws -> LineClient {
    let client = try daemon.client()
    try client.send(#"{"method":"org.forced.Force.Watch","more":true}"#)
    _ = try client.line { $0.contains("device_added") }
    return client
  }

  @Test func whatAProgramWritesToASocketIsADeviceWithAMotor() throws {
    let (daemon, program) = try playing()
    let client = try watcher(of: daemon)
    let now = monotonicNow()
    program.write(RawEvent.frame(at: now, pressure: 2_048))
    #expect(try client.line { $0.contains("\"raw\":2048") }.contains("\"time\":\(now)"))
    program.write(RawEvent.frame(at: now + 20_000, pressure: 4_095))
    _ = try client.line { $0.contains("\"at_maximum\":true") }
    let event = try program.motorEvent()
    #expect(event.type == EventType.forceFeedback && event.value == 1)
  }

  @Test func thePlayOfAnEventIsCountedWithItsLatency() throws {
    let (daemon, program) = try playing()
    _ = try watcher(of: daemon)
    #expect(try daemon.latency().haptic.count == 0)
    // In one piece, so that the limit's rise ends between two events and not in a step of its own.
    let now = monotonicNow()
    program.write(
      RawEvent.frame(at: now, pressure: 2_048) + RawEvent.frame(at: now + 500, pressure: 4_095)
        + RawEvent.frame(at: now + 1_000, pressure: 4_094))
    #expect(try program.motorEvent().value == 1)
    let haptic = try daemon.latency().haptic
    #expect(haptic.count == 1 && haptic.buckets.reduce(0) { $0 + $1.count } == 1)
  }

  @Test func aFIFOIsADeviceWithoutAMotorThatLeavesWithItsWriter() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path + "/pad", 0o600) == 0)
    let feed = try EventFeed(folder.path + "/pad", EventFeed.pad)
    #expect(feed.motor == nil && feed.description.hapticBackend == nil)
    let daemon = try RunningDaemon(feeds: [feed])
    let client = try watcher(of: daemon)
    do {
      let program = Program(try FileDescriptor.open(folder.path + "/pad", .writeOnly))
      program.write(RawEvent.frame(at: monotonicNow(), pressure: 1_000))
      _ = try client.line { $0.contains("\"raw\":1000") }
      program.write(RawEvent.frame(at: monotonicNow(), pressure: 4_095))
      _ = try client.line { $0.contains("\"at_maximum\":true") }
    }
    #expect(try daemon.latency().haptic.count == 0, "no motor was told")
    #expect(try client.line { $0.contains("\"released\"") }.contains("\"percent\":0"))
    _ = try client.line { $0.contains("device_removed") }
  }

  @Test func aTimeFromTheFutureIsTakenAsNowAndHoldsUpNothing() throws {
    let (daemon, program) = try playing()
    let client = try watcher(of: daemon)
    program.write(RawEvent.frame(at: monotonicNow() + 3_600_000_000, pressure: 2_048))
    _ = try client.line { $0.contains("\"raw\":2048") }
    let now = monotonicNow()
    program.write(RawEvent.frame(at: now, pressure: 1_000))
    program.write(RawEvent.frame(at: now + 100_000, pressure: 4_095))
    _ = try client.line { $0.contains("\"percent\":100,") }
    #expect(try program.motorEvent().value == 1)
    let said = daemon.log.lines.filter { $0.contains("times in the future") }
    #expect(said.count == 1)
  }

  @Test func whatCannotFeedIsNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write("file", "")
    #expect(throws: DeviceError.notFeed(path: folder.path + "/file")) {
      try EventFeed(folder.path + "/file", EventFeed.pad)
    }
    #expect(throws: DeviceError.system(SystemError("look at", folder.path + "/no", .noEntry))) {
      try EventFeed(folder.path + "/no", EventFeed.pad)
    }
  }
}
