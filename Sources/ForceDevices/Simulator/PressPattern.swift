/// What the simulated finger does, over and over.
public enum PressPattern: String, CaseIterable, Sendable {
  /// Presses past the maximum, holds, lets go, pauses.
  case press
  /// Quick taps, each of another force.
  case tap
  /// Slowly up to the maximum and slowly down again.
  case ramp
  /// A steady press with the noise of a real sensor.
  case noise
}

extension PressPattern {
  /// How long it takes until everything starts again, in milliseconds.
  var period: Int64 {
    switch self {
    case .press: 2_600
    case .tap: 2_400
    case .ramp: 9_000
    case .noise: 5_000
    }
  }

  /// The force at `time` (milliseconds since the start of a period) as a share of the pad's range;
  /// nil while nothing touches. Above 1 the pad is pressed harder than it can measure.
  ///
  /// - Parameter draw: a number of -1…1 that differs at every call, for the noise.
  func force(at time: Int64, draw: Double) -> Double? {
    let stroke: Stroke
    let start: Int64
    var noise = 0.0
    switch self {
    case .press:
      start = 300
      stroke = Stroke(rise: 600, hold: 500, fall: 400, force: 1.15)
    case .tap:
      let forces = [0.30, 0.55, 0.80, 1.10, 0.45]
      let tap = min(Int(time / 300), forces.count - 1)
      start = Int64(tap) * 300 + 40
      stroke = Stroke(rise: 60, hold: 20, fall: 60, force: forces[tap])
    case .ramp:
      start = 500
      stroke = Stroke(rise: 4_000, hold: 0, fall: 4_000, force: 1)
    case .noise:
      start = 500
      stroke = Stroke(rise: 250, hold: 3_000, fall: 250, force: 0.6)
      noise = 0.012 * draw
    }
    return stroke.force(at: time - start).map { $0 * (1 + noise) }
  }
}

/// One press: up, stay, down.
private struct Stroke {
  var rise: Int64
  var hold: Int64
  var fall: Int64
  var force: Double

  func force(at time: Int64) -> Double? {
    guard time > 0, time < rise + hold + fall else { return nil }
    if time < rise { return force * ease(Double(time) / Double(rise)) }
    if time <= rise + hold { return force }
    return force * ease(Double(rise + hold + fall - time) / Double(fall))
  }

  /// Starts and ends gently, as a finger does.
  private func ease(_ x: Double) -> Double { x * x * (3 - 2 * x) }
}
