/// A median of three against spikes, a filter, and behind it a slew-rate limit that follows the
/// filter's output.
///
/// Between two inputs the input holds still. For a held input every stage is solved exactly: the
/// exponential filter is an exponential, the 1€ filter steps on a grid of its own that starts at the
/// input, and the limit is a straight line until it meets the filter. So the output doesn't depend on
/// how the time is split into steps, only on the inputs and their times.
///
/// All values are in per cent. The output never leaves the range of its inputs and its starting
/// value, never moves faster than the limits, and reaches a held input exactly within
/// `settlingTime(of:)`.
public struct Smoother: Sendable {
  /// Where a filter gives up approaching and takes the input's own value, in per cent. Without this
  /// it would never arrive, and never let the daemon rest.
  public static let tolerance = 0.005

  var filter: SmoothingFilter
  /// In seconds; 0 switches the exponential filter off.
  var timeConstant: Double
  /// In per cent per second.
  var riseRate: Double
  var fallRate: Double
  var ramp: OneEuroRamp
  private var median: MedianOf3?
  /// What the filter approaches: the input, or the median of the last three.
  var target: Double
  var lowPassed: Double
  /// The input that has held since it was set.
  public private(set) var input: Double
  public internal(set) var output: Double
  public private(set) var time: Instant

  /// Starts at rest on `value`.
  public init(_ settings: SmoothingSettings, value: Double = 0, at time: Instant) {
    filter = settings.filter
    timeConstant = 0
    riseRate = 0
    fallRate = 0
    ramp = OneEuroRamp(restingAt: value, time)
    median = nil
    target = value
    lowPassed = value
    input = value
    output = value
    self.time = time
    use(settings)
  }

  /// Changes the parameters; the output goes on from where it is.
  public mutating func use(_ settings: SmoothingSettings) {
    filter = settings.filter
    timeConstant = settings.filter == .exponential ? max(settings.timeConstant.seconds, 0) : 0
    // The lowest rate is there for a caller that skipped the checks of the configuration: it keeps
    // every division below defined.
    riseRate = settings.riseRate > 0 ? settings.riseRate : 0.000_001
    fallRate = settings.fallRate > 0 ? settings.fallRate : 0.000_001
    if !settings.medianOf3 {
      median = nil
      target = input
    } else if median == nil {
      median = MedianOf3(value: input, at: time)
    }
    ramp.use(settings)
    ramp.start(from: lowPassed, to: target, at: time)
  }

  /// Nothing changes any more until the input does.
  public var isSettled: Bool { lowPassed == target && output == target && target == input }

  /// Takes a new input, which holds from `now` on. A `now` that lies in the past counts as the
  /// latest time seen.
  public mutating func setInput(_ value: Double, at now: Instant) {
    advance(to: now)
    guard value != input else { return }
    input = value
    let middle = median?.take(value, at: time)
    aim(at: middle ?? value)
  }

  /// Lets the held input work on until `now`; does nothing when that is in the past.
  public mutating func advance(to now: Instant) {
    while let confirmation = median?.confirmation, confirmation <= now {
      work(until: confirmation)
      let middle = median?.confirm()
      aim(at: middle ?? input)
    }
    work(until: now)
  }

  private mutating func aim(at target: Double) {
    guard target != self.target else { return }
    self.target = target
    if filter == .oneEuro { ramp.start(from: lowPassed, to: target, at: time) }
  }

  private mutating func work(until now: Instant) {
    guard now > time else { return }
    let start = time
    time = now
    guard !(lowPassed == target && output == target) else { return }
    if filter == .oneEuro {
      climb(from: start, until: now)
    } else {
      approachExponentially(for: (now - start).seconds)
    }
  }

  /// The longest that a step of so many per cent takes to settle.
  public func settlingTime(of step: Double) -> Microseconds {
    let step = step.magnitude
    let rate = min(riseRate, fallRate)
    var seconds = (step + Self.tolerance) / rate
    if step > Self.tolerance {
      let ratio = naturalLogarithm(step / Self.tolerance)
      if timeConstant > 0 { seconds += timeConstant * ratio }
      if filter == .oneEuro { seconds += ramp.longest(logarithmOfRatio: ratio) }
    }
    if median != nil { seconds += MedianOf3.longestConfirmation.seconds }
    return Microseconds(Int64((min(seconds, 1e9) * 1_000_000).rounded(.up)))
  }

  /// The slew-rate limit alone: the filter has arrived.
  mutating func approachTarget(for duration: Double) {
    if output < target {
      output = min(output + riseRate * duration, target)
    } else {
      output = max(output - fallRate * duration, target)
    }
  }
}
