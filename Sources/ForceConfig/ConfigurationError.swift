/// One error in a configuration file: where it is, what was found and what would be right.
public struct ConfigurationError: Error, Equatable, Sendable {
  /// The file, as the caller named it.
  public var file: String
  /// From 1.
  public var line: Int
  /// The section, or nil outside of any.
  public var section: String?
  /// The key, or nil where the trouble is not with one.
  public var key: String?
  /// What is wrong, as a sentence without a full stop.
  public var problem: String
  /// What is allowed there.
  public var allowed: String
  /// The known name that is nearest to an unknown one.
  public var suggestion: String?

  public init(
    file: String, line: Int, section: String?, key: String?, problem: String, allowed: String,
    suggestion: String? = nil
  ) {
    self.file = file
    self.line = line
    self.section = section
    self.key = key
    self.problem = problem
    self.allowed = allowed
    self.suggestion = suggestion
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// One line: `FILE:LINE: [Section] Key: what is wrong; allowed: …`.
  public var description: String {
    var text = "\(file):\(line): "
    if let section { text += "[\(section)] " }
    if let key { text += "\(key): " }
    text += problem
    if let suggestion { text += "; did you mean \(suggestion)?" }
    return text + "; allowed: \(allowed)"
  }
}

/// All errors of a set of configuration files, at least one.
public struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  public var errors: [ConfigurationError]

  public init(_ errors: [ConfigurationError]) {
    self.errors = errors
  }

  /// One line for each error.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}
