import ForceCore
import ForceTestSupport
import Testing

@Suite("Readings of a press")
struct EnginePressTests {
  @Test("A full press rises at the slew limit, plays once, rests, and ends at 0")
  func fullPress() throws {
    let press = Press(on: .pen())
    try press.play("1ms touch 1 pressure 2047", rest: .seconds(1))
    #expect(press.engine.deadline == nil)
    try press.play("1100ms touch 0")
    #expect(press.readings.prefix(4).map(\.percent) == [0, 8, 16, 24])
    #expect(
      press.story() == ["1ms 0 touching 2047", "303ms 0 steady 2047", "1100ms 0 released 2047"])
    #expect(press.readings.suffix(3).map(\.percent) == [100, 100, 0])
    #expect(press.readings.map(\.grams).max() == 385)
    #expect(press.haptics.count == 1)
  }

  @Test("Nobody is told the same value twice")
  func noRepeats() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 2047", rest: .seconds(1))
    let percents = press.readings.filter { $0.state == .touching }.map(\.percent)
    #expect(Set(percents).count == percents.count)
  }

  @Test("Readings of a device are counted from 1 without gaps, over all of its contacts")
  func sequence() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   slot 0 id 1 mt-pressure 100 slot 1 id 2 mt-pressure 300
      30ms  slot 0 id -1
      50ms  slot 1 id -1
      """)
    #expect(press.readings.map(\.sequence) == Array(1...UInt64(press.readings.count)))
  }

  @Test("While the device is silent the smoothing goes on at its interval, and then rests")
  func goesOn() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 400", rest: .milliseconds(30))
    let times = press.readings.map(\.time.microseconds)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 4_000 })
    press.advance(to: Instant(microseconds: 5_000_000))
    #expect(press.engine.deadline == nil)
    #expect(press.readings.last?.percent == press.readings.last?.unsmoothedPercent)
    #expect(press.readings.count { $0.state == .steady } == 1)
  }

  @Test("After steady the next movement is touching again")
  func touchingAgain() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 400", rest: .seconds(1))
    try press.play("2000ms pressure 401", rest: .seconds(1))
    #expect(press.readings.count { $0.state == .steady } == 2)
    #expect(
      press.story() == [
        "0ms 0 touching 400", "302ms 0 steady 400", "2000ms 0 touching 401", "2266ms 0 steady 401",
      ])
  }

  @Test("The kernel's time is the reading's time, even when a timer ran ahead of it")
  func timeNeverRunsBack() throws {
    let press = Press(on: .pen())
    try press.play("10ms touch 1 pressure 2000")
    press.engine.advance(to: Instant(microseconds: 15_000))
    press.collect()
    try press.play("14ms pressure 1000")
    #expect(press.readings.map(\.time.microseconds) == [10_000, 15_000, 15_000])
  }

  @Test("However late the engine is called, each press takes one step")
  func lateCall() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 1000")
    press.engine.advance(to: Instant(microseconds: 3_600_000_000))
    #expect(press.engine.readings.count == 1)
    #expect(press.engine.readings.last?.percent == press.engine.readings.last?.unsmoothedPercent)
  }

  @Test("Early calls do nothing")
  func earlyCall() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 1000")
    let deadline = press.engine.deadline
    press.engine.advance(to: Instant(microseconds: 1_000))
    #expect(press.engine.readings.isEmpty)
    #expect(press.engine.deadline == deadline)
  }

  @Test("Times at the end of the clock neither overflow nor keep anybody awake")
  func endOfTime() throws {
    let press = Press(on: .pen())
    for time in [Int64.max, Int64.min] {
      for (type, code) in [(EventType.key, KeyCode.touch), (EventType.synchronization, 0)] {
        press.engine.ingest(
          InputEvent(
            time: Instant(microseconds: time), type: type, code: code,
            value: time > 0 ? 1 : 0), from: press.handle)
      }
    }
    press.collect()
    #expect(press.story(of: 0).count == 2)
  }

  @Test("Contact-only devices give no readings")
  func contactOnly() throws {
    let device = DeviceDescription.named("Pad").keys(KeyCode.touch, KeyCode.toolFinger)
      .axis(AbsoluteCode.x, 0...100)
    let press = Press(on: device)
    try press.play("0ms touch 1 finger 1 x 4\n10ms touch 0 finger 0")
    #expect(press.readings.isEmpty)
    #expect(press.engine.deadline == nil)
    #expect(press.engine.counters(of: press.handle).events == 7)
  }
}

@Suite("Devices that come, go and lose events")
struct EngineDeviceTests {
  @Test("A device that leaves in mid-press ends its contacts with a released reading")
  func detach() throws {
    let press = Press(on: .pad())
    try press.play(
      "0ms slot 0 id 1 mt-pressure 100 slot 1 id 2 mt-pressure 300", rest: .milliseconds(10))
    press.detach()
    #expect(press.readings.suffix(2).map(\.state) == [.released, .released])
    #expect(press.readings.suffix(2).allSatisfy { $0.percent == 0 && $0.grams == 0 })
    #expect(press.engine.deadline == nil)
    press.detach()
    try press.play("20ms slot 0 mt-pressure 4")
    #expect(press.readings.last?.time.microseconds == 10_000)
  }

  @Test("Its effect is stopped if it plays, and left alone if not")
  func detachWhilePlaying() throws {
    let playing = Press(on: .pen(), .unsmoothed)
    try playing.play("0ms touch 1 pressure 2047", rest: .milliseconds(30))
    playing.detach()
    #expect(playing.haptics.map(\.action).last == .stop)
    let over = Press(on: .pen(), .unsmoothed)
    try over.play("0ms touch 1 pressure 2047", rest: .milliseconds(100))
    over.detach()
    #expect(over.haptics.count == 1)
  }

  @Test("A device that returns goes on counting")
  func comesBack() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 100", rest: .milliseconds(20))
    press.detach()
    let last = try #require(press.readings.last)
    let counters = press.engine.counters(of: press.handle)
    #expect(counters.frames == 1)
    press.engine.attach(.pen(), as: press.handle, at: press.now)
    try press.play("50ms touch 1 pressure 100")
    #expect(press.readings.last?.sequence == last.sequence + 1)
    #expect(press.engine.counters(of: press.handle).frames == 2)
  }

  @Test(
    "A lost stretch of events is discarded up to its report, counted, and asks for a fresh state")
  func dropped() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   touch 1 pressure 100
      10ms  dropped touch 0 pressure 900
      """)
    #expect(press.engine.lostEvents(of: press.handle))
    #expect(press.story() == ["0ms 0 touching 100"])
    #expect(press.engine.counters(of: press.handle) == counters(events: 7, frames: 1, drops: 1))
    press.resynchronize(.pen().axis(AbsoluteCode.pressure, 0...2_047, value: 900))
    #expect(!press.engine.lostEvents(of: press.handle))
    #expect(press.story() == ["0ms 0 touching 100", "10ms 0 released 900"])
  }

  private func counters(events: UInt64, frames: UInt64, drops: UInt64) -> DeviceCounters {
    var counters = DeviceCounters()
    counters.events = events
    counters.frames = frames
    counters.drops = drops
    return counters
  }

  @Test("A resync finds slots that were lifted, moved and taken over")
  func resynchronizedSlots() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   slot 0 id 1 mt-pressure 100 slot 1 id 2 mt-pressure 200 slot 2 id 3 mt-pressure 300
      10ms  dropped
      """)
    press.resynchronize(
      .pad().slots(
        SlotState(), SlotState(trackingID: 2, pressure: 250),
        SlotState(trackingID: 9, pressure: 350), SlotState(trackingID: 10, pressure: 450)))
    #expect(
      press.story().suffix(4) == [
        "10ms 0 released 0", "10ms 2 released 300", "10ms 2 touching 350", "10ms 3 touching 450",
      ])
    #expect(press.readings.contains { $0.contact == 1 && $0.raw == 250 })
  }

  @Test("Without a fresh state the next frame is followed with what is known")
  func goesOnAfterDrop() throws {
    let press = Press(on: .pen())
    try press.play(
      """
      0ms   touch 1 pressure 100
      10ms  dropped pressure 900
      20ms  pressure 300
      """)
    #expect(press.readings.last?.raw == 300)
  }

  @Test("Two devices with the same contact numbers don't disturb each other")
  func twoDevices() throws {
    let press = Press(on: .pen())
    let other = DeviceHandle(2)
    press.engine.attach(.pen(), as: other, at: press.now)
    try press.play("0ms touch 1 pressure 100")
    for (type, code, value) in [
      (EventType.key, KeyCode.touch, 1), (EventType.absolute, AbsoluteCode.pressure, 900),
      (EventType.synchronization, 0, 0),
    ] as [(UInt16, UInt16, Int32)] {
      press.engine.ingest(
        InputEvent(time: Instant(microseconds: 2_000), type: type, code: code, value: value),
        from: other)
    }
    press.collect()
    #expect(press.readings.map(\.device) == [press.handle, other])
    #expect(press.readings.map(\.sequence) == [1, 1])
    #expect(press.engine.deadline == Instant(microseconds: 4_000), "the earlier of both")
    try press.play("10ms touch 0")
    #expect(press.readings.last?.device == press.handle)
    #expect(press.engine.deadline == Instant(microseconds: 10_000))
  }

  @Test("Events of a device that is not there are ignored")
  func unknownDevice() {
    let engine = Engine()
    engine.ingest(
      InputEvent(time: Instant(microseconds: 0), type: 0, code: 0, value: 0),
      from: DeviceHandle(9))
    engine.detach(DeviceHandle(9), at: Instant(microseconds: 0))
    engine.resynchronize(.pen(), for: DeviceHandle(9), at: Instant(microseconds: 0))
    #expect(engine.readings.isEmpty)
    #expect(engine.counters(of: DeviceHandle(9)) == DeviceCounters())
    #expect(engine.capability(of: DeviceHandle(9)) == nil)
  }
}

@Suite("The current state, and changed settings")
struct EngineStateTests {
  private func current(_ press: Press, _ handle: DeviceHandle?) -> [Reading] {
    var readings: [Reading] = []
    press.engine.forEachCurrent(of: handle) { readings.append($0) }
    return readings
  }

  @Test("The current state is the last reading of each contact that is down")
  func contactsDown() throws {
    let press = Press(on: .pad())
    #expect(current(press, nil).isEmpty, "no contact yet is not 0 %")
    try press.play(
      "0ms slot 0 id 1 mt-pressure 100 slot 1 id 2 mt-pressure 300", rest: .seconds(1))
    #expect(current(press, press.handle).map(\.contact) == [0, 1])
    #expect(current(press, press.handle).map(\.raw) == [100, 300])
    #expect(current(press, DeviceHandle(2)).isEmpty)
  }

  @Test("Without a contact it is the last release")
  func lastRelease() throws {
    let press = Press(on: .pad())
    try press.play(
      """
      0ms   slot 0 id 1 mt-pressure 100 slot 1 id 2 mt-pressure 300
      10ms  slot 1 id -1
      20ms  slot 0 id -1
      """)
    let state = current(press, nil)
    #expect(state.map(\.contact) == [0])
    #expect(state.first?.state == .released)
    press.detach()
    #expect(current(press, nil).isEmpty, "no device is not 0 % either")
  }

  @Test("A changed scale is told at once, even of a press that rests")
  func changedScale() throws {
    let press = Press(on: .pen(maximum: 1_000))
    try press.play("0ms touch 1 pressure 500", rest: .seconds(1))
    #expect(press.readings.last?.grams == 192.5)
    press.engine.settings.scale.nominalGrams = 1_000
    press.advance(to: press.now + .milliseconds(1))
    #expect(press.readings.last?.grams == 500)
    #expect(press.readings.last?.percent == 50)
    press.advance(to: press.now + .seconds(1))
    #expect(press.engine.deadline == nil)
  }

  @Test("Changed smoothing goes on from where the press is")
  func changedSmoothing() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 2047", rest: .milliseconds(21))
    #expect(press.readings.last?.percent == 40)
    press.engine.settings.smoothing.riseRate = 1_000
    press.advance(to: Instant(microseconds: 33_000))
    #expect(press.readings.map(\.percent).suffix(4) == [40, 44, 48, 52])
  }

  @Test("Haptics that are switched off while they play are stopped")
  func switchedOff() throws {
    let press = Press(on: .pen(), .unsmoothed)
    try press.play("0ms touch 1 pressure 2047", rest: .milliseconds(5))
    press.engine.settings.haptics.enabled = false
    press.collect()
    #expect(press.haptics.map(\.action).last == .stop)
  }
}
