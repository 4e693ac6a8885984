internal import CLinux
import ForceCore
import LinuxSystem

/// Reads input events off a descriptor: an event node's, or any that carries the kernel's
/// `struct input_event`, such as a FIFO or a socket. Belongs to one loop; reading never allocates.
///
/// libevdev is left out here on purpose: it costs a second read, and it hides a tracking ID that
/// changes within a slot.
public final class EventReader {
  /// What one `read` found.
  public enum Outcome {
    /// Events, valid until the next `read`.
    case events(UnsafeBufferPointer<InputEvent>)
    /// Nothing for now.
    case empty
    /// The device is unplugged or revoked, or the writer has closed its end.
    case gone
    case failed(Errno)
  }

  /// Most events of one read.
  public static let capacity = 64

  private let shared: SharedDescriptor
  private let raw: UnsafeMutableBufferPointer<input_event>
  private let events: UnsafeMutableBufferPointer<InputEvent>
  /// Bytes of an event that was cut in two, at the start of `raw`. Only streams cut.
  private var leftOver = 0

  /// Reads a node. Several readers of one node would share its events.
  public convenience init(_ node: EvdevNode) { self.init(node.shared) }

  /// Reads any non-blocking descriptor.
  public convenience init(_ descriptor: consuming FileDescriptor) {
    self.init(SharedDescriptor(descriptor))
  }

  init(_ shared: SharedDescriptor) {
    self.shared = shared
    raw = .allocate(capacity: Self.capacity)
    raw.initialize(repeating: input_event())
    events = .allocate(capacity: Self.capacity)
    events.initialize(
      repeating: InputEvent(time: Instant(microseconds: 0), type: 0, code: 0, value: 0))
  }

  deinit {
    raw.deallocate()
    events.deallocate()
  }

  /// The descriptor to wait on; readable also when the device is gone.
  public var rawDescriptor: Int32 { shared.descriptor.rawValue }

  /// One `read` of up to `capacity` events.
  public func read() -> Outcome {
    let bytes = UnsafeMutableRawBufferPointer(raw)
    let free = UnsafeMutableRawBufferPointer(rebasing: bytes[leftOver...])
    switch shared.descriptor.read(into: free) {
    case .bytes(let count):
      let filled = leftOver + count
      let size = MemoryLayout<input_event>.stride
      let whole = filled / size
      for index in 0..<whole { events[index] = InputEvent(raw[index]) }
      leftOver = filled - whole * size
      if leftOver > 0, whole > 0 {
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[(whole * size)..<filled]))
      }
      guard whole > 0 else { return .empty }
      return .events(UnsafeBufferPointer(rebasing: events[..<whole]))
    case .wouldBlock: return .empty
    case .endOfFile, .failed(.noDevice), .failed(.connectionReset): return .gone
    case .failed(let errno): return .failed(errno)
    }
  }
}

extension InputEvent {
  @inline(__always)
  fileprivate init(_ event: input_event) {
    var event = event
    self.init(
      time: Instant(microseconds: clinux_event_time(&event)), type: event.type, code: event.code,
      value: event.value)
  }
}
