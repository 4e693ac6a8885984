/// A known weight and what the device said under it.
public struct CalibrationPoint: Equatable, Sendable {
  /// The device's own value, averaged while the weight lay still.
  public var raw: Double
  public var grams: Double

  public init(raw: Double, grams: Double) {
    self.raw = raw
    self.grams = grams
  }
}

/// How a calibration goes through its points.
public enum CalibrationMethod: String, Sendable, CaseIterable {
  /// One straight line with the least squares of the errors: for sensors that are linear.
  case line
  /// Straight from point to point: for sensors that are not.
  case piecewise
}

/// Why points make no calibration: a sentence without a full stop.
public struct CalibrationRefused: Error, Equatable, Sendable, CustomStringConvertible {
  public var description: String
  init(_ description: String) { self.description = description }
}

/// What the user's own weights say about the grams of one sensor.
public struct Calibration: Equatable, Sendable {
  public var method: CalibrationMethod
  /// The points that it was made from, from light to heavy.
  public var points: [CalibrationPoint]
  /// The corners of the curve, raw rising; two for a line. Beyond the ends it goes on straight.
  public var knots: [CalibrationPoint]

  /// The most points that are taken; more tell nothing new.
  public static let mostPoints = 64

  /// Fits a curve.
  ///
  /// - Throws: with the reason, where there are fewer than two different weights, where a number is
  ///   not finite, and where a heavier weight didn't read higher.
  public init(
    _ points: [CalibrationPoint], method: CalibrationMethod = .line
  ) throws(CalibrationRefused) {
    let sorted = points.sorted { ($0.grams, $0.raw) < ($1.grams, $1.raw) }
    try Self.check(sorted)
    let weights = Self.oneForEachWeight(sorted)
    try Self.checkMonotony(weights)
    self.method = method
    self.points = sorted
    switch method {
    case .piecewise: knots = weights
    case .line: knots = Self.line(through: sorted, from: weights)
    }
  }

  private static func check(_ points: [CalibrationPoint]) throws(CalibrationRefused) {
    guard points.count <= mostPoints else {
      throw CalibrationRefused("\(points.count) points are more than \(mostPoints)")
    }
    for point in points {
      guard point.raw.magnitude < 1e10, point.grams.magnitude < 1e9 else {
        throw CalibrationRefused("\(point.grams) g at \(point.raw) is no measurement")
      }
    }
  }

  /// The mean of all points of the same weight.
  private static func oneForEachWeight(_ sorted: [CalibrationPoint]) -> [CalibrationPoint] {
    var weights: [CalibrationPoint] = []
    var count = 0.0
    for point in sorted {
      if let last = weights.last, last.grams == point.grams {
        count += 1
        weights[weights.count - 1].raw += (point.raw - last.raw) / count
      } else {
        weights.append(point)
        count = 1
      }
    }
    return weights
  }

  private static func checkMonotony(
    _ weights: [CalibrationPoint]
  ) throws(CalibrationRefused) {
    guard weights.count >= 2 else {
      throw CalibrationRefused("it takes at least two different weights; no weight at all is one")
    }
    // Less than half a unit of the device is noise, whichever way it points.
    for (light, heavy) in zip(weights, weights.dropFirst()) where heavy.raw < light.raw + 0.5 {
      throw CalibrationRefused(
        "\(heavy.grams) g read \(heavy.raw) and \(light.grams) g read \(light.raw), "
          + "but a heavier weight has to read higher, by half a unit at least")
    }
  }

  private static func line(
    through points: [CalibrationPoint], from weights: [CalibrationPoint]
  ) -> [CalibrationPoint] {
    let count = Double(points.count)
    let meanRaw = points.reduce(0) { $0 + $1.raw } / count
    let meanGrams = points.reduce(0) { $0 + $1.grams } / count
    var squares = 0.0
    var products = 0.0
    for point in points {
      squares += (point.raw - meanRaw) * (point.raw - meanRaw)
      products += (point.raw - meanRaw) * (point.grams - meanGrams)
    }
    // Both are above 0: the weights rise strictly.
    let slope = products / squares
    return [weights[0].raw, weights[weights.count - 1].raw].map {
      CalibrationPoint(raw: $0, grams: meanGrams + slope * ($0 - meanRaw))
    }
  }

  /// Grams at a raw value.
  public func grams(at raw: Double) -> Double { Self.grams(at: raw, on: knots) }

  /// Linear from knot to knot and beyond the last ones; 0 without at least two knots.
  static func grams(at raw: Double, on knots: [CalibrationPoint]) -> Double {
    guard knots.count >= 2 else { return 0 }
    var index = 0
    while index < knots.count - 2 && raw > knots[index + 1].raw { index += 1 }
    let (low, high) = (knots[index], knots[index + 1])
    return low.grams + (raw - low.raw) * (high.grams - low.grams) / (high.raw - low.raw)
  }

  /// For each point what the curve says minus what lay there, in grams.
  public var residuals: [Double] { points.map { grams(at: $0.raw) - $0.grams } }

  /// The root of the mean square of the residuals, in grams.
  public var residual: Double {
    let squares = residuals.reduce(0) { $0 + $1 * $1 }
    return (squares / Double(points.count)).squareRoot()
  }
}
