import ForceClient
import LinuxSystem

/// What `watch` was asked for.
struct WatchOptions: Equatable {
  enum View: Equatable { case gauge, plain, json }

  var view: View
  /// An id or a name.
  var device: String?
  var rate: Double?
  var count: Int?
  var time: Microseconds?

  init(_ invocation: Invocation) throws(CommandFailure) {
    try invocation.refuseOperands()
    let line = invocation.line
    let views: [(String, View)] = [("json", .json), ("plain", .plain), ("gauge", .gauge)]
    let wanted = views.filter { line.has($0.0) }
    guard wanted.count <= 1 else {
      throw .usage("--\(wanted[0].0) and --\(wanted[1].0) exclude each other")
    }
    let hasTerminal = invocation.environment.hasTerminal
    view = wanted.first?.1 ?? (hasTerminal ? .gauge : .plain)
    if view == .gauge, !hasTerminal {
      throw .usage("--gauge needs a terminal", hint: "--plain prints a line for each reading")
    }
    device = line.value(of: "device")
    rate = try rateOption(line)
    count = try countOption("count", line)
    time = try durationOption(line)
  }
}

/// `--rate HZ`.
func rateOption(_ line: ParsedCommandLine) throws(CommandFailure) -> Double? {
  try read("rate", line, "above 0 to 10000 readings a second, in plain digits") {
    plainNumber($0).flatMap { $0 > 0 && $0 <= 10_000 ? $0 : nil }
  }
}

/// `--for TIME`.
func durationOption(_ line: ParsedCommandLine) throws(CommandFailure) -> Microseconds? {
  try read("for", line, "a time such as 500ms, 10s or 2m; a bare number counts seconds") {
    duration($0)
  }
}

/// An option that takes a number from 1 on.
func countOption(_ name: String, _ line: ParsedCommandLine) throws(CommandFailure) -> Int? {
  try read(name, line, "a whole number from 1 on") {
    plainNumber($0) == nil ? nil : Int($0).flatMap { $0 > 0 ? $0 : nil }
  }
}

func read<T>(
  _ name: String, _ line: ParsedCommandLine, _ allowed: String, _ convert: (String) -> T?
) throws(CommandFailure) -> T? {
  guard let text = line.value(of: name) else { return nil }
  guard let value = convert(text) else {
    throw .usage("--\(name) is '\(printable(text))'", hint: "allowed: \(allowed)")
  }
  return value
}

/// The ids that `--device` means: an id, or an exact name, which several devices can have.
func deviceIDs(
  _ wanted: String, among devices: [DeviceRecord]
) throws(CommandFailure) -> [String] {
  if devices.contains(where: { $0.id == wanted }) { return [wanted] }
  let named = devices.filter { $0.name == wanted }.map(\.id)
  guard named.isEmpty else { return named }
  let near = nearest(to: wanted, among: devices.map(\.id))
  let hint = near.map { "did you mean '\(printable($0))'?" } ?? "`forcectl devices` lists them"
  throw .failed("there is no device '\(printable(wanted))'; \(hint)")
}
