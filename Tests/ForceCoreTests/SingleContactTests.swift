import ForceCore
import ForceTestSupport
import Testing

@Suite("One contact: when it touches")
struct SingleContactTests {
  @Test("A hovering pen that keeps its last pressure does not touch")
  func stalePressure() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   pen 1  pressure 8
      10ms  touch 1  pressure 300
      20ms  touch 0
      30ms  x 5
      40ms  pressure 7
      """)
    #expect(press.story() == ["10ms 0 touching 300", "20ms 0 released 300"])
    #expect(press.readings.last?.percent == 0)
    #expect(press.readings.last?.grams == 0)
    #expect(press.readings.last?.unsmoothedPercent == 0)
  }

  @Test("A release frame may tell pressure before touch, or after")
  func orderWithinFrame() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   pressure 100  touch 1
      10ms  pressure 0  touch 0
      20ms  touch 1  pressure 100
      30ms  touch 0  pressure 0
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 100", "10ms 0 released 0", "20ms 0 touching 100", "30ms 0 released 0",
      ])
  }

  @Test("Zero pressure in the middle of a contact is a force of 0, not a release")
  func zeroWhileTouching() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   touch 1  pressure 500
      10ms  pressure 0
      20ms  pressure 500
      30ms  touch 0
      """)
    #expect(press.story() == ["0ms 0 touching 500", "30ms 0 released 500"])
  }

  @Test("A pen that leaves without lifting its touch is released")
  func toolLeaves() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   pen 1
      5ms   touch 1  pressure 500
      10ms  pen 0
      20ms  pressure 400
      30ms  touch 1
      """)
    #expect(
      press.story() == ["5ms 0 touching 500", "10ms 0 released 500", "30ms 0 touching 400"])
  }

  @Test("A pen that is turned around within a frame goes on touching")
  func turnedAround() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   pen 1  touch 1  pressure 500
      10ms  pen 0  rubber 1
      20ms  touch 0
      """)
    #expect(press.story() == ["0ms 0 touching 500", "20ms 0 released 500"])
  }

  @Test("The tools that count fingers don't end a contact")
  func fingerCount() throws {
    var device = DeviceDescription.pad()
    device.axes[AbsoluteCode.touchPressure] = nil
    let press = Press(on: device)
    try press.play(
      """
      0ms   touch 1  finger 1  pressure 30
      10ms  finger 0  doubletap 1  pressure 40
      20ms  doubletap 0
      30ms  touch 0  pressure 0
      """)
    #expect(press.story() == ["0ms 0 touching 30", "30ms 0 released 0"])
  }

  @Test("A distance above 0 means nothing beside BTN_TOUCH: tablets report one while pressed")
  func distanceBesideTouch() throws {
    let press = Press(on: .pen().axis(AbsoluteCode.distance, 0...63))
    try press.play(
      """
      0ms   pen 1  distance 40
      10ms  distance 12  touch 1  pressure 700
      20ms  touch 0  pressure 0
      """)
    #expect(press.story() == ["10ms 0 touching 700", "20ms 0 released 0"])
  }

  @Test("A pen without BTN_TOUCH touches with its tool, pressure and no distance")
  func penWithoutTouch() throws {
    let device = DeviceDescription.named("Pen").keys(KeyCode.toolPen)
      .axis(AbsoluteCode.pressure, 0...1_000).axis(AbsoluteCode.distance, 0...63)
    let press = Press(on: device)
    try press.play(
      """
      0ms   pressure 300
      5ms   pen 1  distance 20
      10ms  distance 0
      20ms  distance 3
      30ms  distance 0
      40ms  pressure 0
      50ms  pressure 10
      60ms  pen 0
      """)
    #expect(
      press.story() == [
        "10ms 0 touching 300", "20ms 0 released 300", "30ms 0 touching 300", "40ms 0 released 0",
        "50ms 0 touching 10", "60ms 0 released 10",
      ])
  }

  @Test("A finger's tool alone is a contact, even without pressure")
  func fingerTool() throws {
    let device = DeviceDescription.named("Pad").keys(KeyCode.toolFinger, KeyCode.toolDoubleTap)
      .axis(AbsoluteCode.pressure, 0...255)
    let press = Press(on: device)
    try press.play(
      """
      0ms   finger 1
      10ms  finger 0  doubletap 1  pressure 20
      20ms  doubletap 0
      """)
    #expect(press.story() == ["0ms 0 touching 0", "20ms 0 released 20"])
  }

  @Test("A sensor with nothing but pressure touches above its minimum")
  func pressureAlone() throws {
    let device = DeviceDescription.named("Sensor").axis(AbsoluteCode.pressure, -127...127)
    let press = Press(on: device)
    try press.play(
      """
      0ms   pressure -127
      10ms  pressure 0
      20ms  pressure -127
      """)
    #expect(press.story() == ["10ms 0 touching 0", "20ms 0 released -127"])
    #expect(press.readings.first?.unsmoothedPercent == 50)
  }

  @Test("A contact that is under way when the device comes begins at once")
  func underWay() {
    let device = DeviceDescription.pen().pressed(KeyCode.touch, KeyCode.toolPen)
      .axis(AbsoluteCode.pressure, 0...2_047, value: 900)
    let press = Press(on: device)
    #expect(press.story() == ["0ms 0 touching 900"])
  }

  @Test("Events that nobody asked for don't matter")
  func foreignEvents() throws {
    let press = Press(on: .pen())
    press.engine.ingest(
      InputEvent(time: press.now, type: 0xffff, code: 0xffff, value: .min), from: press.handle)
    try press.play("1ms touch 1 pressure 5 mt-pressure 99 id 3 slot 900 packet z 7")
    #expect(press.story() == ["1ms 0 touching 5"])
  }
}
