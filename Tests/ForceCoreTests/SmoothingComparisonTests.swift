import ForceTestSupport
import Testing

@testable import ForceCore

/// Presses whose lag, noise and settling time can be worked out by hand.
@Suite("What a setting of the smoothing does")
struct SmoothingComparisonTests {
  /// Limits so wide that they never show.
  private func settings(_ change: (inout SmoothingSettings) -> Void) -> SmoothingSettings {
    var settings = SmoothingSettings()
    (settings.riseRate, settings.fallRate) = (1_000_000, 1_000_000)
    change(&settings)
    return settings
  }

  private func none() -> SmoothingSettings { settings { $0.filter = .none } }

  private func exponential(_ milliseconds: Int64) -> SmoothingSettings {
    settings { $0.timeConstant = .milliseconds(milliseconds) }
  }

  private func time(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: 5_000_000 + milliseconds * 1_000)
  }

  /// Presses for `length` milliseconds, a report every `period`, and holds it still for `hold`.
  private func press(
    _ comparison: inout SmoothingComparison, length: Int64, period: Int64 = 1, hold: Int64 = 0,
    force: (Double) -> Double
  ) {
    for now in stride(from: 0, through: length, by: Int64.Stride(period)) {
      comparison.take(force(Double(now)), at: time(now))
    }
    comparison.advance(to: time(length + hold))
    comparison.end(at: time(length + hold))
  }

  private func near(_ value: Double?, _ expected: Double, _ tolerance: Double) -> Bool {
    value.map { ($0 - expected).magnitude <= tolerance } ?? false
  }

  @Test("On a ramp a low-pass lags by its time constant, and no filter not at all")
  func ramp() {
    var comparison = SmoothingComparison([none(), exponential(6), exponential(25), exponential(90)])
    press(&comparison, length: 2_000) { $0 * 0.045 }
    let lags = comparison.figures.map(\.lag)
    #expect(lags[0] == 0)
    #expect(near(lags[1], 6, 0.6), "\(lags)")
    #expect(near(lags[2], 25, 0.6), "\(lags)")
    // Its start counts a little: there the output has not fallen back by the whole of it.
    #expect(near(lags[3], 90, 3), "\(lags)")
    #expect(comparison.figures.allSatisfy { $0.noise == nil && $0.settling == nil })
  }

  @Test("A limit that is slower than the ramp lags more and more, and the figure grows with it")
  func limit() {
    var slow = none()
    slow.riseRate = 40
    var comparison = SmoothingComparison([slow])
    press(&comparison, length: 1_000) { $0 * 0.05 }
    // At its end the output lies 10 % below, which took 200 ms; on the average about half of that.
    #expect(near(comparison.figures[0].lag, 100, 40))
  }

  @Test("A step settles when what is left of it lies within 2 %: τ · ln (step / 2)")
  func step() {
    var limited = exponential(25)
    // From the step's begin the low-pass is faster than that: 48 % take 96 ms.
    limited.riseRate = 500
    var comparison = SmoothingComparison([none(), exponential(6), exponential(25), limited])
    press(&comparison, length: 0, hold: 600) { _ in 50 }
    let settling = comparison.figures.map(\.settling)
    #expect(settling[0] == 0)
    #expect(near(settling[1], 6 * 3.219, 1), "\(settling)")
    #expect(near(settling[2], 25 * 3.219, 1), "\(settling)")
    #expect(near(settling[3], 96, 3), "\(settling)")
  }

  @Test("A press that comes to rest slowly settles nothing")
  func slowStop() {
    var comparison = SmoothingComparison([exponential(25)])
    press(&comparison, length: 1_000, hold: 600) { $0 * 0.05 }
    #expect(comparison.figures[0].settling == nil)
    #expect(comparison.figures[0].lag != nil)
  }

  /// A square wave of ±a with half a period T through a low-pass leaves
  /// a · √(1 − 2τ/T · tanh(T/2τ)) of root mean square: with T = 10 ms and τ = 6 ms 0.4257 · a, with
  /// τ = 25 ms 0.1145 · a.
  @Test("Noise at rest is what a low-pass leaves of a square wave")
  func noise() {
    var comparison = SmoothingComparison([none(), exponential(6), exponential(25)])
    press(&comparison, length: 2_000, period: 10) { Int($0) / 10 % 2 == 0 ? 50.5 : 49.5 }
    let noise = comparison.figures.map(\.noise)
    #expect(near(noise[0], 0.5, 0.001), "\(noise)")
    #expect(near(noise[1], 0.2128, 0.004), "\(noise)")
    #expect(near(noise[2], 0.0572, 0.003), "\(noise)")
  }

  @Test("A median takes out spikes of one report, which nothing else does as well")
  func median() {
    var median = none()
    median.medianOf3 = true
    var comparison = SmoothingComparison([none(), median])
    press(&comparison, length: 2_000, period: 8) { Int($0) / 8 % 10 == 5 ? 51.5 : 50 }
    let noise = comparison.figures.map(\.noise)
    #expect(near(noise[0], 0.45, 0.05), "\(noise)")
    #expect(noise[1] == 0)
  }

  /// Normal noise, from the sum of twelve uniform numbers.
  @Test("Noise that leaves the band of a rest is measured all the same", arguments: [1.2, 3, 5])
  func loud(rms: Double) {
    var random = SeededGenerator(seed: 7)
    var comparison = SmoothingComparison([none(), exponential(25)])
    press(&comparison, length: 6_000, period: 8) { _ in
      50 + rms * ((0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &random) })
    }
    let noise = comparison.figures.map(\.noise)
    #expect(near(noise[0], rms, rms * 0.25), "\(noise)")
    #expect((noise[1] ?? 9) < rms * 0.7, "\(noise)")
  }

  @Test("A slow ramp is no noise, and neither is tapping")
  func noRest() {
    for force in [{ 5 + $0 * 0.006 }, { Int($0) / 50 % 2 == 0 ? 80 : 20 }] as [(Double) -> Double] {
      var comparison = SmoothingComparison([none()])
      press(&comparison, length: 8_000, period: 8, force: force)
      #expect(comparison.figures[0].noise == nil, "\(comparison.figures)")
    }
  }

  @Test("A hand that gives way slowly is no noise")
  func drift() {
    var comparison = SmoothingComparison([none()])
    press(&comparison, length: 3_000) { 50 - $0 * 0.0005 }
    #expect(near(comparison.figures[0].noise, 0.036, 0.005), "\(comparison.figures)")
  }

  @Test("What no press has shown yet has no figure, and what one has shown stays")
  func figuresStay() {
    var comparison = SmoothingComparison([exponential(6)])
    #expect(comparison.figures == [SmoothingFigures()])
    comparison.take(1, at: time(0))
    comparison.advance(to: time(100))
    #expect(comparison.figures == [SmoothingFigures()])
    comparison.end(at: time(100))
    press(&comparison, length: 0, hold: 1_000) { _ in 50 }
    let figures = comparison.figures
    #expect(figures[0].noise == 0)
    press(&comparison, length: 40) { $0 }
    #expect(comparison.figures == figures)
  }

  @Test("A step that something already lies on settles too, up and down")
  func stepInAPress() {
    var comparison = SmoothingComparison([exponential(6)])
    comparison.take(20, at: time(0))
    comparison.take(70, at: time(2_000))
    comparison.advance(to: time(3_000))
    #expect(near(comparison.figures[0].settling, 6 * 3.219, 1))
    comparison.take(50, at: time(4_000))
    comparison.advance(to: time(5_000))
    #expect(near(comparison.figures[0].settling, 6 * 2.303, 1))
  }

  @Test("Hours of a force that is held still take no time to measure")
  func hours() {
    var comparison = SmoothingComparison([none(), exponential(6)])
    comparison.take(50, at: time(0))
    comparison.advance(to: time(3_600_000_000))
    #expect(comparison.figures.allSatisfy { $0.noise == 0 })
    #expect(comparison.isResting)
    comparison.take(51, at: time(3_600_000_001))
    comparison.end(at: time(1))
    #expect(comparison.input == nil)
  }

  @Test("Whatever comes in, no figure is anything but a number from 0 on", arguments: 0..<20)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var comparison = SmoothingComparison([SmoothingSettings(), none(), exponential(50)])
    var now: Int64 = 0
    for _ in 0..<300 {
      now += Int64.random(in: -20...60, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: comparison.end(at: time(now))
      case 1: comparison.advance(to: time(now + 300))
      default: comparison.take(Double.random(in: 0...100, using: &random), at: time(now))
      }
    }
    for figures in comparison.figures {
      for value in [figures.noise, figures.lag, figures.settling] {
        #expect(value.map { $0.isFinite && $0 >= 0 } ?? true)
      }
    }
  }
}
