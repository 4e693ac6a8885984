import ForceCore

/// What has to be done to a motor. Uploads and erases block and belong on the motor's worker queue;
/// plays and stops are one write and happen at once.
enum MotorOrder: Equatable {
  case upload(HapticEffect, replacing: EffectID?)
  case erase(EffectID)
  case play(EffectID)
  case stop(EffectID)
}

/// What one motor holds and does. It decides; `MotorChannel` carries out.
///
///     empty ── prepare ──► uploading ── ok ──► ready ── prepare(other) ──► uploading …
///                              └── error ──► unusable ── prepare(other) ──► uploading
///
/// The kernel takes one lock for an upload and for a play, so nothing is played while an upload is
/// under way: a play that falls into one is remembered for `patience` and then dropped, because a
/// late tap in the finger is worse than none.
struct MotorState {
  enum Phase: Equatable {
    case empty
    case uploading(HapticEffect, replacing: EffectID?)
    case ready(EffectID, HapticEffect)
    case unusable(MotorError)
  }

  /// How late a rumble may start and still belong to its press: 100 ms.
  static let patience = Microseconds.milliseconds(100)

  private(set) var phase = Phase.empty
  /// Plays that reached the motor.
  private(set) var played: UInt64 = 0
  /// Plays that didn't: no effect in time, or the motor refused.
  private(set) var failed: UInt64 = 0
  private var waiting: (effect: HapticEffect, since: Instant)?
  private var playingUntil: Instant?
  private var wanted: HapticEffect?
  private var closing = false

  /// Makes the motor hold `effect`.
  mutating func prepare(_ effect: HapticEffect) -> MotorOrder? {
    guard !closing else { return nil }
    wanted = effect
    switch phase {
    case .uploading: return nil  // finishUpload sees what is wanted by then
    case .ready(_, effect): return nil
    case .ready(let held, _): return upload(effect, replacing: held)
    case .empty, .unusable: return upload(effect, replacing: nil)
    }
  }

  mutating func play(_ effect: HapticEffect, at now: Instant) -> MotorOrder? {
    switch phase {
    case .ready(let id, effect):
      playingUntil = now + effect.length
      return .play(id)
    case .unusable, .empty:
      failed += 1
      return prepare(effect)
    case .uploading, .ready:
      waiting = (effect, now)
      return prepare(effect)
    }
  }

  /// Stops what plays, and forgets what waits to be played.
  mutating func stop(at now: Instant) -> MotorOrder? {
    if waiting != nil {
      waiting = nil
      failed += 1
    }
    guard case .ready(let id, _) = phase, let end = playingUntil, now < end else { return nil }
    playingUntil = nil
    return .stop(id)
  }

  mutating func finishUpload(_ result: Result<EffectID, MotorError>, at now: Instant)
    -> MotorOrder?
  {
    guard case .uploading(let effect, let replaced) = phase else { return nil }
    switch result {
    case .failure(.noFreeSlot) where replaced != nil:
      // Room is made by giving up our own effect; the upload is tried once more without it.
      phase = .empty
      return replaced.map { .erase($0) }
    case .failure(let error):
      phase = .unusable(error)
      if waiting != nil { failed += 1 }
      waiting = nil
      return nil
    case .success(let id):
      phase = .ready(id, effect)
    }
    if closing {
      guard case .ready(let id, _) = phase else { return nil }
      phase = .empty
      return .erase(id)
    }
    if let wanted, wanted != effect { return prepare(wanted) }
    guard let play = waiting, play.effect == effect else { return nil }
    waiting = nil
    guard now - play.since <= Self.patience else {
      failed += 1
      return nil
    }
    return self.play(effect, at: now)
  }

  /// After an erase that made room: the upload that it made room for.
  mutating func finishErase() -> MotorOrder? {
    guard case .empty = phase, let wanted, !closing else { return nil }
    return upload(wanted, replacing: nil)
  }

  mutating func finishPlay(_ error: MotorError?) {
    if let error {
      failed += 1
      playingUntil = nil
      if error == .gone { phase = .unusable(.gone) }
    } else {
      played += 1
    }
  }

  /// The end of this motor's service: what it must be told, in order.
  mutating func shutDown() -> [MotorOrder] {
    closing = true
    waiting = nil
    guard case .ready(let id, _) = phase else { return [] }
    phase = .empty
    return [.stop(id), .erase(id)]
  }

  /// The state after the device has gone: results that still come change nothing.
  func retired() -> MotorState {
    var state = self
    state.phase = .unusable(.gone)
    state.closing = true
    state.waiting = nil
    return state
  }

  private mutating func upload(_ effect: HapticEffect, replacing: EffectID?) -> MotorOrder {
    phase = .uploading(effect, replacing: replacing)
    return .upload(effect, replacing: replacing)
  }
}
