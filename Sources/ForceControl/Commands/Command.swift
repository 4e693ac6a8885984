import ForceClient
import LinuxSystem

/// One of forcectl's commands.
struct Command: Sendable {
  var name: String
  /// The operands, for the usage line: `METHOD [JSON]`; "" where there are none.
  var operands = ""
  /// One line for the list of commands.
  var summary: String
  /// A paragraph for the command's own help; "" where the summary says it all.
  var details = ""
  var options: [CommandLineSyntax.Option] = []
  /// What to say of an operand below 0, which looks like an option; nil: that there is no such option.
  var negativeOperand: String? = nil
  var run: @Sendable (Invocation) async throws(CommandFailure) -> Void

  /// Every command, in the order in which help lists them.
  static let all: [Command] = [
    .watch, .devices, .status, .weigh, .tare, .untare, .calibrate, .tune, .latency, .on, .call,
    .monitor,
  ]

  /// Options that several commands have.
  static let device = CommandLineSyntax.Option(
    "device", value: .required("ID"), summary: "this device, by its id or name")
  static let duration = CommandLineSyntax.Option(
    "for", value: .required("TIME"),
    summary: "end after this time: 500ms, 10s, 2m; a bare number counts seconds")
  static let json = CommandLineSyntax.Option("json", summary: "one JSON object a line")
}

/// A command line, understood.
struct Invocation: Sendable {
  var line: ParsedCommandLine
  var client: ForceClient
  var environment: Environment

  var wantsJSON: Bool { line.has("json") }

  /// Refuses operands for a command that has none.
  func refuseOperands() throws(CommandFailure) {
    if let first = line.operands.first {
      throw .usage("'\(printable(first))' is one word too many")
    }
  }
}

/// Makes the daemon's errors a command's.
func asking<T: Sendable>(
  _ body: () async throws(ForceClientError) -> T
) async throws(CommandFailure) -> T {
  do throws(ForceClientError) {
    return try await body()
  } catch {
    throw .daemon(error)
  }
}
