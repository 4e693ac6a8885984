/// What a motor can be asked to do once.
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

/// What the engine wants done to the motor of a pressed device.
public enum HapticAction: Equatable, Sendable {
  case play(HapticEffect)
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
