/// A member of an object that is missing, unknown, of the wrong type or out of range.
public struct FieldError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Problem: Equatable, Sendable {
    case missing
    case unknown
    case wrongType(found: String)
    case notAllowed(found: String)
  }

  /// The member's name, with a path where it is nested: `reading.percent`.
  public var field: String
  public var problem: Problem
  /// What would be right, as the rest of "expected …" or "allowed: …".
  public var expected: String

  public var description: String {
    switch problem {
    case .missing: "\"\(field)\" is missing: expected \(expected)"
    case .unknown: "\"\(field)\" is not known here"
    case .wrongType(let found): "\"\(field)\" has to be \(expected), found \(found)"
    case .notAllowed(let found): "\"\(field)\" is \(found); allowed: \(expected)"
    }
  }
}

extension VarlinkError {
  /// The reply to a call whose parameters could not be read.
  public init(_ error: FieldError) {
    switch error.problem {
    case .missing, .unknown, .wrongType: self = .invalidParameter(error.field)
    case .notAllowed(let found):
      self = .invalidValue(parameter: error.field, found: found, allowed: error.expected)
    }
  }
}

/// Takes the members of an object one by one. null means absent, as everywhere in this protocol.
struct FieldReader {
  private let object: JSONObject
  private let path: String
  private var known: Set<String> = []

  init(_ object: JSONObject, at path: String = "") {
    self.object = object
    self.path = path
  }

  /// Refuses members that nobody has asked for. For calls, where an unknown parameter may be a
  /// misspelt one; records from a newer daemon may have more members than we know.
  func refuseUnknown() throws(FieldError) {
    for member in object.members where !known.contains(member.key) {
      throw FieldError(field: path + member.key, problem: .unknown, expected: "")
    }
  }

  private mutating func value(_ key: String) -> JSONValue? {
    known.insert(key)
    let value = object[key]
    return value == .null ? nil : value
  }

  private mutating func optional<T>(
    _ key: String, _ expected: String, _ convert: (JSONValue) -> T?
  ) throws(FieldError) -> T? {
    guard let value = value(key) else { return nil }
    guard let converted = convert(value) else {
      throw FieldError(
        field: path + key, problem: .wrongType(found: value.kind), expected: expected)
    }
    return converted
  }

  func required<T>(_ key: String, _ expected: String, _ value: T?) throws(FieldError) -> T {
    guard let value else {
      throw FieldError(field: path + key, problem: .missing, expected: expected)
    }
    return value
  }

  func notAllowed(_ key: String, found: String, allowed: String) -> FieldError {
    FieldError(field: path + key, problem: .notAllowed(found: found), expected: allowed)
  }
}

extension FieldReader {
  mutating func optionalString(_ key: String) throws(FieldError) -> String? {
    try optional(key, "a string") { $0.stringValue }
  }

  mutating func string(_ key: String) throws(FieldError) -> String {
    try required(key, "a string", try optionalString(key))
  }

  mutating func optionalBool(_ key: String) throws(FieldError) -> Bool? {
    try optional(key, "true or false") { $0.boolValue }
  }

  mutating func bool(_ key: String) throws(FieldError) -> Bool {
    try required(key, "true or false", try optionalBool(key))
  }

  mutating func optionalNumber(_ key: String) throws(FieldError) -> Double? {
    try optional(key, "a number") { $0.doubleValue }
  }

  mutating func number(_ key: String) throws(FieldError) -> Double {
    try required(key, "a number", try optionalNumber(key))
  }

  /// A number within bounds; the bounds are part of the message.
  mutating func optionalNumber(
    _ key: String, in range: ClosedRange<Double>, allowed: String
  ) throws(FieldError) -> Double? {
    guard let number = try optionalNumber(key) else { return nil }
    if !range.contains(number) {
      throw notAllowed(key, found: JSONValue.number(number).description, allowed: allowed)
    }
    return number
  }

  mutating func optionalInteger<T: FixedWidthInteger>(
    _ key: String, as type: T.Type = T.self
  ) throws(FieldError) -> T? {
    guard let wide = try optional(key, "a whole number", { $0.integerValue }) else { return nil }
    guard let integer = T(exactly: wide) else {
      throw notAllowed(key, found: String(wide), allowed: "\(T.min) to \(T.max)")
    }
    return integer
  }

  mutating func integer<T: FixedWidthInteger>(
    _ key: String, as type: T.Type = T.self
  ) throws(FieldError) -> T {
    try required(key, "a whole number", try optionalInteger(key))
  }

  mutating func optionalObject(_ key: String) throws(FieldError) -> JSONObject? {
    try optional(key, "an object") { $0.objectValue }
  }

  /// An array whose elements are all of one kind.
  mutating func optionalArray<T>(
    _ key: String, of expected: String, _ convert: (JSONValue) -> T?
  ) throws(FieldError) -> [T]? {
    guard let elements = try optional(key, "an array", { $0.arrayValue }) else { return nil }
    var converted: [T] = []
    for (index, element) in elements.enumerated() {
      guard let value = convert(element) else {
        throw FieldError(
          field: "\(path)\(key)[\(index)]", problem: .wrongType(found: element.kind),
          expected: expected)
      }
      converted.append(value)
    }
    return converted
  }

  /// Records, each read by `read`.
  mutating func records<T>(
    _ key: String, _ read: (JSONObject, String) throws(FieldError) -> T
  ) throws(FieldError) -> [T] {
    let objects = try required(
      key, "an array", try optionalArray(key, of: "an object") { $0.objectValue })
    var records: [T] = []
    for (index, object) in objects.enumerated() {
      records.append(try read(object, "\(path)\(key)[\(index)]."))
    }
    return records
  }
}
