internal import CLinux

/// What a descriptor is ready for, or what to wait for.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let readable = Readiness(rawValue: UInt32(CLINUX_READABLE))
  public static let writable = Readiness(rawValue: UInt32(CLINUX_WRITABLE))
  /// Told whether asked for or not, as is `hungUp`.
  public static let failed = Readiness(rawValue: UInt32(CLINUX_FAILED))
  public static let hungUp = Readiness(rawValue: UInt32(CLINUX_HUNG_UP))
}

/// Waits on many descriptors at once (epoll, level-triggered). Waiting never allocates.
///
/// Its own `descriptor` is readable while any of its descriptors is ready, so that another loop can
/// watch the whole set as one.
public final class EventPoll {
  /// One descriptor that is ready, by the token it was added with.
  public struct Ready: Sendable {
    public let token: UInt64
    public let readiness: Readiness
  }

  public let descriptor: FileDescriptor
  private let buffer: UnsafeMutableBufferPointer<clinux_ready>

  /// `capacity`: how many descriptors one wait tells of, 1…256; the others wait their turn.
  public init(capacity: Int = 64) throws(SystemError) {
    descriptor = FileDescriptor(owning: try checked(clinux_epoll_create(), "make an epoll set"))
    buffer = .allocate(capacity: min(max(capacity, 1), 256))
    buffer.initialize(repeating: clinux_ready(token: 0, events: 0))
  }

  deinit { buffer.deallocate() }

  public func add(
    _ added: borrowing FileDescriptor, token: UInt64, for wanted: Readiness = .readable
  ) throws(SystemError) {
    try add(raw: added.rawValue, token: token, for: wanted)
  }

  /// Adds a descriptor that somebody else owns, such as a library's.
  public func add(
    raw added: Int32, token: UInt64, for wanted: Readiness = .readable
  ) throws(SystemError) {
    try checked(
      clinux_epoll_add(descriptor.rawValue, added, wanted.rawValue, token), "watch a descriptor")
  }

  /// Changes what to wait for. With nothing wanted, failure and hang-up are still told.
  public func modify(
    _ changed: borrowing FileDescriptor, token: UInt64, for wanted: Readiness
  ) throws(SystemError) {
    try modify(raw: changed.rawValue, token: token, for: wanted)
  }

  public func modify(raw changed: Int32, token: UInt64, for wanted: Readiness) throws(SystemError) {
    try checked(
      clinux_epoll_modify(descriptor.rawValue, changed, wanted.rawValue, token),
      "watch a descriptor")
  }

  /// Must come before the descriptor closes if another descriptor of the same file stays open.
  public func remove(_ removed: borrowing FileDescriptor) throws(SystemError) {
    try remove(raw: removed.rawValue)
  }

  public func remove(raw removed: Int32) throws(SystemError) {
    try checked(clinux_epoll_remove(descriptor.rawValue, removed), "stop watching a descriptor")
  }

  /// Waits until something is ready or the time is over, and returns how many are ready: 0 when
  /// the time is over or a signal came. `self[0]`, `self[1]` … tell which, until the next wait.
  ///
  /// - Parameter microseconds: longest wait; 0 only looks, nil waits for ever. Kernels before 5.11
  ///   round up to the next millisecond.
  public func wait(microseconds: Int64?) throws(SystemError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    let limit = microseconds.map { max($0, 0) } ?? -1
    let count = clinux_epoll_wait(descriptor.rawValue, base, Int32(buffer.count), limit)
    return Int(try checked(count, "wait for events"))
  }

  public subscript(index: Int) -> Ready {
    let ready = buffer[index]
    return Ready(token: ready.token, readiness: Readiness(rawValue: ready.events))
  }
}
