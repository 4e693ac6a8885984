import ForceCore
import ForceTestSupport
import Testing

/// What people reported about pressure, each found by what the device does and not by its name.
@Suite("Field reports: pens")
struct PenReportTests {
  private let distant = DeviceDescription.pen(maximum: 1_023).axis(AbsoluteCode.distance, 0...31)

  private func percents(_ press: Press) -> [Double] { press.readings.map(\.unsmoothedPercent) }

  @Test("1: a worn pen's offset, brought in the frame in which it comes near, is taken off")
  func offsetAtProximity() throws {
    let press = Press(on: .pen(maximum: 1_023), .unsmoothed)
    try press.play(
      """
      0ms    pen 1  pressure 123
      100ms  touch 1  pressure 573
      110ms  pressure 1023
      120ms  touch 0
      """)
    #expect(percents(press).first == 50)
    #expect(percents(press).max() == 100)
    #expect(press.readings.allSatisfy { $0.raw >= 123 })
    #expect(press.engine.insight(of: press.handle)?.penOffset == 123)
  }

  @Test("1: a pen that its driver calls a touch while it is far away does not touch")
  func touchFromAfar() throws {
    let press = Press(on: distant, .unsmoothed)
    try press.play(
      """
      0ms    pen 1  distance 25  pressure 170  touch 1
      50ms   pressure 172
      100ms  distance 2  pressure 171
      200ms  pressure 600
      300ms  pressure 173
      400ms  pressure 400
      500ms  pen 0  touch 0  pressure 0
      """)
    #expect(
      press.story() == [
        "200ms 0 touching 600", "300ms 0 released 173", "400ms 0 touching 400",
        "500ms 0 released 0",
      ])
  }

  @Test("1: an offset that only comes while it hovers counts once it has hovered for a while")
  func offsetWhileHovering() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play(
      """
      0ms    pen 1
      10ms   pressure 230
      40ms   pressure 200
      90ms   pressure 210
      120ms  touch 1  pressure 600
      200ms  touch 0
      """)
    #expect(percents(press).first == 50)
  }

  @Test("1: a tip that comes down reports pressure before its touch, and that is no offset")
  func pressureBeforeTouch() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play(
      """
      0ms   pen 1
      80ms  pressure 90
      88ms  pressure 250
      96ms  touch 1  pressure 500
      200ms  touch 0
      """)
    #expect(percents(press).first == 50)
  }

  @Test("1: pressure left from the last press is no offset")
  func stalePressureIsNoOffset() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play(
      """
      0ms    pen 1
      10ms   touch 1  pressure 300
      100ms  touch 0
      200ms  x 7
      300ms  pen 0
      400ms  pen 1
      500ms  touch 1  pressure 500
      600ms  touch 0
      """)
    #expect(press.readings.contains { $0.unsmoothedPercent == 50 })
    #expect(press.engine.insight(of: press.handle)?.penOffset == nil)
  }

  @Test("1: an offset above half the range is a broken pen and no offset")
  func absurdOffset() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play("0ms pen 1 pressure 501\n100ms touch 1 pressure 750\n200ms touch 0")
    #expect(percents(press).first == 75)
  }

  @Test("1: a lower value lowers the offset")
  func loweredOffset() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play(
      """
      0ms    pen 1  pressure 200
      100ms  touch 1  pressure 600
      200ms  pressure 100
      300ms  pressure 550
      400ms  touch 0
      """)
    #expect(percents(press).contains(50))
    #expect(press.engine.insight(of: press.handle)?.penOffset == 100)
  }

  @Test("1: each tool has an offset of its own, and gets it back")
  func offsetForEachTool() throws {
    let press = Press(
      on: .pen(maximum: 1_000).axis(AbsoluteCode.miscellaneous, 0...65_535), .unsmoothed)
    try press.play(
      """
      0ms    pen 1  tool 2083  pressure 200
      100ms  touch 1  pressure 600
      200ms  touch 0  pen 0  pressure 0  tool 0
      300ms  rubber 1  tool 2090
      400ms  touch 1  pressure 500
      500ms  touch 0  rubber 0  pressure 0  tool 0
      600ms  pen 1  tool 2083
      700ms  touch 1  pressure 600
      800ms  touch 0  pen 0
      """)
    let touching = press.readings.filter { $0.state != .released }.map(\.unsmoothedPercent)
    #expect(Set(touching) == [50])
    #expect(press.readings.filter { $0.state == .released }.count == 3)
  }

  /// A tablet that sends `MSC_SERIAL`, as `linuxwacom/input-wacom#62` needs to tell two pens apart.
  private var tablet: DeviceDescription {
    var tablet = DeviceDescription.pen(maximum: 1_000)
      .axis(AbsoluteCode.miscellaneous, 0...65_535)
    tablet.miscellaneous = [MiscellaneousCode.serial]
    return tablet
  }

  @Test("1: two pens of one model are told apart by their serial numbers")
  func offsetForEachSerialNumber() throws {
    #expect(
      Capability.classify(tablet).neededCodes[EventType.miscellaneous] == [MiscellaneousCode.serial]
    )
    let press = Press(on: tablet, .unsmoothed)
    try press.play(
      """
      0ms    pen 1  tool 2083  serial 71  pressure 200
      100ms  touch 1  pressure 600  serial 71
      200ms  touch 0  pen 0  pressure 0  tool 0  serial 71
      300ms  pen 1  tool 2083  serial 72
      400ms  touch 1  pressure 500  serial 72
      450ms  serial -1
      500ms  touch 0  pen 0  pressure 0  tool 0  serial 72
      600ms  pen 1  tool 2083  serial 71
      700ms  touch 1  pressure 600  serial 71
      800ms  touch 0  pen 0  serial 71
      """)
    let touching = press.readings.filter { $0.state != .released }.map(\.unsmoothedPercent)
    #expect(Set(touching) == [50])
    #expect(press.readings.filter { $0.state == .released }.count == 3)
  }

  @Test("1: of more pens than anybody has the one that was away longest is forgotten")
  func manyPens() throws {
    let press = Press(on: tablet, .unsmoothed)
    func use(_ serial: Int, offset: Int?) throws -> Int32? {
      let start = press.now.microseconds / 1_000 + 100
      let pressure = offset.map { "pressure \($0)" } ?? ""
      try press.play("\(start)ms pen 1 tool 1 serial \(serial) \(pressure)")
      let found = press.engine.insight(of: press.handle)?.penOffset
      try press.play("\(start + 50)ms pen 0 pressure 0")
      return found
    }
    for serial in 1...16 { #expect(try use(serial, offset: 100 + serial) == Int32(100 + serial)) }
    // The first comes back before the seventeenth comes, so it is the second that goes.
    #expect(try use(1, offset: nil) == 101)
    #expect(try use(17, offset: 117) == 117)
    #expect(try use(1, offset: nil) == 101)
    #expect(try use(3, offset: nil) == 103)
    #expect(try use(2, offset: nil) == nil)
  }

  @Test("14: finding offsets can be switched off")
  func offsetSwitchedOff() throws {
    var settings = EngineSettings.unsmoothed
    settings.pen.detectsOffset = false
    let press = Press(on: .pen(maximum: 1_000), settings)
    try press.play("0ms pen 1 pressure 200\n100ms touch 1 pressure 600\n200ms touch 0")
    #expect(percents(press).first == 60)
  }

  @Test("14: the lightest touch counts from the first unit, unless a threshold says otherwise")
  func nothingIsEaten() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play("0ms touch 1 pressure 1", rest: .milliseconds(50))
    #expect(press.readings.last?.percent == 0.1)
  }

  @Test("14: between the thresholds a contact stays what it was")
  func hysteresis() throws {
    var settings = EngineSettings.unsmoothed
    settings.contact.pressAt = 10
    settings.contact.releaseAt = 5
    let press = Press(on: .pen(maximum: 1_000), settings)
    try press.play(
      """
      0ms   touch 1  pressure 60
      10ms  pressure 99
      20ms  pressure 100
      30ms  pressure 60
      40ms  pressure 50
      50ms  pressure 49
      60ms  pressure 90
      70ms  pressure 101
      80ms  touch 0
      """)
    #expect(
      press.story() == [
        "20ms 0 touching 100", "50ms 0 released 49", "70ms 0 touching 101",
        "80ms 0 released 101",
      ])
  }

  @Test("2: a touch that is still claimed when the tool leaves is over")
  func touchOutlivesTool() throws {
    let press = Press(on: .pen())
    try press.play("0ms pen 1 touch 1 pressure 300\n50ms pressure 1\n90ms pen 0")
    #expect(press.story().last == "90ms 0 released 1")
    #expect(press.readings.last?.percent == 0)
  }

  @Test("3: after the lift the pressure that is left reads 0 %, at once")
  func liftWithPressure() throws {
    let press = Press(on: .pen())
    try press.play(
      "0ms pen 1 touch 1 pressure 900\n99ms touch 0\n120ms x 5", rest: .milliseconds(500))
    let end = try #require(press.readings.last)
    #expect(end.state == .released && end.percent == 0 && end.grams == 0)
    #expect(end.time == Instant(microseconds: 99_000))
  }

  @Test("6: with a distance and no touch key a pen that is above the surface does not touch")
  func pressureAtADistance() throws {
    let device = DeviceDescription.named("Pen without touch").keys(KeyCode.toolPen)
      .axis(AbsoluteCode.pressure, 0...1_000).axis(AbsoluteCode.distance, 0...10)
    let press = Press(on: device)
    try press.play(
      "0ms pen 1 distance 5 pressure 0\n10ms distance 0 pressure 400\n20ms distance 3\n30ms x 1")
    #expect(press.story() == ["10ms 0 touching 400", "20ms 0 released 400"])
  }

  @Test("8: a force that stays the same sends no event, and goes on holding")
  func constantPressure() throws {
    let press = Press(on: .pen(maximum: 1_000))
    try press.play("0ms touch 1 pressure 500", rest: .seconds(60))
    #expect(press.readings.last?.state == .steady)
    #expect(press.readings.last?.percent == 50)
  }

  @Test("11: a range of 16 bits is scaled like any other")
  func wideRange() throws {
    let press = Press(on: .pen(maximum: 65_535), .unsmoothed)
    try press.play("0ms touch 1 pressure 13107", rest: .milliseconds(9))
    #expect(press.readings.last?.percent == 20)
  }

  @Test("13: from plug-in to the first touch there is no contact and no number")
  func beforeAnything() throws {
    let press = Press(on: .pen().pressed(KeyCode.toolPen))
    press.advance(to: Instant(microseconds: 5_000_000))
    #expect(press.readings.isEmpty)
  }

  @Test(
    "13: ranges that make no sense make no force, and say why",
    arguments: [(0, 0), (5, 5), (9, 2), (0, 1)] as [(Int32, Int32)])
  func senselessRange(minimum: Int32, maximum: Int32) {
    var device = DeviceDescription.pen()
    device.axes[AbsoluteCode.pressure] = AbsoluteAxis(minimum: minimum, maximum: maximum)
    let capability = Capability.classify(device)
    #expect(capability.measure == .contact)
    #expect(capability.reason != nil)
  }

  @Test("13: values below the minimum are no force, never a negative one")
  func belowMinimum() throws {
    let press = Press(on: .pen().axis(AbsoluteCode.pressure, 10...1_000), .unsmoothed)
    try press.play("0ms touch 1 pressure -50", rest: .milliseconds(9))
    #expect(press.readings.allSatisfy { $0.percent == 0 && $0.unsmoothedPercent == 0 })
  }
}

@Suite("Field reports: pads and touchscreens")
struct PadReportTests {
  @Test("17: where the units are known thresholds count in grams, not in per cent of 2 kg")
  func thresholdsInGrams() throws {
    var settings = EngineSettings.unsmoothed
    settings.contact.pressAt = 12
    settings.contact.releaseAt = 11
    settings.contact.pressGrams = 40
    settings.contact.releaseGrams = 20
    let press = Press(on: .pad(maximum: 2_000, resolution: 1), settings)
    try press.play(
      """
      0ms   slot 0  id 1  mt-pressure 39
      10ms  mt-pressure 40
      20ms  mt-pressure 20
      30ms  mt-pressure 19
      40ms  id -1
      """)
    #expect(press.story() == ["10ms 0 touching 40", "30ms 0 released 19"])
    let insight = try #require(press.engine.insight(of: press.handle))
    #expect(insight.pressAt == 2 && insight.releaseAt == 1)

    let nominal = Press(on: .pad(maximum: 1_000), settings)
    try nominal.play("0ms slot 0 id 1 mt-pressure 119\n10ms mt-pressure 120\n20ms id -1")
    #expect(nominal.story() == ["10ms 0 touching 120", "20ms 0 released 120"])
  }

  @Test("19: a device can have thresholds of its own, and tells them")
  func ownThresholds() throws {
    let press = Press(on: .pad(maximum: 255), .unsmoothed)
    var tuning = DeviceTuning()
    tuning.contact = ContactSettings()
    tuning.contact?.pressAt = 6
    tuning.contact?.releaseAt = 4
    press.engine.setTuning(tuning, of: press.handle)
    try press.play("0ms slot 0 id 1 mt-pressure 15\n10ms mt-pressure 16\n20ms id -1")
    #expect(press.story().first == "10ms 0 touching 16")
    let insight = try #require(press.engine.insight(of: press.handle))
    #expect((6...6.5).contains(insight.pressAt) && (4...4.5).contains(insight.releaseAt))
  }

  @Test("21: the device's own value is published beside the scaled one")
  func rawToo() throws {
    let press = Press(on: .pad(maximum: 255))
    try press.play("0ms slot 0 id 1 mt-pressure 7\n9ms mt-pressure 11\n20ms id -1")
    #expect(Set(press.readings.map(\.raw)) == [7, 11])
  }

  @Test("22: of a range of which a finger uses 0.2 % the hardest press so far can count as 100 %")
  func observedRange() throws {
    var settings = EngineSettings.unsmoothed
    settings.scale.observesRange = true
    let press = Press(on: .pad(maximum: 65_535), settings)
    try press.play(
      """
      0ms    slot 0  id 1  mt-pressure 40
      50ms   mt-pressure 150
      100ms  id -1
      200ms  id 2  mt-pressure 75
      """)
    // The first press can only be told by the declared range.
    #expect(
      press.readings.filter { $0.time < Instant(microseconds: 150_000) }
        .allSatisfy { $0.unsmoothedPercent < 1 })
    #expect(press.readings.last?.unsmoothedPercent == 50)
    #expect(press.engine.insight(of: press.handle)?.observedMaximum == 150)
  }

  @Test("22: where such a device tells its units its grams are right without that")
  func gramsOfASmallPart() throws {
    var device = DeviceDescription.pad(maximum: 65_535)
    device.unitsPerGram = 0.5
    let press = Press(on: device, .unsmoothed)
    try press.play("0ms slot 0 id 1 mt-pressure 150", rest: .milliseconds(20))
    let last = try #require(press.readings.last)
    #expect((last.grams - 300).magnitude < 0.5)
    #expect(last.gramsSource == .device)
  }

  @Test("A maximum that turns out too low is learned, kept over a replug, and told")
  func learnedMaximum() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play(
      """
      0ms   touch 1  pressure 1000
      10ms  pressure 1200
      20ms  pressure 1250
      30ms  pressure 625
      40ms  touch 0
      """)
    // 1,200 is the lower of the first two values above it.
    let half = try #require(press.readings.last { $0.raw == 625 && $0.state != .released })
    #expect((half.unsmoothedPercent - 625.0 / 12).magnitude < 1e-9)
    #expect(press.engine.insight(of: press.handle)?.observedMaximum == 1_200)
    press.detach()
    press.engine.attach(.pen(maximum: 1_000), as: press.handle, at: press.now)
    #expect(press.engine.insight(of: press.handle)?.observedMaximum == 1_200)
  }

  @Test("A learned maximum holds on another day, unless the device has changed since")
  func rememberedMaximum() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    #expect(press.engine.rememberedRanges(of: press.handle) == [])
    try press.play("0ms touch 1 pressure 1200\n10ms pressure 1250")
    #expect(press.engine.rangeLearnings == 0)
    try press.play("20ms touch 0")
    #expect(press.engine.rangeLearnings == 1)
    var tuning = DeviceTuning()
    tuning.ranges = press.engine.rememberedRanges(of: press.handle)
    #expect(tuning.ranges == [RememberedRange(learnedMaximum: 1_200)])
    let engine = Engine()
    let cases: [(Int32, Int32?)] = [(1_000, 1_200), (2_047, nil), (100, nil)]
    for (index, (maximum, remembered)) in cases.enumerated() {
      let handle = DeviceHandle(index)
      engine.attach(.pen(maximum: maximum), as: handle, tuning: tuning, at: press.now)
      #expect(engine.insight(of: handle)?.observedMaximum == remembered)
    }
  }

  @Test("The hardest press holds on another day where it counts as 100 %, and only there")
  func rememberedPeak() throws {
    for observes in [true, false] {
      var settings = EngineSettings.unsmoothed
      settings.scale.observesRange = observes
      let press = Press(on: .pad(maximum: 65_535), settings)
      try press.play("0ms id 1 mt-pressure 150\n10ms id -1\n20ms id 2 mt-pressure 90\n30ms id -1")
      #expect(press.engine.rangeLearnings == (observes ? 1 : 0))
      var tuning = DeviceTuning()
      tuning.ranges = press.engine.rememberedRanges(of: press.handle)
      #expect(tuning.ranges == (observes ? [RememberedRange(peak: 150)] : []))
      press.engine.attach(
        .pad(maximum: 65_535), as: DeviceHandle(2), tuning: tuning, at: press.now)
      #expect(
        press.engine.insight(of: DeviceHandle(2))?.observedMaximum == (observes ? 150 : nil))
    }
  }

  @Test("A single value above the maximum is a glitch: 100 %, and nothing learned")
  func glitch() throws {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    try press.play("0ms touch 1 pressure 500\n10ms pressure 65000\n20ms pressure 500")
    #expect(press.readings.last?.unsmoothedPercent == 50)
    #expect(press.engine.insight(of: press.handle)?.observedMaximum == nil)
  }

  @Test("A learned maximum leaves measured grams as they are")
  func learnedMaximumAndGrams() throws {
    let press = Press(on: .pad(maximum: 1_000, resolution: 2), .unsmoothed)
    try press.play(
      "0ms slot 0 id 1 mt-pressure 1100\n10ms mt-pressure 1150\n20ms mt-pressure 600",
      rest: .milliseconds(50))
    let grams = try #require(press.readings.last?.grams)
    #expect((grams - 300).magnitude < 0.01)
  }

  @Test("An axis that says the same in each contact is told as one that does not measure")
  func stuckAxis() throws {
    let press = Press(on: .pen())
    for start in [0, 100, 200] {
      try press.play("\(start)ms touch 1\n\(start + 50)ms touch 0")
    }
    let doubt = try #require(press.engine.insight(of: press.handle)?.doubt)
    #expect(doubt.contains("said 0 in each of 3 contacts"))
    try press.play("300ms touch 1 pressure 5\n350ms touch 0")
    #expect(press.engine.insight(of: press.handle)?.doubt == nil)
  }

  /// A press of a pen, 0 to 1,000, whose raw values go to and fro every 5 ms.
  private func trembling(between low: Int, and high: Int, times: Int) throws -> Press {
    let press = Press(on: .pen(maximum: 1_000), .unsmoothed)
    var script = "0ms touch 1 pressure 500\n"
    for step in 1...times {
      script += "\(step * 5)ms pressure \(step.isMultiple(of: 2) ? low : high)\n"
    }
    try press.play(script + "\(times * 5 + 6)ms touch 0")
    return press
  }

  @Test("A press that is held still tells how much it trembles")
  func noise() throws {
    let press = try trembling(between: 500, and: 504, times: 100)
    // Half the time 50.0 %, half the time 50.4 %.
    let noise = try #require(press.engine.insight(of: press.handle)?.noise)
    #expect((noise - 0.2).magnitude < 0.005)
  }

  @Test("Trembling that no window holds is told, too, and taken back by a calmer press")
  func loudNoise() throws {
    let press = try trembling(between: 470, and: 530, times: 300)
    let noise = try #require(press.engine.insight(of: press.handle)?.noise)
    #expect((noise - 3).magnitude < 0.05)
    try press.play("1600ms touch 1 pressure 500\n4000ms touch 0")
    #expect(press.engine.insight(of: press.handle)?.noise == 0)
  }
}

@Suite("Field reports: the event stream and the balance board")
struct StreamReportTests {
  @Test("24: after lost events the state is read anew, and a contact that has ended is released")
  func dropped() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 500\n10ms dropped pressure 7")
    #expect(press.engine.lostEvents(of: press.handle))
    press.resynchronize(.pen())
    #expect(press.readings.last?.state == .released)
  }

  @Test("26: losses are counted, device by device")
  func countedDrops() throws {
    let press = Press(on: .pen())
    try press.play("0ms dropped\n1ms x 1\n2ms dropped\n3ms x 2")
    #expect(press.engine.counters(of: press.handle).drops == 2)
  }

  @Test("48: a board's node comes after the controller's, and is the one that measures")
  func boardComesLater() throws {
    let remote = DeviceDescription.named("Remote").keys(KeyCode.gamepad, 0x131)
    #expect(Capability.classify(remote).measure == .none)
    #expect(Capability.classify(remote).reason != nil)
    let engine = Engine()
    engine.attach(remote, as: DeviceHandle(0), at: Instant(microseconds: 0))
    let board = engine.attach(
      .balanceBoard(), as: DeviceHandle(1), at: Instant(microseconds: 3_000_000))
    #expect(board.kind == .balanceBoard && board.measure == .force)
    #expect(engine.insight(of: DeviceHandle(0)) == nil)
    #expect(engine.insight(of: DeviceHandle(1))?.doubt == "it has not sent any weight yet")
  }

  @Test("48: a board that sends nothing is told as one")
  func silentBoard() throws {
    let press = Press(on: .balanceBoard())
    #expect(press.engine.insight(of: press.handle)?.doubt == "it has not sent any weight yet")
    try press.play("0ms hat0x 100")
    #expect(press.engine.insight(of: press.handle)?.doubt == nil)
  }

  @Test("49: the tare takes the weight of the empty board off, and less than that is negative")
  func tare() throws {
    let press = Press(on: .balanceBoard(), .unsmoothed)
    try press.play("0ms hat0x 40 hat0y 50 hat1x 30 hat1y 30", rest: .milliseconds(400))
    let sum = BoardContact.sum
    #expect(press.readings.last { $0.contact == sum }?.grams == 1_500)
    var tuning = DeviceTuning()
    tuning.tare = [sum: 1_500]
    press.engine.setTuning(tuning, of: press.handle)
    press.advance(to: press.now + .milliseconds(500))
    press.collect()
    let tared = try #require(press.readings.last { $0.contact == sum })
    #expect(tared.grams.magnitude < 0.01)
    try press.play("2s hat0x 30", rest: .milliseconds(400))
    let less = try #require(press.readings.last { $0.contact == sum })
    #expect((less.grams + 100).magnitude < 0.01)
    #expect(press.engine.insight(of: press.handle)?.scale.tareGrams == 1_500)
  }

  @Test("51: a board whose own calibration makes no sense is told as uncalibrated")
  func uncalibratedBoard() throws {
    var board = DeviceDescription.balanceBoard()
    board.isBoardCalibrated = false
    let press = Press(on: board)
    try press.play("0ms hat0x 100")
    #expect(press.readings.allSatisfy { $0.gramsSource == .nominal })
    #expect(press.engine.insight(of: press.handle)?.doubt?.contains("calibration") == true)
  }

  private enum BoardContact { static let sum: Int32 = 4 }
}
