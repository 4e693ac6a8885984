import ForceCore
import Testing

@testable import ForceDaemon

/// A filter that can be asked within an expectation.
private final class Filter {
  private var filter = RepeatFilter()
  var deadline: Instant? { filter.deadline }

  func admit(_ text: String, _ priority: Int, _ device: String?, at now: Instant) -> Bool {
    filter.admit(text, priority, device, at: now)
  }

  func take(
    at now: Instant
  ) -> [(text: String, priority: Int, device: String?, count: UInt64)] { filter.take(at: now) }
}

@Suite struct RepeatFilterTests {
  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test func aMessageThatComesAgainIsCountedAndToldOnceAMinute() {
    let filter = Filter()
    #expect(filter.admit("no rumble", 4, "pad", at: at(0)))
    #expect(filter.deadline == nil)
    for second in 1...9 { #expect(!filter.admit("no rumble", 4, "pad", at: at(Int64(second)))) }
    #expect(filter.deadline == at(60))
    #expect(filter.take(at: at(59)).isEmpty)
    let told = filter.take(at: at(60))
    #expect(told.map(\.count) == [9] && told[0].text == "no rumble" && told[0].device == "pad")
    #expect(filter.take(at: at(61)).isEmpty)
    #expect(filter.deadline == nil)
  }

  @Test func anotherTextOrPriorityIsAnotherMessage() {
    let filter = Filter()
    #expect(filter.admit("a", 4, nil, at: at(0)))
    #expect(filter.admit("b", 4, nil, at: at(0)))
    #expect(filter.admit("a", 3, nil, at: at(0)))
  }

  @Test func afterAQuietMinuteAMessageIsNewsAgain() {
    let filter = Filter()
    #expect(filter.admit("a", 4, nil, at: at(0)))
    #expect(filter.admit("a", 4, nil, at: at(60)))
  }

  @Test func manyDifferentMessagesTakeNoMoreRoomThanAFew() {
    let filter = Filter()
    for number in 0..<10_000 { #expect(filter.admit("\(number)", 6, nil, at: at(0))) }
    #expect(!filter.admit("9999", 6, nil, at: at(0)))
    #expect(filter.admit("0", 6, nil, at: at(0)))
  }

  @Test func aNameCannotSteerTheTerminal() {
    let notes = Notes()
    let log = Log(write: { notes.add($0) })
    log.notice("\u{1b}[31mpad\n\u{9b}2J: é")
    #expect(notes.lines == ["forced: ?[31mpad??2J: é\n"])
  }

  @Test func theLogSaysAMessageOnceWithItsFields() {
    let notes = Notes()
    let log = Log { priority, text, fields in
      notes.add("\(priority) \(text) \(fields.device ?? "") \(fields.counter?.value ?? 0)")
    }
    for _ in 0..<5 { log.warning("no rumble", .about("pad", counter: ("uploads_full", 3))) }
    log.tellRepeats(at: Instant(microseconds: .max / 2))
    #expect(
      notes.lines == ["warning no rumble pad 3", "warning 4 times more in 60 s: no rumble pad 4"])
  }
}
