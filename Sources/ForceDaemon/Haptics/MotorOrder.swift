import ForceCore

/// What has to be done to a motor, or said of it. Uploads and erases block and belong on the motor's
/// worker queue; plays and stops are one write and happen at once.
enum MotorOrder: Equatable {
  case upload(HapticEffect, replacing: EffectID?)
  case erase(EffectID)
  case play(EffectID)
  case stop(EffectID)
  case tell(MotorTrouble)
}

/// What goes wrong with a motor, for people.
enum MotorTrouble: Equatable {
  /// An upload or an erase has not been answered for `MotorState.uploadLimit`.
  case slow
  /// The answer that was given up hope of has come, after so long.
  case answered(after: Microseconds)
  /// No slot is free, and giving up our own did not help.
  case full
  /// The device takes no effect.
  case refused(MotorError)
  /// The device went while it was in use.
  case gone
  /// It was told to play or stop and did not.
  case failed(MotorError)
}

/// What has happened to a motor since the daemon started.
struct MotorCounters: Equatable {
  /// Plays that reached the motor.
  var played: UInt64 = 0
  /// Plays that didn't: no effect in time, or the motor refused.
  var failed: UInt64 = 0
  /// Stops that the motor did not take.
  var refusedStops: UInt64 = 0
  /// Plays that a newer one or a stop took the place of before they reached the motor.
  var coalesced: UInt64 = 0
  /// Uploads that took longer than `MotorState.uploadLimit`.
  var slow: UInt64 = 0
  /// Uploads for which the device had no slot.
  var full: UInt64 = 0
  /// Uploads that the device refused.
  var refused: UInt64 = 0
  /// Times that the device went while it was in use.
  var gone: UInt64 = 0

  /// What status and log call `haptics_failed`: whatever the motor did not do.
  var undone: UInt64 { failed + refusedStops }

  static func + (a: MotorCounters, b: MotorCounters) -> MotorCounters {
    var sum = a
    sum.played += b.played
    sum.failed += b.failed
    sum.refusedStops += b.refusedStops
    sum.coalesced += b.coalesced
    sum.slow += b.slow
    sum.full += b.full
    sum.refused += b.refused
    sum.gone += b.gone
    return sum
  }
}

/// How a motor is treated.
struct MotorLimits: Equatable {
  /// Effects that we take of a device at most: others want some too.
  static let mostSlots = 8

  /// How many effects of ours fit the device; 1 and more.
  var slots = mostSlots
  /// Shortest time between two commands.
  var interval = Microseconds.milliseconds(10)
  /// The pad does not end an effect by itself: it has to be stopped at the end of its length.
  var needsStop = false
  /// A change of the effect that plays is felt at once, and not only when it is played again.
  var changesWhilePlaying = true
}
