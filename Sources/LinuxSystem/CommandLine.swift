internal import CLinux

/// One long option that a command line may have.
public struct OptionDescription: Sendable {
  public enum Value: Sendable { case none, required, optional }

  /// The name without the dashes.
  public let name: String
  public let value: Value

  public init(_ name: String, _ value: Value = .none) {
    self.name = name
    self.value = value
  }
}

/// A command line, taken apart.
public struct ParsedCommandLine: Equatable, Sendable {
  public struct Option: Equatable, Sendable {
    public let name: String
    public let value: String?
  }

  /// The options in the order in which they were given.
  public var options: [Option] = []
  /// What is no option.
  public var operands: [String] = []
}

/// A command line that cannot be meant.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sentence for people, without the program's name.
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension ParsedCommandLine {
  /// Takes a command line apart with `getopt_long`: abbreviations, `--name=value`, `--name value` and
  /// `--` mean what they mean everywhere.
  ///
  /// Uses globals of the C library: for one thread at a time.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - options: at most 64.
  ///   - stopsAtOperand: the first operand ends the options; what follows is left as it is.
  public init(
    _ arguments: [String], options table: [OptionDescription], stopsAtOperand: Bool = false
  ) throws(UsageError) {
    var argv = CStringArray(["forced"] + arguments)
    let names = CStringArray(table.map(\.name))
    defer {
      argv.deallocate()
      names.deallocate()
    }
    let described = zip(names.pointers, table).map { clinux_option(name: $0!, value: $1.value.raw) }
    clinux_options_begin()
    while true {
      var found = clinux_option_found()
      clinux_options_next(
        Int32(arguments.count + 1), &argv.pointers, described, Int32(described.count),
        stopsAtOperand ? 1 : 0, &found)
      if found.problem != 0 { throw Self.problem(found) }
      guard found.index >= 0 else {
        let rest = argv.pointers[Int(found.operand)..<arguments.count + 1]
        operands = rest.compactMap { $0.map { String(cString: $0) } }
        return
      }
      options.append(
        Option(
          name: table[Int(found.index)].name, value: found.value.map { String(cString: $0) }))
    }
  }

  private static func problem(_ found: clinux_option_found) -> UsageError {
    let text = found.text.map { String(cString: $0) } ?? ""
    return found.problem == 58  // ':'
      ? UsageError("\(text) needs a value")
      : UsageError("\(text) is no option here, or not one with a value")
  }
}

extension OptionDescription.Value {
  fileprivate var raw: Int32 {
    switch self {
    case .none: Int32(CLINUX_NO_VALUE)
    case .required: Int32(CLINUX_NEEDS_VALUE)
    case .optional: Int32(CLINUX_MAY_HAVE_VALUE)
    }
  }
}

/// C strings in a row, with a null behind them.
private struct CStringArray {
  var pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) {
    pointers = strings.map { string in
      let bytes = Array(string.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      copy.initialize(from: bytes, count: bytes.count)
      return copy
    }
    pointers.append(nil)
  }

  func deallocate() {
    for pointer in pointers { pointer?.deallocate() }
  }
}
