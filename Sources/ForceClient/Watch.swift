import LinuxSystem

extension ForceClient {
  /// Subscribes to what happens: readings, devices that come and go.
  ///
  /// The current state comes first. When the daemon restarts, the watch connects again and the
  /// current state comes again, as ``reconnection`` says. A reader that is too slow gets the newest
  /// readings, and the number of those it missed with them (`dropped`).
  ///
  /// - Parameters:
  ///   - request: what to subscribe to.
  ///   - onConnection: told of connecting and disconnecting, between the events.
  public func watch(
    _ request: WatchRequest = WatchRequest(),
    onConnection: (@Sendable (ConnectionChange) -> Void)? = nil
  ) -> Watch {
    Watch(
      address: address, reconnection: reconnection, request: request, onConnection: onConnection)
  }
}

/// The events of a subscription. Every iterator subscribes anew.
///
/// Cancelling the task that iterates ends the sequence and closes the connection.
public struct Watch: AsyncSequence, Sendable {
  public typealias Element = WatchEvent
  public typealias Failure = ForceClientError

  let address: SocketAddress
  let reconnection: Reconnection?
  let request: WatchRequest
  let onConnection: (@Sendable (ConnectionChange) -> Void)?

  public func makeAsyncIterator() -> Iterator { Iterator(watch: self) }

  public struct Iterator: AsyncIteratorProtocol {
    private let watch: Watch
    private var replies: ReplyStream.Iterator?
    private var attempt = 0
    private var awaySince: Int64?
    private var hasBeenConnected = false

    init(watch: Watch) { self.watch = watch }

    /// The next event; nil when the task is cancelled.
    ///
    /// - Throws: ``ForceClientError``; after that the watch is over.
    public mutating func next() async throws(ForceClientError) -> WatchEvent? {
      try await next(isolation: nil)
    }

    /// The same, on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ForceClientError) -> WatchEvent? {
      while !Task.isCancelled {
        do throws(ForceClientError) {
          return try await nextOfConnection(isolation: actor)
        } catch {
          replies = nil
          guard shouldTryAgain(after: error) else { throw error }
          watch.onConnection?(.disconnected(error))
        }
        await pause(isolation: actor)
      }
      replies = nil
      return nil
    }

    private mutating func nextOfConnection(
      isolation actor: isolated (any Actor)?
    ) async throws(ForceClientError) -> WatchEvent? {
      if replies == nil { try connect() }
      guard let parameters = try await replies?.next(isolation: actor) else {
        if Task.isCancelled { return nil }
        throw .connectionLost("the daemon ended the subscription")
      }
      attempt = 0
      awaySince = nil
      return try read(ForceInterface.Method.watch) { () throws(FieldError) in
        try WatchEvent(parameters: parameters)
      }
    }

    private mutating func connect() throws(ForceClientError) {
      let connection = try ForceConnection(to: watch.address)
      replies = connection.stream(ForceInterface.Method.watch, watch.request.parameters)
        .makeAsyncIterator()
      hasBeenConnected = true
      watch.onConnection?(.connected)
    }

    private mutating func shouldTryAgain(after error: ForceClientError) -> Bool {
      guard let reconnection = watch.reconnection, error.isDisconnection else { return false }
      guard hasBeenConnected || reconnection.waitsAtStart else { return false }
      let now = monotonicNow()
      let since = awaySince ?? now
      awaySince = since
      guard let limit = reconnection.giveUpAfter else { return true }
      return now - since < limit.count
    }

    private mutating func pause(isolation actor: isolated (any Actor)?) async {
      guard let reconnection = watch.reconnection else { return }
      let delay = reconnection.delay(beforeAttempt: attempt, jitter: .random(in: 0...1))
      attempt += 1
      try? await Task.sleep(nanoseconds: UInt64(delay.count) * 1_000)
    }
  }
}
