import ForceCore
import ForceTestSupport
import Glibc
import LinuxSystem
import Testing

@testable import ForceDaemon

/// Two hundred watchers at once, most of them a trouble to any server.
@Suite struct CrowdTests {
  /// One watcher and how it behaves.
  fileprivate final class Watcher {
    let socket: FileDescriptor
    private var pending: [UInt8] = []
    private(set) var readings: [(sequence: UInt64, dropped: UInt64, released: Bool)] = []
    private(set) var isClosed = false
    /// The device has gone: nothing more will come.
    private(set) var isDone = false

    init(_ path: String) throws { socket = try UnixSocket.connect(to: path) }

    func send(_ text: String) {
      _ = Array(text.utf8).withUnsafeBytes { socket.send($0) }
    }

    /// Reads what is there, at most `limit` bytes.
    func read(_ buffer: UnsafeMutableRawBufferPointer, limit: Int) {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(limit, buffer.count)])
      switch socket.receive(into: part) {
      case .bytes(let count): take(part[..<count])
      case .endOfFile, .failed: isClosed = true
      case .wouldBlock: break
      }
    }

    /// Looks at the bytes alone: to parse every message would make a slow watcher of this one.
    private func take(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
      pending += bytes
      var start = 0
      while let end = pending[start...].firstIndex(of: 10) {
        pending[end] = 0
        pending[start...end].withUnsafeBytes { line in
          guard let text = line.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
          if strstr(text, "\"device_removed\"") != nil { isDone = true }
          guard let sequence = number(after: "\"sequence\":", in: text) else { return }
          let dropped = number(after: "\"dropped\":", in: text) ?? 0
          readings.append((sequence, dropped, strstr(text, "\"released\"") != nil))
        }
        start = end + 1
      }
      pending.removeFirst(start)
    }

    private func number(after name: String, in text: UnsafePointer<CChar>) -> UInt64? {
      strstr(text, name).map { strtoull($0 + name.utf8.count, nil, 10) }
    }
  }

  private let watch = "{\"method\":\"org.forced.Force.Watch\",\"more\":true}\n"
  private static let presses = 12

  /// Presses that change with every frame, so that many readings come.
  private func busyPad() -> ScriptedInput {
    let press = (1...40).map { Int32($0 * 20) } + [-1]
    return ScriptedInput.press(
      .forcePad(maximum: 1_000), Array(repeating: press, count: Self.presses).flatMap { $0 },
      every: .milliseconds(8), leaves: true)
  }

  @Test func healthyWatchersMissNothingWhateverTheOthersDo() throws {
    let daemon = try RunningDaemon([busyPad()]) { $0.server.maxConnectionsPerUser = 1_000 }
    let healthy = try (0..<80).map { _ in try Watcher(daemon.path) }
    let silent = try (0..<50).map { _ in try Watcher(daemon.path) }
    let slow = try (0..<50).map { _ in try Watcher(daemon.path) }
    let garbage = try (0..<20).map { _ in try Watcher(daemon.path) }
    for watcher in healthy + silent + slow { watcher.send(watch) }
    for (index, watcher) in garbage.enumerated() { watcher.send(Self.garbage(index)) }

    try serve(healthy, slow: slow)

    for watcher in healthy {
      var previous = watcher.readings[0].sequence
      for reading in watcher.readings.dropFirst() {
        #expect(reading.sequence == previous + reading.dropped + 1)
        previous = reading.sequence
      }
    }
    // Whoever was let in after a release knows nothing of it, and of every later one.
    let releases = healthy.map { Set($0.readings.filter(\.released).map(\.sequence)) }
    let all = releases.reduce(into: Set()) { $0.formUnion($1) }
    #expect((2...Self.presses).contains(all.count))
    for (watcher, seen) in zip(healthy, releases) {
      #expect(seen == all.filter { $0 >= watcher.readings[0].sequence })
      #expect(watcher.isDone)
    }
    #expect(slow.allSatisfy { !$0.isClosed })
    let buffered = try daemon.status().bufferedBytes
    // What waits for a watcher is a part of one message, and what was said of the device before it left.
    let most = Subscription.capacity * 256 + 1_024
    #expect(buffered < (silent.count + slow.count + garbage.count) * most)
    #expect(daemon.replaced > 0, "the silent ones were never full: the test shows nothing")
  }

  private func serve(_ healthy: [Watcher], slow: [Watcher]) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    let poll = try EventPoll(capacity: 256)
    for (index, watcher) in healthy.enumerated() {
      try poll.add(watcher.socket, token: UInt64(index))
    }
    let end = monotonicNow() + 60_000_000
    var nextByte = monotonicNow()
    while healthy.contains(where: { !$0.isDone && !$0.isClosed }), monotonicNow() < end {
      let count = try poll.wait(microseconds: 100_000)
      for index in 0..<count {
        healthy[Int(poll[index].token)].read(buffer, limit: 65_536)
      }
      guard monotonicNow() >= nextByte else { continue }
      nextByte += 1_000_000
      for watcher in slow { watcher.read(buffer, limit: 1) }
    }
  }

  /// Half a message, no message, a flood, and the like.
  private static func garbage(_ index: Int) -> String {
    switch index % 4 {
    case 0: "{\"method\":\"org.forced."
    case 1: "GET / HTTP/1.0\r\n\r\n"
    case 2: String(repeating: "{\"method\":\"org.varlink.service.GetInfo\"}\n", count: 500)
    default: String(repeating: "[", count: 60_000) + "\n"
    }
  }
}
