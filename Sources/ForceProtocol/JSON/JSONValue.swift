/// A JSON value (RFC 8259).
///
/// Whole numbers that fit 64 bits are `integer`; all others are `number`. The two compare by value,
/// so `.integer(2) == .number(2)`, as JSON itself does not tell them apart.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  public var boolValue: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// The whole number, also where it was written with a fraction of zero; nil where it isn't whole
  /// or does not fit 64 bits.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): return value
    case .number(let value): return Int64(exactly: value)
    default: return nil
    }
  }

  public var doubleValue: Double? {
    switch self {
    case .integer(let value): return Double(value)
    case .number(let value): return value
    default: return nil
    }
  }

  public var stringValue: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { return value }
    return nil
  }

  public var objectValue: JSONObject? {
    if case .object(let value) = self { return value }
    return nil
  }

  /// The member of an object; nil where this is no object or has no such member.
  public subscript(key: String) -> JSONValue? { objectValue?[key] }

  /// What kind of value this is, for error messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Equatable {
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.integer(let a), .number(let b)): Int64(exactly: b) == a
    case (.number(let a), .integer(let b)): Int64(exactly: a) == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

extension JSONValue {
  /// A count, capped at the largest whole number that JSON integers carry here (2⁶³ − 1).
  public init(_ value: UInt64) { self = .integer(Int64(clamping: value)) }
  public init(_ value: Int) { self = .integer(Int64(value)) }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON text.
  public var description: String {
    var buffer = ByteBuffer()
    buffer.append(json: self)
    return buffer.text
  }
}
