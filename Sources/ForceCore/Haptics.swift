/// What a motor holds and plays as one: a vibration of one strength.
public struct HapticEffect: Hashable, Sendable {
  /// 0…1 of the motor's full strength.
  public var strength: Double
  /// How long it plays; always finite, 1…32,767 ms (`replay.length`'s specified range).
  public var length: Microseconds

  public init(strength: Double, length: Microseconds) {
    self.strength = strength
    self.length = length
  }
}

/// A named effect of the configuration: an effect played once, in several pulses, or for as long as
/// something presses.
public struct HapticPattern: Hashable, Sendable {
  /// One pulse; for an effect that follows force, its strength at 100 %.
  public var pulse: HapticEffect
  /// 1…10.
  public var pulses: Int
  /// From the end of one pulse to the start of the next. 0…10 s.
  public var pause: Microseconds
  /// Plays while held, as strong as the force, and is renewed before its length runs out.
  public var followsForce: Bool

  public init(
    _ pulse: HapticEffect, pulses: Int = 1, pause: Microseconds = .milliseconds(60),
    followsForce: Bool = false
  ) {
    self.pulse = pulse
    self.pulses = pulses
    self.pause = pause
    self.followsForce = followsForce
  }

  public init(strength: Double, length: Microseconds) {
    self.init(HapticEffect(strength: strength, length: length))
  }

  /// The same at a share of its strength.
  /// - Parameter share: 0…1.
  public func scaled(by share: Double) -> HapticPattern {
    var pattern = self
    pattern.pulse.strength *= share
    return pattern
  }

  /// From the first start to the last end, for an effect that does not follow force.
  public var duration: Microseconds {
    let count = Int64(max(pulses, 1))
    return Microseconds(pulse.length.count * count + pause.count * (count - 1))
  }
}

extension HapticPattern {
  /// The effects that are there without a configuration, by name.
  public static let builtIn: [String: HapticPattern] = [
    "click": HapticPattern(strength: 1, length: .milliseconds(60)),
    "double-click": HapticPattern(
      HapticEffect(strength: 1, length: .milliseconds(40)), pulses: 2, pause: .milliseconds(60)),
    "buzz": HapticPattern(strength: 0.7, length: .milliseconds(200)),
    "ramp": HapticPattern(
      HapticEffect(strength: 1, length: .milliseconds(500)), followsForce: true),
  ]
}

/// What an effect can be played for.
public enum HapticOccasion: Int, Sendable, CaseIterable {
  /// The force reaches the maximum.
  case maximum
  /// A contact begins.
  case press
  /// A contact ends.
  case release
}

/// What the engine wants done to the motor of a pressed device.
public enum HapticAction: Equatable, Sendable {
  /// For an effect that follows force, with the strength of the force now.
  case play(HapticPattern)
  /// The effect that follows force goes on at this strength, 0…1.
  case follow(Double)
  /// Ends whatever plays.
  case stop
}

/// A haptic action, for whom and when.
public struct HapticCommand: Equatable, Sendable {
  /// The device that is pressed; which motor serves it is `MotorPairing`'s matter.
  public var device: DeviceHandle
  public var contact: Int32
  public var time: Instant
  public var action: HapticAction

  public init(device: DeviceHandle, contact: Int32, time: Instant, action: HapticAction) {
    self.device = device
    self.contact = contact
    self.time = time
    self.action = action
  }
}
