/// What the contacts of one axis have really used of it since the daemon started.
struct ObservedRange {
  /// A declared maximum that turned out to be too low: what the device really reaches.
  private(set) var learnedMaximum: Int32?
  /// The hardest of all contacts that have ended.
  private(set) var peak: Int32?
  /// Contacts that have ended.
  private(set) var contacts: UInt64 = 0
  /// Whether any contact's value differed from any other.
  private(set) var moves = false
  private var first: Int32?

  /// After so many contacts with one and the same value the axis counts as stuck.
  private static let enough: UInt64 = 3

  /// Takes a value above the maximum. A single one may be a glitch, so a second is waited for, and
  /// the lower of the two believed.
  /// - Returns: whether the maximum has changed.
  mutating func learn(_ raw: Int32, after last: Int32, maximum: Int32) -> Bool {
    let sure = min(raw, last)
    guard sure > maximum else { return false }
    learnedMaximum = sure
    return true
  }

  @inline(__always)
  mutating func see(_ raw: Int32) {
    if moves { return }
    if let first { moves = raw != first } else { first = raw }
  }

  /// - Returns: whether the peak has changed.
  mutating func end(peak: Int32) -> Bool {
    contacts += 1
    guard peak > self.peak ?? .min else { return false }
    self.peak = peak
    return true
  }

  var isStuck: Bool { contacts >= Self.enough && !moves }
  var stuckAt: Int32? { isStuck ? first : nil }

  /// The raw value of 100 %, where it isn't the declared one.
  /// - Parameter follows: the hardest press so far counts as 100 %.
  func maximum(above offset: Int32, follows: Bool) -> Int32? {
    guard follows, let peak else { return learnedMaximum }
    // A range of a few units would turn noise into full force.
    return max(peak, Int32(clamping: Int64(offset) + 8))
  }
}
