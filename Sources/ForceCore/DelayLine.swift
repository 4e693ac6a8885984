/// The inputs of the last while, one for each step, newest last.
///
/// Each input is kept at two places, so that the whole line is one stretch of memory wherever it
/// begins.
public struct DelayLine: Sendable {
  private var values: [Double]
  private var next = 0
  /// How many steps back it goes, the newest input not counted.
  public let length: Int

  /// Full of one value: what was there before anything was measured.
  /// - Parameter length: 1 or more.
  public init(length: Int, filledWith value: Double = 0) {
    self.length = max(length, 1)
    values = [Double](repeating: value, count: (self.length + 1) * 2)
  }

  public mutating func append(_ value: Double) {
    values[next] = value
    values[next + length + 1] = value
    next = (next + 1) % (length + 1)
  }

  /// The input so many steps ago, 0…`length`.
  public subscript(ago steps: Int) -> Double { values[next + length - steps] }

  /// Adds, for each number of steps, the square of how far a value is from the input that long ago.
  func addSquares(of value: Double, to sums: inout [Double]) {
    let newest = next + length
    for steps in 0..<min(sums.count, length + 1) {
      let error = value - values[newest - steps]
      sums[steps] += error * error
    }
  }
}

/// By how much a signal comes later than the one it is made of: the delay with the least squares of
/// errors.
///
/// On a ramp that is the true delay of any low-pass: a time constant for a filter of first order.
public struct LagMeasure: Sendable {
  private var squares: [Double]
  /// Values counted so far.
  public private(set) var count = 0

  /// - Parameter longest: the longest delay to look for, in steps of the inputs' delay line.
  public init(longest: Int) {
    squares = [Double](repeating: 0, count: max(longest, 1) + 1)
  }

  public mutating func reset() {
    for index in squares.indices { squares[index] = 0 }
    count = 0
  }

  /// Takes the signal's value at the time of the newest input.
  public mutating func take(_ output: Double, inputs: DelayLine) {
    inputs.addSquares(of: output, to: &squares)
    count += 1
  }

  /// The delay in steps; nil while nothing was counted. `longest` where it is no shorter.
  public var lag: Double? {
    guard count > 0, let best = squares.indices.min(by: { squares[$0] < squares[$1] }) else {
      return nil
    }
    guard best > 0, best + 1 < squares.count else { return Double(best) }
    // On a ramp the squares are a parabola over the delay, whose lowest point lies between steps.
    let (before, at, after) = (squares[best - 1], squares[best], squares[best + 1])
    let bend = before - 2 * at + after
    return bend > 0 ? Double(best) + (before - after) / (2 * bend) : Double(best)
  }
}
