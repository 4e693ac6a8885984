/// The 1€ filter (Casiez, Roussel and Vogel: "1€ Filter", CHI 2012), sample by sample.
///
/// A low-pass whose cutoff rises with the speed of the signal. The speed is taken against the previous
/// *filtered* value, as the authors' reference implementations do.
public struct OneEuroFilter: Equatable, Sendable {
  /// In Hz, above 0.
  public var minimumCutoff: Double
  /// Hz for each unit per second of speed, 0 or more.
  public var beta: Double
  /// In Hz, above 0.
  public var derivativeCutoff: Double
  /// The filtered value; nil before the first sample.
  public private(set) var value: Double?
  /// The smoothed speed in units per second.
  public private(set) var derivative = 0.0

  public init(minimumCutoff: Double = 1, beta: Double = 0, derivativeCutoff: Double = 1) {
    self.minimumCutoff = minimumCutoff
    self.beta = beta
    self.derivativeCutoff = derivativeCutoff
  }

  /// Takes the next sample; returns the filtered value.
  /// - Parameter seconds: the time since the sample before. 0 or less changes nothing, because two
  ///   samples at one time have no speed; before the first sample it doesn't matter.
  public mutating func filter(_ sample: Double, after seconds: Double) -> Double {
    guard let last = value else {
      value = sample
      return sample
    }
    let next = next(from: last, derivative, to: sample, after: seconds)
    value = next.value
    derivative = next.derivative
    return next.value
  }

  /// One step from a filtered value and its speed; what is remembered stays as it is.
  func next(
    from last: Double, _ derivative: Double, to sample: Double, after seconds: Double
  ) -> (value: Double, derivative: Double) {
    guard seconds > 0 else { return (last, derivative) }
    let speed = (sample - last) / seconds
    let smoothed =
      derivative + Self.weight(of: derivativeCutoff, after: seconds) * (speed - derivative)
    let cutoff = minimumCutoff + beta * smoothed.magnitude
    return (last + Self.weight(of: cutoff, after: seconds) * (sample - last), smoothed)
  }

  /// How much a new sample counts: 1 / (1 + τ/T) with τ = 1 / (2π · cutoff).
  static func weight(of cutoff: Double, after seconds: Double) -> Double {
    let turns = 2 * Double.pi * cutoff * seconds
    return turns / (1 + turns)
  }
}
