import LinuxSystem

/// A client that nobody here would write: sends text, reads lines, knows nothing of the protocol.
public final class LineClient {
  /// Nothing came within the time that no healthy daemon needs.
  public struct Silence: Error {}
  /// The daemon closed the connection.
  public struct Closed: Error {}

  private let socket: FileDescriptor
  private let poll: EventPoll
  private let delimiter: UInt8
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var isClosed = false

  public init(_ path: String, delimiter: UInt8 = 10) throws {
    socket = try UnixSocket.connect(to: path)
    poll = try EventPoll()
    self.delimiter = delimiter
    try poll.add(socket, token: 0)
  }

  /// Sends bytes as they are.
  public func send(bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch rest.withUnsafeBytes({ socket.send($0) }) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock: sleepThread(microseconds: 1_000)
      case .endOfFile, .failed: throw Closed()
      }
    }
  }

  /// Sends a message and its delimiter.
  public func send(_ text: String) throws { try send(bytes: Array(text.utf8) + [delimiter]) }

  /// Reads one message; waits up to ten seconds for it.
  public func line() throws -> String {
    let deadline = monotonicNow() + 10_000_000
    while true {
      if let end = received.firstIndex(of: delimiter) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 1)
        return line
      }
      if isClosed { throw Closed() }
      let left = deadline - monotonicNow()
      guard left > 0 else { throw Silence() }
      if try poll.wait(microseconds: left) > 0 { receive() }
    }
  }

  /// Reads messages until one satisfies `condition`, and returns it.
  public func line(where condition: (String) -> Bool) throws -> String {
    while true {
      let line = try line()
      if condition(line) { return line }
    }
  }

  /// Sends a message and reads the reply.
  public func call(_ text: String) throws -> String {
    try send(text)
    return try line()
  }

  /// Reads until the daemon closes; returns what came.
  public func rest() throws -> [String] {
    var lines: [String] = []
    do { while true { lines.append(try line()) } } catch is Closed { return lines }
  }

  private func receive() {
    switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
    case .bytes(let count): received += buffer[..<count]
    case .wouldBlock: break
    case .endOfFile, .failed: isClosed = true
    }
  }
}
