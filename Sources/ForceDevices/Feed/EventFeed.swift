internal import CLinux
import ForceCore
import LinuxSystem
import Synchronization

/// A device whose other end is a program: what that program writes are the kernel's
/// `struct input_event`, and what it reads are the effects that the motor plays.
///
/// It takes the way of an event node from the first `read` on, so benchmarks and tests see what a
/// device would see, without one. The device leaves when the program closes its end.
public final class EventFeed {
  /// What the device says of itself; without force feedback where nothing can be sent back.
  public let description: DeviceDescription
  public let reader: EventReader
  /// Nil for a FIFO, which carries bytes one way only, and for a device without effects.
  public let motor: FeedMotor?

  /// Opens a FIFO, or connects to a Unix stream socket on which the program listens.
  ///
  /// - Parameters:
  ///   - path: the FIFO or the socket.
  ///   - description: what the device is; its node becomes `path`.
  public init(_ path: String, _ description: DeviceDescription) throws(DeviceError) {
    let shared = SharedDescriptor(try Self.open(path))
    reader = EventReader(shared)
    var description = description
    description.node = path
    let answers = (try? FileSystem.status(of: path).kind) == .socket
    if answers && description.hapticBackend != nil {
      motor = FeedMotor(shared, path: path)
    } else {
      motor = nil
      description.forceFeedback = []
      description.effectSlots = 0
    }
    self.description = description
  }

  /// The simulator's pad, for feeds that bring no description.
  public static var pad: DeviceDescription {
    var description = SimulatedPad().description
    description.identity.name = "Fed pad"
    return description
  }

  private static func open(_ path: String) throws(DeviceError) -> FileDescriptor {
    do throws(SystemError) {
      switch try FileSystem.status(of: path).kind {
      case .pipe: return try FileDescriptor.open(path, .nonblocking)
      case .socket: return try UnixSocket.connect(to: path)
      default: break
      }
    } catch { throw .system(error) }
    throw .notFeed(path: path)
  }
}

/// The motor of a fed device: holds any number of effects and writes each play and stop to the far
/// end, as `EV_FF` events with the effect's number and 1 or 0.
public final class FeedMotor: Motor {
  private let shared: SharedDescriptor
  private let path: String
  private let uploads = Atomic<Int16>(0)

  init(_ shared: SharedDescriptor, path: String) {
    self.shared = shared
    self.path = path
  }

  public func upload(
    _ effect: HapticEffect, replacing: EffectID?
  ) throws(MotorError) -> EffectID {
    replacing ?? EffectID(uploads.wrappingAdd(1, ordering: .relaxed).oldValue & .max)
  }

  public func erase(_ effect: EffectID) throws(MotorError) {}

  public func play(_ effect: EffectID) throws(MotorError) { try write(effect, 1) }

  public func stop(_ effect: EffectID) throws(MotorError) { try write(effect, 0) }

  private func write(_ effect: EffectID, _ value: Int32) throws(MotorError) {
    var event = input_event()
    event.type = EventType.forceFeedback
    event.code = UInt16(bitPattern: effect.value)
    event.value = value
    switch withUnsafeBytes(of: event, { shared.descriptor.send($0) }) {
    case .bytes(MemoryLayout<input_event>.size): break
    case .endOfFile, .failed(.brokenPipe), .failed(.connectionReset): throw .gone
    case .bytes, .wouldBlock:
      throw .failed("playing an effect of \(path), which is not read", errno: EAGAIN)
    case .failed(let errno):
      throw .failed("playing an effect of \(path)", errno: errno.rawValue)
    }
  }
}
