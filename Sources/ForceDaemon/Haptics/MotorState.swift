import ForceCore

/// What one motor holds and does. It decides; `MotorChannel` carries out.
///
/// Callers say what they want (`prepare`, `play`, `follow`, `stop`), then take orders from
/// `next(at:)` until there is none, and come back at `deadline`.
///
///     idle ── next: upload ──► uploading ── finishUpload ──► idle
///                                  └─ no free slot ─► erasing ── finishErase ──► uploading
///
/// The kernel takes one lock for an upload and for a play, so nothing is played while an upload is under
/// way: a play that falls into one waits for `patience` and is then dropped, because a late tap in the
/// finger is worse than none. A stop that is due goes out before any upload. Between two commands at least
/// `limits.interval` passes, and so it does between two uploads for plays; of what is wanted meanwhile
/// only the newest is done. What has been uploaded for a play is played, though a newer one came
/// meanwhile: who asks faster than the device takes effects would feel nothing. A stop goes out twice,
/// because pads lose them.
struct MotorState {
  /// How late a rumble may start and still belong to its press: 100 ms.
  static let patience = Microseconds.milliseconds(100)
  /// After how long an upload counts as slow and is told: 1 s.
  static let uploadLimit = Microseconds.seconds(1)
  /// From a stop to its repetition, at least: 30 ms.
  static let stopRepeat = Microseconds.milliseconds(30)
  /// How often a stop that the driver does not take is tried again.
  static let stopTries = 10

  enum Work: Equatable {
    case idle
    case uploading(Upload)
    case erasing(EffectID, for: Upload)
  }

  struct Upload: Equatable {
    var effect: HapticEffect
    var replacing: EffectID?
    /// Whether the effect follows force and its slot with it.
    var follows: Bool
    var since: Instant
    var isSecondTry = false
    var isSlow = false
  }

  /// An effect that the device holds.
  struct Slot: Equatable {
    var id: EffectID
    var effect: HapticEffect
    var follows: Bool
    var playingUntil: Instant?
    /// Stops that have still to be sent, the next at `stopAt`.
    var stops = 0
    var stopAt = Instant(microseconds: 0)
    /// Stops since the last play that the driver did not take.
    var refusedStops = 0
    /// Counts up with each use; the smallest has rested longest.
    var lastUse: UInt64 = 0
  }

  /// Pulses that have still to be played.
  struct Train: Equatable {
    var pulse: HapticEffect
    var pulses: Int
    var pause: Microseconds
    var due: Instant
    var hasBegun = false
  }

  /// An effect that plays on while something presses.
  struct Follow: Equatable {
    var strength: Double
    var length: Microseconds
    var renewAt: Instant
  }

  var limits: MotorLimits
  var counters = MotorCounters()
  var work = Work.idle
  var slots: [Slot] = []
  var train: Train?
  /// The play that an upload was made for; it comes before `train`.
  var loaded: Train?
  var follow: Follow?
  /// Effects that the device should hold, the most important first.
  var wanted: [HapticEffect] = []
  /// Why the last upload failed; nil when it did not.
  var trouble: MotorError?
  /// After a failed upload nothing is tried before somebody wants to play.
  var isBlocked = false
  var isGone = false
  var isClosing = false
  /// How many effects fit, as far as the device has shown.
  var capacity: Int
  var uses: UInt64 = 0
  /// When an effect that plays has ended and its slot can take what is wanted and has none.
  private var slotFreeAt: Instant?
  private var lastCommand: Instant?
  /// When the last upload for a play was begun.
  var lastUpload: Instant?

  init(_ limits: MotorLimits = MotorLimits()) {
    self.limits = limits
    capacity = max(limits.slots, 1)
    slots.reserveCapacity(MotorLimits.mostSlots)
  }

  /// Whether the device is being asked something that its driver may hold, and every write with it.
  var isAtWork: Bool { work != .idle }

  // MARK: What is wanted

  /// Makes the motor hold these effects, as far as they fit.
  mutating func prepare(_ effects: [HapticEffect]) {
    wanted = effects
    capacity = max(limits.slots, 1)
    isBlocked = false
  }

  /// Plays an effect; what waits to be played gives way to it.
  mutating func play(_ pattern: HapticPattern, at now: Instant) {
    guard !isClosing else { return }
    if isGone || isBlocked {
      counters.failed += 1
      guard !isGone else { return }
      // Perhaps it works by now; this play is lost all the same, the next one need not be.
      isBlocked = false
      if !pattern.followsForce, !wanted.contains(pattern.pulse) {
        wanted.insert(pattern.pulse, at: 0)
      }
      return
    }
    if pattern.followsForce {
      follow = Follow(
        strength: pattern.pulse.strength, length: pattern.pulse.length, renewAt: now)
    } else if pattern.pulse.strength > 0 {
      replaceTrain(
        by: Train(
          pulse: pattern.pulse, pulses: max(pattern.pulses, 1), pause: pattern.pause, due: now))
    }
  }

  /// The strength of the effect that follows force, from now on.
  mutating func follow(_ strength: Double) { follow?.strength = strength }

  /// Stops what plays, and forgets what waits to be played.
  mutating func stop(at now: Instant) {
    counters.coalesced += dropTrains()
    follow = nil
    for index in slots.indices { stopSlot(index, at: now) }
  }

  private mutating func stopSlot(_ index: Int, at now: Instant) {
    guard let end = slots[index].playingUntil else { return }
    slots[index].playingUntil = nil
    guard now < end else { return }
    slots[index].stops = 2
    slots[index].stopAt = now
  }

  // MARK: What is to be done

  /// The next thing to do now; nil when there is none before `deadline`.
  mutating func next(at now: Instant) -> MotorOrder? {
    guard !isGone, !isClosing else { return nil }
    if let upload = asked {
      guard !upload.isSlow, now - upload.since >= Self.uploadLimit else { return nil }
      asked?.isSlow = true
      counters.slow += 1
      return .tell(.slow)
    }
    if let order = nextStop(at: now) { return order }
    // An upload that went out now would hold up the stop for as long as the driver takes.
    guard !slots.contains(where: { $0.stops > 0 && $0.stopAt <= now }) else { return nil }
    return nextPulse(at: now) ?? nextFollow(at: now) ?? nextPreparation(at: now)
  }

  /// The upload that the device has not answered yet, also while room is made for it.
  private var asked: Upload? {
    get {
      switch work {
      case .idle: nil
      case .uploading(let upload), .erasing(_, for: let upload): upload
      }
    }
    set {
      guard let newValue else { return }
      if case .erasing(let id, for: _) = work {
        work = .erasing(id, for: newValue)
      } else {
        work = .uploading(newValue)
      }
    }
  }

  /// When `next(at:)` wants to be asked again at the latest; nil when everything rests.
  var deadline: Instant? {
    guard !isGone, !isClosing else { return nil }
    if let asked { return asked.isSlow ? nil : asked.since + Self.uploadLimit }
    var next = slotFreeAt
    for index in slots.indices where slots[index].stops > 0 {
      next = earlier(next, slots[index].stopAt)
    }
    if let waiting = loaded ?? train { next = earlier(next, pulseDue(waiting)) }
    if let follow { next = earlier(next, followDue(follow)) }
    guard let next, let lastCommand else { return next }
    return max(next, lastCommand + limits.interval)
  }

  func isOpen(at now: Instant) -> Bool {
    lastCommand.map { now - $0 >= limits.interval } ?? true
  }

  /// Every effect is stopped once before any is a second time.
  private mutating func nextStop(at now: Instant) -> MotorOrder? {
    guard isOpen(at: now) else { return nil }
    var first: Int?
    for index in slots.indices where slots[index].stops > 0 && slots[index].stopAt <= now {
      if first.map({ slots[$0].stops < slots[index].stops }) ?? true { first = index }
    }
    guard let first else { return nil }
    slots[first].stops -= 1
    slots[first].stopAt = now + max(Self.stopRepeat, limits.interval)
    slots[first].playingUntil = nil
    lastCommand = now
    return .stop(slots[first].id)
  }

  private mutating func nextFollow(at now: Instant) -> MotorOrder? {
    guard let follow, isOpen(at: now) else { return nil }
    let held = slots.firstIndex { $0.follows }
    guard follow.strength > 0 else {
      guard let held, slots[held].playingUntil != nil else { return nil }
      stopSlot(held, at: now)
      return nextStop(at: now)
    }
    let effect = HapticEffect(strength: follow.strength, length: follow.length)
    // Where a change is only felt at the next play, that comes before a further change.
    let awaitsPlay = !limits.changesWhilePlaying && follow.renewAt <= now
    guard let held,
      slots[held].effect == effect || awaitsPlay && isPlaying(slots[held], at: now)
    else {
      return upload(effect, follows: true, at: now)
    }
    guard followDue(follow) <= now else { return nil }
    // Well before its end: the next look can be late.
    self.follow?.renewAt = now + Microseconds(follow.length.count / 2)
    return play(held, at: now)
  }

  /// When the effect that follows force needs something, as far as is known now.
  private func followDue(_ follow: Follow) -> Instant {
    let past = Instant(microseconds: .min / 2)
    guard let held = slots.first(where: { $0.follows }) else {
      return follow.strength > 0 ? past : Instant(microseconds: .max / 2)
    }
    if follow.strength <= 0 {
      return held.playingUntil == nil ? Instant(microseconds: .max / 2) : past
    }
    if held.effect.strength != follow.strength { return past }
    return held.playingUntil == nil ? past : follow.renewAt
  }

  mutating func play(_ index: Int, at now: Instant) -> MotorOrder {
    let end = now + slots[index].effect.length
    uses += 1
    slots[index].lastUse = uses
    slots[index].playingUntil = end
    slots[index].stops = limits.needsStop ? 2 : 0
    slots[index].stopAt = end
    slots[index].refusedStops = 0
    lastCommand = now
    return .play(slots[index].id)
  }

  /// Loads what is wanted, while there is room for it.
  private mutating func nextPreparation(at now: Instant) -> MotorOrder? {
    slotFreeAt = nil
    // What was uploaded for a play that is due must not give way to something that nobody asks for now.
    guard !isBlocked, loaded == nil else { return nil }
    for effect in wanted.prefix(capacity)
    where !slots.contains(where: { !$0.follows && $0.effect == effect }) {
      if slots.count < capacity { return upload(effect, follows: false, at: now) }
      let free = slots.firstIndex { slot in
        (slot.follows ? follow == nil : !wanted.prefix(capacity).contains(slot.effect))
          && !isPlaying(slot, at: now) && slot.stops == 0
      }
      guard let free else {
        slotFreeAt = slots.filter { isPlaying($0, at: now) }.compactMap(\.playingUntil).min()
        return nil
      }
      return upload(effect, follows: false, replacing: slots[free].id, at: now)
    }
    return nil
  }

  private func isPlaying(_ slot: Slot, at now: Instant) -> Bool {
    slot.playingUntil.map { now < $0 } ?? false
  }

  mutating func upload(
    _ effect: HapticEffect, follows: Bool, at now: Instant
  ) -> MotorOrder? {
    upload(effect, follows: follows, replacing: slotToReplace(follows: follows, at: now), at: now)
  }

  /// The effect that an upload changes: the one that follows force if this does too, else none while
  /// there is room, else the one that has rested longest; one that a press will want comes last, because
  /// it would have to be uploaded again.
  private func slotToReplace(follows: Bool, at now: Instant) -> EffectID? {
    if follows, let held = slots.first(where: { $0.follows }) { return held.id }
    if slots.count < capacity { return nil }
    let order = slots.sorted { a, b in
      let (aNeed, bNeed) = (need(of: a, at: now), need(of: b, at: now))
      return aNeed == bNeed ? a.lastUse < b.lastUse : aNeed < bNeed
    }
    return order.first?.id
  }

  private func need(of slot: Slot, at now: Instant) -> Int {
    if isPlaying(slot, at: now) { return 2 }
    return !slot.follows && wanted.prefix(capacity).contains(slot.effect) ? 1 : 0
  }

  private mutating func upload(
    _ effect: HapticEffect, follows: Bool, replacing: EffectID?, at now: Instant
  ) -> MotorOrder? {
    if limits.changesWhilePlaying, let replacing,
      let index = slots.firstIndex(where: { $0.id == replacing }), isPlaying(slots[index], at: now)
    {
      // To the pad, changing what plays is a command like any other.
      guard isOpen(at: now) else { return nil }
      lastCommand = now
    }
    work = .uploading(
      Upload(effect: effect, replacing: replacing, follows: follows, since: now))
    return .upload(effect, replacing: replacing)
  }
}
