import ForceClient
import LinuxSystem

/// What a command line asks for.
enum Errand {
  case help(String)
  case version
  case run(Command, Invocation)
}

/// Options that come before the command's name, or behind it.
private let commonOptions: [CommandLineSyntax.Option] = [
  .init("socket", value: .required("PATH"), summary: "where the daemon listens"),
  .init("help", letter: "h", summary: "explain and end"),
]
private let leadingOptions =
  commonOptions + [CommandLineSyntax.Option("version", summary: "print the version and end")]

/// Reads a command line: common options, the command's name, its options and operands.
func errand(
  for arguments: [String], in environment: Environment
) throws(CommandFailure) -> Errand {
  let leading = try parse(
    arguments, CommandLineSyntax(leadingOptions, stopsAtOperand: true), hint: "`forcectl --help`")
  if leading.has("help") { return .help(Help.overview) }
  if leading.has("version") { return .version }
  guard let name = leading.operands.first else {
    throw .usage("a command is missing", hint: "`forcectl --help` lists them")
  }
  let rest = Array(leading.operands.dropFirst())
  if name == "help" { return .help(try help(for: rest)) }
  let command = try command(named: name)
  let line = try parse(
    rest,
    CommandLineSyntax(command.options + commonOptions),
    hint: "`forcectl \(command.name) --help`", negativeOperand: command.negativeOperand)
  if line.has("help") { return .help(Help.text(for: command)) }
  let socket = line.value(of: "socket") ?? leading.value(of: "socket")
  if socket == "" { throw .usage("--socket needs a path") }
  let client = ForceClient(socket.map { .path($0) } ?? .standard)
  return .run(command, Invocation(line: line, client: client, environment: environment))
}

private func parse(
  _ arguments: [String], _ syntax: CommandLineSyntax, hint: String, negativeOperand: String? = nil
) throws(CommandFailure) -> ParsedCommandLine {
  do throws(CommandLineError) {
    return try syntax.parse(arguments)
  } catch {
    if case .unknownOption(let option) = error, let negativeOperand,
      let digit = option.dropFirst().first, digit.isNumber || digit == "."
    {
      throw .usage(negativeOperand, hint: "see \(hint)")
    }
    if case .unknownOption(let option) = error,
      let near = nearest(
        to: String(option.prefix { $0 != "=" }), among: syntax.options.map { "--\($0.name)" })
    {
      throw .usage(printable(error.description), hint: "did you mean \(near)?")
    }
    throw .usage(printable(error.description), hint: "see \(hint)")
  }
}

private func command(named name: String) throws(CommandFailure) -> Command {
  if let command = Command.all.first(where: { $0.name == name }) { return command }
  let near = nearest(to: name, among: Command.all.map(\.name))
  throw .usage(
    "there is no command '\(printable(name))'",
    hint: near.map { "did you mean '\($0)'?" } ?? "`forcectl --help` lists them")
}

private func help(for words: [String]) throws(CommandFailure) -> String {
  guard let name = words.first else { return Help.overview }
  return Help.text(for: try command(named: name))
}

/// What `--help` prints.
enum Help {
  static var overview: String {
    let commands = Command.all.map { ($0.usage, $0.summary) }
    let options = leadingOptions.map { ($0.usage, $0.summary) }
    return """
      Usage: forcectl [--socket PATH] COMMAND [OPTION]...
      Shows what forced measures: the force on pressure-sensitive input devices.

      Commands:
      \(columns(commands))

      Options:
      \(columns(options))

      The socket is the one of --socket, else of $FORCED_SOCKET, else
      $XDG_RUNTIME_DIR/forced/forced.sock where a daemon listens, else
      \(SocketAddress.systemPath).
      Exit status: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.
      `forcectl COMMAND --help` explains a command.

      """
  }

  static func text(for command: Command) -> String {
    let options = (command.options + commonOptions).map { ($0.usage, $0.summary) }
    let details = command.details.isEmpty ? "" : "\n\(command.details)\n"
    return """
      Usage: forcectl [--socket PATH] \(command.usage) [OPTION]...
      \(capitalized(command.summary)).
      \(details)
      Options:
      \(columns(options))

      """
  }

  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \(padded($0.0, to: width))  \($0.1)" }.joined(separator: "\n")
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}

extension Command {
  fileprivate var usage: String { operands.isEmpty ? name : "\(name) \(operands)" }
}

extension CommandLineSyntax.Option {
  fileprivate var usage: String {
    let long =
      switch value {
      case .none: "--\(name)"
      case .required(let value): "--\(name) \(value)"
      case .optional(let value): "--\(name)[=\(value)]"
      }
    return letter.map { "-\($0), \(long)" } ?? long
  }
}
