import ForceProtocol
import ForceTestSupport
import Testing

private func text(_ fill: (inout ByteBuffer) -> Void) -> String {
  var buffer = ByteBuffer(capacity: 0)
  fill(&buffer)
  return buffer.text
}

@Suite struct ByteBufferTests {
  @Test(arguments: [0, 1, -1, 9, 10, 99, 100, .max, .min, 1_000_000_000_000_000_000] as [Int64])
  func wholeNumbersAreWrittenInDecimal(_ value: Int64) {
    #expect(text { $0.append(value) } == String(value))
    #expect(text { $0.append(value.magnitude) } == String(value.magnitude))
  }

  @Test func everyNumberOfDigitsIsWritten() {
    var value: UInt64 = 1
    for _ in 0..<20 {
      for near in [value &- 1, value, value &+ 1, .max - value] {
        #expect(text { $0.append(near) } == String(near))
      }
      value &*= 10
    }
  }

  @Test(arguments: [
    (0, "0"), (-0.0, "0"), (42, "42"), (42.5, "42.5"), (42.25, "42.25"), (0.01, "0.01"),
    (0.005, "0.01"), (0.004999, "0"), (-0.005, "-0.01"), (-0.004, "0"), (99.995, "100"),
    (99.994, "99.99"), (100, "100"), (-12.3, "-12.3"), (1.1, "1.1"), (385, "385"), (0.07, "0.07"),
    (.nan, "0"), (.infinity, "0"), (-.infinity, "0"), (1e300, "9000000000000000"),
    (-1e300, "-9000000000000000"), (.leastNonzeroMagnitude, "0"),
  ])
  func hundredthsAreRoundedAndTrimmed(_ value: Double, _ expected: String) {
    #expect(text { $0.append(hundredthsOf: value) } == expected)
  }

  @Test func hundredthsReadBackAsTheNearestHundredth() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let value = Double.random(in: -1_000...1_000, using: &random)
      let written = text { $0.append(hundredthsOf: value) }
      let read = Double(written) ?? .nan
      #expect(abs(read - value) <= 0.005_000_001, "\(value) became \(written)")
      #expect(!written.hasSuffix(".0") && !(written.contains(".") && written.hasSuffix("0")))
    }
  }

  @Test func stringsAreEscapedAsJSONAsksAndNoFurther() {
    #expect(
      text { $0.append(quoting: "a\"b\\c/\u{0}\u{1f}\n\r\t\u{8}\u{c}é😀\u{7f}\u{2028}") }
        == "\"a\\\"b\\\\c/\\u0000\\u001f\\n\\r\\t\\b\\fé😀\u{7f}\u{2028}\"")
    #expect(text { $0.append(quoting: "") } == "\"\"")
  }

  @Test func numbersThatJSONCannotSayBecomeNull() {
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(JSONValue.number(value).description == "null")
    }
  }

  @Test func wholeNumbersHaveNoFraction() {
    #expect(JSONValue.number(2).description == "2")
    #expect(JSONValue.number(-0.0).description == "0")
    #expect(JSONValue.number(9_007_199_254_740_992).description == "9007199254740992.0")
    #expect(JSONValue.number(1e300).description == "1e+300")
  }

  @Test func emptyingKeepsTheMemoryAndFillingAgainDoesNotGrowIt() {
    var buffer = ByteBuffer(capacity: 0)
    for _ in 0..<1_000 { buffer.append("0123456789") }
    #expect(buffer.count == 10_000)
    let capacity = buffer.capacity
    for _ in 0..<3 {
      buffer.removeAll()
      #expect(buffer.count == 0)
      for _ in 0..<1_000 { buffer.append("0123456789") }
    }
    #expect(buffer.capacity == capacity)
    #expect(buffer.bytes == Array(String(repeating: "0123456789", count: 1_000).utf8))
  }

  @Test func bytesCanBeDroppedAtEitherEnd() {
    var buffer = ByteBuffer()
    buffer.append(Array("abcdef".utf8))
    buffer.removeFirst(2)
    #expect(buffer.text == "cdef")
    buffer.truncate(to: 3)
    #expect(buffer.text == "cde")
    buffer.truncate(to: 9)
    buffer.removeFirst(0)
    buffer[0] = UInt8(ascii: "C")
    #expect(buffer.text == "Cde")
    buffer.removeFirst(9)
    #expect(buffer.count == 0)
    buffer.append([])
    #expect(buffer.count == 0)
  }
}
