/// A low-pass filter and, behind it, a slew-rate limit that follows the filter's output.
///
/// Between two inputs the input holds still, and for a held input both stages are solved exactly:
/// the low-pass is an exponential, the limit a straight line until it meets that exponential. So the
/// output doesn't depend on how the time is split into steps, only on the inputs and their times.
///
/// All values are in per cent. The output never leaves the range of its inputs and its starting
/// value, never moves faster than the limits, and reaches a held input exactly within
/// `settlingTime(of:)`.
public struct Smoother: Sendable {
  /// Where the low-pass gives up approaching and takes the input's own value, in per cent. Without
  /// this it would never arrive, and never let the daemon rest.
  public static let tolerance = 0.005

  /// In seconds; 0 switches the low-pass off.
  private var timeConstant: Double
  /// In per cent per second.
  private var riseRate: Double
  private var fallRate: Double
  private var lowPassed: Double
  /// The input that has held since `time`.
  public private(set) var input: Double
  public private(set) var output: Double
  public private(set) var time: Instant

  /// Starts at rest on `value`.
  public init(_ settings: SmoothingSettings, value: Double = 0, at time: Instant) {
    timeConstant = 0
    riseRate = 0
    fallRate = 0
    lowPassed = value
    input = value
    output = value
    self.time = time
    use(settings)
  }

  /// Changes the parameters; the output goes on from where it is.
  public mutating func use(_ settings: SmoothingSettings) {
    timeConstant = max(settings.timeConstant.seconds, 0)
    // The lowest rate is there for a caller that skipped the checks of the configuration: it keeps
    // every division below defined.
    riseRate = settings.riseRate > 0 ? settings.riseRate : 0.000_001
    fallRate = settings.fallRate > 0 ? settings.fallRate : 0.000_001
  }

  /// Nothing changes any more until the input does.
  public var isSettled: Bool { lowPassed == input && output == input }

  /// Takes a new input, which holds from `now` on. A `now` that lies in the past counts as the
  /// latest time seen.
  public mutating func setInput(_ value: Double, at now: Instant) {
    advance(to: now)
    input = value
  }

  /// Lets the held input work on until `now`; does nothing when that is in the past.
  public mutating func advance(to now: Instant) {
    guard now > time else { return }
    let duration = (now - time).seconds
    time = now
    guard !isSettled else { return }
    let distance = (lowPassed - input).magnitude
    guard timeConstant > 0, distance > Self.tolerance else {
      lowPassed = input
      approachInput(for: duration)
      return
    }
    let remaining = distance * exponentialDecay(duration / timeConstant)
    if remaining > Self.tolerance {
      follow(for: duration)
    } else {
      let arrival = min(timeConstant * naturalLogarithm(distance / Self.tolerance), duration)
      follow(for: arrival)
      lowPassed = input
      approachInput(for: duration - arrival)
    }
  }

  /// The longest that a step of so many per cent takes to settle.
  public func settlingTime(of step: Double) -> Microseconds {
    let step = step.magnitude
    let rate = min(riseRate, fallRate)
    var seconds = (step + Self.tolerance) / rate
    if timeConstant > 0 && step > Self.tolerance {
      seconds += timeConstant * naturalLogarithm(step / Self.tolerance)
    }
    return Microseconds(Int64((min(seconds, 1e9) * 1_000_000).rounded(.up)))
  }

  /// The slew-rate limit alone: the low-pass has arrived.
  private mutating func approachInput(for duration: Double) {
    if output < input {
      output = min(output + riseRate * duration, input)
    } else {
      output = max(output - fallRate * duration, input)
    }
  }
}

// MARK: - The limit behind a moving low-pass

extension Smoother {
  /// Moves both stages through a time in which the low-pass is an exponential.
  ///
  /// The output is in one of three phases: it lies below the low-pass and rises at its limit, it lies
  /// above and falls at its limit, or it keeps up. It can fall back only where the low-pass turns
  /// away faster than the limit allows, which one exponential does at most once: three phases are
  /// the most there are.
  private mutating func follow(for duration: Double) {
    var left = duration
    for _ in 0..<4 where left > 0 {
      let speed = (input - lowPassed) / timeConstant
      let direction: Double
      if output < lowPassed || (output == lowPassed && speed > riseRate) {
        direction = 1
      } else if output > lowPassed || -speed > fallRate {
        direction = -1
      } else {
        break
      }
      left = chase(for: left, direction: direction)
    }
    guard left > 0 else { return }
    lowPassed = lowPassValue(after: left)
    output = lowPassed
  }

  /// Moves the output at its limit until it meets the low-pass or the time is over.
  /// - Returns: the time that is left after they met.
  private mutating func chase(for duration: Double, direction: Double) -> Double {
    let step = (direction > 0 ? riseRate : fallRate) * direction
    let end = lowPassValue(after: duration)
    let gapAtEnd = (output + step * duration - end) * direction
    if gapAtEnd < 0 {
      output += step * duration
      lowPassed = end
      return 0
    }
    let meeting = meetingTime(before: duration, direction: direction)
    lowPassed = lowPassValue(after: meeting)
    output = lowPassed
    return duration - meeting
  }

  /// When the output, moving at its limit, meets the low-pass: the root of
  ///
  ///     g(t) = direction · (output + step·t − lowpass(t)),   g(0) ≤ 0 ≤ g(end).
  ///
  /// g has no turn in its curvature, so Newton's method closes in from one side without ever leaping
  /// over the root: from the end where g is convex, from the start where it is concave.
  private func meetingTime(before end: Double, direction: Double) -> Double {
    let rate = direction > 0 ? riseRate : fallRate
    let distance = (lowPassed - input) * direction
    let start = (output - input) * direction
    var t = distance < 0 ? end : 0
    for _ in 0..<64 {
      let decayed = distance * exponentialDecay(t / timeConstant)
      let gap = start + rate * t - decayed
      let slope = rate + decayed / timeConstant
      guard slope > 0 else { break }
      let next = min(max(t - gap / slope, 0), end)
      // The next step would be far smaller still.
      if (next - t).magnitude <= 1e-13 * end { return next }
      t = next
    }
    return t
  }

  private func lowPassValue(after duration: Double) -> Double {
    input + (lowPassed - input) * exponentialDecay(duration / timeConstant)
  }
}
