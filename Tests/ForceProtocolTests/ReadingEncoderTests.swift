import ForceCore
import ForceProtocol
import ForceTestSupport
import Testing

private let press = Reading(
  device: DeviceHandle(3), contact: 1, sequence: 17, time: Instant(microseconds: 123_456),
  raw: 1234, percent: 42.4567, grams: 163.5, unsmoothedPercent: 43, atMaximum: false,
  state: .touching, gramsSource: .nominal)

private func event(
  _ reading: Reading, device: String = "pad", dropped: UInt64 = 0, delimiter: Delimiter = .nul
) -> String {
  var buffer = ByteBuffer()
  ReadingEncoder.appendEvent(
    reading, device: QuotedText(device), dropped: dropped, delimiter: delimiter, to: &buffer)
  return buffer.text
}

@Suite struct ReadingEncoderTests {
  @Test func aReadingIsOneReplyOfTheStream() {
    let reading =
      "{\"device\":\"pad\",\"contact\":1,\"sequence\":17,\"time\":123456,\"raw\":1234,"
      + "\"percent\":42.46,\"grams\":163.5,\"grams_source\":\"nominal\","
      + "\"unsmoothed_percent\":43,\"at_maximum\":false,\"state\":\"touching\"}"
    #expect(
      event(press)
        == "{\"parameters\":{\"event\":\"reading\",\"reading\":\(reading)},\"continues\":true}\0")
    #expect(
      event(press, dropped: 5, delimiter: .newline)
        == "{\"parameters\":{\"event\":\"reading\",\"reading\":\(reading),\"dropped\":5},"
        + "\"continues\":true}\n")
  }

  @Test func theMessageReadsBackAsTheRecordOfTheReading() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let reading = Reading(
        device: DeviceHandle(0), contact: .random(in: .min ... .max, using: &random),
        sequence: .random(in: 0...UInt64(Int64.max), using: &random),
        time: Instant(microseconds: .random(in: .min ... .max, using: &random)),
        raw: .random(in: .min ... .max, using: &random),
        percent: .random(in: 0...100, using: &random),
        grams: .random(in: -5_000...5_000, using: &random),
        unsmoothedPercent: .random(in: 0...100, using: &random),
        atMaximum: .random(using: &random),
        state: ContactState.allCases.randomElement(using: &random) ?? .steady,
        gramsSource: GramsSource.allCases.randomElement(using: &random) ?? .nominal)
      let text = event(reading, device: "a \"pad\"\n\u{1}é", dropped: 2)
      let reply = try Array(text.utf8.dropLast()).withUnsafeBytes { try Reply.decode($0) }
      #expect(reply.continues)
      let decoded = try WatchEvent(parameters: try reply.result())
      #expect(
        decoded
          == WatchEvent(
            .reading(ReadingRecord(reading, device: "a \"pad\"\n\u{1}é")), dropped: 2))
      #expect(text.contains(decoded.parameters["reading"]?.description ?? "no reading"))
    }
  }

  @Test func numbersThatAreNoNumbersStillGiveJSON() throws {
    for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300, .leastNonzeroMagnitude, -0.001]
    {
      var odd = press
      odd.percent = value
      odd.grams = value
      odd.unsmoothedPercent = value
      let text = event(odd)
      #expect(throws: Never.self) { _ = try JSONValue.parse(String(text.dropLast())) }
    }
  }

  @Test func encodingAgainIntoAnEmptiedBufferDoesNotGrowIt() {
    var longest = press
    longest.contact = .min
    longest.sequence = .max
    longest.time = Instant(microseconds: .min)
    longest.raw = .min
    longest.percent = -1e300
    longest.grams = -1e300
    longest.unsmoothedPercent = -1e300
    longest.gramsSource = .calibrated
    let device = QuotedText("pad")
    var buffer = ByteBuffer(capacity: 16)
    ReadingEncoder.appendEvent(press, device: device, delimiter: .nul, to: &buffer)
    let capacity = buffer.capacity
    buffer.removeAll()
    ReadingEncoder.appendEvent(longest, device: device, dropped: .max, delimiter: .nul, to: &buffer)
    #expect(buffer.capacity == capacity)
  }

  @Test func hapticCommandsOfADumpSayWhatIsPlayedAndStopped() {
    var command = HapticCommand(
      device: DeviceHandle(0), contact: 2, time: Instant(microseconds: 99),
      action: .play(HapticPattern(strength: 0.75, length: .milliseconds(60))))
    var buffer = ByteBuffer()
    ReadingEncoder.appendHaptic(command, device: QuotedText("pad"), to: &buffer)
    #expect(
      buffer.text
        == "{\"haptic\":\"play\",\"device\":\"pad\",\"contact\":2,\"time\":99,\"strength\":75,"
        + "\"length_ms\":60}")
    command.action = .stop
    buffer.removeAll()
    ReadingEncoder.appendHaptic(command, device: QuotedText("pad"), to: &buffer)
    #expect(buffer.text == "{\"haptic\":\"stop\",\"device\":\"pad\",\"contact\":2,\"time\":99}")
  }
}
