import ForceDevices
import LinuxSystem

/// What the command line asks of the daemon.
struct Options: Equatable {
  enum Action: Equatable { case serve, check, dump, version, help }

  /// A device whose events a program writes.
  struct Feed: Equatable {
    /// A FIFO or a socket.
    var path: String
    /// An evemu file that describes the device.
    var description: String?
  }

  var action = Action.serve
  var configuration: String?
  var socket: String?
  var simulations: [PressPattern] = []
  var replays: [String] = []
  var feeds: [Feed] = []
  var evdev = true

  static let syntax = CommandLineSyntax([
    .init("config", value: .required("FILE"), summary: "read this configuration file only"),
    .init("socket", value: .required("PATH"), summary: "serve on this socket"),
    .init("simulate", value: .optional("PATTERN"), summary: "add a simulated pad"),
    .init("replay", value: .required("FILE"), summary: "add the device of an evemu recording"),
    .init("feed", value: .required("PATH[,FILE]"), summary: "add a device that a program feeds"),
    .init("no-evdev", summary: "leave the machine's own devices alone"),
    .init("dump", summary: "with --replay: print every reading and haptic command"),
    .init("check", summary: "check the configuration, then exit"),
    .init("version", summary: "print the version, then exit"),
    .init("help", letter: "h", summary: "print this, then exit"),
  ])

  static let usage = """
    Usage: forced [OPTION…]

    Reads pressure from input devices, rumbles at the maximum and serves the readings on a Unix
    socket.

      --config FILE         read only this configuration file
                            (default: /etc/forced/forced.conf, its drop-ins, and the like)
      --socket PATH         serve here (default: $FORCED_SOCKET, else
                            $XDG_RUNTIME_DIR/forced/forced.sock, for root /run/forced/forced.sock)
      --simulate[=PATTERN]  add a simulated pad: press (default), tap, ramp or noise
      --replay FILE         add the device of an evemu recording and play it; may be repeated
      --feed PATH[,FILE]    add a device whose events a program writes to a FIFO or Unix socket, for
                            tests and measurements; FILE is its description by evemu; repeatable
      --no-evdev            leave the machine's own input devices alone
      --dump                with --replay: print every reading and haptic command as a JSON line,
                            without socket and without waiting, then exit
      --check               check the configuration, then exit
      --version             print the version, then exit
      -h, --help            print this, then exit

    Exit status: 0 done, 1 failed, 2 wrong usage, 78 no serving with a bad configuration.

    """
}

/// A command line that cannot be meant: a sentence for people.
struct UsageError: Error, Equatable { let message: String }

extension Options {
  /// - Parameter arguments: without the program's name.
  init(_ arguments: [String]) throws(UsageError) {
    let line: ParsedCommandLine
    do throws(CommandLineError) { line = try Self.syntax.parse(arguments) } catch {
      throw UsageError(message: "\(error)")
    }
    if let operand = line.operands.first {
      let hint =
        PressPattern(rawValue: operand) == nil ? "" : "; a pattern is --simulate=\(operand)"
      throw UsageError(message: "'\(operand)' is not an option\(hint)")
    }
    for option in line.options { try apply(option) }
    try checkDump()
  }

  private mutating func apply(_ option: ParsedCommandLine.Option) throws(UsageError) {
    switch option.name {
    case "config": configuration = try once(option, after: configuration)
    case "socket": socket = try once(option, after: socket)
    case "simulate": simulations.append(try pattern(option.value))
    case "replay": replays.append(try nonEmpty(option))
    case "feed": feeds.append(try feed(option))
    case "no-evdev": evdev = false
    case "dump": action = .dump
    case "check": action = .check
    case "version": action = .version
    default: action = .help
    }
  }

  private func once(
    _ option: ParsedCommandLine.Option, after before: String?
  ) throws(UsageError) -> String {
    guard before == nil else { throw UsageError(message: "--\(option.name) is given twice") }
    return try nonEmpty(option)
  }

  private func nonEmpty(_ option: ParsedCommandLine.Option) throws(UsageError) -> String {
    guard let value = option.value, !value.isEmpty else {
      throw UsageError(message: "--\(option.name) needs a path")
    }
    return value
  }

  private func feed(_ option: ParsedCommandLine.Option) throws(UsageError) -> Feed {
    let value = try nonEmpty(option)
    guard let comma = value.firstIndex(of: ",") else { return Feed(path: value) }
    let (path, description) = (value[..<comma], value[value.index(after: comma)...])
    guard !path.isEmpty, !description.isEmpty else {
      throw UsageError(message: "--feed takes a path, or a path, a comma and a description's path")
    }
    return Feed(path: String(path), description: String(description))
  }

  private func pattern(_ name: String?) throws(UsageError) -> PressPattern {
    guard let name else { return .press }
    guard let pattern = PressPattern(rawValue: name) else {
      let known = PressPattern.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(message: "--simulate has no pattern '\(name)'; it knows \(known)")
    }
    return pattern
  }

  private func checkDump() throws(UsageError) {
    guard action == .dump else { return }
    if replays.isEmpty { throw UsageError(message: "--dump needs at least one --replay FILE") }
    if !simulations.isEmpty || !feeds.isEmpty {
      throw UsageError(
        message: "--dump plays recordings to their end; a simulation or a feed has none")
    }
  }
}
