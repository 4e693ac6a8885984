internal import CLinux

/// The options that a command line may have, read by the C library's `getopt_long`: `--name VALUE`,
/// `--name=VALUE`, unambiguous abbreviations, `-x`, clusters of letters, and `--` before operands.
public struct CommandLineSyntax: Sendable {
  /// Whether an option takes a value.
  public enum Value: Sendable, Equatable {
    case none
    /// With the value's name, for help: `PATH`.
    case required(String)
    /// Only as `--name=VALUE`.
    case optional(String)
  }

  public struct Option: Sendable, Equatable {
    /// The long name, without dashes.
    public var name: String
    /// An ASCII letter; nil where there is none.
    public var letter: Character?
    public var value: Value
    /// A phrase that says what it does, for help.
    public var summary: String

    public init(
      _ name: String, letter: Character? = nil, value: Value = .none, summary: String
    ) {
      self.name = name
      self.letter = letter
      self.value = value
      self.summary = summary
    }
  }

  public var options: [Option]
  /// Options end at the first operand: what follows belongs to another command line.
  public var stopsAtOperand: Bool

  public init(_ options: [Option], stopsAtOperand: Bool = false) {
    self.options = options
    self.stopsAtOperand = stopsAtOperand
  }
}

/// What a command line said.
public struct ParsedCommandLine: Equatable, Sendable {
  public struct Option: Equatable, Sendable {
    public var name: String
    public var value: String?
  }

  /// In the order in which they were given.
  public var options: [Option] = []
  public var operands: [String] = []

  public init() {}

  /// The option was given at least once.
  public func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// The value given last for an option.
  public func value(of name: String) -> String? { options.last { $0.name == name }?.value }

  /// Every value given for an option.
  public func values(of name: String) -> [String] {
    options.filter { $0.name == name }.compactMap(\.value)
  }
}

/// What is wrong with a command line.
public enum CommandLineError: Error, Equatable, Sendable, CustomStringConvertible {
  case unknownOption(String)
  case ambiguousOption(String, candidates: [String])
  case missingValue(option: String, value: String)
  case unwantedValue(option: String)
  /// The process has no memory left.
  case outOfMemory

  public var description: String {
    switch self {
    case .unknownOption(let option): "there is no option '\(option)'"
    case .ambiguousOption(let option, let candidates):
      "'\(option)' could mean \(candidates.joined(separator: " or "))"
    case .missingValue(let option, let value): "\(option) needs a value: \(option) \(value)"
    case .unwantedValue(let option): "\(option) takes no value"
    case .outOfMemory: "out of memory"
    }
  }
}

extension CommandLineSyntax {
  /// Reads `arguments`, the words behind the program's or command's name.
  public func parse(_ arguments: [String]) throws(CommandLineError) -> ParsedCommandLine {
    let words = CStrings([""] + arguments)
    let names = CStrings(options.map(\.name))
    let shims = options.indices.map { index in
      getopt_shim_option(
        name: UnsafePointer(names[index]), short_name: letter(options[index]),
        value: options[index].value.shim)
    }
    var found: [Found] = []
    let first = withUnsafeMutablePointer(to: &found) { list in
      getopt_shim_parse(
        Int32(words.count), words.pointers, shims, shims.count, stopsAtOperand ? 1 : 0,
        { context, option in
          context?.assumingMemoryBound(to: [Found].self).pointee.append(Found(option.pointee))
        }, list)
    }
    guard first >= 0 else { throw .outOfMemory }
    var line = ParsedCommandLine()
    for one in found {
      if one.problem != GETOPT_SHIM_FINE {
        throw error(one, word: String(cString: words[Int(one.word)]))
      }
      line.options.append(.init(name: options[one.option].name, value: one.value))
    }
    line.operands = (Int(first)..<words.count).map { String(cString: words[$0]) }
    return line
  }

  private func letter(_ option: Option) -> CChar {
    CChar(bitPattern: option.letter?.asciiValue ?? 0)
  }

  private func error(_ found: Found, word: String) -> CommandLineError {
    if found.option >= 0 {
      let option = options[found.option]
      switch (found.problem, option.value) {
      case (GETOPT_SHIM_MISSING_VALUE, .required(let value)), (_, .optional(let value)):
        return .missingValue(option: "--\(option.name)", value: value)
      default: return .unwantedValue(option: "--\(option.name)")
      }
    }
    if found.letter != 0 {
      return .unknownOption("-\(Character(UnicodeScalar(UInt8(bitPattern: found.letter))))")
    }
    let name = word.dropFirst(2).prefix { $0 != "=" }
    let candidates = options.map(\.name).filter { $0.hasPrefix(name) }
    return candidates.count > 1
      ? .ambiguousOption(word, candidates: candidates.map { "--\($0)" }) : .unknownOption(word)
  }

  /// One answer of the shim, copied out of it.
  private struct Found {
    var problem: getopt_shim_problem
    var option: Int
    var value: String?
    var letter: CChar
    var word: Int32

    init(_ found: getopt_shim_found) {
      problem = found.problem
      option = Int(found.option)
      value = found.value.map { String(cString: $0) }
      letter = found.short_name
      word = found.word
    }
  }
}

extension CommandLineSyntax.Value {
  fileprivate var shim: Int32 {
    switch self {
    case .none: Int32(GETOPT_SHIM_NO_VALUE)
    case .required: Int32(GETOPT_SHIM_VALUE)
    case .optional: Int32(GETOPT_SHIM_OPTIONAL_VALUE)
    }
  }
}
