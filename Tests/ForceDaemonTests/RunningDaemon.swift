import ForceConfig
import ForceCore
import ForceDevices
import ForceProtocol
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// A daemon of the test's own, on a socket of its own, with no other devices than those it is given.
final class RunningDaemon {
  let path: String
  let daemon: Daemon
  let log: Notes
  private let folder: TemporaryFolder

  init(
    _ inputs: [any ScheduledInput] = [], feeds: [EventFeed] = [],
    in folder: TemporaryFolder? = nil, configuration: String = "",
    state: String? = nil, change: (inout Configuration) -> Void = { _ in }
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    try folder.write("forced.conf", configuration)
    path = folder.path + "/forced.sock"
    log = Notes()
    let notes = log
    let log = Log(write: { notes.add($0) })
    let sources = ConfigurationSources(explicit: folder.path + "/forced.conf")
    var loaded = try sources.load()
    loaded.configuration.server.socketGroup = nil
    change(&loaded.configuration)
    let listener = try SocketPlace.listen(at: path, loaded.configuration.server, log: log)
    var options = Options()
    options.evdev = false
    daemon = try Daemon(
      options, sources, loaded, listener: listener, realtime: [],
      calibrations: state.map { CalibrationStore(folder: $0) }, log: log)
    try daemon.start(inputs, feeds: feeds)
  }

  func client(delimiter: UInt8 = 10) throws -> LineClient {
    try LineClient(path, delimiter: delimiter)
  }

  /// What `GetStatus` says, asked over the socket.
  func status() throws -> StatusRecord {
    let reply = try client().call(#"{"method":"org.forced.Force.GetStatus"}"#)
    let object = try JSONValue.parse(Array(reply.utf8))["parameters"]?["status"]?.objectValue
    return try StatusRecord(try #require(object))
  }

  /// What `GetLatency` says, asked over the socket.
  func latency() throws -> LatencyReport {
    let line = try client().call(#"{"method":"org.forced.Force.GetLatency"}"#)
    let reply = try Array(line.utf8).withUnsafeBytes { try Reply.decode($0) }
    return try LatencyReport(parameters: reply.result())
  }

  var replaced: UInt64 { daemon.onLoop { $0.pipeline.publisher.replaced } }

  /// Puts another text in the place of the configuration.
  func rewrite(_ configuration: String) throws { try folder.write("forced.conf", configuration) }

  /// Ends it and waits for the end.
  func end() {
    daemon.end()
    daemon.waitUntilEnded()
  }

  deinit { end() }
}

extension DeviceDescription {
  /// A pad with one contact and a motor.
  static func forcePad(maximum: Int32 = 100) -> DeviceDescription {
    named("Force Pad").properties(InputProperty.pointer).keys(KeyCode.touch, KeyCode.toolFinger)
      .axis(AbsoluteCode.x, 0...1_000).axis(AbsoluteCode.y, 0...600)
      .axis(AbsoluteCode.pressure, 0...maximum).forceFeedback(ForceFeedbackCode.rumble)
  }
}

/// What the daemon said, from whatever thread.
final class Notes: @unchecked Sendable {
  private let lock = PlainLock()
  private var text: [String] = []

  func add(_ line: String) { lock.locked { text.append(line) } }
  var lines: [String] { lock.locked { text } }
  func contains(_ part: String) -> Bool { lines.contains { $0.contains(part) } }
}

/// A scripted device: frames at times after its start.
final class ScriptedInput: ScheduledInput {
  let description: DeviceDescription
  private let frames: [(after: Microseconds, events: [(UInt16, UInt16, Int32)])]
  private let leaves: Bool
  private var start = Instant(microseconds: 0)
  private var next = 0

  /// - Parameter leaves: the device is unplugged after its last frame; otherwise it stays.
  init(
    _ description: DeviceDescription, leaves: Bool = false,
    _ frames: [(after: Microseconds, events: [(UInt16, UInt16, Int32)])]
  ) {
    self.description = description
    self.frames = frames
    self.leaves = leaves
  }

  /// A press of a pad: a frame of this raw value every so often, then the release.
  static func press(
    _ description: DeviceDescription = .forcePad(), _ values: [Int32],
    every interval: Microseconds = .milliseconds(5), leaves: Bool = false
  ) -> ScriptedInput {
    var frames: [(after: Microseconds, events: [(UInt16, UInt16, Int32)])] = []
    for (index, value) in values.enumerated() {
      let after = Microseconds(interval.count * Int64(index))
      let touch = (EventType.key, KeyCode.touch, Int32(value >= 0 ? 1 : 0))
      frames.append((after, [touch, (EventType.absolute, AbsoluteCode.pressure, max(value, 0))]))
    }
    return ScriptedInput(description, leaves: leaves, frames)
  }

  func begin(at start: Instant) { self.start = start }

  var nextTime: Instant? {
    if next < frames.count { return start + frames[next].after }
    return leaves ? nil : Instant(microseconds: .max / 2)
  }

  func deliver(until now: Instant, to sink: (InputEvent) -> Void) {
    while next < frames.count, let due = nextTime, due <= now {
      for (type, code, value) in frames[next].events {
        sink(InputEvent(time: due, type: type, code: code, value: value))
      }
      sink(
        InputEvent(
          time: due, type: EventType.synchronization, code: SynchronizationCode.report, value: 0))
      next += 1
    }
  }
}
