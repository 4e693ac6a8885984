/// Writes a message into memory that has been reserved for all of it, so that no step looks at the
/// room that is left: the hot path's way into a `ByteBuffer`.
///
/// Whoever uses it knows the longest that the message can be. Everything is inlined into the one
/// function that writes a message, which turns fixed text into moves of a known length.
struct MessageWriter {
  private(set) var place: UnsafeMutablePointer<UInt8>

  init(_ start: UnsafeMutablePointer<UInt8>) { place = start }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    UnsafeMutableRawPointer(place).copyMemory(from: text.utf8Start, byteCount: length)
    place += length
  }

  @inline(__always)
  mutating func put(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let source = bytes.baseAddress else { return }
      place.update(from: source, count: bytes.count)
    }
    place += bytes.count
  }

  @inline(__always)
  mutating func put(byte: UInt8) {
    place.pointee = byte
    place += 1
  }

  /// A whole number in decimal: at most 20 bytes with its sign.
  mutating func put(_ value: Int64) {
    if value < 0 { put(byte: UInt8(ascii: "-")) }
    put(value.magnitude)
  }

  /// A whole number in decimal: at most 20 bytes.
  mutating func put(_ value: UInt64) {
    place += decimalDigits(value)
    var end = place
    var rest = value
    // Two digits at a time: half the divisions.
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      end -= 2
      Self.put(pair: pair, at: end)
      rest = quotient
    }
    if rest >= 10 {
      Self.put(pair: rest, at: end - 2)
    } else {
      (end - 1).pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
    }
  }

  @inline(__always)
  private static func put(pair: UInt64, at place: UnsafeMutablePointer<UInt8>) {
    let tens = (pair &* 103) >> 10  // a tenth, for all below 100
    place[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
    place[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair &- tens &* 10)
  }

  /// A number rounded to two decimal places, half away from zero, without zeros at the end; at most
  /// 22 bytes. What is not finite becomes 0, and what lies beyond ±9·10¹⁵ that bound.
  mutating func put(hundredthsOf value: Double) {
    let hundredths = roundedHundredths(value)
    if hundredths < 0 { put(byte: UInt8(ascii: "-")) }
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    put(whole)
    if rest == 0 { return }
    let tenths = (rest &* 103) >> 10
    let last = rest &- tenths &* 10
    put(byte: UInt8(ascii: "."))
    put(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tenths))
    if last != 0 { put(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: last)) }
  }
}

/// `value` in hundredths, rounded half away from zero as `rounded(.toNearestOrAwayFromZero)` does, but
/// without the call into the C library.
private func roundedHundredths(_ value: Double) -> Int64 {
  let scaled = value * 100
  guard scaled.isFinite else { return value.isFinite ? (value < 0 ? -1 : 1) * Int64(9e17) : 0 }
  let bounded = min(max(scaled, -9e17), 9e17)
  let whole = Int64(bounded)  // towards zero
  let rest = bounded - Double(whole)
  if rest >= 0.5 { return whole + 1 }
  if rest <= -0.5 { return whole - 1 }
  return whole
}

private func decimalDigits(_ value: UInt64) -> Int {
  if value < 10 { return 1 }
  if value < 100 { return 2 }
  var digits = 3
  var rest = value / 1_000
  while rest >= 100 {
    digits += 2
    rest /= 100
  }
  if rest >= 10 { return digits + 2 }
  return rest > 0 ? digits + 1 : digits
}
