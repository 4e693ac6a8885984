/// Several settings of the smoothing at work on the same presses, side by side, and what each does.
///
/// Unsmoothed readings go in with their times, figures come out. It asks no clock: whoever wants a
/// press that is held still to go on calls `advance(to:)`.
public struct SmoothingComparison: Sendable {
  /// The longest lag that is told apart from longer ones.
  public static let longestLag = Microseconds.milliseconds(Int64(PressMotion.longestLag))
  private static let tick = Microseconds.milliseconds(1)
  private static let offset = Microseconds(500)
  /// Hours may lie between two reports of a force that is held still: after a second without one, what
  /// has nothing more to show is not looked at every millisecond.
  private static let patience = Microseconds.seconds(1)

  private var trials: [SmoothingTrial]
  private var motion = PressMotion()
  private var nextTick = Instant(microseconds: 0)
  private var lastChange = Instant(microseconds: 0)
  /// The force before smoothing, in per cent; nil while nothing touches.
  public private(set) var input: Double?

  public init(_ settings: [SmoothingSettings]) {
    trials = settings.map { SmoothingTrial($0) }
  }

  /// In the order of the settings.
  public var figures: [SmoothingFigures] { trials.map(\.figures) }

  /// The press has rested for long enough to count as a rest.
  public var isResting: Bool { input != nil && (motion.isResting || motion.trembles) }

  /// Takes the force of a contact, which begins with it where nothing touched before.
  /// - Parameters:
  ///   - percent: before smoothing, 0…100.
  ///   - time: from when on it holds. One that lies in the past counts as the latest seen.
  public mutating func take(_ percent: Double, at time: Instant) {
    if input == nil {
      motion = PressMotion()
      // Between the milliseconds at which most devices report, so that no setting looks late because
      // it was looked at in the moment of the report.
      nextTick = time + Self.offset
      for index in trials.indices { trials[index].begin(at: time) }
    }
    advance(to: time - Microseconds(1))
    if input != percent { lastChange = time }
    input = percent
    for index in trials.indices { trials[index].setInput(percent, at: time) }
    advance(to: time)
  }

  /// Ends the contact: its output is 0 from then on, whatever the setting.
  public mutating func end(at time: Instant) {
    advance(to: time)
    input = nil
  }

  /// Lets the force hold until `time`.
  public mutating func advance(to time: Instant) {
    guard let input else { return }
    while nextTick <= time {
      if nextTick - lastChange > Self.patience && motion.isResting
        && trials.allSatisfy(\.isDone)
      {
        nextTick = time + Self.offset
        return
      }
      motion.take(input)
      for index in trials.indices { trials[index].take(motion, at: nextTick) }
      nextTick = nextTick + Self.tick
    }
  }
}
