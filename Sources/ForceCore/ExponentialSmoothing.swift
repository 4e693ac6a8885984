extension Smoother {
  /// Moves both stages towards the held target.
  mutating func approachExponentially(for duration: Double) {
    let distance = (lowPassed - target).magnitude
    guard timeConstant > 0, distance > Self.tolerance else {
      lowPassed = target
      approachTarget(for: duration)
      return
    }
    let remaining = distance * exponentialDecay(duration / timeConstant)
    if remaining > Self.tolerance {
      follow(for: duration)
    } else {
      let arrival = min(timeConstant * naturalLogarithm(distance / Self.tolerance), duration)
      follow(for: arrival)
      lowPassed = target
      approachTarget(for: duration - arrival)
    }
  }

  /// Moves both stages through a time in which the low-pass is an exponential.
  ///
  /// The output is in one of three phases: it lies below the low-pass and rises at its limit, it lies
  /// above and falls at its limit, or it keeps up. It can fall back only where the low-pass turns
  /// away faster than the limit allows, which one exponential does at most once: three phases are
  /// the most there are.
  private mutating func follow(for duration: Double) {
    var left = duration
    for _ in 0..<4 where left > 0 {
      let speed = (target - lowPassed) / timeConstant
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
    let distance = (lowPassed - target) * direction
    let start = (output - target) * direction
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
    target + (lowPassed - target) * exponentialDecay(duration / timeConstant)
  }
}
