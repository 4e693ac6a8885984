internal import CLinux

/// A program that this one started.
public struct ChildProcess: Sendable {
  public let id: Int32

  /// How a program ended.
  public enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(Signal)
  }

  /// Starts a program, never through a shell: every word reaches it as it is.
  ///
  /// It gets no input, this program's output and errors, and signals as if a shell had started it.
  ///
  /// - Parameters:
  ///   - words: the program, looked up in `$PATH`, and its arguments. A word ends at a NUL.
  ///   - variables: put over this program's own environment.
  public static func start(
    _ words: [String], variables: [(name: String, value: String)] = []
  ) throws(SystemError) -> ChildProcess {
    guard let program = words.first else { throw SystemError("run", "", .noEntry) }
    let arguments = CStrings(words)
    let environment = CStrings(variables.map { "\($0.name)=\($0.value)" })
    var id: Int32 = 0
    let result = clinux_spawn(arguments.pointers, environment.pointers, &id)
    withExtendedLifetime((arguments, environment)) {}
    try checked(result, "run", program)
    return ChildProcess(id: id)
  }

  /// Blocks until it has ended; signals may still be sent to it then, without reaching a stranger.
  public func waitUntilEnded() {
    _ = clinux_await_child(id)
  }

  /// Blocks until it ends. Once only: the kernel may give its number to somebody else afterwards.
  public func wait() throws(SystemError) -> End {
    var status: Int32 = 0
    var signal: Int32 = 0
    try checked(clinux_wait_child(id, &status, &signal), "wait for process \(id)")
    return signal == 0 ? .exited(status) : .killed(Signal(rawValue: signal))
  }

  /// Sends a signal. Only before `wait` has returned.
  public func send(_ signal: Signal) throws(SystemError) {
    try checked(clinux_send_signal(id, signal.rawValue), "send signal \(signal.rawValue) to \(id)")
  }
}

extension CurrentProcess {
  /// Stops this process as the terminal's Ctrl-Z does; returns when it is continued.
  public static func stop() throws(SystemError) {
    try checked(clinux_send_signal(clinux_process_id(), SIGSTOP), "stop")
  }
}
