import ForceCore
import Glibc

/// A motor that moves nothing and tells what it is told.
public final class SimulatedMotor: Motor {
  /// What the motor was told to do.
  public enum Action: Equatable, Sendable, CustomStringConvertible {
    case uploaded(EffectID, HapticEffect)
    case erased(EffectID)
    case played(EffectID, HapticEffect)
    case stopped(EffectID)

    public var description: String {
      switch self {
      case .uploaded(let id, let effect): "holds effect \(id.value): \(Self.text(effect))"
      case .erased(let id): "forgets effect \(id.value)"
      case .played(let id, let effect): "plays effect \(id.value): \(Self.text(effect))"
      case .stopped(let id): "stops effect \(id.value)"
      }
    }

    private static func text(_ effect: HapticEffect) -> String {
      "\(Int((effect.strength * 100).rounded())) % for \(effect.length.count / 1_000) ms"
    }
  }

  /// As many as the kernel's ff-memless holds.
  public static let effectSlots = 16

  private let report: @Sendable (Action) -> Void
  private let effects = Locked<[Int16: HapticEffect]>([:])

  /// - Parameter report: gets every action, on the thread that asked for it.
  public init(report: @escaping @Sendable (Action) -> Void) {
    self.report = report
  }

  public func upload(
    _ effect: HapticEffect, replacing: EffectID?
  ) throws(MotorError) -> EffectID {
    let id = effects.use { effects -> EffectID? in
      let id: Int16?
      if let replacing {
        id = effects[replacing.value] != nil ? replacing.value : nil
      } else {
        id = (0..<Int16(Self.effectSlots)).first { effects[$0] == nil }
      }
      guard let id else { return nil }
      effects[id] = effect
      return EffectID(id)
    }
    guard let id else {
      if replacing != nil { throw .failed("changing an effect that is not there", errno: EINVAL) }
      throw .noFreeSlot
    }
    report(.uploaded(id, effect))
    return id
  }

  public func erase(_ effect: EffectID) throws(MotorError) {
    guard effects.use({ $0.removeValue(forKey: effect.value) }) != nil else {
      throw .failed("erasing an effect that is not there", errno: EINVAL)
    }
    report(.erased(effect))
  }

  public func play(_ effect: EffectID) throws(MotorError) {
    guard let held = effects.use({ $0[effect.value] }) else {
      throw .failed("playing an effect that is not there", errno: EINVAL)
    }
    report(.played(effect, held))
  }

  public func stop(_ effect: EffectID) throws(MotorError) {
    guard effects.use({ $0[effect.value] }) != nil else {
      throw .failed("stopping an effect that is not there", errno: EINVAL)
    }
    report(.stopped(effect))
  }
}

/// A value behind a POSIX mutex. (`Synchronization.Mutex` draws false reports from ThreadSanitizer
/// on Linux with Swift 6.3.)
private final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func use<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
