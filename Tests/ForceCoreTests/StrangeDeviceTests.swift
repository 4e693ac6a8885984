import ForceCore
import ForceTestSupport
import Testing

/// Devices that nobody here has, by what they say of themselves and send: no crash, no contact that
/// outlives what the device calls its end, and a reason where no force can be measured.
@Suite("Strange devices: what they can measure")
struct StrangeDescriptionTests {
  @Test("A touchscreen that tells the size of a contact and no pressure says why it makes no force")
  func sizeAlone() {
    let screen = DeviceDescription.named("screen").properties(InputProperty.direct)
      .axis(AbsoluteCode.slot, 0...9).axis(AbsoluteCode.trackingID, 0...65_535)
      .axis(AbsoluteCode.positionX, 0...99).axis(AbsoluteCode.positionY, 0...99)
      .axis(AbsoluteCode.touchMajor, 0...255)
    let capability = Capability.classify(screen)
    #expect(capability.measure == .contact && capability.kind == .touchscreen)
    #expect(capability.reason?.contains("no pressure axis") == true)
  }

  @Test("A throttle and a rudder are no triggers, and a joystick's twist is none")
  func flightStick() {
    let stick = DeviceDescription.named("stick").keys(KeyCode.joystick)
      .axis(AbsoluteCode.x, 0...1_023, value: 512).axis(AbsoluteCode.y, 0...1_023, value: 512)
      .axis(0x06, 0...255).axis(0x07, 0...255, value: 128)
      .axis(AbsoluteCode.rz, 0...255, value: 128)
    let capability = Capability.classify(stick)
    #expect(capability.measure == .none && capability.kind == .gamepad)
    #expect(capability.reason?.contains("twist and throttle") == true)
  }

  @Test("A gamepad without analogue triggers and without a motor says so")
  func digitalTriggers() {
    let pad = DeviceDescription.named("pad").keys(KeyCode.gamepad)
      .axis(AbsoluteCode.x, 0...255, value: 128).axis(AbsoluteCode.y, 0...255, value: 128)
    #expect(
      Capability.classify(pad).reason
        == "cannot measure force, because it has buttons and sticks, but no analogue triggers")
    #expect(pad.hapticBackend == nil)
  }

  @Test("Pedals alone are a device that measures force")
  func pedals() {
    let pedals = DeviceDescription.named("pedals")
      .axis(AbsoluteCode.gas, 0...1_023).axis(AbsoluteCode.brake, 0...1_023)
    let capability = Capability.classify(pedals)
    #expect(capability.layout == .triggers([AbsoluteCode.brake, AbsoluteCode.gas]))
  }

  @Test("A pen that announces a pressure of no width says so, with any tools", arguments: [0, 7])
  func penWithoutPressure(value: Int32) {
    let pen = DeviceDescription.named("pen").keys(KeyCode.toolRubber)
      .axis(AbsoluteCode.pressure, AbsoluteAxis(minimum: value, maximum: value))
    let capability = Capability.classify(pen)
    #expect(capability.kind == .pen && capability.measure == .contact)
    #expect(capability.reason?.contains("no width") == true)
  }

  @Test("A pointing stick or a mouse with a pressure axis measures its force")
  func pointingStick() throws {
    let stick = DeviceDescription.named("stick").keys(0x110, 0x111)
      .axis(AbsoluteCode.pressure, 0...255)
    let press = Press(on: stick)
    try press.play("0ms pressure 40\n9ms pressure 0")
    #expect(press.story() == ["0ms 0 touching 40", "9ms 0 released 0"])
  }
}

@Suite("Strange devices: what they send")
struct StrangeStreamTests {
  @Test("A pad that is hit like a drum is released after each hit")
  func drum() throws {
    let drum = DeviceDescription.named("drum").keys(0x100, 0x101)
      .axis(AbsoluteCode.pressure, 0...127)
    let press = Press(on: drum)
    try press.play("0ms pressure 127\n1ms pressure 0\n2ms pressure 1\n3ms pressure 0")
    #expect(
      press.story() == [
        "0ms 0 touching 127", "1ms 0 released 0", "2ms 0 touching 1", "3ms 0 released 0",
      ])
  }

  @Test("A tablet whose only tool is the rubber touches with it")
  func rubberAlone() throws {
    let pen = DeviceDescription.named("pen").keys(KeyCode.toolRubber)
      .axis(AbsoluteCode.pressure, 0...1_023)
    let press = Press(on: pen)
    try press.play("0ms rubber 1\n9ms pressure 200\n20ms rubber 0 pressure 150\n30ms pressure 90")
    #expect(press.story() == ["9ms 0 touching 200", "20ms 0 released 150"])
  }

  @Test("A stylus without tools and touch goes by its pressure")
  func stylusAlone() throws {
    let pen = DeviceDescription.named("pen").keys(KeyCode.stylus)
      .axis(AbsoluteCode.pressure, 0...1_023)
    let press = Press(on: pen)
    try press.play("0ms pressure 200\n9ms pressure 0")
    #expect(press.story() == ["0ms 0 touching 200", "9ms 0 released 0"])
  }

  @Test(
    "A pen that never sends the BTN_TOUCH it announces touches once no offset explains its pressure"
  )
  func penTouchIsNeverSent() throws {
    let press = Press(on: .pen(maximum: 1_000))
    try press.play(
      """
      0ms   pen 1  pressure 501
      2ms   pressure 90
      4ms   pressure 400
      10ms  pressure 501
      20ms  pressure 300
      30ms  pressure 0
      40ms  pressure 20
      50ms  pen 0
      60ms  pressure 600
      """)
    #expect(
      press.story() == [
        "10ms 0 touching 501", "30ms 0 released 0", "40ms 0 touching 20", "50ms 0 released 20",
      ])
    // One that sends it at last goes by that.
    try press.play("100ms pen 1 touch 1 pressure 90\n110ms touch 0\n120ms pressure 700")
    #expect(
      press.story().suffix(2) == ["100ms 0 touching 90", "110ms 0 released 90"])
  }

  @Test("A touch that never ends is over when the pen leaves, however often")
  func touchThatNeverEnds() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   pen 1  touch 1  pressure 300
      10ms  pen 0
      20ms  pressure 12
      30ms  pen 1  pressure 500
      40ms  pen 0  pressure 0
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 300", "10ms 0 released 300", "30ms 0 touching 500", "40ms 0 released 0",
      ])
  }

  @Test("A pad whose last slot is empty is not touched, though it never ends its touch")
  func slotsEndTheTouch() throws {
    var pad = DeviceDescription.pad()
    pad.axes[AbsoluteCode.touchPressure] = nil
    let press = Press(on: pad)
    try press.play(
      "0ms id 4 touch 1 pressure 90\n9ms id -1\n20ms pressure 0\n30ms id 5 pressure 40")
    #expect(
      press.story() == ["0ms 0 touching 90", "9ms 0 released 90", "30ms 0 touching 40"])
  }

  @Test("One tracking ID in two slots is two contacts, and each ends by itself")
  func sameTrackingID() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   slot 0 id 7 mt-pressure 100 slot 1 id 7 mt-pressure 200
      9ms   slot 0 id -1
      20ms  slot 1 id -1
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 100", "0ms 1 touching 200", "9ms 0 released 100", "20ms 1 released 200",
      ])
  }

  @Test("Two hundred slots are two hundred contacts")
  func manySlots() throws {
    let press = Press(on: .pad(slots: 200))
    let down = (0..<200).map { "slot \($0) id \($0) mt-pressure \($0 + 1)" }
    let up = (0..<200).map { "slot \($0) id -1" }
    try press.play("0ms \(down.joined(separator: " "))\n9ms \(up.joined(separator: " "))")
    #expect(press.readings.filter { $0.state == .released }.count == 200)
    #expect(Set(press.readings.map(\.contact)).count == 200)
  }

  @Test("A slot axis without an end is followed as far as the kernel goes")
  func endlessSlots() throws {
    let press = Press(on: .pad().axis(AbsoluteCode.slot, 0...Int32.max))
    try press.play(
      "0ms slot 1023 id 1 mt-pressure 5 slot 1024 id 2 mt-pressure 6\n9ms slot 1023 id -1")
    #expect(press.story() == ["0ms 1023 touching 5", "9ms 1023 released 5"])
  }

  @Test("The widest range there is has its middle at 50 %")
  func widestRange() throws {
    let pen = DeviceDescription.pen().axis(AbsoluteCode.pressure, Int32.min...Int32.max)
    let press = Press(on: pen, .unsmoothed)
    try press.play(
      "0ms touch 1 pressure 0\n9ms pressure \(Int32.max)\n19ms pressure \(Int32.min)\n29ms touch 0")
    let percents = press.readings.map(\.unsmoothedPercent)
    #expect(percents.contains { ($0 - 50).magnitude < 1e-6 } && percents.contains(100))
    #expect(press.readings.allSatisfy { (0...100).contains($0.percent) && $0.grams.isFinite })
  }

  @Test("A resolution that is huge or negative makes no grams that are none")
  func resolutions() throws {
    for resolution in [Int32.max, -40, Int32.min] {
      let press = Press(on: .pad(resolution: resolution), .unsmoothed)
      try press.play("0ms id 1 mt-pressure 1000", rest: .milliseconds(50))
      let grams = try #require(press.readings.last?.grams)
      #expect(grams.isFinite && grams >= 0)
      #expect(press.readings.last?.gramsSource == (resolution > 0 ? .device : .nominal))
    }
  }

  @Test("A trigger that is said to stray over half its range is believed to stray over none")
  func hugeFlat() throws {
    let pad = DeviceDescription.gamepad().axis(AbsoluteCode.z, 0...255, flat: 200)
    let press = Press(on: pad)
    try press.play("0ms z 20\n9ms z 0")
    #expect(press.story() == ["0ms 0 touching 20", "9ms 0 released 0"])
  }

  @Test("Values that are no force, however often they come, put full force out of reach for none")
  func brokenReports() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play(
      """
      0ms   touch 1  pressure 500
      10ms  pressure 65535
      20ms  pressure 65534
      30ms  pressure 65535
      40ms  pressure 500
      """)
    #expect(press.readings.last?.unsmoothedPercent == 50)
    #expect(press.engine.insight(of: press.handle)?.observedMaximum == nil)
  }
}

@Suite("Pedals that rest at their maximum")
struct TurnedPedalTests {
  private func pedals(brake: Int32, gas: Int32) -> DeviceDescription {
    DeviceDescription.named("pedals").keys(KeyCode.joystick)
      .axis(AbsoluteCode.brake, 0...255, value: brake).axis(AbsoluteCode.gas, 0...255, value: gas)
  }

  @Test("They are at 0 % when they come, and at 100 % when they are pressed down")
  func restingWhenTheyCome() throws {
    let press = Press(on: pedals(brake: 255, gas: 255), .unsmoothed)
    #expect(press.readings.isEmpty)
    try press.play("10ms gas 55\n20ms gas 0\n30ms gas 255")
    #expect(press.story(of: 1) == ["10ms 1 touching 200", "30ms 1 released 0"])
    #expect(press.readings.contains { $0.raw == 255 && $0.unsmoothedPercent == 100 })
  }

  @Test("A first report that finds one at the far end says so too, as the kernel says 0 until then")
  func firstReport() throws {
    let press = Press(on: pedals(brake: 0, gas: 0))
    try press.play("10ms gas 255 brake 255\n20ms gas 100\n30ms gas 255")
    #expect(press.story() == ["20ms 1 touching 155", "30ms 1 released 0"])
  }

  @Test("One that is pressed when the device comes is no such pedal, and a gamepad has none")
  func pressedWhenItComes() throws {
    let press = Press(on: pedals(brake: 0, gas: 255))
    try press.play("10ms gas 0")
    #expect(press.story() == ["0ms 1 touching 255", "10ms 1 released 0"])
    let pad = DeviceDescription.named("pad").keys(KeyCode.gamepad)
      .axis(AbsoluteCode.brake, 0...255).axis(AbsoluteCode.gas, 0...255)
    let trigger = Press(on: pad)
    try trigger.play("10ms gas 255\n20ms gas 0")
    #expect(trigger.story() == ["10ms 1 touching 255", "20ms 1 released 0"])
    let held = Press(
      on: pad.axis(AbsoluteCode.brake, 0...255, value: 255)
        .axis(AbsoluteCode.gas, 0...255, value: 255))
    #expect(held.story() == ["0ms 0 touching 255", "0ms 1 touching 255"])
  }
}
