/// The median of the last three values: a spike of one report never gets through.
///
/// A device that reports nothing more repeats its last value without saying so. The value therefore
/// counts a second time once the device has been silent for longer than its own rate explains, and so
/// a step comes through even when nothing follows it.
struct MedianOf3: Sendable {
  /// No device that measures pressure reports changes more slowly than this while it is pressed.
  private static let longestPeriod = Microseconds.milliseconds(25)
  /// The longest silence after which a value counts twice.
  static let longestConfirmation = Microseconds(longestPeriod.count * 3 / 2)

  private var before: Double
  private var last: Double
  private var lastTime: Instant
  /// The time from report to report, as last seen. 8 ms, USB's usual one, until it is known.
  private var period = Microseconds.milliseconds(8)
  /// When the last value counts again; nil once it has.
  private(set) var confirmation: Instant?

  init(value: Double, at time: Instant) {
    before = value
    last = value
    lastTime = time
  }

  mutating func take(_ value: Double, at time: Instant) -> Double {
    let since = time - lastTime
    if since > .zero && since <= Self.longestPeriod { period = since }
    let middle = max(min(before, last), min(max(before, last), value))
    before = last
    last = value
    lastTime = time
    confirmation = time + Microseconds(period.count * 3 / 2)
    return middle
  }

  mutating func confirm() -> Double {
    before = last
    confirmation = nil
    return last
  }
}
