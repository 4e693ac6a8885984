// Strings and numbers: the parts of JSON with rules of their own.
extension JSONParser {
  /// Reads a string, from its opening quote to behind its closing one.
  mutating func parseString() throws(JSONError) -> String {
    let start = position
    position += 1
    if let plain = try parsePlainString(from: start) { return plain }
    var text: [UInt8] = Array(bytes[(start + 1)..<position])
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return try decode(text, from: start)
      case UInt8(ascii: "\\"):
        try parseEscape(into: &text)
      case 0..<0x20:
        throw failure("a control character in a string has to be escaped")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw JSONError(offset: start, reason: "the string has no closing quote")
  }

  /// The common case, a string without escapes; nil, with the position at the trouble, otherwise.
  private mutating func parsePlainString(from start: Int) throws(JSONError) -> String? {
    while let byte = peek() {
      if byte == UInt8(ascii: "\"") {
        let text = bytes[(start + 1)..<position]
        position += 1
        return try decode(text, from: start)
      }
      if byte == UInt8(ascii: "\\") || byte < 0x20 { return nil }
      position += 1
    }
    return nil
  }

  private func decode(
    _ text: some Collection<UInt8>, from start: Int
  ) throws(JSONError) -> String {
    guard let string = String(validating: text, as: UTF8.self) else {
      throw JSONError(offset: start, reason: "the string is not valid UTF-8")
    }
    return string
  }

  private mutating func parseEscape(into text: inout [UInt8]) throws(JSONError) {
    let start = position
    position += 1
    guard let byte = peek() else { throw failure("the string ends within an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: UTF8.encode(try parseScalar(from: start))!)
    default: throw JSONError(offset: start, reason: "an unknown escape in a string")
    }
  }

  /// Reads what follows `\u`, and the second half of a surrogate pair.
  private mutating func parseScalar(from start: Int) throws(JSONError) -> UnicodeScalar {
    let first = try parseHex4()
    if let scalar = UnicodeScalar(first) { return scalar }
    if first < 0xdc00, accept(UInt8(ascii: "\\")), accept(UInt8(ascii: "u")) {
      let second = try parseHex4()
      if (0xdc00...0xdfff).contains(second),
        let scalar = UnicodeScalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
      {
        return scalar
      }
    }
    throw JSONError(offset: start, reason: "half of a surrogate pair without the other")
  }

  private mutating func parseHex4() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek(), let digit = hexDigit(byte) else {
        throw failure("expected four hexadecimal digits after \\u")
      }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// Reads a number: an `integer` where it is written without fraction and exponent and fits.
  mutating func parseNumber() throws(JSONError) -> JSONValue {
    let start = position
    var isWhole = true
    _ = accept(UInt8(ascii: "-"))
    let leadingZero = peek() == UInt8(ascii: "0")
    let wholeDigits = try skipDigits()
    if leadingZero && wholeDigits > 1 {
      throw JSONError(offset: start, reason: "a number must not begin with 0")
    }
    if accept(UInt8(ascii: ".")) {
      isWhole = false
      _ = try skipDigits()
    }
    if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
      isWhole = false
      if !accept(UInt8(ascii: "+")) { _ = accept(UInt8(ascii: "-")) }
      _ = try skipDigits()
    }
    if position - start > Self.numberLimit {
      throw JSONError(
        offset: start, reason: "a number is longer than \(Self.numberLimit) characters")
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else {
      throw JSONError(offset: start, reason: "the number \(text.prefix(40)) is out of range")
    }
    return .number(number)
  }

  private mutating func skipDigits() throws(JSONError) -> Int {
    let start = position
    while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    if position == start { throw failure("expected a digit, found \(found)") }
    return position - start
  }
}
