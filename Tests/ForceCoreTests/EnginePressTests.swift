import ForceCore
import ForceTestSupport
import Testing

@Suite("A press, from its first event to its release")
struct EnginePressTests {
  @Test("A full press rises at the slew limit, plays once, rests, and ends at 0")
  func fullPress() {
    let engine = Engine()
    let pen = DeviceHandle(1)
    engine.attach(.pen(), as: pen, at: Instant(microseconds: 0))
    func send(_ time: Int64, _ type: UInt16, _ code: UInt16, _ value: Int32) {
      engine.ingest(
        InputEvent(time: Instant(microseconds: time), type: type, code: code, value: value),
        from: pen)
    }
    send(1_000, EventType.key, KeyCode.touch, 1)
    send(1_000, EventType.absolute, AbsoluteCode.pressure, 2_047)
    send(1_000, EventType.synchronization, SynchronizationCode.report, 0)
    while let deadline = engine.deadline { engine.advance(to: deadline) }
    send(1_000_000, EventType.key, KeyCode.touch, 0)
    send(1_000_000, EventType.synchronization, SynchronizationCode.report, 0)

    let percents = engine.readings.map(\.percent)
    #expect(percents.prefix(4) == [0, 8, 16, 24])
    #expect(engine.readings.map(\.state).suffix(3) == [.touching, .steady, .released])
    #expect(percents.suffix(3) == [100, 100, 0])
    #expect(engine.readings.map(\.grams).max() == 385)
    #expect(engine.haptics.count == 1)
    #expect(engine.deadline == nil)
  }
}
