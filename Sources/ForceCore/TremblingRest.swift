/// A force that is held still and trembles so much that it never stays near one value: its mean does,
/// from one quarter of a second to the next, over a second.
struct TremblingRest: Sendable {
  /// A movement within a quarter makes less noise than the first of these, or its mean moves on; more
  /// than the second is tapping. Root mean square, in per cent.
  static let noise = 0.4...10.0
  /// Up to how far apart the four means are, in per cent. Those of noise of 5 % differ by that much
  /// where a device reports 125 times a second.
  private static let spread = 3.0
  private static let quarter = Microseconds.milliseconds(250)

  private var means = SIMD4<Double>(repeating: 0)
  private var variances = SIMD4<Double>(repeating: 0)
  private var quarters = 0
  private var held = Microseconds.zero
  /// Counted from the first value, so that small differences of large values keep their digits.
  private var first = 0.0
  private var sum = 0.0
  private var squares = 0.0

  /// A quarter has just ended.
  var isAtQuarter: Bool { held == .zero }

  /// Lets a value hold for a time.
  /// - Returns: the root mean square about the means, in per cent, where a quarter ended and the last
  ///   four are near one another.
  mutating func hold(_ value: Double, for time: Microseconds) -> Double? {
    // What doesn't change for a second doesn't tremble.
    guard time <= .seconds(1) else {
      self = TremblingRest()
      return nil
    }
    var rest = time
    var noise: Double?
    while held + rest >= Self.quarter {
      let part = Self.quarter - held
      add(value, for: part)
      rest = rest - part
      noise = endQuarter()
    }
    add(value, for: rest)
    return noise
  }

  private mutating func add(_ value: Double, for time: Microseconds) {
    if held == .zero { first = value }
    let distance = value - first
    sum += distance * time.seconds
    squares += distance * distance * time.seconds
    held = held + time
  }

  private mutating func endQuarter() -> Double? {
    let mean = sum / held.seconds
    means[quarters % 4] = first + mean
    variances[quarters % 4] = max(squares / held.seconds - mean * mean, 0)
    quarters += 1
    (held, sum, squares) = (.zero, 0, 0)
    guard quarters >= 4, means.max() - means.min() <= Self.spread else { return nil }
    return (variances.sum() / 4).squareRoot()
  }
}
