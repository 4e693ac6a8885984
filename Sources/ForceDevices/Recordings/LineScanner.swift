/// Reads the fields of one line of a recording, left to right.
///
/// It never reads past the line, and no number is too long for it: digits beyond the range give nil.
struct LineScanner {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// `line` without its line ending.
  init(_ line: ArraySlice<UInt8>) {
    bytes = line
    position = line.startIndex
  }

  /// What has not been read yet.
  var rest: ArraySlice<UInt8> { bytes[position...] }

  /// Nothing is left but blanks and a comment.
  var isAtEnd: Bool {
    guard let next = rest.first(where: { !Self.isBlank($0) }) else { return true }
    return next == UInt8(ascii: "#")
  }

  mutating func skipBlanks() {
    while position < bytes.endIndex, Self.isBlank(bytes[position]) { position += 1 }
  }

  /// Passes over `text` if it comes next.
  mutating func skip(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard bytes.endIndex - position >= length else { return false }
    for offset in 0..<length where bytes[position + offset] != text.utf8Start[offset] {
      return false
    }
    position += length
    return true
  }

  /// A hexadecimal number of at most 16 bits, after blanks.
  mutating func hexadecimal() -> UInt16? {
    skipBlanks()
    var value: UInt32 = 0
    let start = position
    while position < bytes.endIndex, let digit = Self.hexadecimalDigit(bytes[position]) {
      value = value << 4 | UInt32(digit)
      guard value <= UInt16.max else { return nil }
      position += 1
    }
    return position > start && isAtFieldEnd ? UInt16(value) : nil
  }

  /// A decimal number with an optional sign, after blanks.
  mutating func decimal() -> Int64? {
    skipBlanks()
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let magnitude = digits(), isAtFieldEnd else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  /// Seconds, a point and six digits of microseconds: the time in microseconds.
  ///
  /// evemu writes six digits always, and reads fewer as so many microseconds: "1.5" could be meant
  /// either way, so it is refused.
  mutating func time() -> Int64? {
    skipBlanks()
    guard let seconds = digits(), skip(".") else { return nil }
    let start = position
    guard let fraction = digits(), position - start == 6, isAtFieldEnd else { return nil }
    let (whole, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000)
    // Half of the range is left free, so that no later sum of times can overflow.
    guard !overflowed, whole <= Int64.max / 4 else { return nil }
    return whole + fraction
  }

  private mutating func digits() -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < bytes.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= bytes[position] {
      let (tenfold, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = tenfold.addingReportingOverflow(
        Int64(bytes[position] - UInt8(ascii: "0")))
      guard !overflowed, !carried else { return nil }
      value = sum
      position += 1
    }
    return position > start ? value : nil
  }

  private var isAtFieldEnd: Bool {
    position == bytes.endIndex || Self.isBlank(bytes[position])
      || bytes[position] == UInt8(ascii: "#")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
