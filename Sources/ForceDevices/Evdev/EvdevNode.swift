internal import CLinux
import ForceCore
import LinuxSystem

/// A descriptor with several owners; closes when the last one goes.
final class SharedDescriptor: Sendable {
  let descriptor: FileDescriptor
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}

/// An event node that is open. Never grabbed: others need the device too.
///
/// Opening, closing, `snapshot()` and `limitEvents(to:)` take the kernel's mutex of the device, which
/// an upload or erase of an effect can hold for 30 s, and a driver can take seconds to open and close
/// a device. So none of them belongs on a loop while an effect is being uploaded, and opening and
/// closing never do. The node closes with the last of it, its readers and its motors: let a worker
/// hold on to the node longest. Reading takes no mutex.
public final class EvdevNode: Sendable {
  public let place: NodePlace
  /// What it says of itself, and its state when it was opened.
  public let description: DeviceDescription
  /// The node could be opened for reading only: pressure, but no force feedback.
  public let isReadOnly: Bool
  let shared: SharedDescriptor

  /// Opens a node, for writing too where that is allowed, and switches its events to the monotonic
  /// clock.
  public init(_ place: NodePlace) throws(DeviceError) {
    self.place = place
    var readOnly = false
    var result = clinux_open(place.path, Int32(CLINUX_O_RDWR | CLINUX_O_NONBLOCK), 0)
    if result == -EACCES || result == -EPERM || result == -EROFS {
      readOnly = true
      result = clinux_open(place.path, Int32(CLINUX_O_RDONLY | CLINUX_O_NONBLOCK), 0)
    }
    guard result >= 0 else {
      throw DeviceError("open", place.path, Errno(rawValue: -result))
    }
    isReadOnly = readOnly
    shared = SharedDescriptor(FileDescriptor(owning: result))
    let clock = clinux_event_clock_monotonic(result)
    // What is no device at all, such as a plain file, knows no such ioctl.
    guard clock >= 0 else {
      let errno = Errno(rawValue: -clock)
      throw errno == .invalidArgument
        ? .notEvdev(path: place.path) : DeviceError("set the clock of", place.path, errno)
    }
    description = try settledDescription(of: shared.descriptor, at: place)
  }

  /// What the device says of itself now: the fresh state after events were lost. Events that have
  /// not been read yet are dropped, as they are older than this.
  public func snapshot() throws(DeviceError) -> DeviceDescription {
    try settledDescription(of: shared.descriptor, at: place)
  }

  /// Asks the kernel for these codes only, by event type: nothing else wakes us, and keys that are
  /// typed never reach this process. `EV_SYN` always comes. Linux 4.4 and later; a failure costs
  /// wake-ups and nothing else.
  public func limitEvents(to codes: [UInt16: [UInt16]]) throws(DeviceError) {
    for (type, codes) in codes { try setMask(type: type, codes) }
    // In the mask of EV_SYN a bit is a type.
    try setMask(type: EventType.synchronization, Array(codes.keys))
  }

  private func setMask(type: UInt16, _ codes: [UInt16]) throws(DeviceError) {
    // Room for KEY_CNT bits, the most that any type has; a multiple of 8 as the kernel demands.
    var bits = [UInt8](repeating: 0, count: 96)
    for code in codes where Int(code) < bits.count * 8 {
      bits[Int(code) / 8] |= 1 << (code % 8)
    }
    let result = clinux_event_mask(shared.descriptor.rawValue, type, bits, bits.count)
    guard result >= 0 else {
      throw DeviceError("choose the events of", place.path, Errno(rawValue: -result))
    }
  }
}

/// Reads the state until no event came in meanwhile: one that did would be applied a second time,
/// and an old value in it would look like a jump.
private func settledDescription(
  of node: borrowing FileDescriptor, at place: NodePlace
) throws(DeviceError) -> DeviceDescription {
  var attempts = 4
  while true {
    discardEvents(of: node)
    let description = try describe(node.rawValue, at: place)
    attempts -= 1
    if attempts == 0 || clinux_is_readable(node.rawValue) != 1 { return description }
  }
}

private func discardEvents(of node: borrowing FileDescriptor) {
  withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
    // A device that never stops sending must not hold us here.
    var limit = 64
    while limit > 0, case .bytes(let count) = node.read(into: bytes) {
      guard count > bytes.count - MemoryLayout<input_event>.stride else { return }
      limit -= 1
    }
  }
}
