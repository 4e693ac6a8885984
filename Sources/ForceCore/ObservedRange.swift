/// What is kept of an axis's range when the daemon ends.
public struct RememberedRange: Equatable, Sendable {
  /// A declared maximum that turned out to be too low: what the device really reaches.
  public var learnedMaximum: Int32?
  /// The hardest of all contacts that have ended.
  public var peak: Int32?

  public init(learnedMaximum: Int32? = nil, peak: Int32? = nil) {
    self.learnedMaximum = learnedMaximum
    self.peak = peak
  }
}

extension AbsoluteAxis {
  /// A value above this is no force but a fault: eight times the range. Drivers that declare too
  /// little do so by two bits at most; what lies far beyond is a broken report, and once believed it
  /// would put 100 % out of reach for good.
  var mostBelievable: Int64 { Int64(minimum) + max(width, 0) * 8 }
}

/// What the contacts of one axis have really used of it.
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

  init() {}

  /// Goes on from what was remembered, as far as the axis of today can have said it.
  init(_ remembered: RememberedRange, of axis: AbsoluteAxis) {
    let believable = Int64(axis.minimum)...axis.mostBelievable
    learnedMaximum = remembered.learnedMaximum.flatMap {
      $0 > axis.maximum && believable.contains(Int64($0)) ? $0 : nil
    }
    peak = remembered.peak.flatMap { believable.contains(Int64($0)) ? $0 : nil }
  }

  var remembered: RememberedRange { RememberedRange(learnedMaximum: learnedMaximum, peak: peak) }

  /// Takes a value above the maximum. A single one may be a glitch, so a second is waited for, and
  /// the lower of the two believed.
  /// - Parameter limit: what is above it is a fault, however often it comes.
  /// - Returns: whether the maximum has changed.
  mutating func learn(_ raw: Int32, after last: Int32, maximum: Int32, limit: Int64) -> Bool {
    let sure = min(raw, last)
    guard sure > maximum, Int64(sure) <= limit else { return false }
    learnedMaximum = sure
    return true
  }

  @inline(__always)
  mutating func see(_ raw: Int32) {
    if moves { return }
    if let first { moves = raw != first } else { first = raw }
  }

  /// - Returns: whether the peak has changed.
  mutating func end(peak: Int32, limit: Int64) -> Bool {
    contacts += 1
    guard peak > self.peak ?? .min, Int64(peak) <= limit else { return false }
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
