/// The 1€ filter for an input that holds still: it steps at a fixed interval, counted from when the
/// input was set, and moves in a straight line from one step to the next.
///
/// The filter itself depends on how often it is called. On a grid of its own it depends on the inputs
/// alone, however often somebody looks.
struct OneEuroRamp: Sendable {
  private var filter = OneEuroFilter()
  private var interval = Microseconds.milliseconds(4)
  private var start: Instant
  private var from: Double
  private var to: Double
  /// The smoothed speed at the start and at the end of the ramp.
  private var startDerivative = 0.0
  private var endDerivative = 0.0

  init(restingAt value: Double, _ time: Instant) {
    start = time
    from = value
    to = value
  }

  mutating func use(_ settings: SmoothingSettings) {
    filter.minimumCutoff = max(settings.minimumCutoff, 0.001)
    filter.beta = max(settings.beta, 0)
    filter.derivativeCutoff = max(settings.derivativeCutoff, 0.001)
    interval = max(settings.interval, .milliseconds(1))
  }

  var end: Instant { start + interval }
  /// In per cent per second.
  var slope: Double { (to - from) / interval.seconds }

  func value(at time: Instant) -> Double {
    time >= end ? to : from + slope * (time - start).seconds
  }

  /// Begins a new ramp where the filter is, towards where its next step for this target lies.
  mutating func start(from value: Double, to target: Double, at time: Instant) {
    startDerivative = derivative(at: time)
    start = time
    from = value
    let next = filter.next(from: value, startDerivative, to: target, after: interval.seconds)
    endDerivative = next.derivative
    to = (target - next.value).magnitude <= Smoother.tolerance ? target : next.value
  }

  private func derivative(at time: Instant) -> Double {
    let since = max(time - start, .zero)
    if since < interval {
      let part = since.seconds / interval.seconds
      return startDerivative + (endDerivative - startDerivative) * part
    }
    // Only a filter at rest outlives its ramp; its speed dies away.
    return endDerivative
      * (1 - OneEuroFilter.weight(of: filter.derivativeCutoff, after: (since - interval).seconds))
  }

  /// The longest time, in seconds, that the filter takes to come as near as a ratio asks: no step
  /// covers less of the distance than one at the minimum cutoff.
  func longest(logarithmOfRatio ratio: Double) -> Double {
    let covered = OneEuroFilter.weight(of: filter.minimumCutoff, after: interval.seconds)
    return ((ratio / -naturalLogarithm(1 - covered)).rounded(.up) + 1) * interval.seconds
  }
}

extension Smoother {
  /// Moves the 1€ filter along its ramps, and the limit behind it.
  mutating func climb(from start: Instant, until now: Instant) {
    var time = start
    while time < now {
      if lowPassed == target {
        approachTarget(for: (now - time).seconds)
        return
      }
      let stop = min(ramp.end, now)
      let goal = ramp.value(at: stop)
      follow(ramp.slope, for: (stop - time).seconds, to: goal)
      lowPassed = goal
      time = stop
      if time == ramp.end && lowPassed != target {
        ramp.start(from: lowPassed, to: target, at: time)
      }
    }
  }

  /// The limit behind a filter that moves in a straight line.
  private mutating func follow(_ slope: Double, for duration: Double, to goal: Double) {
    let isBelow = output < lowPassed || (output == lowPassed && slope > riseRate)
    let isAbove = output > lowPassed || (output == lowPassed && -slope > fallRate)
    guard isBelow || isAbove else {
      output = goal
      return
    }
    let speed = isBelow ? riseRate : -fallRate
    let closing = isBelow ? speed - slope : slope - speed
    let gap = (lowPassed - output).magnitude
    guard closing > 0, gap < closing * duration else {
      output += speed * duration
      return
    }
    // They meet within the time. From there the output keeps up, or falls back on the other side.
    let left = duration - gap / closing
    if isBelow && -slope > fallRate {
      output = goal - slope * left - fallRate * left
    } else if isAbove && slope > riseRate {
      output = goal - slope * left + riseRate * left
    } else {
      output = goal
    }
  }
}
