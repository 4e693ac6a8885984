/// What to do when the daemon goes away: try again, ever more slowly.
public struct Reconnection: Equatable, Sendable {
  /// Before the first new attempt. Above 0.
  public var firstDelay: Microseconds
  /// The delay doubles with every attempt up to this.
  public var longestDelay: Microseconds
  /// Give up when the daemon has been away for so long; nil: never.
  public var giveUpAfter: Microseconds?
  /// Wait for a daemon that is not there at the start, too.
  public var waitsAtStart: Bool

  public init(
    firstDelay: Microseconds = .milliseconds(50), longestDelay: Microseconds = .seconds(2),
    giveUpAfter: Microseconds? = nil, waitsAtStart: Bool = false
  ) {
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.giveUpAfter = giveUpAfter
    self.waitsAtStart = waitsAtStart
  }

  /// How long to wait before an attempt.
  ///
  /// - Parameters:
  ///   - attempt: 0 for the first.
  ///   - jitter: 0…1; spreads clients that all lost the same daemon over the last half of the delay.
  func delay(beforeAttempt attempt: Int, jitter: Double) -> Microseconds {
    let doubled = Double(max(firstDelay.count, 1_000)) * Double(1 << min(max(attempt, 0), 20))
    let whole = min(doubled, Double(max(longestDelay.count, 1_000)))
    return Microseconds(Int64(whole * (0.5 + 0.5 * min(max(jitter, 0), 1))))
  }
}

/// What happens to a watch's connection.
public enum ConnectionChange: Equatable, Sendable {
  /// A new connection: the current state comes again from the start.
  case connected
  /// The connection is gone or could not be made, and will be tried again. What was known of
  /// contacts and devices does not hold any more.
  case disconnected(ForceClientError)
}
