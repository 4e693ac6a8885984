import Dispatch
import LinuxSystem

/// A socket that answers messages as a test wants: the daemon's end of the line, without the daemon.
///
/// Messages are texts ended by NUL. Everything but `stop`, `disconnectAll` and `broadcast` happens on
/// the server's own queue.
public final class ScriptedServer: @unchecked Sendable {
  /// One connection.
  public final class Peer {
    let descriptor: FileDescriptor
    let token: UInt64
    var received: [UInt8] = []
    var isClosed = false

    init(_ descriptor: consuming FileDescriptor, token: UInt64) {
      self.descriptor = descriptor
      self.token = token
    }

    /// Sends messages. Waits for room where there is none, for `patience` milliseconds; false when
    /// there was none.
    @discardableResult
    public func send(_ messages: String..., patience: Int = 5_000) -> Bool {
      messages.allSatisfy { sendBytes(Array($0.utf8) + [0], patience: patience) }
    }

    /// Sends bytes as they are.
    @discardableResult
    public func sendBytes(_ bytes: [UInt8], patience: Int = 5_000) -> Bool {
      var rest = bytes[...]
      var patience = patience
      while !rest.isEmpty, patience > 0 {
        switch rest.withUnsafeBytes({ descriptor.send($0) }) {
        case .bytes(let count): rest = rest.dropFirst(count)
        case .wouldBlock:
          patience -= 1
          sleepThread(microseconds: 1_000)
        case .endOfFile, .failed: return false
        }
      }
      return rest.isEmpty
    }

    /// Ends the connection after what was sent.
    public func close() { isClosed = true }
  }

  private let loop: Loop
  public var path: String { loop.path }

  /// - Parameters:
  ///   - path: where to listen; nil for a place of its own.
  ///   - answer: called with every message; answers through the peer.
  public init(
    at path: String? = nil, answer: @escaping @Sendable (String, Peer) -> Void
  ) throws {
    loop = try Loop(
      at: path ?? "/tmp/forced-test-\(CurrentProcess.id)-\(monotonicNanoseconds()).sock", answer)
  }

  /// The loop would go on without anybody who knows it, and its socket would stay.
  deinit { loop.stop() }

  /// Closes every connection and removes the socket; returns when that is done.
  public func stop() { loop.stop() }

  /// Breaks every connection; new ones are taken.
  public func disconnectAll() { loop.give(.disconnectAll) }

  /// Sends a message to everybody.
  public func broadcast(_ message: String) { loop.give(.broadcast(message)) }
}

/// What goes on on the server's queue, for as long as the server is there.
private final class Loop: @unchecked Sendable {
  typealias Peer = ScriptedServer.Peer

  enum Order {
    case stop
    case disconnectAll
    case broadcast(String)
  }

  let path: String
  private let queue = DispatchQueue(label: "scripted server")
  private let answer: (String, Peer) -> Void
  private let poll: EventPoll
  private let wake: WakeDescriptor
  private let orders = DispatchQueue(label: "scripted server's orders")
  private var pending: [Order] = []
  private let ended = DispatchSemaphore(value: 0)
  private var peers: [UInt64: Peer] = [:]

  init(at path: String, _ answer: @escaping @Sendable (String, Peer) -> Void) throws {
    self.path = path
    self.answer = answer
    poll = try EventPoll()
    wake = try WakeDescriptor()
    let listener = try UnixListener(at: path, permissions: 0o600)
    try poll.add(wake.descriptor, token: 0)
    try poll.add(listener.descriptor, token: 1)
    queue.async { self.run(listener) }
  }

  func stop() {
    give(.stop)
    ended.wait()
    // Whoever stops it again need not wait.
    ended.signal()
  }

  func give(_ order: Order) {
    orders.sync { pending.append(order) }
    wake.wake()
  }

  private func run(_ listener: UnixListener) {
    defer { ended.signal() }
    var nextToken: UInt64 = 2
    while true {
      let count = (try? poll.wait(microseconds: nil)) ?? 0
      for index in 0..<count {
        let token = poll[index].token
        if token == 0 {
          wake.acknowledge()
          if !carryOutOrders(listener) { return }
        } else if token == 1 {
          while let socket = try? listener.accept() {
            let peer = Peer(socket, token: nextToken)
            try? poll.add(peer.descriptor, token: nextToken)
            peers[nextToken] = peer
            nextToken += 1
          }
        } else if let peer = peers[token] {
          serve(peer)
        }
      }
    }
  }

  /// False when the server is to end.
  private func carryOutOrders(_ listener: UnixListener) -> Bool {
    let orders = orders.sync { () -> [Order] in
      defer { pending = [] }
      return pending
    }
    for order in orders {
      switch order {
      case .stop:
        listener.removeFile()
        peers = [:]
        return false
      case .disconnectAll: peers = [:]
      case .broadcast(let message): for peer in peers.values { peer.send(message) }
      }
    }
    return true
  }

  private func serve(_ peer: Peer) {
    let known = peer.received.count
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { bytes in
      switch peer.descriptor.receive(into: bytes) {
      case .bytes(let count): peer.received += bytes[..<count]
      case .wouldBlock: return
      case .endOfFile, .failed: peer.isClosed = true
      }
    }
    guard peer.isClosed || peer.received[known...].contains(0) else { return }
    while !peer.isClosed, let end = peer.received.firstIndex(of: 0) {
      let message = String(decoding: peer.received[..<end], as: UTF8.self)
      peer.received.removeFirst(end + 1)
      answer(message, peer)
    }
    if peer.isClosed { peers[peer.token] = nil }
  }
}
