import ForceCore

/// Plays that wait: the newest that is wanted, and before it the one that an upload was made for.
extension MotorState {
  mutating func replaceTrain(by new: Train) {
    if let train, !train.hasBegun { counters.coalesced += 1 }
    guard let loaded, loaded.pulse == new.pulse else {
      train = new
      return
    }
    // The same effect is on its way: one play does for both.
    if !loaded.hasBegun { counters.coalesced += 1 }
    self.loaded = new
    train = nil
  }

  /// - Returns: how many of the plays that are dropped never reached the motor.
  mutating func dropTrains() -> UInt64 {
    var unheard: UInt64 = 0
    if let train, !train.hasBegun { unheard += 1 }
    if let loaded, !loaded.hasBegun { unheard += 1 }
    train = nil
    loaded = nil
    return unheard
  }

  mutating func nextPulse(at now: Instant) -> MotorOrder? {
    guard let next = loaded ?? train, next.due <= now else { return nil }
    guard now - next.due <= Self.patience else {
      if !next.hasBegun { counters.failed += 1 }
      takeTrain()
      return nextPulse(at: now)
    }
    guard let index = slot(of: next.pulse) else {
      guard pulseDue(next) <= now, let order = upload(next.pulse, follows: false, at: now) else {
        return nil
      }
      takeTrain()
      loaded = next
      lastUpload = now
      return order
    }
    guard isOpen(at: now) else { return nil }
    takeTrain()
    // A newer effect takes the place of pulses that remain.
    if next.pulses > 1, train == nil {
      train = Train(
        pulse: next.pulse, pulses: next.pulses - 1, pause: next.pause,
        due: now + next.pulse.length + next.pause, hasBegun: true)
    }
    return play(index, at: now)
  }

  /// Takes the play out that comes next.
  private mutating func takeTrain() {
    if loaded != nil { loaded = nil } else { train = nil }
  }

  private func slot(of pulse: HapticEffect) -> Int? {
    slots.firstIndex { !$0.follows && $0.effect == pulse }
  }

  /// When a pulse can be played, or uploaded where the device does not hold it.
  func pulseDue(_ next: Train) -> Instant {
    guard let lastUpload, slot(of: next.pulse) == nil else { return next.due }
    return max(next.due, lastUpload + limits.interval)
  }
}
