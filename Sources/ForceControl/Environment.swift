import ForceClient
import LinuxSystem

/// What a command may look at and where it may write; tests put their own in its place.
struct Environment: Sendable {
  var output = Output(.output)
  var errors = Output(.error)
  /// Standard output is a terminal that can move its cursor.
  var hasTerminal: Bool
  /// Standard error is a terminal: somebody reads there what a command waits for.
  var errorsHaveTerminal = false
  /// Colour is welcome (`NO_COLOR` is not set).
  var hasColour: Bool
  /// Columns and rows of the terminal, as they are now.
  var terminalSize: @Sendable () -> TerminalSize
  /// The monotonic clock.
  var now: @Sendable () -> Instant = { Instant(microseconds: monotonicNow()) }

  /// The process's own.
  static func process() -> Environment {
    let terminal = CurrentProcess.environment("TERM") ?? ""
    return Environment(
      hasTerminal: Terminal.isTerminal(1) && !terminal.isEmpty && terminal != "dumb",
      errorsHaveTerminal: Terminal.isTerminal(2),
      hasColour: (CurrentProcess.environment("NO_COLOR") ?? "").isEmpty,
      terminalSize: {
        Terminal.size(1).map { TerminalSize(columns: $0.columns, rows: $0.rows) }
          ?? TerminalSize(columns: 80, rows: 24)
      })
  }
}

struct TerminalSize: Equatable, Sendable {
  var columns: Int
  var rows: Int
}

/// Where text goes.
struct Output: Sendable {
  private let writer: @Sendable (String) -> StandardStream.Outcome

  init(_ stream: StandardStream) {
    writer = { stream.write($0) }
  }

  init(_ writer: @escaping @Sendable (String) -> StandardStream.Outcome) {
    self.writer = writer
  }

  func write(_ text: String) throws(CommandFailure) {
    switch writer(text) {
    case .written: return
    case .closed: throw .outputClosed
    case .failed(let error): throw .failed(error.description)
    }
  }

  func line(_ text: String) throws(CommandFailure) { try write(text + "\n") }
}
