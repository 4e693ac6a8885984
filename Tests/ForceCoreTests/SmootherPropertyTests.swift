import ForceCore
import ForceTestSupport
import Testing

/// A random signal: inputs that hold for a while, and parameters to smooth it with.
private struct Signal {
  var settings = SmoothingSettings()
  var inputs: [(time: Instant, value: Double)] = []
  var random: SeededRandom

  init(seed: Int) {
    random = SeededRandom(seed: UInt64(seed))
    let constants: [Int64] = [0, 300, 2_000, 6_000, 40_000, 500_000]
    settings.timeConstant = Microseconds(constants.randomElement(using: &random) ?? 0)
    settings.filter = SmoothingFilter.allCases[seed % 3]
    settings.medianOf3 = seed % 5 == 0
    settings.minimumCutoff = [0.05, 1, 8, 200].randomElement(using: &random) ?? 1
    settings.beta = [0, 0.01, 0.3, 20].randomElement(using: &random) ?? 0
    settings.interval = .milliseconds([1, 4, 4, 30].randomElement(using: &random) ?? 4)
    settings.riseRate = [5, 80, 700, 2_000, 30_000, 1_000_000].randomElement(using: &random) ?? 5
    settings.fallRate = [5, 80, 700, 4_000, 30_000, 1_000_000].randomElement(using: &random) ?? 5
    var time: Int64 = 0
    for _ in 0..<30 {
      let value: Double =
        Int.random(in: 0..<4, using: &random) == 0
        ? [0, 100].randomElement(using: &random) ?? 0 : Double.random(in: 0...100, using: &random)
      inputs.append((Instant(microseconds: time), value))
      time += [1, 300, 1_000, 8_000, 50_000].randomElement(using: &random) ?? 1
    }
  }

  var end: Instant { (inputs.last?.time ?? Instant(microseconds: 0)) + .milliseconds(200) }

  var smoother: Smoother { Smoother(settings, at: Instant(microseconds: 0)) }

  /// Runs the signal, looking at the output at random times as well as at the inputs' own.
  mutating func run(looks: Int, _ look: (Smoother) -> Void) {
    var times: [Instant] = []
    for _ in 0..<looks {
      let time = Int64.random(in: 0...end.microseconds, using: &random)
      times.append(Instant(microseconds: time))
    }
    times.sort()
    var smoother = smoother
    var next = 0
    for (time, value) in inputs {
      while next < times.count && times[next] < time {
        smoother.advance(to: times[next])
        look(smoother)
        next += 1
      }
      smoother.setInput(value, at: time)
      look(smoother)
    }
    smoother.advance(to: end)
    look(smoother)
  }
}

@Suite("The smoother, whatever the signal")
struct SmootherPropertyTests {
  static let seeds = 1...400

  @Test("The output never leaves the range of what came in", arguments: seeds)
  func noOvershoot(seed: Int) {
    var signal = Signal(seed: seed)
    var low = 0.0
    var high = 0.0
    var worst = 0.0
    signal.run(looks: 300) { smoother in
      worst = max(worst, smoother.output - high, low - smoother.output)
      low = min(low, smoother.input)
      high = max(high, smoother.input)
    }
    #expect(worst <= 1e-12)
  }

  @Test("No two outputs are further apart than the limit allows", arguments: seeds)
  func slewLimit(seed: Int) {
    var signal = Signal(seed: seed)
    let settings = signal.settings
    var last: (time: Instant, output: Double) = (Instant(microseconds: 0), 0)
    var excess = 0.0
    signal.run(looks: 300) { smoother in
      let seconds = (smoother.time - last.time).seconds
      let change = smoother.output - last.output
      excess = max(
        excess, change - settings.riseRate * seconds, -change - settings.fallRate * seconds)
      last = (smoother.time, smoother.output)
    }
    #expect(excess <= 1e-9)
  }

  /// Rounding, in per cent. The exponential filter and the limit are solved exactly; the 1€ filter has
  /// a grid of its own, from each input on, that it steps on however the time is split: so the same
  /// bound holds for it.
  static let splitBound = 1e-9

  @Test(
    "The output doesn't depend on how the time was split, within a billionth of a per cent",
    arguments: seeds)
  func splitIndependence(seed: Int) {
    var signal = Signal(seed: seed)
    var whole = signal.smoother
    for (time, value) in signal.inputs { whole.setInput(value, at: time) }
    whole.advance(to: signal.end)
    for looks in [1, 7, 90, 700] {
      var split = signal.smoother
      signal.run(looks: looks) { split = $0 }
      #expect((split.output - whole.output).magnitude <= Self.splitBound)
    }
  }

  @Test(
    "A held input that is told several times is one held input, within a billionth of a per cent",
    arguments: seeds)
  func repeatedInputs(seed: Int) {
    var signal = Signal(seed: seed)
    var once = signal.smoother
    var often = signal.smoother
    for (index, (time, value)) in signal.inputs.enumerated() {
      once.setInput(value, at: time)
      often.setInput(value, at: time)
      let next = index + 1 < signal.inputs.count ? signal.inputs[index + 1].time : signal.end
      for _ in 0..<5 {
        let between = Int64.random(
          in: time.microseconds...next.microseconds, using: &signal.random)
        often.setInput(value, at: Instant(microseconds: between))
      }
    }
    once.advance(to: signal.end)
    often.advance(to: signal.end)
    #expect((once.output - often.output).magnitude <= Self.splitBound)
  }

  @Test(
    "A held input is reached, exactly, in the time that the parameters promise", arguments: seeds)
  func convergence(seed: Int) {
    var signal = Signal(seed: seed)
    var smoother = signal.smoother
    signal.run(looks: 10) { smoother = $0 }
    let goal = Double.random(in: 0...100, using: &signal.random)
    smoother.setInput(goal, at: signal.end)
    // Input, low-pass and output all lie within 0…100.
    smoother.advance(to: signal.end + smoother.settlingTime(of: 100))
    #expect(smoother.output == goal)
    #expect(smoother.isSettled)
  }

  @Test("The time that is promised: τ·ln(step / tolerance), and the step at the slower limit")
  func promise() {
    var settings = SmoothingSettings()
    settings.timeConstant = .milliseconds(6)
    settings.riseRate = 2_000
    settings.fallRate = 4_000
    func promised(_ step: Double) -> Double {
      Smoother(settings, at: Instant(microseconds: 0)).settlingTime(of: step).seconds
    }
    // ln(100 / 0.005) = 9.9035; 100 % at 2,000 % a second are 50 ms.
    #expect((promised(100) - (0.006 * 9.9035 + 0.050)).magnitude < 0.000_01)
    settings.filter = .oneEuro
    settings.minimumCutoff = 5
    settings.interval = .milliseconds(4)
    // A step of 4 ms at 5 Hz covers at least 1 - 1 / (1 + 2π · 5 · 0.004) = 0.1116 of what is left:
    // 83.7 steps, rounded up, and one that is under way.
    #expect((promised(100) - (85 * 0.004 + 0.050)).magnitude < 0.000_01)
    settings.filter = .none
    #expect((promised(100) - 0.050).magnitude < 0.000_01)
  }

  @Test("A rising input gives a rising output", arguments: 1...100)
  func monotone(seed: Int) {
    var signal = Signal(seed: seed)
    signal.inputs = zip(signal.inputs, signal.inputs.map(\.value).sorted())
      .map { ($0.time, $1) }
    var last = 0.0
    var worst = 0.0
    signal.run(looks: 300) { smoother in
      worst = max(worst, last - smoother.output)
      last = smoother.output
    }
    #expect(worst <= 1e-12)
  }

  @Test("The exact solution agrees with very many small steps of the definition", arguments: 1...40)
  func definition(seed: Int) {
    var signal = Signal(seed: seed)
    signal.settings.filter = .exponential
    signal.settings.medianOf3 = false
    signal.settings.timeConstant = .milliseconds(6)
    signal.settings.riseRate = [300, 2_000, 9_000].randomElement(using: &signal.random) ?? 300
    signal.settings.fallRate = [300, 2_000, 9_000].randomElement(using: &signal.random) ?? 300
    signal.inputs = signal.inputs.enumerated().map { index, input in
      (Instant(microseconds: Int64(index) * 7_000), input.value)
    }
    var smoother = signal.smoother
    var lowPassed = 0.0
    var output = 0.0
    let step = 0.000_001
    var worst = 0.0
    for (index, input) in signal.inputs.enumerated() {
      smoother.setInput(input.value, at: input.time)
      worst = max(worst, (smoother.output - output).magnitude)
      guard index + 1 < signal.inputs.count else { break }
      for _ in 0..<7_000 {
        lowPassed += (input.value - lowPassed) * step / 0.006
        let rise = signal.settings.riseRate * step
        let fall = signal.settings.fallRate * step
        output += min(max(lowPassed - output, -fall), rise)
      }
    }
    #expect(worst < 0.02)
  }
}
