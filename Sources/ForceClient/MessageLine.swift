import Dispatch
import LinuxSystem

/// Which way a message went.
public enum MessageDirection: Sendable {
  case toDaemon
  case fromDaemon
}

/// Calls going out and replies coming in on one socket, in Varlink's order: the first call's replies
/// first.
///
/// Everything here happens on one serial queue. Nothing is read unless somebody waits for it, so that
/// a slow reader makes the daemon replace old readings by new ones and not this process grow.
final class MessageLine: @unchecked Sendable {
  typealias Outcome = Result<Reply, ForceClientError>

  /// Longest message taken from the daemon in bytes: a list of a thousand devices fits.
  private static let longestReply = 16 << 20

  private let queue = DispatchQueue(label: "org.forced.client")
  private let socket: Socket
  private let reading: ReadinessSource
  /// Made when the socket is full for the first time.
  private var writing: ReadinessSource?
  private let traffic: (@Sendable (MessageDirection, [UInt8]) -> Void)?
  private var framer = MessageFramer(limit: MessageLine.longestReply, delimiter: .nul)
  private var outgoing: [UInt8] = []
  private var exchanges: [Exchange] = []
  private var failure: ForceClientError?

  init(
    _ descriptor: consuming FileDescriptor,
    traffic: (@Sendable (MessageDirection, [UInt8]) -> Void)?
  ) {
    socket = Socket(descriptor)
    self.traffic = traffic
    reading = ReadinessSource(
      DispatchSource.makeReadSource(fileDescriptor: socket.descriptor.rawValue, queue: queue),
      keeping: socket)
    reading.onReady { [weak self] in self?.takeReplies() }
  }

  deinit {
    reading.cancel()
    writing?.cancel()
  }

  /// Ends the connection; everybody who waits is told.
  func close() {
    queue.async { self.fail(.connectionLost("closed by this program")) }
  }

  /// Sends a call. Its replies wait in order behind those of earlier calls.
  func begin(_ request: Request, _ exchange: Exchange) {
    queue.async {
      if let failure = self.failure { return exchange.finish(failure) }
      var buffer = ByteBuffer()
      request.encode(into: &buffer)
      self.traffic?(.toDaemon, buffer.bytes)
      buffer.append(Delimiter.nul)
      self.outgoing += buffer.bytes
      if !request.oneway { self.exchanges.append(exchange) }
      self.send()
      if request.oneway { exchange.deliver(Reply(), isLast: true) }
      self.takeReplies()
    }
  }

  /// The next reply to a call that was begun.
  func nextReply(of exchange: Exchange) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
          exchange.wait { continuation.resume(returning: $0) }
          self.takeReplies()
        }
      }
    } onCancel: {
      give(up: exchange, .cancelled)
    }
  }

  /// Whoever waits for the exchange gets `error`; replies that come later are thrown away.
  func give(up exchange: Exchange, _ error: ForceClientError) {
    queue.async {
      exchange.abandon(error)
      self.takeReplies()
    }
  }

  /// Gives an exchange up unless it is over by then.
  func limit(_ exchange: Exchange, to time: Microseconds, _ error: ForceClientError) {
    let deadline = DispatchTime.now() + .microseconds(Int(clamping: time.count))
    queue.asyncAfter(deadline: deadline) { [weak self] in
      guard !exchange.isOver else { return }
      exchange.abandon(error)
      self?.takeReplies()
    }
  }
}

// MARK: - On the queue

extension MessageLine {
  private func send() {
    while !outgoing.isEmpty, failure == nil {
      let result = outgoing.withUnsafeBytes { socket.descriptor.send($0) }
      switch result {
      case .bytes(let count): outgoing.removeFirst(count)
      case .wouldBlock: return waitForRoom()
      case .endOfFile: return fail(.connectionLost("the daemon closed it"))
      // The daemon may have said why before it closed.
      case .failed(.brokenPipe), .failed(.connectionReset):
        outgoing = []
        return takeReplies()
      case .failed(let errno): return fail(.connectionLost(errno.description))
      }
    }
    writing?.pause()
  }

  private func waitForRoom() {
    if writing == nil {
      do throws(SystemError) {
        // libdispatch on Linux loses events when one descriptor has a source for each direction.
        let copy = Socket(try socket.descriptor.duplicate())
        let source = ReadinessSource(
          DispatchSource.makeWriteSource(fileDescriptor: copy.descriptor.rawValue, queue: queue),
          keeping: copy)
        source.onReady { [weak self] in self?.send() }
        writing = source
      } catch {
        return fail(.connectionLost(error.description))
      }
    }
    writing?.run()
  }

  private func takeReplies() {
    while failure == nil, let exchange = exchanges.first, exchange.wantsReply {
      switch nextMessage() {
      case .success(let reply?):
        if !reply.continues { exchanges.removeFirst() }
        exchange.deliver(reply, isLast: !reply.continues)
      case .success(nil): return reading.run()
      case .failure(let error): return fail(error)
      }
    }
    reading.pause()
  }

  /// The next message, or nil when it has not come yet.
  private func nextMessage() -> Result<Reply?, ForceClientError> {
    while true {
      do throws(MessageTooLarge) {
        let traffic = self.traffic
        let reply = try framer.next { bytes -> Result<Reply, MalformedMessage> in
          traffic?(.fromDaemon, Array(bytes))
          return Result { () throws(MalformedMessage) in try Reply.decode(bytes) }
        }
        switch reply {
        case .success(let reply)?: return .success(reply)
        case .failure(let error)?:
          return .failure(.connectionLost("the daemon sent what is no reply: \(error.reason)"))
        case nil: break
        }
      } catch {
        return .failure(.connectionLost("the daemon sent more than \(error.limit) bytes at once"))
      }
      switch receive() {
      case .bytes: continue
      case .wouldBlock: return .success(nil)
      case .endOfFile: return .failure(.connectionLost("the daemon closed it"))
      case .failed(let errno): return .failure(.connectionLost(errno.description))
      }
    }
  }

  private func receive() -> Transfer {
    withUnsafeTemporaryAllocation(byteCount: 32_768, alignment: 16) { bytes in
      let result = socket.descriptor.receive(into: bytes)
      if case .bytes(let count) = result {
        framer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      return result
    }
  }

  private func fail(_ error: ForceClientError) {
    guard failure == nil else { return }
    failure = error
    outgoing = []
    let broken = exchanges
    exchanges = []
    reading.cancel()
    writing?.cancel()
    for exchange in broken { exchange.finish(error) }
  }
}

/// Keeps the descriptor open until the last source that watches it is done.
private final class Socket: Sendable {
  let descriptor: FileDescriptor
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}

/// A dispatch source that can be paused any number of times, and that is never released paused,
/// which libdispatch does not survive.
private final class ReadinessSource {
  private let source: any DispatchSourceProtocol
  private var runs = false
  private var isCancelled = false

  init(_ source: any DispatchSourceProtocol, keeping socket: Socket) {
    self.source = source
    source.setCancelHandler { withExtendedLifetime(socket) {} }
  }

  func onReady(_ handler: @escaping () -> Void) {
    source.setEventHandler(handler: handler)
  }

  func run() {
    guard !runs, !isCancelled else { return }
    runs = true
    source.resume()
  }

  func pause() {
    guard runs, !isCancelled else { return }
    runs = false
    source.suspend()
  }

  func cancel() {
    guard !isCancelled else { return }
    isCancelled = true
    source.cancel()
    if !runs { source.resume() }
  }
}
