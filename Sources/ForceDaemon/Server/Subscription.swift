import ForceCore

/// What one watcher has been told and still has to be told.
///
/// Of every contact it keeps at most one reading that could not be sent yet; a newer one takes its
/// place and the loss is counted. So a watcher that never reads costs a few slots and nothing else,
/// and what it finds when it reads again is the newest state.
struct Subscription {
  /// What becomes of a reading.
  enum Decision: Equatable {
    /// Not asked for.
    case ignore
    /// To be sent now, with this count of readings that came before it and were not sent.
    case send(dropped: UInt64)
    /// Kept until the watcher's rate allows it, or until it has room: ask `nextDue`. `replaced`: an
    /// older one had to make way.
    case keep(replaced: Bool)
  }

  /// A reading that waits.
  private struct Waiting {
    var reading: Reading
    /// Which of the device's readings it is, counting those that this watcher asked for.
    var ordinal: UInt64
  }

  private struct Slot {
    let device: Int
    let contact: Int32
    var waiting: Waiting?
    var sentAt = Instant(microseconds: .min / 2)
    var sentPercent = 0.0
    var sentState: ContactState?
    var sentAtMaximum = false
  }

  /// Per device: how many readings matched, and which was the last one sent.
  private struct Progress {
    var matched: UInt64 = 0
    var sent: UInt64 = 0
  }

  var filter: WatchFilter
  private var slots: [Slot] = []
  private var progress: [Progress] = []
  private var waitingCount = 0

  init(filter: WatchFilter) {
    self.filter = filter
    slots.reserveCapacity(16)
    progress.reserveCapacity(16)
  }

  /// Takes a reading that the engine made. `blocked`: the watcher has no room now.
  mutating func take(_ reading: Reading, blocked: Bool, at now: Instant) -> Decision {
    guard filter.wants(reading) else { return .ignore }
    while progress.count <= reading.device.index { progress.append(Progress()) }
    progress[reading.device.index].matched += 1
    let ordinal = progress[reading.device.index].matched
    let index = slot(for: reading)
    let news = isNews(reading, for: slots[index])
    if !news && slots[index].waiting == nil
      && abs(reading.percent - slots[index].sentPercent) < filter.onChange
    {
      return .ignore
    }
    if blocked || waitingCount > 0 || (!news && now - slots[index].sentAt < filter.interval) {
      let replaced = slots[index].waiting != nil
      if !replaced { waitingCount += 1 }
      slots[index].waiting = Waiting(reading: reading, ordinal: ordinal)
      return .keep(replaced: replaced)
    }
    return .send(dropped: markSent(reading, ordinal, slot: index, at: now))
  }

  /// A change that no rate and no threshold holds back: of the state, or of being at the maximum.
  private func isNews(_ reading: Reading, for slot: Slot) -> Bool {
    reading.state != slot.sentState || reading.atMaximum != slot.sentAtMaximum
  }

  private func dueTime(_ slot: Slot) -> Instant? {
    guard let waiting = slot.waiting else { return nil }
    return isNews(waiting.reading, for: slot) ? slot.sentAt : slot.sentAt + filter.interval
  }

  /// When the next waiting reading may go out; nil when none waits.
  var deadline: Instant? {
    guard waitingCount > 0 else { return nil }
    var next: Instant?
    for index in slots.indices {
      guard let due = dueTime(slots[index]) else { continue }
      next = next.map { min($0, due) } ?? due
    }
    return next
  }

  /// Takes out the next waiting reading that may go out at `now`.
  ///
  /// Readings of one device go out in their order, so one that is due takes the older ones of its
  /// device along.
  mutating func nextDue(at now: Instant) -> (reading: Reading, dropped: UInt64)? {
    guard waitingCount > 0, let device = dueDevice(at: now) else { return nil }
    var oldest: (index: Int, waiting: Waiting)?
    for index in slots.indices where slots[index].device == device {
      guard let waiting = slots[index].waiting else { continue }
      if let best = oldest, best.waiting.ordinal < waiting.ordinal { continue }
      oldest = (index, waiting)
    }
    guard let (index, waiting) = oldest else { return nil }
    let dropped = markSent(waiting.reading, waiting.ordinal, slot: index, at: now)
    return (waiting.reading, dropped)
  }

  private func dueDevice(at now: Instant) -> Int? {
    for index in slots.indices {
      if let due = dueTime(slots[index]), due <= now { return slots[index].device }
    }
    return nil
  }

  /// The first messages: a reading sent as the current state, before any other.
  mutating func noteSnapshot(_ reading: Reading, at now: Instant) {
    while progress.count <= reading.device.index { progress.append(Progress()) }
    let ordinal = progress[reading.device.index].matched
    _ = markSent(reading, ordinal, slot: slot(for: reading), at: now)
  }

  private mutating func markSent(
    _ reading: Reading, _ ordinal: UInt64, slot index: Int, at now: Instant
  ) -> UInt64 {
    let device = reading.device.index
    let before = progress[device].sent
    let dropped = ordinal > before + 1 ? ordinal - before - 1 : 0
    progress[device].sent = max(before, ordinal)
    if slots[index].waiting != nil {
      slots[index].waiting = nil
      waitingCount -= 1
    }
    if reading.state == .released {
      // The contact is over: the next one with this number starts anew.
      slots.swapAt(index, slots.count - 1)
      slots.removeLast()
    } else {
      slots[index].sentAt = now
      slots[index].sentPercent = reading.percent
      slots[index].sentState = reading.state
      slots[index].sentAtMaximum = reading.atMaximum
    }
    return dropped
  }

  private mutating func slot(for reading: Reading) -> Int {
    for index in slots.indices
    where slots[index].contact == reading.contact && slots[index].device == reading.device.index {
      return index
    }
    slots.append(Slot(device: reading.device.index, contact: reading.contact))
    return slots.count - 1
  }
}

/// Which readings a watcher asked for, in the daemon's own terms.
struct WatchFilter {
  /// Device indices; nil for all.
  var devices: Set<Int>?
  /// Contact numbers; nil for all.
  var contacts: Set<Int32>?
  /// Shortest time between two readings of one contact whose state is the same.
  var interval = Microseconds.zero
  /// Smallest change in per cent that is told while the state is the same.
  var onChange = 0.0

  func wants(_ reading: Reading) -> Bool {
    if let devices, !devices.contains(reading.device.index) { return false }
    if let contacts, !contacts.contains(reading.contact) { return false }
    return true
  }
}
