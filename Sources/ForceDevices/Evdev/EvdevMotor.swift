internal import CLinux
import ForceCore
import LinuxSystem
import Synchronization

/// The force feedback of an event node.
///
/// From any thread, but only one call at a time for one device: uploading and erasing hold the
/// device's mutex in the kernel, and playing and stopping take it too. So whoever uploads on a worker
/// must not play on the loop until the worker is done. Effects belong to the open node: they stop
/// and go when it closes, even by a crash.
public final class EvdevMotor: Motor {
  /// How the device is driven.
  public enum Drive: UInt8, Sendable, CaseIterable {
    /// `FF_HAPTIC` with HID's waveform "click", which ends by itself; what is longer than a click is
    /// a row of clicks that the pad counts. So it ends too, whatever becomes of us.
    case hapticClick
    /// `FF_HAPTIC` with "buzz", for pads that have no click. The effect's length does not count and
    /// the pad decides when it ends: always stop it.
    case hapticBuzz
    /// `FF_HAPTIC` with "rumble", for pads that have neither; as long as a buzz.
    case hapticRumble
    /// `FF_RUMBLE`, both motors alike.
    case rumble
    /// `FF_PERIODIC` with `FF_SINE`.
    case periodic

    /// The kernel's effect type.
    public var backend: HapticBackend {
      switch self {
      case .hapticClick, .hapticBuzz, .hapticRumble: .haptic
      case .rumble: .rumble
      case .periodic: .periodic
      }
    }
  }

  /// From this length on an effect is more than one click on a haptic pad: 100 ms.
  public static let longestClick = Microseconds.milliseconds(100)
  /// From one click to the next of a longer effect: 20 ms, felt as one buzz of 50 Hz.
  public static let clickPeriod: UInt16 = 20
  /// Clicks in a row at most: a pad counts the repetitions in a byte. What is longer than so many
  /// clicks of `clickPeriod` has them further apart.
  public static let mostClicks: UInt16 = 256

  /// Period of the periodic effect: 10 ms, 100 Hz, within what eccentric and linear motors follow.
  /// Most drivers only take the magnitude.
  public static let sinePeriod: UInt16 = 10

  private let shared: SharedDescriptor
  private let path: String
  private let isReadOnly: Bool
  private let drives: [Drive]
  /// Index into `drives` of the one in use.
  private let chosen = Atomic<Int>(0)
  /// Whether the device has taken an upload; until then a refusal means "try the next drive".
  private let proved = Atomic<Bool>(false)
  /// A byte for each of `drives`: the errno with which it was refused; 0: it was not.
  private let refusals = Atomic<UInt64>(0)
  private let changedGain = Atomic<Bool>(false)
  /// The device has a gain for all its users, `FF_GAIN`.
  public let hasGain: Bool

  /// Nil when the device has no effect that we know how to play.
  public init?(_ node: EvdevNode) {
    drives = Self.drives(for: node.description)
    guard !drives.isEmpty else { return nil }
    hasGain = node.description.forceFeedback.contains(ForceFeedbackCode.gain)
    shared = node.shared
    path = node.place.path
    isReadOnly = node.isReadOnly
  }

  /// The ways to drive a device, best first. A bit proves nothing (drivers set what their kernel
  /// refuses), so there can be several to try.
  public static func drives(for description: DeviceDescription) -> [Drive] {
    let bits = description.forceFeedback
    var drives: [Drive] = []
    guard description.effectSlots > 0 else { return drives }
    if bits.contains(ForceFeedbackCode.haptic) {
      drives += [.hapticClick, .hapticBuzz, .hapticRumble]
    }
    if bits.contains(ForceFeedbackCode.rumble) { drives.append(.rumble) }
    if bits.contains(ForceFeedbackCode.periodic), bits.contains(ForceFeedbackCode.sine) {
      drives.append(.periodic)
    }
    return drives
  }

  /// How the device is driven; before the first upload, how it will be tried first.
  public var drive: Drive { drives[chosen.load(ordering: .acquiring)] }

  /// Loads an effect. Can block for 30 s (uinput) and more. Tries the next drive where the device
  /// refuses the first effect that it is given.
  public func upload(
    _ effect: HapticEffect, replacing: EffectID?
  ) throws(MotorError) -> EffectID {
    guard !isReadOnly else { throw .readOnly }
    while true {
      let index = chosen.load(ordering: .acquiring)
      let result = upload(effect, id: replacing?.value ?? -1, by: drives[index])
      if result >= 0 {
        proved.store(true, ordering: .releasing)
        return EffectID(Int16(truncatingIfNeeded: result))
      }
      guard result == -EINVAL, !proved.load(ordering: .acquiring), index + 1 < drives.count else {
        throw error("uploading an effect to", result)
      }
      note(-result, at: index)
      chosen.store(index + 1, ordering: .releasing)
    }
  }

  public func erase(_ effect: EffectID) throws(MotorError) {
    try check("erasing an effect of", clinux_erase_effect(number, effect.value))
  }

  public func play(_ effect: EffectID) throws(MotorError) {
    try check("playing an effect of", clinux_play_effect(number, effect.value, 1))
  }

  public func stop(_ effect: EffectID) throws(MotorError) {
    try check("stopping an effect of", clinux_play_effect(number, effect.value, 0))
  }

  public var backend: HapticBackend { drive.backend }

  public var needsStop: Bool { drive == .hapticBuzz || drive == .hapticRumble }

  /// hid-haptic keeps an effect until it is played; other drivers bring a change to what plays.
  public var changesWhilePlaying: Bool { backend != .haptic }

  public var refused: [HapticBackend: Int32] {
    var refused: [HapticBackend: Int32] = [:]
    let packed = refusals.load(ordering: .acquiring)
    for (index, drive) in drives.enumerated() where drive.backend != backend {
      let errno = Int32(packed >> (8 * UInt64(index)) & 0xff)
      if errno != 0 { refused[drive.backend] = errno }
    }
    return refused
  }

  /// `FF_GAIN` outlives whoever set it, and all programs share it.
  public func setGain(_ gain: Double) throws(MotorError) {
    guard hasGain else { return }
    let value = Int32((min(max(gain, 0), 1) * 65_535).rounded())
    try check("setting the gain of", clinux_set_gain(number, value))
    changedGain.store(value < 0xffff, ordering: .releasing)
  }

  /// Full gain is what drivers begin with; what it was cannot be asked.
  public func restoreGain() throws(MotorError) {
    guard changedGain.exchange(false, ordering: .acquiringAndReleasing) else { return }
    try check("setting the gain of", clinux_set_gain(number, 0xffff))
  }

  private func note(_ errno: Int32, at index: Int) {
    let byte = UInt64(truncatingIfNeeded: errno) & 0xff
    refusals.bitwiseOr(byte << (8 * UInt64(index)), ordering: .acquiringAndReleasing)
  }

  private var number: Int32 { shared.descriptor.rawValue }

  private func upload(_ effect: HapticEffect, id: Int16, by drive: Drive) -> Int32 {
    let strength = effect.strength.isFinite ? min(max(effect.strength, 0), 1) : 0
    let length = replayLength(effect.length)
    switch drive {
    case .hapticClick:
      let row = Self.clicks(for: effect.length)
      return clinux_upload_haptic(
        number, id, UInt16(CLINUX_HAPTIC_CLICK), UInt16(scaled(strength, to: 100)),
        row.repeats, row.period, length)
    case .hapticBuzz, .hapticRumble:
      let usage = drive == .hapticBuzz ? CLINUX_HAPTIC_BUZZ : CLINUX_HAPTIC_RUMBLE
      return clinux_upload_haptic(
        number, id, UInt16(usage), UInt16(scaled(strength, to: 100)), 0, 0, length)
    case .rumble:
      let magnitude = UInt16(scaled(strength, to: 65_535))
      return clinux_upload_rumble(number, id, magnitude, magnitude, length)
    case .periodic:
      let magnitude = Int16(scaled(strength, to: 32_767))
      return clinux_upload_sine(number, id, magnitude, Self.sinePeriod, length)
    }
  }

  /// The row of clicks that lasts as long as an effect: how many follow the first one, and the
  /// milliseconds from one to the next. One click has neither.
  public static func clicks(for length: Microseconds) -> (repeats: UInt16, period: UInt16) {
    guard length >= longestClick else { return (0, 0) }
    let milliseconds = replayLength(length)
    let period = max(clickPeriod, (milliseconds + mostClicks - 1) / mostClicks)
    return (milliseconds / period - 1, period)
  }

  private func check(
    _ operation: String, _ call: @autoclosure () -> Int32
  ) throws(MotorError) {
    guard !isReadOnly else { throw .readOnly }
    let result = call()
    guard result >= 0 else { throw error(operation, result) }
  }

  private func error(_ operation: String, _ result: Int32) -> MotorError {
    switch -result {
    case ENOSPC: .noFreeSlot
    case ENODEV, ENXIO: .gone
    default: .failed("\(operation) \(path)", errno: -result)
    }
  }
}

/// A magnitude that is 0 only for no strength at all: an on/off motor goes by that alone.
private func scaled(_ strength: Double, to full: Double) -> Double {
  strength > 0 ? max((strength * full).rounded(), 1) : 0
}

/// Milliseconds for `replay.length`, rounded up: never 0, which would play until stopped, and never
/// above 32,767, where the kernel promises nothing.
private func replayLength(_ length: Microseconds) -> UInt16 {
  let milliseconds = length.count / 1_000 + (length.count % 1_000 > 0 ? 1 : 0)
  return UInt16(min(max(milliseconds, 1), 32_767))
}
