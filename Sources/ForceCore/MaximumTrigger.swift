/// Decides when a force is at its maximum. One decision drives the haptics and `at_maximum` alike, so
/// that what is felt and what is published never drift apart.
public struct MaximumTrigger: Sendable {
  public private(set) var isAtMaximum = false

  public init() {}

  /// Takes the next smoothed value, in per cent.
  /// - Returns: whether the maximum has been entered just now.
  public mutating func update(_ percent: Double, _ settings: MaximumSettings) -> Bool {
    if isAtMaximum {
      if percent < settings.releaseAt { isAtMaximum = false }
      return false
    }
    isAtMaximum = percent >= settings.reachedAt
    return isAtMaximum
  }

  public mutating func reset() { isAtMaximum = false }

  /// What is published: at or above the maximum the reading says 100.
  public func published(_ percent: Double, _ settings: MaximumSettings) -> Double {
    isAtMaximum && percent >= settings.reachedAt ? 100 : percent
  }
}
