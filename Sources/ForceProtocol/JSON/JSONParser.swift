/// Why a text is not JSON, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Bytes from the start of the text to the trouble.
  public var offset: Int
  /// What was expected or found there, as the rest of a sentence.
  public var reason: String

  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }

  public var description: String { "at byte \(offset): \(reason)" }
}

extension JSONValue {
  /// Reads one JSON text; anything but white space after it is an error.
  ///
  /// Strict where a lenient reader would guess: no duplicate keys, no lone surrogates, no invalid
  /// UTF-8, no number outside the range of `Double`, nothing nested deeper than
  /// `JSONParser.depthLimit`.
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    return try parser.parse()
  }

  /// Reads one JSON text from an array of bytes.
  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    let result: Result<JSONValue, JSONError> = bytes.withUnsafeBytes { raw in
      do throws(JSONError) { return .success(try parse(raw)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Reads one JSON text from a string.
  public static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8))
  }
}

/// A recursive-descent reader over bytes that someone else owns.
public struct JSONParser {
  /// How deep arrays and objects may nest. No message of ours goes beyond 5; the limit keeps a
  /// hostile one from using up the stack.
  public static let depthLimit = 64
  /// The longest number in bytes. `Double` needs 17 digits, and reading more costs time.
  static let numberLimit = 512

  let bytes: UnsafeRawBufferPointer
  var position = 0
  private var depth = 0

  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Reads the whole text.
  public mutating func parse() throws(JSONError) -> JSONValue {
    let value = try parseValue()
    skipWhitespace()
    if position < bytes.count { throw failure("unexpected \(found) after the end of the value") }
    return value
  }

  private mutating func parseValue() throws(JSONError) -> JSONValue {
    skipWhitespace()
    guard let byte = peek() else { throw failure("a value is missing at the end") }
    switch byte {
    case UInt8(ascii: "{"):
      return try nested { (parser) throws(JSONError) in try parser.parseObject() }
    case UInt8(ascii: "["):
      return try nested { (parser) throws(JSONError) in try parser.parseArray() }
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    default: throw failure("expected a value, found \(found)")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    depth += 1
    if depth > Self.depthLimit { throw failure("nested deeper than \(Self.depthLimit) levels") }
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func parseObject() throws(JSONError) -> JSONValue {
    position += 1
    var members: [JSONObject.Member] = []
    var keys = SeenKeys()
    skipWhitespace()
    if accept(UInt8(ascii: "}")) { return .object(JSONObject()) }
    while true {
      skipWhitespace()
      let start = position
      guard peek() == UInt8(ascii: "\"") else { throw failure("expected a key, found \(found)") }
      let key = try parseString()
      if !keys.insert(key, among: members) {
        throw JSONError(offset: start, reason: "the key \"\(key)\" is there twice")
      }
      skipWhitespace()
      if !accept(UInt8(ascii: ":")) { throw failure("expected \":\" after a key, found \(found)") }
      members.append(JSONObject.Member(key: key, value: try parseValue()))
      skipWhitespace()
      if accept(UInt8(ascii: "}")) { return .object(JSONObject(uniqueMembers: members)) }
      if !accept(UInt8(ascii: ",")) { throw failure("expected \",\" or \"}\", found \(found)") }
    }
  }

  private mutating func parseArray() throws(JSONError) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipWhitespace()
    if accept(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try parseValue())
      skipWhitespace()
      if accept(UInt8(ascii: "]")) { return .array(elements) }
      if !accept(UInt8(ascii: ",")) { throw failure("expected \",\" or \"]\", found \(found)") }
    }
  }

  private mutating func parseWord(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count,
      (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { throw failure("expected \"\(word)\"") }
    position += count
    return value
  }

  func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func accept(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipWhitespace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
      position += 1
    }
  }

  func failure(_ reason: String) -> JSONError { JSONError(offset: position, reason: reason) }

  /// What stands at the present position, for a message.
  var found: String {
    guard let byte = peek() else { return "the end" }
    if byte > 0x20 && byte < 0x7f { return "\"\(Character(UnicodeScalar(byte)))\"" }
    return "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

/// Finds a repeated key without walking the whole object for each member: an object of thousands of
/// keys must not cost the square of that.
private struct SeenKeys {
  private static let fewEnoughToWalk = 16
  private var set: Set<String> = []

  mutating func insert(_ key: String, among members: [JSONObject.Member]) -> Bool {
    if members.count < Self.fewEnoughToWalk { return !members.contains { $0.key == key } }
    if set.isEmpty { set = Set(members.map(\.key)) }
    return set.insert(key).inserted
  }
}
