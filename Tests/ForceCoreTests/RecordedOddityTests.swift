import ForceCore
import ForceTestSupport
import Testing

/// What is odd about the recordings, as behaviour.
@Suite("Oddities of recorded devices")
struct RecordedOddityTests {
  @Test("A frame without any event says nothing")
  func emptyFrame() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 300\n1ms\n2ms\n3ms touch 0\n4ms")
    #expect(press.story() == ["0ms 0 touching 300", "3ms 0 released 300"])
  }

  @Test("Of several values within a frame the last counts")
  func repeatedCode() throws {
    let press = Press(on: .pen(), .unsmoothed)
    try press.play("0ms touch 1 pressure 300 pressure 100 pressure 200\n9ms touch 0")
    #expect(Set(press.readings.map(\.raw)) == [200])
  }

  @Test(
    "A maximum of 2ⁿ and a minimum of 1 are a range like any other",
    arguments: [(0, 256, 128, 50), (0, 1_024, 256, 25), (1, 255, 128, 50), (0, 300, 75, 25)]
      as [(Int32, Int32, Int32, Double)])
  func oddRanges(minimum: Int32, maximum: Int32, raw: Int32, percent: Double) throws {
    let press = Press(
      on: DeviceDescription.pen().axis(AbsoluteCode.pressure, minimum...maximum), .unsmoothed)
    try press.play("0ms touch 1 pressure \(raw)")
    #expect(press.readings.first?.unsmoothedPercent == percent)
  }

  @Test("Slots without pressure of their own leave the one pressure there is")
  func slotsWithSinglePressure() throws {
    var pad = DeviceDescription.pad()
    pad.axes[AbsoluteCode.touchPressure] = nil
    let press = Press(on: pad)
    try press.play(
      "0ms slot 0 id 1 slot 1 id 2 touch 1 pressure 300\n9ms id -1\n20ms slot 0 id -1 touch 0")
    #expect(press.story() == ["0ms 0 touching 300", "20ms 0 released 300"])
  }

  @Test("A pad that announces BTN_TOUCH and never sends it is touched while a slot has an ID")
  func touchIsNeverSent() throws {
    var pad = DeviceDescription.pad()
    pad.axes[AbsoluteCode.touchPressure] = nil
    let press = Press(on: pad)
    try press.play(
      """
      0ms   slot 0 id 20 finger 1 pressure 45
      30ms  slot 1 id 21 finger 0 doubletap 1 pressure 38
      40ms  slot 7 id -1
      50ms  slot 1 id -1 finger 1 doubletap 0 pressure 22
      60ms  slot 0 id -1 finger 0 pressure 0
      70ms  id 22 finger 1 pressure 30
      80ms  id -1 finger 0 pressure 0
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 45", "60ms 0 released 0", "70ms 0 touching 30", "80ms 0 released 0",
      ])
  }

  @Test("A pad that sends BTN_TOUCH is touched by that, though a finger that hovers has an ID too")
  func fingerThatHovers() throws {
    var pad = DeviceDescription.pad()
    pad.axes[AbsoluteCode.touchPressure] = nil
    let press = Press(on: pad)
    try press.play(
      """
      0ms    id 1 finger 1 pressure 34 touch 1
      10ms   touch 0 pressure 11
      20ms   id -1 finger 0 pressure 2
      30ms   pressure 1
      100ms  id 2 finger 1 pressure 12
      110ms  touch 1 pressure 40
      120ms  touch 0 pressure 12
      130ms  id -1 finger 0 pressure 0
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 34", "10ms 0 released 11", "110ms 0 touching 40", "120ms 0 released 12",
      ])
  }

  @Test("A lift without a touch before it is nothing: recordings begin anywhere")
  func missingStart() throws {
    let press = Press(on: .pen())
    try press.play("0ms pressure 147\n9ms touch 0 pressure 118\n20ms touch 0 pressure 0")
    #expect(press.readings.isEmpty)
    let pad = Press(on: .pad())
    try pad.play("0ms slot 3 mt-pressure 80\n9ms id -1")
    #expect(pad.readings.isEmpty)
  }

  @Test("A pen that only hovers, and tells no distance, makes no reading")
  func hoversOnly() throws {
    let press = Press(on: .pen())
    try press.play("0ms pen 1 x 4\n9ms x 5 pressure 0\n20ms pen 0", rest: .seconds(1))
    #expect(press.readings.isEmpty)
  }

  @Test("A frame with nothing but a time stamp says nothing")
  func timestampAlone() throws {
    let press = Press(on: .pad())
    try press.play("0ms timestamp 5\n9ms id 1 mt-pressure 9 timestamp 7\n20ms timestamp 9")
    #expect(press.story() == ["9ms 0 touching 9"])
  }

  @Test("A press that never changes its value holds it")
  func constant() throws {
    let press = Press(on: .pad(maximum: 255))
    try press.play("0ms id 1 mt-pressure 39\n40ms x 3\n80ms id -1")
    #expect(Set(press.readings.map(\.raw)) == [39])
    #expect(press.story() == ["0ms 0 touching 39", "80ms 0 released 39"])
  }

  @Test("A contact that is told on both pressure axes is one contact")
  func bothAxes() throws {
    let press = Press(on: .pad())
    try press.play(
      "0ms slot 0 id 5 mt-pressure 300 touch 1 pressure 300\n9ms id -1 touch 0 pressure 0")
    #expect(press.story() == ["0ms 0 touching 300", "9ms 0 released 300"])
  }

  @Test("A stylus as a slot: pressure while it hovers is no contact, a live ID neither")
  func hoveringSlot() throws {
    var device = DeviceDescription.pad().axis(AbsoluteCode.touchDistance, 0...1)
    device.axes[AbsoluteCode.pressure] = nil
    let press = Press(on: device)
    try press.play(
      """
      0ms   slot 0  id 9  mt-distance 1  mt-pressure 139
      10ms  mt-distance 0  mt-pressure 289
      20ms  mt-distance 1  mt-pressure 0
      90ms  id -1
      """)
    #expect(press.story() == ["10ms 0 touching 289", "20ms 0 released 0"])
  }

  @Test("A touchscreen with a general distance and no touch key goes by its slots")
  func distanceOfTouchscreen() throws {
    let screen = DeviceDescription.named("screen").properties(InputProperty.direct)
      .axis(AbsoluteCode.distance, 0...255).axis(AbsoluteCode.slot, 0...9)
      .axis(AbsoluteCode.positionX, 0...9).axis(AbsoluteCode.positionY, 0...9)
      .axis(AbsoluteCode.trackingID, 0...65_535).axis(AbsoluteCode.touchPressure, 0...255)
    let press = Press(on: screen)
    try press.play("0ms distance 90 slot 0 id 1 mt-pressure 40\n9ms id -1")
    #expect(press.story() == ["0ms 0 touching 40", "9ms 0 released 40"])
  }

  @Test("Pressure that stays behind after the lift begins no contact")
  func stuckAfterLift() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 70\n9ms touch 0 pressure 1\n20ms x 3\n30ms pressure 2")
    #expect(press.story() == ["0ms 0 touching 70", "9ms 0 released 1"])
  }

  @Test("A trigger's fuzz is the kernel's matter: small steps that come are real")
  func fuzz() throws {
    var pad = DeviceDescription.gamepad(maximum: 1_023)
    pad.axes[AbsoluteCode.z]?.fuzz = 4
    let press = Press(on: pad)
    try press.play("0ms z 1\n9ms z 0")
    #expect(press.story() == ["0ms 0 touching 1", "9ms 0 released 0"])
  }

  @Test("Contacts below a tenth of the range are contacts all the same")
  func smallPartOfRange() throws {
    let press = Press(on: .pad(maximum: 255))
    try press.play("0ms slot 0 id 1 mt-pressure 3\n9ms id -1")
    #expect(press.story() == ["0ms 0 touching 3", "9ms 0 released 3"])
  }

  @Test("Names and numbers do not matter: an unnamed device with IDs of 0 measures like another")
  func unnamed() {
    var device = DeviceDescription.pen()
    device.identity = DeviceIdentity(bus: 0, vendor: 0, product: 0, name: "  ")
    #expect(Capability.classify(device) == Capability.classify(.pen()))
  }
}
