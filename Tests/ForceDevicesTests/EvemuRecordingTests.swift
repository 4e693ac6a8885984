import ForceCore
import ForceTestSupport
import Glibc
import LinuxSystem
import Testing

@testable import ForceDevices

/// A pad with pressure and rumble, and one press of two frames.
private let press = """
  # EVEMU 1.3
  N: Test pad #1
  I: 0003 1234 5678 0111
  P: 04 00 00 00 00 00 00 00
  B: 00 0b 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 04 00 00 00 00 00 00
  B: 03 00 00 00 01 00 00 00 00
  B: 15 00 00 00 00 00 00 00 00
  B: 15 00 00 01 00 00 00 00 00
  A: 18 0 255 0 0 12
  L: 00 1
  S: 00 1
  E: 10.000000 0001 014a 0001 # BTN_TOUCH
  E: 10.000000 0003 0018 0100
  E: 10.000000 0000 0000 0000 # ---------- SYN_REPORT (0) ----------
  E: 10.012500 0003 0018 0000
  E: 10.012500 0001 014a 0000
  E: 10.012500 0000 0000 0000

  """

private func parse(_ text: String) throws(RecordingError) -> EvemuRecording {
  try EvemuRecording.parse(Array(text.utf8), path: "pad.evemu")
}

private func failure(of text: String) -> RecordingError? {
  do throws(RecordingError) {
    _ = try parse(text)
    return nil
  } catch { return error }
}

@Suite("evemu recordings")
struct EvemuRecordingTests {
  @Test("A recording describes its device")
  func describesDevice() throws {
    let device = try parse(press).description
    #expect(device.identity.name == "Test pad #1")
    #expect(device.identity.bus == 3)
    #expect(device.identity.vendor == 0x1234)
    #expect(device.identity.product == 0x5678)
    #expect(device.identity.version == 0x111)
    #expect(device.properties == [InputProperty.buttonPad])
    #expect(device.keys == [KeyCode.touch])
    #expect(
      device.axes == [
        AbsoluteCode.pressure: AbsoluteAxis(minimum: 0, maximum: 255, resolution: 12)
      ])
    #expect(device.forceFeedback == [ForceFeedbackCode.rumble])
    #expect(device.effectSlots == 16)
    #expect(device.slots.isEmpty)
    #expect(device.node == "pad.evemu")
  }

  @Test("Its events come in frames, with microseconds")
  func readsEvents() throws {
    let recording = try parse(press)
    #expect(recording.frameEnds == [3, 6])
    #expect(recording.firstTime == Instant(microseconds: 10_000_000))
    #expect(recording.lastTime == Instant(microseconds: 10_012_500))
    #expect(
      recording.events[1]
        == InputEvent(
          time: Instant(microseconds: 10_000_000), type: EventType.absolute,
          code: AbsoluteCode.pressure, value: 100))
    #expect(recording.incompleteEvents == 0)
  }

  @Test("Windows line endings, blank lines and a missing last newline change nothing")
  func lineEndings() throws {
    let recording = try parse(press)
    let windows = press.split(separator: "\n").joined(separator: "\r\n\r\n")
    #expect(try parse(windows) == recording)
  }

  @Test("Version 1.0 without header and without resolution is read")
  func oldVersion() throws {
    let old = press.replacing(line: "# EVEMU 1.3", with: "").replacing(
      line: "A: 18 0 255 0 0 12", with: "A: 18 -127 127 4 2")
    #expect(
      try parse(old).description.axes[AbsoluteCode.pressure]
        == AbsoluteAxis(minimum: -127, maximum: 127, fuzz: 4, flat: 2))
  }

  @Test("The values that evemu notes in comments are the axes' first values")
  func notedValues() throws {
    let noted = press.replacing(
      line: "# EVEMU 1.3",
      with: "#   Event type 3 (EV_ABS)\n#     Event code 24 (ABS_PRESSURE)\n#       Value     17")
    #expect(try parse(noted).description.axes[AbsoluteCode.pressure]?.value == 17)
  }

  @Test("A device with slots starts with all of them empty, fake multitouch has none")
  func slots() throws {
    let slots = press.replacing(line: "L: 00 1", with: "A: 2f 0 4 0 0 0")
    #expect(try parse(slots).description.slots == Array(repeating: SlotState(), count: 5))
    let fake = slots.replacing(line: "S: 00 1", with: "A: 2e 0 1 0 0 0")
    #expect(try parse(fake).description.slots.isEmpty)
    let huge = press.replacing(line: "L: 00 1", with: "A: 2f 0 2147483647 0 0 0")
    #expect(try parse(huge).description.slots.count == 1_024)
  }

  @Test("An announced axis without a range is an axis of zero width")
  func axisWithoutRange() throws {
    let device = try parse(press.replacing(line: "A: 18 0 255 0 0 12", with: "")).description
    #expect(device.axes[AbsoluteCode.pressure] == AbsoluteAxis(minimum: 0, maximum: 0))
  }

  @Test("A description alone has no events")
  func descriptionOnly() throws {
    let text = press.split(separator: "\n").filter { !$0.hasPrefix("E:") }.joined(separator: "\n")
    let recording = try parse(text)
    #expect(recording.events.isEmpty)
    #expect(recording.firstTime == nil)
  }

  @Test("Events behind the last SYN_REPORT are left out, as the kernel would hold them back")
  func incompleteFrame() throws {
    let recording = try parse(press + "E: 10.020000 0001 014a 0001\n")
    #expect(recording.events.count == 6)
    #expect(recording.incompleteEvents == 1)
  }

  @Test("A small step back of the clock is taken out and later distances stay")
  func stepBack() throws {
    let recording = try parse(
      press + "E: 9.900000 0003 0018 5\nE: 9.900000 0000 0000 0\n"
        + "E: 9.910000 0003 0018 6\nE: 9.910000 0000 0000 0\n")
    let times = recording.frameEnds.map { recording.events[$0 - 1].time.microseconds }
    #expect(times == [10_000_000, 10_012_500, 10_012_500, 10_022_500])
  }

  @Test("A dropped event queue stays in the recording")
  func synDropped() throws {
    let recording = try parse(press + "E: 10.500000 0000 0003 0\nE: 10.500000 0000 0000 0\n")
    #expect(recording.events[6].code == SynchronizationCode.dropped)
    #expect(recording.frameEnds == [3, 6, 8])
  }
}

@Suite("Broken recordings")
struct BrokenRecordingTests {
  @Test(
    "A broken line is named with its place and what was expected",
    arguments: [
      ("E: 10.000000 0003 0018", "E: time type code value"),
      ("E: 10.5 0003 0018 1", "six decimals"),
      ("E: 99999999999999999999.000000 0003 0018 1", "six decimals"),
      ("E: 9223372036854775807.000000 0003 0018 1", "six decimals"),
      ("E: 10.000000 0003 0018 2147483648", "between -2147483648 and 2147483647"),
      ("E: 10.000000 10003 0018 1", "type and code hexadecimal"),
      ("E: 10.000000 0003 0018 1 2", "E: time type code value"),
      ("E: -1.000000 0003 0018 1", "six decimals"),
      ("E: 3.000000 0003 0018 1", "go forward"),
      ("N: another", "only E: lines"),
    ])
  func brokenEvent(line: String, expected: String) throws {
    let error = try #require(failure(of: press + line + "\n"))
    #expect(error.line == 24)
    #expect(error.expected.contains(expected))
    #expect(error.description.hasPrefix("pad.evemu:24: found '"))
  }

  @Test(
    "A broken line of the description is named too",
    arguments: [
      ("N: second", "one N: line"),
      ("I: 0003 1234 5678", "four hexadecimal numbers"),
      ("I: 0003 1234 5678 11111", "four hexadecimal numbers"),
      ("P: 0x1", "bytes in hexadecimal"),
      ("B: 20 00", "event type"),
      ("B: 01 100", "event type"),
      ("A: 19 0 255 0", "A: axis minimum maximum"),
      ("A: 19 0 4294967295 0 0", "between"),
      ("A: 19 0 1 2 3 4 5", "A: axis minimum maximum"),
      ("A: 18 0 255 0 0", "one A: line"),
      ("X: 1", "lines that start with"),
      ("E", "lines that start with"),
    ])
  func brokenDescription(line: String, expected: String) throws {
    let error = try #require(failure(of: press.replacing(line: "L: 00 1", with: line)))
    #expect(error.line == 16)
    #expect(error.expected.contains(expected))
  }

  @Test("Events without a description, an empty file and a missing identity are refused")
  func incomplete() throws {
    #expect(
      failure(of: "E: 0.000000 0 0 0\n")?.found == "events without a device description")
    #expect(failure(of: "")?.found == "nothing is recorded here")
    #expect(failure(of: "# EVEMU 1.2\n")?.line == nil)
    #expect(failure(of: "N: pad\n")?.found == "no I: line")
  }

  @Test("A file that cannot be read is named with the reason")
  func unreadable() {
    #expect(
      throws: RecordingError(
        path: "/nonexistent/pad.evemu", found: "No such file or directory",
        expected: "a file that can be read")
    ) { try EvemuRecording.load("/nonexistent/pad.evemu") }
  }

  @Test(
    "What is no recording by its kind or its length is refused before it is read, with the limit")
  func unsuitable() throws {
    let folder = try TemporaryFolder()
    let long = "\(folder.path)/long"
    try folder.write("long", "")
    // All of it a hole: nothing is written.
    #expect(truncate(long, off_t(EvemuRecording.longestFile) + 1) == 0)
    for (path, found) in [
      ("/dev/urandom", "a device"), (folder.path, "a directory"), (long, "more than 1 GiB"),
    ] {
      do throws(RecordingError) {
        _ = try EvemuRecording.load(path)
        Issue.record("accepted: \(path)")
      } catch {
        #expect(error.found == found)
        #expect(error.expected.contains("at most 1 GiB"))
      }
    }
  }

  @Test("Other kinds of file are recognised")
  func otherFiles() throws {
    #expect(failure(of: "# x\n05 0d 09 02 a1\n")?.found.contains("HID report descriptor") == true)
    #expect(failure(of: "version: 1\nndevices: 1\n")?.found.contains("libinput") == true)
    #expect(failure(of: "\u{7f}ELF\u{0}\u{1}")?.found == "this is not a text file")
  }

  @Test("Random bytes give an error and never a crash")
  func randomBytes() {
    var state: UInt64 = 7
    for _ in 0..<300 {
      var bytes = Array(press.utf8)
      for _ in 0..<4 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
      }
      _ = try? EvemuRecording.parse(bytes, path: "random")
    }
  }
}

@Suite("The collected recordings")
struct CollectedRecordingTests {
  @Test("Every evemu recording is read whole", arguments: RecordingFiles.paths(endingIn: ".evemu"))
  func readsAll(path: String) throws {
    let bytes = RecordingFiles.bytes(of: path)
    let recording = try EvemuRecording.parse(bytes, path: path)
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let events = lines.count { $0.starts(with: "E:".utf8) }
    #expect(recording.events.count + recording.incompleteEvents == events)
    #expect(recording.incompleteEvents == 0)
    let times = recording.events.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test(
    "HID report descriptors are called what they are",
    arguments: RecordingFiles.paths(endingIn: ".txt"))
  func refusesDescriptors(path: String) {
    #expect(throws: RecordingError.self) {
      do throws(RecordingError) {
        _ = try EvemuRecording.parse(RecordingFiles.bytes(of: path), path: path)
      } catch {
        #expect(error.found.contains("HID report descriptor"))
        throw error
      }
    }
  }

  @Test("Blanks around a name belong to it")
  func blanksInName() throws {
    guard let recording = try RecordingFiles.recording("litest-waltop-tablet.evemu") else { return }
    #expect(recording.description.identity.name == "         WALTOP     Batteryless Tablet ")
  }
}

extension String {
  fileprivate func replacing(line: String, with other: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0 == line ? Substring(other) : $0 }.joined(separator: "\n")
  }
}
