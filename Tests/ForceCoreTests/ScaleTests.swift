import ForceCore
import ForceTestSupport
import Testing

@Suite("Raw values to per cent and grams")
struct ScaleTests {
  @Test(
    "Per cent is the part of this node's own range, wherever it lies",
    arguments: [
      (0, 255, 51, 20), (1, 255, 1, 0), (1, 255, 255, 100), (-127, 127, 0, 50), (0, 256, 128, 50),
      (0, 65_535, 65_535, 100), (-100, -50, -75, 50),
    ] as [(Int32, Int32, Int32, Double)])
  func ranges(minimum: Int32, maximum: Int32, raw: Int32, percent: Double) {
    let scale = Scale(offset: minimum, maximum: maximum, spanGrams: 385, source: .nominal)
    #expect((scale.percent(of: raw) - percent).magnitude < 1e-12)
  }

  @Test("Values beyond the declared range read as its ends")
  func beyond() {
    let scale = Scale(offset: 0, maximum: 255, spanGrams: 385, source: .nominal)
    #expect(scale.percent(of: 300) == 100)
    #expect(scale.percent(of: -3) == 0)
    #expect(scale.percent(of: .max) == 100)
    #expect(scale.percent(of: .min) == 0)
  }

  @Test("The widest range, an empty one and a turned one give numbers")
  func extremes() {
    let wide = Scale(offset: .min, maximum: .max, spanGrams: 385, source: .nominal)
    #expect(wide.percent(of: .min) == 0)
    #expect(wide.percent(of: .max) == 100)
    for (offset, maximum) in [(5, 5), (9, 2)] as [(Int32, Int32)] {
      let scale = Scale(offset: offset, maximum: maximum, spanGrams: 385, source: .nominal)
      #expect(scale.percent(of: 7) == 0)
    }
  }

  @Test("Without units 100 % is the nominal span")
  func nominal() {
    var settings = ScaleSettings()
    let capability = Capability.classify(.pad())
    #expect(capability.scale(settings)?.spanGrams == 385)
    #expect(capability.scale(settings)?.source == .nominal)
    settings.nominalGrams = 500
    #expect(capability.scale(settings)?.grams(at: 50) == 250)
  }

  @Test("An axis resolution is units per gram")
  func resolution() {
    let scale = Capability.classify(.pad(maximum: 2_000, resolution: 4)).scale(ScaleSettings())
    #expect(scale?.spanGrams == 500)
    #expect(scale?.source == .device)
  }

  @Test("A trigger's resolution is no weight")
  func triggerResolution() {
    let pad = DeviceDescription.gamepad().axis(AbsoluteCode.z, 0...255, resolution: 10)
    #expect(Capability.classify(pad).scale(ScaleSettings())?.source == .nominal)
  }

  @Test("What measures no force has no scale")
  func none() {
    #expect(Capability.classify(.named("Keyboard").keys(30)).scale(ScaleSettings()) == nil)
  }

  @Test("Values above the declared maximum are published as they are, at 100 %")
  func aboveMaximum() throws {
    let press = Press(on: .pen(maximum: 255), .unsmoothed)
    try press.play("0ms touch 1 pressure 300", rest: .milliseconds(50))
    #expect(press.readings.last?.raw == 300)
    #expect(press.readings.last?.percent == 100)
    #expect(press.readings.last?.unsmoothedPercent == 100)
    #expect(press.readings.last?.atMaximum == true)
  }

  @Test("Each trigger is scaled by its own range")
  func ownRanges() throws {
    let pad = DeviceDescription.gamepad().axis(AbsoluteCode.rz, 0...1_023)
    let press = Press(on: pad)
    try press.play("0ms z 51 rz 1023")
    #expect(press.readings.map(\.unsmoothedPercent) == [20, 100])
  }
}
