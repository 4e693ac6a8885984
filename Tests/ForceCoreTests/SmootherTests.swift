import ForceCore
import ForceTestSupport
import Testing

@Suite("The smoother, by example")
struct SmootherTests {
  private func smoother(
    timeConstant: Microseconds = .zero, rise: Double = 1_000_000, fall: Double = 1_000_000,
    value: Double = 0
  ) -> Smoother {
    var settings = SmoothingSettings()
    settings.timeConstant = timeConstant
    settings.riseRate = rise
    settings.fallRate = fall
    return Smoother(settings, value: value, at: at(0))
  }

  private func at(_ milliseconds: Double) -> Instant {
    Instant(microseconds: Int64(milliseconds * 1_000))
  }

  @Test("After one time constant the low-pass has covered 63 % of a step")
  func timeConstant() {
    var smoother = smoother(timeConstant: .milliseconds(10))
    smoother.setInput(50, at: at(0))
    smoother.advance(to: at(10))
    #expect((smoother.output - 50 * (1 - 0.367_879_441_171_442_3)).magnitude < 1e-9)
  }

  @Test("The limit alone is a straight line that stops at its goal")
  func slew() {
    var smoother = smoother(rise: 1_000, fall: 2_000)
    smoother.setInput(60, at: at(0))
    smoother.advance(to: at(20))
    #expect((smoother.output - 20).magnitude < 1e-12)
    smoother.advance(to: at(100))
    #expect(smoother.output == 60)
    smoother.setInput(0, at: at(100))
    smoother.advance(to: at(110))
    #expect((smoother.output - 40).magnitude < 1e-12)
  }

  @Test("A limit that is slower than the low-pass is followed until both meet")
  func limitThenLowPass() {
    var smoother = smoother(timeConstant: .milliseconds(10), rise: 2_000)
    smoother.setInput(100, at: at(0))
    smoother.advance(to: at(30))
    #expect((smoother.output - 60).magnitude < 1e-9)
    // They meet after 49.6 ms, at 2,000 t = 100 (1 - e^(-t/10 ms)).
    smoother.advance(to: at(60))
    #expect((smoother.output - 100 * (1 - 0.002_478_752_176_666_358_5)).magnitude < 1e-9)
  }

  @Test("When the low-pass turns while the limit still climbs, the output meets it and turns too")
  func turn() {
    var smoother = smoother(timeConstant: .milliseconds(20), rise: 1_000, fall: 4_000)
    smoother.setInput(100, at: at(0))
    smoother.advance(to: at(20))
    #expect((smoother.output - 20).magnitude < 1e-9)
    smoother.setInput(0, at: at(20))
    // The low-pass stands at 63.2 and falls; the output rises on and meets it near 38.
    smoother.advance(to: at(30))
    #expect((smoother.output - 30).magnitude < 1e-9)
    smoother.advance(to: at(60))
    #expect(
      (smoother.output - 100 * (1 - 0.367_879_441_171_442_3) * 0.135_335_283_236_612_7)
        .magnitude < 1e-9)
  }

  @Test("It settles exactly on the input, and then needs no more time")
  func settles() {
    var smoother = smoother(timeConstant: .milliseconds(6), rise: 2_000)
    #expect(smoother.isSettled)
    smoother.setInput(42.123, at: at(0))
    #expect(!smoother.isSettled)
    smoother.advance(to: at(0) + smoother.settlingTime(of: 42.123))
    #expect(smoother.output == 42.123)
    #expect(smoother.isSettled)
  }

  @Test("A change below the tolerance is taken over at the limit's pace")
  func tinyChange() {
    var smoother = smoother(timeConstant: .seconds(10), value: 50)
    smoother.setInput(50.004, at: at(0))
    smoother.advance(to: at(1))
    #expect(smoother.output == 50.004)
    #expect(smoother.isSettled)
  }

  @Test("Time that runs backwards changes nothing")
  func backwards() {
    var smoother = smoother(timeConstant: .milliseconds(5))
    smoother.setInput(80, at: at(10))
    smoother.advance(to: at(20))
    let output = smoother.output
    smoother.advance(to: at(15))
    smoother.setInput(10, at: at(12))
    #expect(smoother.output == output)
    #expect(smoother.time == at(20))
  }

  @Test("Changed parameters go on from the present output")
  func changedParameters() {
    var smoother = smoother(rise: 1_000)
    smoother.setInput(100, at: at(0))
    smoother.advance(to: at(20))
    var settings = SmoothingSettings()
    settings.timeConstant = .zero
    settings.riseRate = 500
    smoother.use(settings)
    smoother.advance(to: at(40))
    #expect((smoother.output - 30).magnitude < 1e-9)
  }

  @Test("Rates that make no sense don't make the output senseless")
  func senselessRates() {
    for rate in [0, -5, Double.nan] {
      var smoother = smoother(timeConstant: .milliseconds(5), rise: rate, fall: rate)
      smoother.setInput(100, at: at(0))
      smoother.advance(to: at(1_000_000))
      #expect((0...100).contains(smoother.output))
    }
  }
}
