internal import CLinux

/// Becomes readable at a set time (timerfd on the monotonic clock).
public struct TimerDescriptor: ~Copyable, Sendable {
  public let descriptor: FileDescriptor

  public init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try checked(clinux_timer_create(), "make a timer"))
  }

  /// Fires once, at an absolute monotonic time in microseconds; a time in the past fires at once.
  public borrowing func arm(at microseconds: Int64) throws(SystemError) {
    // The kernel reads 0 as "disarm".
    try checked(clinux_timer_set(descriptor.rawValue, max(microseconds, 1)), "set a timer")
  }

  public borrowing func disarm() throws(SystemError) {
    try checked(clinux_timer_set(descriptor.rawValue, 0), "stop a timer")
  }

  /// Makes it unreadable again; true if it had fired.
  @discardableResult
  public borrowing func acknowledge() -> Bool { readCounter(descriptor) }
}

/// Becomes readable when another thread says so (eventfd).
public struct WakeDescriptor: ~Copyable, Sendable {
  public let descriptor: FileDescriptor

  public init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try checked(clinux_event_create(), "make a wake-up"))
  }

  /// Wakes whoever waits. From any thread; many wakes before an acknowledge count as one.
  public borrowing func wake() {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then it is readable anyway.
    _ = clinux_write(descriptor.rawValue, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes it unreadable again; true if somebody had called `wake`.
  @discardableResult
  public borrowing func acknowledge() -> Bool { readCounter(descriptor) }
}

private func readCounter(_ descriptor: borrowing FileDescriptor) -> Bool {
  var count: UInt64 = 0
  return clinux_read(descriptor.rawValue, &count, MemoryLayout<UInt64>.size) > 0
}
