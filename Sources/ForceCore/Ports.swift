/// A device that plays its events from a script: a recording or the simulator.
///
/// Whoever drives it owns the clock: the daemon hands it real time, a dump hands it the script's own.
public protocol ScheduledInput: AnyObject {
  var description: DeviceDescription { get }
  /// When the next frame is due; nil when the device leaves.
  var nextTime: Instant? { get }
  /// Starts the script so that its first frame is due at `start`.
  func begin(at start: Instant)
  /// Hands over the events of every frame that is due at `now`, in order.
  func deliver(until now: Instant, to sink: (InputEvent) -> Void)
}

/// What a motor said to an upload, an erase or a play.
public enum MotorError: Error, Equatable, Sendable {
  /// Every effect slot of the device is taken.
  case noFreeSlot
  /// The device is gone.
  case gone
  /// The node was opened for reading only.
  case readOnly
  /// Anything else: what was tried, and errno.
  case failed(String, errno: Int32)
}

extension MotorError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noFreeSlot: "all effect slots of the device are taken"
    case .gone: "the device is gone"
    case .readOnly: "its node could be opened for reading only"
    case .failed(let operation, let errno): "\(operation) failed with errno \(errno)"
    }
  }
}

/// An effect that a motor holds.
public struct EffectID: Hashable, Sendable {
  public var value: Int16
  public init(_ value: Int16) { self.value = value }
}

/// A motor. Uploading and erasing can block for seconds and never happen on the loop; playing and
/// stopping are one write and do.
public protocol Motor: AnyObject, Sendable {
  /// Loads an effect, or changes the one that `replacing` names. Blocks.
  func upload(_ effect: HapticEffect, replacing: EffectID?) throws(MotorError) -> EffectID
  /// Removes an effect; stops it if it plays. Blocks.
  func erase(_ effect: EffectID) throws(MotorError)
  /// Starts an uploaded effect. Does not block.
  func play(_ effect: EffectID) throws(MotorError)
  /// Stops an effect. Does not block.
  func stop(_ effect: EffectID) throws(MotorError)

  /// How the motor is driven: what an upload has proved, or what will be tried first.
  var backend: HapticBackend { get }
  /// Ways that the device announces and that it or its kernel refused, with errno.
  var refused: [HapticBackend: Int32] { get }
  /// The device does not end an effect at its length: it has to be stopped.
  var needsStop: Bool { get }
  /// An effect that is changed while it plays plays on changed; else it has to be played again.
  var changesWhilePlaying: Bool { get }
  /// The device has a gain of its own, for all its users.
  var hasGain: Bool { get }
  /// Sets the device's own gain, 0…1. Can block.
  func setGain(_ gain: Double) throws(MotorError)
  /// Puts the device's own gain back, if it was set. Can block.
  func restoreGain() throws(MotorError)
}

/// A motor that knows one way and has no gain of its own.
extension Motor {
  public var backend: HapticBackend { .rumble }
  public var refused: [HapticBackend: Int32] { [:] }
  public var needsStop: Bool { false }
  public var changesWhilePlaying: Bool { true }
  public var hasGain: Bool { false }
  public func setGain(_ gain: Double) throws(MotorError) {}
  public func restoreGain() throws(MotorError) {}
}
