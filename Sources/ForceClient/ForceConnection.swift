import LinuxSystem

/// One connection to the daemon.
///
/// Calls may overlap; the daemon answers them in order. A ``stream(_:_:)`` keeps the connection busy
/// until it ends, so give it a connection of its own.
///
/// The connection closes when the last reference to it and to its streams goes.
public final class ForceConnection: Sendable {
  private let line: MessageLine

  /// Connects.
  ///
  /// - Parameters:
  ///   - address: where the daemon listens.
  ///   - traffic: sees the text of every message, on a queue of the connection's own.
  /// - Throws: ``ForceClientError/unreachable(_:)``.
  public init(
    to address: SocketAddress = .standard,
    traffic: (@Sendable (MessageDirection, [UInt8]) -> Void)? = nil
  ) throws(ForceClientError) {
    line = MessageLine(try address.connect(), traffic: traffic)
  }

  deinit { line.close() }

  /// Ends the connection; whoever waits gets ``ForceClientError/connectionLost(_:)``.
  public func close() { line.close() }

  /// Calls a method that answers once.
  ///
  /// - Parameters:
  ///   - method: the full name, such as `org.forced.Force.GetStatus`.
  ///   - timeLimit: how long to wait for the answer.
  /// - Returns: the parameters of the reply.
  public func call(
    _ method: String, _ parameters: JSONObject = [:],
    timeLimit: Microseconds = .seconds(10)
  ) async throws(ForceClientError) -> JSONObject {
    let exchange = Exchange()
    line.begin(Request(method: method, parameters: parameters), exchange)
    line.limit(exchange, to: timeLimit, .noAnswer(method: method, after: timeLimit))
    return try result(await line.nextReply(of: exchange))
  }

  /// Calls a method and wants no answer, not even an error.
  public func tell(_ method: String, _ parameters: JSONObject = [:]) {
    line.begin(Request(method: method, parameters: parameters, oneway: true), Exchange())
  }

  /// Calls a method that answers any number of times. The call is made at once.
  public func stream(_ method: String, _ parameters: JSONObject = [:]) -> ReplyStream {
    let exchange = Exchange()
    line.begin(Request(method: method, parameters: parameters, more: true), exchange)
    return ReplyStream(connection: self, line: line, exchange: exchange)
  }
}

/// The replies to one call, as they come. Iterate it once.
///
/// Cancelling the task that iterates ends the sequence.
public struct ReplyStream: AsyncSequence, Sendable {
  public typealias Element = JSONObject
  public typealias Failure = ForceClientError

  fileprivate let connection: ForceConnection
  fileprivate let line: MessageLine
  fileprivate let exchange: Exchange

  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let stream: ReplyStream
    fileprivate var isOver = false

    /// The parameters of the next reply; nil after the last one, or when the task is cancelled.
    public mutating func next() async throws(ForceClientError) -> JSONObject? {
      try await next(isolation: nil)
    }

    /// The same, on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ForceClientError) -> JSONObject? {
      guard !isOver else { return nil }
      let outcome = await stream.line.nextReply(of: stream.exchange)
      if case .success(let reply) = outcome, reply.continues, reply.error == nil {
        return reply.parameters
      }
      isOver = true
      if case .failure(.cancelled) = outcome { return nil }
      return try result(outcome)
    }
  }
}

/// The parameters of a reply, or what went wrong.
private func result(_ outcome: MessageLine.Outcome) throws(ForceClientError) -> JSONObject {
  let reply = try outcome.get()
  do throws(VarlinkError) {
    return try reply.result()
  } catch {
    throw .refused(error)
  }
}
