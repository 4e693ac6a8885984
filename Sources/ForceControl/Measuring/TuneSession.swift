import ForceClient

/// Puts the readings of one contact through every setting, press after press.
struct TuneSession: Sendable {
  /// Readings come this much later than what they measured, at most as far as anybody would notice:
  /// time that passes without a reading is let pass only up to here before now.
  private static let margin = Microseconds.milliseconds(20)

  let candidates: [TuneCandidate]
  private var comparison: SmoothingComparison
  /// The contact that is followed; nil: whichever comes next.
  private var contact: Int32?
  private let wanted: Int32?
  private var latest: (time: Instant, arrival: Instant)?
  /// The current state is coming, of each contact one reading; what touches in it began at a time and
  /// from a force that nobody saw.
  private var isJoining = false
  private var seenWhileJoining: Set<Int32> = []
  /// Contacts that touched already when the watch began, until they end.
  private var heldBefore: Set<Int32> = []
  /// Presses that have ended.
  private(set) var presses = 0
  /// Readings that did not arrive; with many, the figures are coarse.
  private(set) var missed: UInt64 = 0

  /// - Parameter contact: only this one; nil: the one that touches first, until it ends.
  init(_ candidates: [TuneCandidate], contact: Int32? = nil) {
    self.candidates = candidates
    comparison = SmoothingComparison(candidates.map(\.settings))
    wanted = contact
  }

  var figures: [SmoothingFigures] { comparison.figures }
  var isTouching: Bool { comparison.input != nil }
  var isResting: Bool { comparison.isResting }
  /// Something touches, and none of it began before the session's eyes.
  var waitsForRelease: Bool { !isTouching && !heldBefore.isEmpty }

  /// The device is there from now on, and what touches it follows.
  mutating func join() {
    interrupt()
    (isJoining, seenWhileJoining, heldBefore) = (true, [], [])
  }

  /// - Parameters:
  ///   - dropped: the readings lost before this one.
  ///   - now: when it came.
  /// - Returns: whether it ended a press.
  mutating func take(_ reading: ReadingRecord, dropped: UInt64 = 0, at now: Instant) -> Bool {
    missed += dropped
    if let wanted, reading.contact != wanted { return false }
    if beganBefore(reading) { return false }
    if isTouching, reading.contact != contact { return false }
    guard reading.state != .released else {
      guard isTouching else { return false }
      comparison.end(at: reading.time)
      presses += 1
      return true
    }
    contact = reading.contact
    latest = (reading.time, now)
    comparison.take(reading.unsmoothedPercent, at: reading.time)
    return false
  }

  /// Whether the reading is of a press that was there before the watch.
  private mutating func beganBefore(_ reading: ReadingRecord) -> Bool {
    if isJoining {
      // A contact's second reading is no part of the current state any more.
      isJoining = seenWhileJoining.insert(reading.contact).inserted
      if isJoining && reading.state != .released { heldBefore.insert(reading.contact) }
    }
    guard heldBefore.contains(reading.contact) else { return false }
    if reading.state == .released { heldBefore.remove(reading.contact) }
    return true
  }

  /// Lets a press that sends nothing go on. The readings' clock need not be this one.
  mutating func pass(to now: Instant) {
    isJoining = false
    guard let latest else { return }
    comparison.advance(to: latest.time + max(now - latest.arrival - Self.margin, .zero))
  }

  /// The device or the daemon has gone: whatever pressed does so no more.
  mutating func interrupt() {
    if let latest, isTouching { comparison.end(at: latest.time) }
    heldBefore = []
  }

  /// What to do, so that every figure gets measured.
  var advice: String {
    guard !waitsForRelease else { return "Let go first: this press began before the watch." }
    let figures = figures
    var steps: [String] = []
    if figures.contains(where: { $0.settling == nil }) {
      steps = ["press quickly and hold still for 2 seconds"]
    } else if figures.contains(where: { $0.noise == nil }) {
      steps = ["press and hold still for 2 seconds"]
    }
    if figures.contains(where: { $0.lag == nil }) {
      steps.append("press slowly, from lightly to hard, for a second or two")
    }
    guard !steps.isEmpty else { return "Press again to measure anew." }
    let text = steps.joined(separator: "; then let go and ")
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
