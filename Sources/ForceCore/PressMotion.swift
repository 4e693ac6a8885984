/// What the force of a press is doing, as far as a measurement of smoothing has to know: resting,
/// rising slowly, or come to a stop after something quick.
///
/// Told the input once every millisecond; before the press it was 0.
struct PressMotion: Sendable {
  /// A rest is what stays this near the value that it began with, in per cent; the noise of most
  /// sensors is smaller, and every press is larger.
  static let band = 2.0
  /// A force that has stayed in the band for so long rests; before that it may be passing through.
  static let restTicks = 200

  /// Movement is looked at over so long.
  private static let spanTicks = 100
  /// From how much within that time it moves: less is noise or a trembling hand.
  private static let slowest = 1.5
  /// Up to how much it is a ramp. More is a blow, in which the limit of the slew rate is at work.
  private static let fastest = 40.0
  /// What comes in one report and is more than this is a step, which no ramp begins with.
  private static let jump = 10.0
  /// Up to where the last inputs are kept: half a second, the longest lag that is looked for.
  static let longestLag = 500

  private(set) var inputs = DelayLine(length: longestLag)
  /// What a rest would be near to.
  private(set) var reference = 0.0
  /// Since the force came near the reference.
  private(set) var ticksInBand = 0
  /// Whether it came there quickly, so that there is something to settle.
  private(set) var cameQuickly = false
  private var ticksSinceJump = Int.max / 2
  private var last = 0.0
  private var rest = TremblingRest()
  /// It is held still as well as its noise lets it, which leaves the band again and again.
  private(set) var trembles = false

  /// Takes the input of the next millisecond.
  mutating func take(_ input: Double) {
    inputs.append(input)
    if let noise = rest.hold(input, for: .milliseconds(1)) {
      trembles = TremblingRest.noise.contains(noise)
    } else if rest.isAtQuarter {
      trembles = false
    }
    ticksSinceJump = (input - last).magnitude > Self.jump ? 0 : ticksSinceJump + 1
    last = input
    if (input - reference).magnitude <= Self.band && ticksInBand > 0 {
      ticksInBand += 1
      return
    }
    reference = input
    ticksInBand = 1
    cameQuickly = (input - inputs[ago: Self.spanTicks]).magnitude >= Self.jump
  }

  /// A force that has just come near another value than before.
  var isNew: Bool { ticksInBand == 1 }

  var isResting: Bool { ticksInBand > Self.restTicks }

  /// Moves steadily, at 15 to 400 per cent a second.
  var isRamp: Bool {
    guard !isResting, !trembles, ticksSinceJump > Self.longestLag else { return false }
    let travel = (last - inputs[ago: Self.spanTicks]).magnitude
    return travel >= Self.slowest && travel <= Self.fastest
  }
}
