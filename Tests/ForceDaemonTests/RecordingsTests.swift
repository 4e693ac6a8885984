import ForceCore
import ForceDevices
import ForceProtocol
import LinuxSystem
import Testing

@testable import ForceDaemon

/// What a recording of a real device must lead to, worked out by hand from its text: raw values and
/// ranges are the recording's own, per cent is (raw − minimum) / (maximum − minimum).
struct Golden: CustomTestStringConvertible, Sendable {
  let file: String
  let why: String
  /// Contacts that begin, and so contacts that are released.
  var contacts: Int
  /// Different contact numbers among them.
  var numbers: Set<Int32> = [0]
  var highestRaw: Int32?
  /// Highest `unsmoothed_percent`, rounded to 0.01.
  var highestPercent: Double?
  var reachesMaximum = false
  var source = GramsSource.nominal
  var testDescription: String { "\(file): \(why)" }
}

@Suite(.enabled(if: Recordings.folder != nil, "there is no folder of recordings here"))
struct RecordingsTests {
  static let goldens = [
    Golden(
      file: "AD7879-Touchscreen", why: "pressure comes before BTN_TOUCH in the frame of release",
      contacts: 1, highestRaw: 644, highestPercent: 6.44),
    Golden(
      file: "ADS7846-Touchscreen", why: "pressure without BTN_TOUCH is no contact", contacts: 0,
      numbers: []),
    Golden(
      file: "GXTP7380-27C6-0113-Stylus", why: "139 while hovering does not count, 289 does",
      contacts: 1, highestRaw: 289, highestPercent: 28.25),
    Golden(
      file: "Wacom-Intuos4-6x9.stylus-tap", why: "a pen that reaches its maximum of 2047",
      contacts: 1, highestRaw: 2_047, highestPercent: 100, reachesMaximum: true),
    Golden(
      file: "bcm5974.three-finger-click", why: "protocol A without pressure, maximum 256",
      contacts: 5, highestRaw: 255, highestPercent: 99.61, reachesMaximum: true),
    Golden(
      file: "ETPS2-Elantech-Touchpad.Samsung-700Z3A", why: "a finger uses 6 % of the range",
      contacts: 2, highestRaw: 16, highestPercent: 6.27),
    Golden(
      file: "hiddev-asus-computers_0486_0185_0",
      why: "zero in the middle of a contact; two contacts are down at the end", contacts: 3,
      numbers: [0, 1], highestRaw: 203, highestPercent: 79.61),
    Golden(
      file: "SynPS2-TouchPad.tap-and-move", why: "pressure 1 stays behind after the lift",
      contacts: 2, highestRaw: 78, highestPercent: 30.59),
    Golden(
      file: "Elan-Touchscreen-with-emulation", why: "one contact reported on two axes", contacts: 1,
      highestRaw: 39, highestPercent: 15.29),
    Golden(
      file: "hiddev-flatfrog_25b5_0002_0", why: "eleven fingers at once, maximum 1024",
      contacts: 16, numbers: Set(0...10), highestRaw: 879, highestPercent: 85.84),
    Golden(
      file: "Wacom-Cintiq-13HD", why: "pressure 8 while the pen hovers", contacts: 6,
      highestRaw: 374, highestPercent: 36.56),
    Golden(
      file: "CyPS2-Cypress-Trackpad.two_finger_tap", why: "two slots", contacts: 2,
      numbers: [0, 1], highestRaw: 76, highestPercent: 29.8),
    Golden(
      file: "hiddev-ideacom_1cb6_6650_0", why: "zero in the middle of a contact", contacts: 6,
      numbers: [0, 1], highestRaw: 254, highestPercent: 99.61, reachesMaximum: false),
    Golden(
      file: "hiddev-n-trig_1b96_0c01_1", why: "a pen with a maximum of 256", contacts: 2,
      highestRaw: 129, highestPercent: 50.39),
    Golden(
      file: "Wacom-Intuos5-touch-M-Pen.hovering", why: "the recording ends in mid-press",
      contacts: 2, highestRaw: 1_259, highestPercent: 61.5),
    Golden(
      file: "SynPS2-Clickpad.two-finger-scroll", why: "axes without resolution", contacts: 2,
      numbers: [0, 1], highestRaw: 68, highestPercent: 26.67),
    Golden(
      file: "AlpsPS2-ALPS-GlidePoint.2-finger-tap",
      why: "BTN_TOUCH is announced and never sent, and the slots carry no pressure", contacts: 1,
      highestRaw: 62, highestPercent: 48.82),
    Golden(
      file: "AlpsPS2-ALPS-GlidePoint.double-tap", why: "likewise, twice", contacts: 2,
      highestRaw: 32, highestPercent: 25.2),
    Golden(file: "Huion-H610-hover", why: "hovers only", contacts: 0, numbers: []),
    Golden(
      file: "hiddev-sony_054c_0268", why: "fake multitouch: code 0x3a is not pressure",
      contacts: 0, numbers: []),
  ]

  @Test(arguments: goldens)
  func readingsAreThoseThatWereWorkedOutByHand(golden: Golden) throws {
    let readings = try Recordings.dump(golden.file + ".evemu").readings
    let released = readings.filter { $0.state == .released }
    #expect(released.count == golden.contacts)
    #expect(Set(readings.map(\.contact)) == golden.numbers)
    let touching = readings.filter { $0.state != .released }
    #expect(touching.map(\.raw).max() == golden.highestRaw)
    #expect(touching.map(\.unsmoothedPercent).max() == golden.highestPercent)
    #expect(readings.contains(where: \.atMaximum) == golden.reachesMaximum)
    #expect(readings.allSatisfy { $0.gramsSource == golden.source })
  }

  @Test(arguments: Recordings.all)
  func everyRecordingReplaysAndEveryContactEndsAtZero(file: String) throws {
    let readings = try Recordings.dump(file).readings
    var down: Set<Int32> = []
    for (index, reading) in readings.enumerated() {
      #expect(reading.sequence == UInt64(index + 1))
      #expect((0...100).contains(reading.percent))
      #expect((0...100).contains(reading.unsmoothedPercent))
      #expect(reading.grams >= 0 && reading.grams.isFinite)
      if reading.state == .released {
        #expect(down.remove(reading.contact) != nil, "released twice, or never begun")
        #expect(reading.percent == 0 && reading.grams == 0 && reading.unsmoothedPercent == 0)
      } else {
        down.insert(reading.contact)
      }
    }
    #expect(down.isEmpty)
    #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  /// What each description can measure, by the numbers in it and not by its name.
  @Test(arguments: [
    ("litest-protocol-a-touch-screen", "contact", "two values"),
    ("litest-generic-pressurepad", "force", nil),
    ("DualShock4-BT", "force", nil), ("xpadneo-Elite2", "force", nil),
    ("kernel-wii-balance-board", "force", nil),
    ("kernel-gpio-vibrator", "none", "it is a motor"),
    ("mir-bluetooth-magic-trackpad", "contact", "no pressure axis"),
    ("MSFT0001-06CB-CD3E-nopressure", "contact", "no pressure axis"),
    ("Razer-Razer-BlackWidow-2013.keyboard-multimedia", "none", "every axis"),
    ("mir-joystick-detection", "none", "cannot measure force"),
  ])
  func descriptionsAreToldApart(file: String, measure: String, reason: String?) throws {
    let recording = try Recordings.load(file + ".evemu")
    let capability = Capability.classify(recording.description)
    #expect(capability.measure.rawValue == measure)
    if let reason { #expect(capability.reason?.contains(reason) == true) }
    #expect((capability.reason == nil) == (measure == "force"))
  }

  @Test func resolutionMakesGramsTheDevicesOwn() throws {
    let description = try Recordings.load("litest-generic-pressurepad.evemu").description
    let scale = try #require(Capability.classify(description).scale(ScaleSettings()))
    // 255 units at 40 units per gram.
    #expect(scale.source == .device && scale.spanGrams == 6.375)
  }

  @Test func aHidDescriptorIsNoRecording() {
    for name in Recordings.files where name.hasPrefix("hiddesc-") {
      #expect(throws: RecordingError.self) { try Recordings.load(name) }
    }
  }
}

enum Recordings {
  /// Beside the project, where there is one.
  static let folder: String? = {
    let here = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let folder = "/\(here)/shared/recordings"
    if FileSystem.exists(folder) { return folder }
    return CurrentProcess.environment("FORCED_RECORDINGS").flatMap {
      FileSystem.exists($0) ? $0 : nil
    }
  }()

  static let files: [String] = folder.flatMap { try? FileSystem.list($0) } ?? []
  static let all = files.filter { $0.hasSuffix(".evemu") }

  static func load(_ file: String) throws -> EvemuRecording {
    try EvemuRecording.load("\(folder ?? "")/\(file)")
  }

  /// What `forced --dump` prints for it.
  static func dump(_ file: String) throws -> (readings: [ReadingRecord], haptics: [JSONObject]) {
    var text: [UInt8] = []
    Dump(settings: EngineSettings()).run([try load(file)]) {
      text += Array($0)
      return true
    }
    var readings: [ReadingRecord] = []
    var haptics: [JSONObject] = []
    for line in text.split(separator: 10) {
      let object = try #require(try JSONValue.parse(Array(line)).objectValue)
      if object["haptic"] != nil {
        haptics.append(object)
      } else {
        readings.append(try ReadingRecord(object))
      }
    }
    return (readings, haptics)
  }
}
