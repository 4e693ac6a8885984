import ForceProtocol
import ForceTestSupport
import Testing

private func error(in bytes: [UInt8]) -> JSONError? {
  do throws(JSONError) {
    _ = try JSONValue.parse(bytes)
    return nil
  } catch {
    return error
  }
}

private func error(in text: String) -> JSONError? { error(in: Array(text.utf8)) }

@Suite struct JSONParserTests {
  @Test func everyKindOfValueIsRead() throws {
    let text = """
       { "null" : null , "yes":true,"no":false, "int":-12, "real":1.5e1, "text":"a\\n",
      \t"list":[1,[],{}] }\r\n
      """
    #expect(
      try JSONValue.parse(text)
        == [
          "null": .null, "yes": true, "no": false, "int": -12, "real": 15.0, "text": "a\n",
          "list": [1, [], [:]],
        ])
  }

  @Test func membersKeepTheirOrderAndComparingIgnoresIt() throws {
    let value = try JSONValue.parse("{\"b\":1,\"a\":2,\"c\":3}")
    #expect(value.objectValue?.members.map(\.key) == ["b", "a", "c"])
    #expect(value == ["a": 2, "b": 1, "c": 3])
    #expect(value != ["a": 2, "b": 1, "c": 4])
    #expect(value != ["a": 2, "b": 1])
  }

  @Test(arguments: [
    ("0", JSONValue.integer(0)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
    ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .number(9.223372036854775808e18)),
    ("1.0", .integer(1)), ("1e2", .integer(100)), ("-1.5E-1", .number(-0.15)),
    ("1e-400", .number(0)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
    ("123456789012345678901234567890", .number(1.2345678901234568e29)),
  ])
  func numbersAreReadAtTheirFullRange(_ text: String, _ expected: JSONValue) throws {
    #expect(try JSONValue.parse(text) == expected)
  }

  @Test(arguments: [
    "1e309", "-1e999999999", "01", "-01", "+1", ".5", "5.", "1.e1", "1e", "1e+", "-", "0x10",
    "1_000", "Infinity", "-Infinity", "NaN", "1 2", "--1", "1.2.3", "00",
    String(repeating: "1", count: 513),
  ])
  func whatIsNoNumberOrTooLargeIsRefused(_ text: String) {
    #expect(error(in: text) != nil)
  }

  @Test(arguments: [
    ("\"\"", ""), ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{c}\n\r\t"),
    ("\"\\u00e9\\u20AC\"", "é€"), ("\"\\ud83d\\ude00\"", "😀"), ("\"\\u0000\"", "\0"),
    ("\"\\uFFFF\\udbff\\udfff\"", "\u{ffff}\u{10ffff}"), ("\"plain é😀\u{7f}\"", "plain é😀\u{7f}"),
    ("\"ab\\u0063d\"", "abcd"),
  ])
  func stringsAreUnescaped(_ text: String, _ expected: String) throws {
    #expect(try JSONValue.parse(text) == .string(expected))
  }

  @Test(arguments: [
    "\"", "\"abc", "\"\\\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"",
    "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\ud800\"", "\"\\udc00\"", "\"\\udc00\\ud800\"",
    "\"\\ud800\\u0041\"", "\"a\nb\"", "\"a\0b\"", "\"\u{1f}\"", "'a'",
  ])
  func brokenStringsAreRefused(_ text: String) {
    #expect(error(in: text) != nil)
  }

  @Test(
    arguments: [
      [0xff], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0x80],
      [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x98],
    ] as [[UInt8]])
  func invalidUTF8IsRefusedWhereverItStands(_ bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    #expect(error(in: [quote] + bytes + [quote])?.reason == "the string is not valid UTF-8")
    #expect(error(in: [quote] + Array("\\n".utf8) + bytes + [quote]) != nil)
    #expect(error(in: Array("{\"".utf8) + bytes + Array("\":1}".utf8)) != nil)
    #expect(error(in: bytes) != nil)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}",
    "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{1:2}", "{\"a\" 1}", "nul", "nulll",
    "True", "t", "[1]]", "{}{}", "1,", "// a\n1", "\u{feff}1", "\u{a0}1", "{\"a\":1 \"b\":2}", "\0",
  ])
  func brokenStructureIsRefused(_ text: String) {
    #expect(error(in: text) != nil)
  }

  @Test func anErrorSaysWhereAndWhat() {
    #expect(
      error(in: "{\"a\": x}") == JSONError(offset: 6, reason: "expected a value, found \"x\""))
    #expect(
      error(in: "[1\u{1}")
        == JSONError(offset: 2, reason: "expected \",\" or \"]\", found the byte 0x01"))
    #expect(
      error(in: "[1") == JSONError(offset: 2, reason: "expected \",\" or \"]\", found the end"))
    #expect(
      error(in: "{} {}")
        == JSONError(offset: 3, reason: "unexpected \"{\" after the end of the value"))
  }

  @Test func nestingIsBoundedInArraysAndObjectsAlike() {
    func arrays(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    func objects(_ depth: Int) -> String {
      String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    let limit = JSONParser.depthLimit
    #expect(error(in: arrays(limit)) == nil)
    #expect(error(in: objects(limit)) == nil)
    #expect(error(in: arrays(limit + 1))?.reason == "nested deeper than 64 levels")
    #expect(error(in: objects(limit + 1))?.reason == "nested deeper than 64 levels")
    #expect(error(in: String(repeating: "[", count: 65_536)) != nil)
    #expect(error(in: String(repeating: "{\"a\":", count: 13_000)) != nil)
    #expect(error(in: "[" + String(repeating: "[],", count: 20_000) + "1]") == nil)
  }

  @Test func aKeyThatIsThereTwiceIsRefusedInSmallAndLargeObjects() {
    #expect(
      error(in: "{\"a\":1,\"b\":2,\"a\":3}")
        == JSONError(offset: 13, reason: "the key \"a\" is there twice"))
    #expect(error(in: "{\"a\":1,\"\\u0061\":3}") != nil)
    for repeated in [0, 7, 15, 16, 17, 9_999] {
      let members = (0..<10_000).map { "\"k\($0)\":0" } + ["\"k\(repeated)\":0"]
      #expect(error(in: "{" + members.joined(separator: ",") + "}") != nil)
    }
    let unique = (0..<10_000).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(error(in: "{\(unique)}") == nil)
  }

  @Test func everyPrefixOfAMessageIsRefused() throws {
    let text =
      "{\"method\":\"a.b\",\"parameters\":{\"x\":[1,-2.5e3,\"\\u00e9é\"],\"y\":null},\"more\":true}"
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count { #expect(error(in: Array(bytes[..<count])) != nil) }
    #expect(error(in: bytes) == nil)
  }

  @Test func whatIsWrittenIsReadBackTheSame() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      let value = randomValue(depth: 4, &random)
      let text = value.description
      #expect(try JSONValue.parse(text) == value)
      #expect(!text.utf8.contains { $0 == 0 || $0 == 0x0a })
    }
  }

  @Test func damagedMessagesGiveAnErrorOrAValueAndNothingElse() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<5_000 {
      var bytes = Array(randomValue(depth: 3, &random).description.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.insert(.random(in: .min ... .max, using: &random), at: index)
        case 1 where index < bytes.count: bytes.remove(at: index)
        default:
          if index < bytes.count { bytes[index] = .random(in: .min ... .max, using: &random) }
        }
      }
      if let error = error(in: bytes) {
        #expect((0...bytes.count).contains(error.offset) && !error.reason.isEmpty)
      }
    }
  }

  private func randomValue(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth == 0 ? 6 : 8), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .integer(.random(in: .min ... .max, using: &random))
    case 3: return .number(.random(in: -1e6...1e6, using: &random))
    case 4:
      let number = Double(bitPattern: random.next())
      return .number(number.isFinite ? number : 0)
    case 5: return .string(randomText(&random))
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          randomValue(depth: depth - 1, &random)
        })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        object[randomText(&random)] = randomValue(depth: depth - 1, &random)
      }
      return .object(object)
    }
  }

  private func randomText(_ random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      let top: UInt32 = Bool.random(using: &random) ? 0x7f : 0x10ffff
      if let scalar = UnicodeScalar(UInt32.random(in: 0...top, using: &random)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
