import ForceConfig
import ForceCore
import ForceDevices
import ForceProtocol
import Testing

@testable import ForceDaemon

/// A pad with positions, and a press of raw 100, of 255.
private let press = """
  N: Test pad
  I: 0003 1234 5678 0111
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00
  B: 01 00 04 00 00 00 00 00 00
  B: 03 03 00 00 01 00 00 00 00
  A: 00 0 1000 0 0 12
  A: 01 0 600 0 0 12
  A: 18 0 255 0 0 12
  E: 10.000000 0003 0000 0987
  E: 10.000000 0003 0001 0543
  E: 10.000000 0001 014a 0001
  E: 10.000000 0003 0018 0100
  E: 10.000000 0000 0000 0000

  """

@Suite("forced --dump")
struct DumpTests {
  /// The first reading.
  private func first(
    _ profiles: [DeviceProfile] = [], publishesPositions: Bool = false
  ) throws -> ReadingRecord {
    var text: [UInt8] = []
    let dump = Dump(
      settings: EngineSettings(), profiles: profiles, publishesPositions: publishesPositions)
    dump.run([try EvemuRecording.parse(Array(press.utf8), path: "pad.evemu")]) {
      text += Array($0)
      return true
    }
    let line = try #require(text.split(separator: 10).first)
    return try ReadingRecord(try #require(try JSONValue.parse(Array(line)).objectValue))
  }

  @Test("A device's profile holds as in the daemon")
  func profiles() throws {
    let profile = try DeviceProfile.parse(
      ConfigurationFile(
        path: "devices.d/pad.conf", text: "[Match]\nName=Test*\n[Scale]\nMaximum=200\n"))
    let other = try DeviceProfile.parse(
      ConfigurationFile(
        path: "devices.d/other.conf", text: "[Match]\nName=Other\n[Scale]\nMaximum=120\n"))
    #expect(abs(try first([other]).unsmoothedPercent - 39.2) < 0.1)
    #expect(try first([other, profile]).unsmoothedPercent == 50)
  }

  @Test("Positions are in it where the configuration publishes them, and nowhere else")
  func positions() throws {
    #expect(try first().position == nil)
    #expect(try first(publishesPositions: true).position == Position(x: 987, y: 543))
  }
}
