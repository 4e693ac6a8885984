import ForceCore

/// What one watcher has been told and still has to be told.
///
/// What cannot be sent yet waits in one queue, in order. Of each contact the newest value takes the
/// place of the one before it, but a change of state or of being at the maximum stays, up to
/// `capacity`: a watcher that is late by a second has lost values, not presses. One that never reads
/// costs a short queue and nothing else, and what it finds when it reads again ends with the newest
/// state.
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

  /// Most readings that wait for one watcher.
  static let capacity = 64

  /// A reading that waits.
  private struct Waiting {
    var reading: Reading
    /// Which of the device's readings it is, counting those that this watcher asked for.
    var ordinal: UInt64
    /// It differs from the one before in more than its value: no rate holds it back.
    var isNews: Bool
  }

  /// What was last sent of a contact that is down.
  private struct Slot {
    let device: Int
    let contact: Int32
    var sentAt = Instant(microseconds: .min / 2)
    var percent = 0.0
    var state: ContactState?
    var atMaximum = false
  }

  /// Per device: how many readings matched, and which was the last one sent.
  private struct Progress {
    var matched: UInt64 = 0
    var sent: UInt64 = 0
  }

  var filter: WatchFilter
  private var slots: [Slot] = []
  private var progress: [Progress] = []
  private var waiting: [Waiting] = []

  init(filter: WatchFilter) {
    self.filter = filter
    slots.reserveCapacity(16)
    progress.reserveCapacity(16)
    waiting.reserveCapacity(4)
  }

  /// Takes a reading that the engine made. `blocked`: the watcher has no room now.
  mutating func take(_ reading: Reading, blocked: Bool, at now: Instant) -> Decision {
    guard filter.wants(reading) else { return .ignore }
    while progress.count <= reading.device.index { progress.append(Progress()) }
    progress[reading.device.index].matched += 1
    let ordinal = progress[reading.device.index].matched
    let index = slot(for: reading)
    if !waiting.isEmpty { return keep(reading, ordinal) }
    let news = isNews(reading, after: slots[index].state, slots[index].atMaximum)
    if !news && abs(reading.percent - slots[index].percent) < filter.onChange { return .ignore }
    if blocked || (!news && now - slots[index].sentAt < filter.interval) {
      waiting.append(Waiting(reading: reading, ordinal: ordinal, isNews: news))
      return .keep(replaced: false)
    }
    return .send(dropped: markSent(reading, ordinal, slot: index, at: now))
  }

  /// What is `steady` comes once when a contact has come to rest, and again only when the same force reads
  /// differently, as after a tare.
  private func isNews(_ reading: Reading, after state: ContactState?, _ atMaximum: Bool) -> Bool {
    reading.state != state || reading.atMaximum != atMaximum || reading.state == .steady
  }

  /// Puts a reading behind those that wait already.
  private mutating func keep(_ reading: Reading, _ ordinal: UInt64) -> Decision {
    let slot = slots[slot(for: reading)]
    var (state, atMaximum, percent) = (slot.state ?? .released, slot.atMaximum, slot.percent)
    if let news = waiting.last(where: { $0.isNews && Self.isSameContact($0.reading, reading) }) {
      (state, atMaximum) = (news.reading.state, news.reading.atMaximum)
      percent = news.reading.percent
    }
    let isNews = isNews(reading, after: state, atMaximum)
    var replaced = false
    let before = waiting.lastIndex { Self.isSameContact($0.reading, reading) }
    if let before, !waiting[before].isNews {
      waiting.remove(at: before)
      replaced = true
    }
    if !isNews && abs(reading.percent - percent) < filter.onChange {
      return replaced ? .keep(replaced: true) : .ignore
    }
    if waiting.count >= Self.capacity {
      waiting.removeFirst()
      replaced = true
    }
    waiting.append(Waiting(reading: reading, ordinal: ordinal, isNews: isNews))
    return .keep(replaced: replaced)
  }

  private static func isSameContact(_ a: Reading, _ b: Reading) -> Bool {
    a.contact == b.contact && a.device == b.device
  }

  /// When the next waiting reading may go out; nil when none waits.
  var deadline: Instant? {
    var next: Instant?
    for index in waiting.indices { next = earlier(next, dueTime(waiting[index])) }
    return next
  }

  private func dueTime(_ waiting: Waiting) -> Instant {
    let reading = waiting.reading
    for index in slots.indices
    where slots[index].contact == reading.contact && slots[index].device == reading.device.index {
      return waiting.isNews ? slots[index].sentAt : slots[index].sentAt + filter.interval
    }
    return Instant(microseconds: .min / 2)
  }

  /// Takes out the next waiting reading that may go out at `now`.
  ///
  /// Those of a device go out in their order, so one that is due takes the place of those before it that
  /// are held back by the rate. They are values of other contacts in mid-move, which a newer value follows,
  /// or at the end of the move the reading that says `steady` or `released`.
  mutating func nextDue(at now: Instant) -> (reading: Reading, dropped: UInt64)? {
    guard let place = waiting.firstIndex(where: { dueTime($0) <= now }) else { return nil }
    let (reading, dropped) = take(place, at: now)
    for older in (0..<place).reversed() where waiting[older].reading.device == reading.device {
      waiting.remove(at: older)
    }
    return (reading, dropped)
  }

  /// Takes out, due or not, what has to be said of a device before it is said to come or go.
  mutating func nextWaiting(
    of device: DeviceHandle, at now: Instant
  ) -> (reading: Reading, dropped: UInt64)? {
    waiting.firstIndex { $0.reading.device == device }.map { take($0, at: now) }
  }

  private mutating func take(_ place: Int, at now: Instant) -> (reading: Reading, dropped: UInt64) {
    let first = waiting.remove(at: place)
    let index = slot(for: first.reading)
    return (first.reading, markSent(first.reading, first.ordinal, slot: index, at: now))
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
    if reading.state == .released {
      // The contact is over: the next one with this number starts anew.
      slots.swapAt(index, slots.count - 1)
      slots.removeLast()
    } else {
      slots[index].sentAt = now
      slots[index].percent = reading.percent
      slots[index].state = reading.state
      slots[index].atMaximum = reading.atMaximum
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
