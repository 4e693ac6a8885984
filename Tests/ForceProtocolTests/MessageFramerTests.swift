import ForceProtocol
import ForceTestSupport
import Testing

/// Takes every message that is there, as text.
private func takeAll(_ framer: inout MessageFramer) throws(MessageTooLarge) -> [String] {
  var messages: [String] = []
  while let message = try framer.next({ String(decoding: $0, as: UTF8.self) }) {
    messages.append(message)
  }
  return messages
}

private func messages(in bytes: [UInt8], limit: Int = 100) throws -> [String] {
  var framer = MessageFramer(limit: limit)
  framer.append(bytes)
  return try takeAll(&framer)
}

@Suite struct MessageFramerTests {
  @Test func theFirstDelimiterDecides() throws {
    #expect(try messages(in: Array("a\0b\nc\0".utf8)) == ["a", "b\nc"])
    #expect(try messages(in: Array("a\nb\0c\n".utf8)) == ["a", "b\0c"])
  }

  @Test func aKnownDelimiterIsNotGuessed() throws {
    var framer = MessageFramer(limit: 100, delimiter: .nul)
    framer.append(Array("{\n}\0".utf8))
    #expect(try takeAll(&framer) == ["{\n}"])
  }

  @Test(arguments: Delimiter.allCases)
  func messagesAreTheSameHoweverTheBytesAreSplit(_ delimiter: Delimiter) throws {
    let parts = ["{\"method\":\"a\"}", "x", String(repeating: "y", count: 100), "z"]
    let stream = parts.flatMap { Array($0.utf8) + [delimiter.rawValue] }
    for first in 0...stream.count {
      for second in stride(from: first, through: stream.count, by: 7) {
        var framer = MessageFramer(limit: 100)
        var taken: [String] = []
        for piece in [stream[..<first], stream[first..<second], stream[second...]] {
          framer.append(Array(piece))
          taken += try takeAll(&framer)
        }
        #expect(taken == parts)
        #expect(framer.delimiter == delimiter)
        #expect(framer.pendingBytes == 0)
      }
    }
  }

  @Test func aMessageComesOutByteByByte() throws {
    var framer = MessageFramer(limit: 10)
    for byte in Array("hello".utf8) {
      framer.append([byte])
      #expect(try takeAll(&framer) == [])
    }
    framer.append([0])
    #expect(try takeAll(&framer) == ["hello"])
  }

  @Test func blankLinesAreSkippedAndEmptyNulMessagesAreNot() throws {
    #expect(try messages(in: Array("\n \r\n\ta\n\n".utf8)) == ["\ta"])
    #expect(try messages(in: Array("\0a\0\0".utf8)) == ["", "a", ""])
  }

  @Test func aMessageOfExactlyTheLimitFits() throws {
    let longest = String(repeating: "a", count: 20)
    #expect(try messages(in: Array(longest.utf8) + [0], limit: 20) == [longest])
    #expect(throws: MessageTooLarge(limit: 20)) {
      _ = try messages(in: Array(longest.utf8) + [97, 0], limit: 20)
    }
  }

  @Test func aMessageWithoutEndIsRefusedOnceItIsTooLongAndStaysRefused() throws {
    var framer = MessageFramer(limit: 20)
    framer.append(Array(repeating: 97, count: 20))
    #expect(try takeAll(&framer) == [])
    framer.append([97])
    for _ in 0..<3 {
      var refused = false
      do throws(MessageTooLarge) { _ = try takeAll(&framer) } catch { refused = true }
      #expect(refused)
      framer.append([0])
    }
  }

  @Test func messagesBeforeTheOversizedOneStillComeOut() throws {
    var framer = MessageFramer(limit: 4)
    framer.append(Array("one\0two\0toolong\0".utf8))
    #expect(try framer.next { $0.count } == 3)
    #expect(try framer.next { $0.count } == 3)
    var refused = false
    do throws(MessageTooLarge) { _ = try framer.next { $0.count } } catch { refused = true }
    #expect(refused)
  }

  @Test func memoryIsBoundedAndGivenBackAfterALongMessage() throws {
    var framer = MessageFramer(limit: 65_536)
    for _ in 0..<1_000 { framer.append(Array(repeating: 97, count: 64)) }
    framer.append([0])
    #expect(try takeAll(&framer).map(\.utf8.count) == [64_000])
    #expect(framer.capacity >= 64_000 && framer.capacity <= 2 * 65_536 + 64)
    for _ in 0..<100 {
      framer.append(Array("short\0".utf8))
      #expect(try takeAll(&framer) == ["short"])
    }
    #expect(framer.capacity <= 4_096)
  }

  @Test func randomSplitsOfRandomMessagesLoseNothing() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let sent = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        String(repeating: "m", count: Int.random(in: 1...300, using: &random))
      }
      var stream: ArraySlice<UInt8> = []
      for message in sent { stream += Array(message.utf8) + [0] }
      var framer = MessageFramer(limit: 300)
      var taken: [String] = []
      while !stream.isEmpty {
        let piece = stream.prefix(Int.random(in: 1...500, using: &random))
        stream = stream.dropFirst(piece.count)
        framer.append(Array(piece))
        if Bool.random(using: &random) { taken += try takeAll(&framer) }
      }
      taken += try takeAll(&framer)
      #expect(taken == sent)
    }
  }
}
