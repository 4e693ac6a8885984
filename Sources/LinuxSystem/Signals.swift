internal import CLinux

/// The signals that programs like these care about.
public struct Signal: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let hangUp = Signal(rawValue: SIGHUP)
  public static let interrupt = Signal(rawValue: SIGINT)
  public static let quit = Signal(rawValue: SIGQUIT)
  public static let kill = Signal(rawValue: SIGKILL)
  public static let terminate = Signal(rawValue: SIGTERM)
  public static let user1 = Signal(rawValue: SIGUSR1)
  public static let user2 = Signal(rawValue: SIGUSR2)
  public static let pipe = Signal(rawValue: SIGPIPE)
  public static let child = Signal(rawValue: SIGCHLD)
  /// Ctrl-Z.
  public static let terminalStop = Signal(rawValue: SIGTSTP)
  public static let windowChanged = Signal(rawValue: SIGWINCH)

  /// Makes the whole process deaf to it.
  public func ignore() throws(SystemError) {
    try checked(clinux_signal_ignore(rawValue), "ignore signal \(rawValue)")
  }
}

/// Becomes readable when one of its signals came (signalfd).
public struct SignalDescriptor: ~Copyable, Sendable {
  public let descriptor: FileDescriptor

  /// Blocks the signals in the calling thread and in every thread that it starts from now on, and
  /// leaves them blocked. Make it before the first other thread: the kernel would hand a signal to
  /// any thread that does not block it, and the process would end.
  public init(_ signals: [Signal]) throws(SystemError) {
    let numbers = signals.map(\.rawValue)
    try checked(clinux_signal_block(numbers, numbers.count), "block signals")
    descriptor = FileDescriptor(
      owning: try checked(clinux_signal_create(numbers, numbers.count), "receive signals"))
  }

  /// The next signal that came, or nil when there is none (any more).
  public borrowing func next() -> Signal? {
    var number: Int32 = 0
    guard clinux_signal_read(descriptor.rawValue, &number) == 0 else { return nil }
    return Signal(rawValue: number)
  }
}
