import ForceCore
import ForceTestSupport
import Testing

@Suite("Slots")
struct SlotTests {
  @Test("Two fingers are two contacts, and ABS_PRESSURE is not a third")
  func twoFingers() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   slot 0 id 20 mt-pressure 100 slot 1 id 21 mt-pressure 300 touch 1 pressure 100
      10ms  slot 0 mt-pressure 200 pressure 200
      20ms  slot 1 id -1
      30ms  slot 0 id -1 touch 0 pressure 0
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 100", "0ms 1 touching 300", "20ms 1 released 300", "30ms 0 released 200",
      ])
  }

  @Test("A slot keeps its pressure: a new contact with the same force starts with it")
  func keptPressure() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   id 1 mt-pressure 400
      10ms  id -1
      20ms  id 2
      """)
    #expect(
      press.story() == ["0ms 0 touching 400", "10ms 0 released 400", "20ms 0 touching 400"])
  }

  @Test("A new tracking ID in an occupied slot ends the old contact and begins another")
  func replacedID() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   id 65535 mt-pressure 400
      50ms  id 0 mt-pressure 600
      """)
    #expect(
      press.story() == ["0ms 0 touching 400", "50ms 0 released 400", "50ms 0 touching 600"])
    #expect(press.readings.last?.percent == 0, "the new contact starts from 0")
  }

  @Test("A finger that lifts and another that lands within one frame are two contacts")
  func liftedAndLanded() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   id 1 mt-pressure 400
      50ms  id -1 id 2
      """)
    #expect(
      press.story() == ["0ms 0 touching 400", "50ms 0 released 400", "50ms 0 touching 400"])
  }

  @Test("A hovering contact does not touch, whatever its pressure")
  func hovering() throws {
    let press = Press(on: .pad().axis(AbsoluteCode.touchDistance, 0...1))
    try press.play(
      """
      0ms   id 0 mt-distance 1 mt-pressure 139
      9ms   mt-distance 0 mt-pressure 201
      14ms  mt-pressure 260
      58ms  mt-distance 1 mt-pressure 0
      84ms  mt-x 3
      174ms id -1
      """)
    #expect(press.story() == ["9ms 0 touching 201", "58ms 0 released 0"])
  }

  @Test("ABS_DISTANCE says nothing about slots")
  func distanceOfTheDevice() throws {
    let press = Press(on: .pad().axis(AbsoluteCode.distance, 0...255))
    try press.play("0ms distance 200 id 0 mt-pressure 10")
    #expect(press.story() == ["0ms 0 touching 10"])
  }

  @Test("Slots that the device doesn't have are ignored, and so is what is said of them")
  func foreignSlots() throws {
    let press = Press(on: .pad(slots: 2))
    try press.play(
      """
      0ms   slot 7 id 3 mt-pressure 500
      10ms  slot -1 id 4 mt-pressure 500
      20ms  slot 1 id 5 mt-pressure 100
      """)
    #expect(press.story() == ["20ms 1 touching 100"])
  }

  @Test("Contacts that are down when the device comes begin at once, in the slot that is current")
  func underWay() throws {
    let device = DeviceDescription.pad()
      .slots(SlotState(), SlotState(trackingID: 9, pressure: 250))
      .axis(AbsoluteCode.slot, 0...4, value: 1)
    let press = Press(on: device)
    try press.play("10ms mt-pressure 300")
    #expect(press.story() == ["0ms 1 touching 250"])
    #expect(press.readings.last?.raw == 300)
  }

  @Test("Frames in which a contact doesn't change give no reading of it")
  func unchanged() throws {
    let press = Press(on: .pad(), .unsmoothed)
    try press.play("0ms id 1 mt-pressure 400", rest: .milliseconds(20))
    let count = press.readings.count
    try press.play(
      """
      30ms  mt-x 4
      31ms  mt-x 5
      32ms  slot 1 mt-pressure 3
      """)
    #expect(press.readings.count == count)
  }
}

@Suite("Protocol A")
struct ProtocolATests {
  private func device(trackingIDs: Bool = true, touch: Bool = true) -> DeviceDescription {
    var device = DeviceDescription.named("A").properties(InputProperty.direct)
      .axis(AbsoluteCode.positionX, 0...540).axis(AbsoluteCode.touchPressure, 0...255)
    if trackingIDs { device = device.axis(AbsoluteCode.trackingID, 0...15) }
    return touch ? device.keys(KeyCode.touch) : device
  }

  @Test("Packets are told apart by tracking ID, in any order")
  func trackingIDs() throws {
    let press = Press(on: device())
    try press.play(
      """
      0ms   id 3 mt-pressure 10 packet id 5 mt-pressure 20 packet touch 1
      10ms  id 5 mt-pressure 21 packet id 3 mt-pressure 11 packet
      20ms  id 5 mt-pressure 22 packet
      30ms  packet touch 0
      """)
    #expect(
      press.story() == [
        "0ms 3 touching 10", "0ms 5 touching 20", "20ms 3 released 11", "30ms 5 released 22",
      ])
  }

  @Test("Without tracking IDs the order tells them apart")
  func order() throws {
    let device = device(trackingIDs: false).axis(
      AbsoluteCode.trackingID, AbsoluteAxis(minimum: 0, maximum: 0))
    let press = Press(on: device)
    try press.play(
      """
      0ms   id 0 mt-pressure 10 packet id 0 mt-pressure 20 packet
      20ms  id 0 mt-pressure 12 packet
      30ms  packet
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 10", "0ms 1 touching 20", "20ms 1 released 20", "30ms 0 released 12",
      ])
  }

  @Test("A frame without packets says nothing, unless BTN_TOUCH is up")
  func framesWithoutPackets() throws {
    let press = Press(on: device())
    try press.play(
      """
      0ms   id 3 mt-pressure 10 packet touch 1
      10ms  x 3
      20ms  touch 0
      """)
    #expect(press.story() == ["0ms 3 touching 10", "20ms 3 released 10"])
    let untouched = Press(on: device(touch: false))
    try untouched.play(
      """
      0ms   id 3 mt-pressure 10 packet
      10ms  x 3
      20ms  packet
      """)
    #expect(untouched.story() == ["0ms 3 touching 10", "20ms 3 released 10"])
  }

  @Test("The last packet may lack its end, and a packet its pressure")
  func incomplete() throws {
    let press = Press(on: device())
    try press.play(
      """
      0ms   touch 1 id 3 mt-pressure 10
      10ms  id 3 mt-x 4 packet
      """)
    #expect(press.story() == ["0ms 3 touching 10"])
  }

  @Test("BTN_TOUCH that goes up ends all contacts, whatever the packets of that frame say")
  func touchGoesUp() throws {
    let press = Press(on: device())
    try press.play(
      """
      0ms   id 3 mt-pressure 10 packet id 4 mt-pressure 20 packet touch 1
      10ms  id 3 mt-pressure 12 packet touch 0
      20ms  x 3
      """)
    #expect(
      press.story() == [
        "0ms 3 touching 10", "0ms 4 touching 20", "10ms 3 released 12", "10ms 4 released 20",
      ])
  }

  @Test("BTN_TOUCH that is announced and never sent ends nothing")
  func touchIsNeverSent() throws {
    let press = Press(on: device())
    try press.play(
      "0ms id 3 mt-pressure 10 packet\n10ms x 3\n20ms id 3 mt-pressure 12 packet\n30ms packet")
    #expect(press.story() == ["0ms 3 touching 10", "30ms 3 released 12"])
  }

  @Test("A packet with neither size nor pressure is the end of its contact")
  func packetOfNothing() throws {
    let press = Press(on: device(touch: false).axis(AbsoluteCode.touchMajor, 0...255))
    try press.play(
      """
      0ms   id 3 major 9 mt-pressure 10 packet
      10ms  id 3 major 0 mt-pressure 7 packet
      20ms  id 3 major 5 mt-pressure 0 packet
      30ms  id 3 major 0 mt-pressure 0 packet
      """)
    #expect(press.story() == ["0ms 3 touching 10", "30ms 3 released 0"])
  }

  @Test("One contact may take another's place within a frame")
  func replaced() throws {
    let press = Press(on: device())
    try press.play(
      """
      0ms   id 3 mt-pressure 10 packet touch 1
      10ms  id 4 mt-pressure 10 packet
      """)
    #expect(press.story() == ["0ms 3 touching 10", "10ms 3 released 10", "10ms 4 touching 10"])
  }

  @Test("More contacts than anybody has are not followed, and break nothing")
  func crowd() throws {
    let press = Press(on: device(trackingIDs: false, touch: false))
    let packets = (0..<100).map { "mt-pressure \($0 + 1) packet" }.joined(separator: " ")
    try press.play("0ms \(packets)\n10ms packet")
    #expect(press.story().count == 64)
    #expect(press.readings.suffix(32).allSatisfy { $0.state == .released })
  }
}

@Suite("Triggers and load cells")
struct AxisContactTests {
  @Test("A trigger is a contact while it is away from its rest")
  func trigger() throws {
    let press = Press(on: .gamepad())
    try press.play(
      """
      0ms   z 10
      10ms  z 200 rz 30
      20ms  rz 0
      30ms  z 0
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 10", "10ms 1 touching 30", "20ms 1 released 0", "30ms 0 released 0",
      ])
  }

  @Test("What a trigger strays at rest is no contact")
  func flat() throws {
    let device = DeviceDescription.gamepad().axis(AbsoluteCode.z, 0...255, flat: 15)
    let press = Press(on: device)
    try press.play(
      """
      0ms   z 15
      10ms  z 16
      20ms  z 12
      """)
    #expect(press.story() == ["10ms 0 touching 16", "20ms 0 released 12"])
  }

  @Test("The cells of a board are contacts 0 to 3, and their sum is contact 4")
  func board() throws {
    let press = Press(on: .balanceBoard(), .unsmoothed)
    try press.play(
      """
      0ms   hat0x 1000 hat1y 700
      50ms  hat0x 0
      60ms  hat1y 4
      """)
    #expect(
      press.story() == [
        "0ms 0 touching 1000", "0ms 3 touching 700", "0ms 4 touching 1700", "50ms 0 released 0",
        "60ms 3 released 4", "60ms 4 released 4",
      ])
  }

  @Test("A unit of a board's cell is 10 g, and its own: 100 % is 34 kg, of the sum 136 kg")
  func boardGrams() throws {
    let press = Press(on: .balanceBoard(), .unsmoothed)
    try press.play("0ms hat0x 1700 hat0y 850", rest: .milliseconds(100))
    func last(_ contact: Int32) -> Reading? { press.readings.last { $0.contact == contact } }
    #expect(last(0)?.grams == 17_000)
    #expect(last(0)?.percent == 50)
    #expect(last(1)?.grams == 8_500)
    #expect(last(4)?.grams == 25_500)
    #expect(last(4)?.percent == 18.75)
    #expect(last(4)?.gramsSource == .device)
  }

  @Test("The sum of the largest values there are doesn't overflow")
  func hugeSum() throws {
    let press = Press(on: .balanceBoard(), .unsmoothed)
    let huge = Int32.max
    try press.play("0ms hat0x \(huge) hat0y \(huge) hat1x \(huge) hat1y \(huge)")
    #expect(press.readings.last?.raw == Int32.max)
  }
}
