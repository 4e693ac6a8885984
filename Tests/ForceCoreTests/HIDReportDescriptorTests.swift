import ForceCore
import ForceTestSupport
import LinuxSystem
import Testing

@Suite("Force units in HID report descriptors")
struct HIDReportDescriptorTests {
  /// A pen's or pad's tip pressure, as small as it can be.
  private func descriptor(
    unit: [UInt8], exponent: UInt8 = 0, logicalMaximum: [UInt8] = [0x26, 0xff, 0x0f],
    physicalMaximum: [UInt8] = [0x46, 0xb0, 0x0f]
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x05, 0x0d, 0x09, 0x02, 0xa1, 0x01, 0x09, 0x20, 0xa1, 0x00]
    // A button before it, with a unit that is not for the pressure.
    bytes += [0x09, 0x42, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0x81, 0x02] as [UInt8]
    bytes += [0x09, 0x30, 0x15, 0x00] as [UInt8]
    bytes += logicalMaximum
    bytes += [0x35, 0x00] as [UInt8]
    bytes += physicalMaximum
    bytes += unit
    bytes += [0x55, exponent, 0x75, 0x10, 0x81, 0x02, 0xc0, 0xc0]
    return bytes
  }

  private let gram: [UInt8] = [0x66, 0x01, 0x01]
  private let dyne: [UInt8] = [0x66, 0x11, 0xe1]

  @Test("Grams: the logical range over the physical one")
  func grams() throws {
    let bytes = descriptor(
      unit: gram, logicalMaximum: [0x26, 0xd0, 0x07], physicalMaximum: [0x46, 0xf4, 0x01])
    #expect(HIDReportDescriptor.unitsPerGram(bytes) == 4)
  }

  @Test("Dynes: 4,095 units are 4,016 hundreds of dynes, 409.5 g")
  func dynes() throws {
    let units = try #require(
      HIDReportDescriptor.unitsPerGram(descriptor(unit: dyne, exponent: 2)))
    #expect((4_095 / units - 409.5).magnitude < 0.05)
  }

  @Test("A negative exponent, in four bits or in a whole byte", arguments: [0x0e, 0xfe] as [UInt8])
  func negativeExponents(exponent: UInt8) {
    let bytes = descriptor(
      unit: gram, exponent: exponent, logicalMaximum: [0x26, 0xe8, 0x03],
      physicalMaximum: [0x46, 0xe8, 0x03])
    #expect(HIDReportDescriptor.unitsPerGram(bytes) == 100)
  }

  @Test("Without a physical range the logical one is it")
  func noPhysicalRange() {
    let bytes = descriptor(unit: gram, physicalMaximum: [0x45, 0x00])
    #expect(HIDReportDescriptor.unitsPerGram(bytes) == 1)
  }

  @Test(
    "Without a unit of force there are no grams",
    arguments: [[0x65, 0x00], [0x65, 0x11], [0x66, 0x01, 0x10]] as [[UInt8]])
  func noForce(unit: [UInt8]) {
    #expect(HIDReportDescriptor.unitsPerGram(descriptor(unit: unit)) == nil)
  }

  @Test("A unit that stands before a push is there again after the pop")
  func pushAndPop() {
    var bytes: [UInt8] = [0x05, 0x0d, 0x15, 0x00, 0x26, 0xe8, 0x03, 0x46, 0xe8, 0x03]
    bytes += gram
    bytes += [0xa4, 0x65, 0x00, 0xb4, 0x09, 0x30, 0x81, 0x02] as [UInt8]
    #expect(HIDReportDescriptor.unitsPerGram(bytes) == 1)
  }

  @Test("A range that is turned, empty or huge makes no number that is none")
  func senselessRanges() {
    for maximum in [[0x25, 0x00], [0x27, 0xff, 0xff, 0xff, 0xff]] as [[UInt8]] {
      let units = HIDReportDescriptor.unitsPerGram(
        descriptor(unit: gram, logicalMaximum: maximum, physicalMaximum: maximum))
      #expect(units.map { $0.isFinite && $0 > 0 } ?? true)
    }
  }

  @Test("Cut off anywhere, and with any byte changed, it says something or nothing")
  func damage() {
    let whole = descriptor(unit: dyne, exponent: 2)
    for end in whole.indices { _ = HIDReportDescriptor.unitsPerGram(Array(whole[..<end])) }
    for index in whole.indices {
      for value in [0x00, 0x7f, 0x80, 0xa4, 0xb4, 0xc0, 0xfe, 0xff] as [UInt8] {
        var bytes = whole
        bytes[index] = value
        let units = HIDReportDescriptor.unitsPerGram(bytes)
        #expect(units.map { $0.isFinite && $0 > 0 } ?? true)
      }
    }
  }

  @Test("Descriptors of real devices", .enabled(if: RealDescriptors.folder != nil))
  func realDevices() throws {
    let files = try FileSystem.list(RealDescriptors.folder ?? "")
      .filter { $0.hasPrefix("hiddesc-force-") }
    #expect(files.count == 5)
    for file in files {
      let text = String(
        decoding: try FileSystem.read("\(RealDescriptors.folder ?? "")/\(file)"), as: UTF8.self)
      let bytes = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        .flatMap { $0.split(separator: " ").compactMap { UInt8($0, radix: 16) } }
      let units = try #require(HIDReportDescriptor.unitsPerGram(bytes), "\(file)")
      if file.contains("Surface") {
        #expect(units == 1)
      } else {
        #expect((4_095 / units - 409.5).magnitude < 0.05, "\(file)")
      }
    }
  }
}

private enum RealDescriptors {
  static let folder: String? = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let folder = "/\(root)/shared/recordings"
    if FileSystem.exists(folder) { return folder }
    return CurrentProcess.environment("FORCED_RECORDINGS")
  }()
}

@Suite("Where grams come from")
struct GramsSourceTests {
  private func scale(_ device: DeviceDescription, _ tuning: DeviceTuning) -> Scale? {
    Capability.classify(device).scale(ScaleSettings(), tuning: tuning)
  }

  @Test("Calibration, profile, the device, nominal: in this order")
  func order() throws {
    var device = DeviceDescription(
      identity: DeviceIdentity(bus: 3, vendor: 1, product: 2, name: "pad"),
      properties: [InputProperty.pointer], keys: [KeyCode.touch],
      axes: [AbsoluteCode.pressure: AbsoluteAxis(minimum: 0, maximum: 1_000)])
    var tuning = DeviceTuning()
    #expect(scale(device, tuning)?.source == .nominal)
    #expect(scale(device, tuning)?.grams(at: 50) == 192.5)
    device.unitsPerGram = 2
    #expect(scale(device, tuning)?.source == .device)
    #expect(scale(device, tuning)?.grams(at: 50) == 250)
    tuning.gramsPerUnit = 0.25
    #expect(scale(device, tuning)?.source == .profile)
    #expect(scale(device, tuning)?.grams(at: 50) == 125)
    tuning.calibrations[0] = try Calibration([
      CalibrationPoint(raw: 100, grams: 0), CalibrationPoint(raw: 600, grams: 1_000),
    ])
    #expect(scale(device, tuning)?.source == .calibrated)
    #expect(scale(device, tuning)?.grams(at: 50) == 800)
    tuning.tare[0] = 900
    #expect(scale(device, tuning)?.grams(at: 50) == -100)
  }

  @Test("The descriptor is finer than the kernel's rounding, and a hand-set resolution beats both")
  func resolutions() {
    var device = DeviceDescription(
      identity: DeviceIdentity(bus: 3, vendor: 1, product: 2, name: "pad"),
      keys: [KeyCode.touch],
      axes: [AbsoluteCode.pressure: AbsoluteAxis(minimum: 0, maximum: 1_000, resolution: 2)])
    #expect(scale(device, DeviceTuning())?.spanGrams == 500)
    device.unitsPerGram = 2.5
    #expect(scale(device, DeviceTuning())?.spanGrams == 400)
    device.axes[AbsoluteCode.pressure]?.resolution = 10
    #expect(scale(device, DeviceTuning())?.spanGrams == 100)
  }

  @Test("51: a board is calibrated where three points rise in each cell")
  func board() {
    var device = DeviceDescription(
      identity: DeviceIdentity(bus: 5, vendor: 1, product: 2, name: "board"))
    device.takeBoardCalibration(
      "07d0:0800:0900:0a00:0ed0:0f00:1000:1100:15d0:1600:1700:1800\n")
    #expect(device.isBoardCalibrated)
    for text in [
      "", "zz", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
      "07d0:0800:0900:0a00:0ed0:0f00:1000:1100:15d0:1600:1700:1100",
    ] {
      device.takeBoardCalibration(text)
      #expect(!device.isBoardCalibrated)
    }
  }
}

@Suite("Fitting a calibration")
struct CalibrationTests {
  private func points(_ pairs: [(Double, Double)]) -> [CalibrationPoint] {
    pairs.map { CalibrationPoint(raw: $0.0, grams: $0.1) }
  }

  @Test(
    "Through 3, 5 and 10 noisy points the line is nearer than the noise", arguments: [3, 5, 10],
    1...20)
  func noisyLine(count: Int, seed: Int) throws {
    var random = SystemlessRandom(state: UInt64(seed * 7_919))
    // 1.6 units per gram, 40 units of offset, noise of up to ±4 units: ±2.5 g.
    let pairs = (0..<count).map { index in
      let grams = Double(index) * 500 / Double(count - 1)
      return (40 + grams * 1.6 + random.noise(4), grams)
    }
    let calibration = try Calibration(points(pairs))
    for grams in stride(from: 0.0, through: 500, by: 10) {
      #expect((calibration.grams(at: 40 + grams * 1.6) - grams).magnitude < 5)
    }
    #expect(calibration.residual < 2.5)
    #expect(calibration.residuals.count == count)
  }

  @Test("A curve that is no line is followed from point to point, with nothing left over")
  func piecewise() throws {
    let pairs = [(0.0, 0.0), (400, 100), (600, 200), (700, 400), (750, 800)]
    let calibration = try Calibration(points(pairs), method: .piecewise)
    #expect(calibration.residual == 0)
    #expect(calibration.grams(at: 500) == 150)
    #expect(calibration.grams(at: 725) == 600)
    // Beyond the ends it goes on straight.
    #expect(calibration.grams(at: 760) == 880)
    #expect(calibration.grams(at: -40) == -10)
    let line = try Calibration(points(pairs))
    #expect(line.residual > 50)
  }

  @Test("Several readings of one weight count as their mean")
  func repeatedWeights() throws {
    let calibration = try Calibration(
      points([(10, 0), (14, 0), (112, 100), (108, 100)]), method: .piecewise)
    #expect(calibration.grams(at: 12) == 0)
    #expect(calibration.grams(at: 110) == 100)
  }

  @Test("What doesn't rise is refused, and the message says which weights")
  func notMonotonic() throws {
    let error = thrown(CalibrationRefused.self) {
      try Calibration(points([(0, 0), (520, 100), (510, 200)]))
    }
    #expect(error?.description.contains("200.0 g read 510.0 and 100.0 g read 520.0") == true)
  }

  @Test("One weight, none, or numbers that are none make no calibration")
  func refusals() {
    for pairs in [
      [], [(5, 100)], [(5, 100), (6, 100)], [(0, 0), (.nan, 10)], [(0, 0), (1, .infinity)],
      [(1e-9, 0), (2e-9, 100), (3e-9, 500)],
    ]
      as [[(Double, Double)]]
    {
      #expect(throws: CalibrationRefused.self) { try Calibration(points(pairs)) }
    }
  }
}

private struct SystemlessRandom {
  var state: UInt64
  mutating func noise(_ width: Double) -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (Double(state >> 11) / Double(1 << 53) * 2 - 1) * width
  }
}
