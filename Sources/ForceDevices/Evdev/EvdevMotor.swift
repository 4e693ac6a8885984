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
    /// `FF_HAPTIC` with HID's waveform "click", which ends by itself. The effect's length does not
    /// count.
    case hapticClick
    /// `FF_HAPTIC` with "buzz", for pads that have no click. The effect's length does not count and
    /// the pad decides when it ends: always stop it.
    case hapticBuzz
    /// `FF_RUMBLE`, both motors alike.
    case rumble
    /// `FF_PERIODIC` with `FF_SINE`.
    case periodic

    /// The name of the kernel's effect type.
    public var name: String {
      switch self {
      case .hapticClick, .hapticBuzz: "FF_HAPTIC"
      case .rumble: "FF_RUMBLE"
      case .periodic: "FF_PERIODIC"
      }
    }
  }

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

  /// Nil when the device has no effect that we know how to play.
  public init?(_ node: EvdevNode) {
    drives = Self.drives(for: node.description)
    guard !drives.isEmpty else { return nil }
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
    if bits.contains(ForceFeedbackCode.haptic) { drives += [.hapticClick, .hapticBuzz] }
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

  private var number: Int32 { shared.descriptor.rawValue }

  private func upload(_ effect: HapticEffect, id: Int16, by drive: Drive) -> Int32 {
    let strength = effect.strength.isFinite ? min(max(effect.strength, 0), 1) : 0
    let length = replayLength(effect.length)
    switch drive {
    case .hapticClick, .hapticBuzz:
      let usage = drive == .hapticClick ? CLINUX_HAPTIC_CLICK : CLINUX_HAPTIC_BUZZ
      let percent = UInt16((strength * 100).rounded())
      return clinux_upload_haptic(number, id, UInt16(usage), percent, length)
    case .rumble:
      let magnitude = UInt16((strength * 65_535).rounded())
      return clinux_upload_rumble(number, id, magnitude, magnitude, length)
    case .periodic:
      let magnitude = Int16((strength * 32_767).rounded())
      return clinux_upload_sine(number, id, magnitude, Self.sinePeriod, length)
    }
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

/// Milliseconds for `replay.length`, rounded up: never 0, which would play until stopped, and never
/// above 32,767, where the kernel promises nothing.
private func replayLength(_ length: Microseconds) -> UInt16 {
  let milliseconds = length.count / 1_000 + (length.count % 1_000 > 0 ? 1 : 0)
  return UInt16(min(max(milliseconds, 1), 32_767))
}
