/// What a setting of the smoothing did, of the last press that showed it. nil: none has yet.
public struct SmoothingFigures: Equatable, Sendable {
  /// How much the output trembles while the force rests: root mean square about the mean of each
  /// quarter of a second, in per cent of the range.
  public var noise: Double?
  /// By how many milliseconds the output is late while the force moves slowly.
  public var lag: Double?
  /// How many milliseconds after a quick press has come to rest the output is within 2 % of it, and
  /// stays there.
  public var settling: Double?

  public init(noise: Double? = nil, lag: Double? = nil, settling: Double? = nil) {
    self.noise = noise
    self.lag = lag
    self.settling = settling
  }
}

/// One setting at work beside others, and the measuring of it.
struct SmoothingTrial: Sendable {
  /// So much of a ramp makes a figure: 200 ms.
  private static let shortestRamp = 200
  /// Noise is measured in stretches of 250 ms, so that a hand that slowly gives way is none.
  private static let blockTicks = 250

  let settings: SmoothingSettings
  private(set) var smoother: Smoother
  private var last = SmoothingFigures()
  private var lag = LagMeasure(longest: PressMotion.longestLag)
  /// Ticks of this rest until the last movement has worked itself out of the output.
  private var lead = 0
  /// The tick of this rest at which the output came into the band; nil: it has not yet.
  private var arrival: Int?
  private var block = NoiseBlock()
  private var variance = 0.0
  private var blocks = 0
  private var trembling = TremblingRest()

  init(_ settings: SmoothingSettings) {
    self.settings = settings
    smoother = Smoother(settings, at: Instant(microseconds: 0))
  }

  var figures: SmoothingFigures {
    var figures = last
    if lag.count >= Self.shortestRamp { figures.lag = lag.lag }
    return figures
  }

  /// Nothing more is to be learnt from a rest in which nothing changes.
  var isDone: Bool { smoother.isSettled && blocks > 0 }

  mutating func begin(at time: Instant) {
    last = figures
    lag.reset()
    trembling = TremblingRest()
    smoother = Smoother(settings, at: time)
  }

  mutating func setInput(_ percent: Double, at time: Instant) {
    smoother.setInput(percent, at: time)
  }

  /// Takes the next millisecond, which `motion` has taken before.
  mutating func take(_ motion: borrowing PressMotion, at time: Instant) {
    smoother.advance(to: time)
    let output = smoother.output
    // In step with that of the input, which the same press began.
    if let noise = trembling.hold(output, for: .milliseconds(1)), motion.trembles,
      !motion.isResting
    {
      last.noise = noise
    }
    if motion.isRamp { lag.take(output, inputs: motion.inputs) }
    let distance = (output - motion.reference).magnitude
    if motion.isNew { beginRest(at: distance) }
    if distance <= PressMotion.band && arrival == nil { arrival = motion.ticksInBand - 1 }
    guard motion.isResting else { return }
    if motion.cameQuickly, let arrival { last.settling = Double(arrival) }
    if motion.ticksInBand > lead { note(output) }
  }

  private mutating func beginRest(at distance: Double) {
    arrival = nil
    block = NoiseBlock()
    variance = 0
    blocks = 0
    let longest = smoother.settlingTime(of: distance + PressMotion.band)
    lead = max(Int(clamping: longest.count / 1_000), PressMotion.restTicks)
  }

  private mutating func note(_ output: Double) {
    block.take(output)
    guard block.count == Self.blockTicks else { return }
    variance += block.variance
    blocks += 1
    block = NoiseBlock()
    last.noise = (variance / Double(blocks)).squareRoot()
  }
}

/// Values of one stretch, about their own mean.
private struct NoiseBlock {
  private(set) var count = 0
  private var first = 0.0
  private var sum = 0.0
  private var squares = 0.0

  /// Counted from the first value, so that small differences of large values keep their digits.
  mutating func take(_ value: Double) {
    if count == 0 { first = value }
    count += 1
    sum += value - first
    squares += (value - first) * (value - first)
  }

  var variance: Double {
    let mean = sum / Double(count)
    return max(squares / Double(count) - mean * mean, 0)
  }
}
