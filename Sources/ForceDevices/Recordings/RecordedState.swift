import ForceCore

/// A bitmap that comes in pieces, lowest byte first.
struct BitField {
  private(set) var codes: Set<UInt16> = []
  private var length = 0

  /// Appends the remaining fields of a line; false unless they all are bytes.
  mutating func append(fields scanner: inout LineScanner) -> Bool {
    while !scanner.isAtEnd {
      // 8,192 bytes hold every code that 16 bits can name.
      guard let byte = scanner.hexadecimal(), byte <= 0xff, length < 8_192 else { return false }
      for bit in 0..<8 where byte & 1 << bit != 0 { codes.insert(UInt16(length * 8 + bit)) }
      length += 1
    }
    return true
  }
}

/// The axes' values at the start, which evemu writes for people, as comments:
///
///     #   Event type 3 (EV_ABS)
///     #     Event code 24 (ABS_PRESSURE)
///     #       Value     17
///
/// They are the only note of the first state, so they are used where they are; a comment that looks
/// different is a comment.
struct AxisValueComments {
  private(set) var values: [UInt16: Int32] = [:]
  private var type: Int64?
  private var code: Int64?

  /// Reads the text of a comment, behind its '#'.
  mutating func read(_ scanner: inout LineScanner) {
    scanner.skipBlanks()
    if scanner.skip("Event type ") {
      type = scanner.decimal()
      code = nil
    } else if scanner.skip("Event code ") {
      code = scanner.decimal()
    } else if scanner.skip("Value "), type == Int64(EventType.absolute),
      let code = code.flatMap(UInt16.init(exactly:)),
      let value = scanner.decimal().flatMap(Int32.init(exactly:)), scanner.isAtEnd
    {
      values[code] = value
    }
  }
}

/// Makes a recording's times go forward.
///
/// Recordings were made on the realtime clock, which is set back now and then, and the stamps of two
/// events can be out of order by microseconds. A step back of up to a second is taken out, and
/// everything after it keeps its distance; a longer one means that the file is not one recording.
struct RecordedClock {
  private static let longestStepBack = Microseconds.seconds(1)
  private var last: Instant?
  private var correction = Microseconds.zero

  /// The event's time on a clock that never goes back; nil after too long a step back.
  mutating func instant(of time: Int64) -> Instant? {
    var instant = Instant(microseconds: time) + correction
    if let last, instant < last {
      let step = last - instant
      guard step <= Self.longestStepBack else { return nil }
      correction = correction + step
      instant = last
    }
    last = instant
    return instant
  }
}
