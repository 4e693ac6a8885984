import ForceCore
import ForceTestSupport
import Testing

@Suite struct PositionTests {
  private let pen = DeviceDescription.named("Pen").keys(KeyCode.toolPen, KeyCode.touch)
    .axis(AbsoluteCode.x, 0...1_000).axis(AbsoluteCode.y, -5...600)
    .axis(AbsoluteCode.pressure, 0...100)
  private let screen = DeviceDescription.named("Screen").properties(InputProperty.direct)
    .axis(AbsoluteCode.slot, 0...1).axis(AbsoluteCode.trackingID, 0...65_535)
    .axis(AbsoluteCode.positionX, 0...1_000).axis(AbsoluteCode.positionY, 0...600)
    .axis(AbsoluteCode.touchPressure, 0...100)

  private func readings(
    of device: DeviceDescription, publishes: Bool, _ frames: [[(UInt16, Int32)]]
  ) -> [Reading] {
    let engine = Engine(publishesPositions: publishes)
    let handle = DeviceHandle(0)
    engine.attach(device, as: handle, at: Instant(microseconds: 0))
    for (index, frame) in frames.enumerated() {
      let time = Instant(microseconds: Int64(index + 1) * 10_000)
      if device.keys.contains(KeyCode.touch) {
        let touch = InputEvent(time: time, type: EventType.key, code: KeyCode.touch, value: 1)
        engine.ingest(touch, from: handle)
      }
      for (code, value) in frame {
        let event = InputEvent(time: time, type: EventType.absolute, code: code, value: value)
        engine.ingest(event, from: handle)
      }
      let report = InputEvent(
        time: time, type: EventType.synchronization, code: SynchronizationCode.report, value: 0)
      engine.ingest(report, from: handle)
    }
    return engine.readings
  }

  @Test func withoutBeingAskedForNoPositionIsNeededNorPublished() {
    for device in [pen, screen] {
      let capability = Capability.classify(device, withPositions: false)
      #expect(capability == Capability.classify(device))
      #expect(capability.positions == nil)
      let codes = capability.neededCodes[EventType.absolute] ?? []
      let places = [
        AbsoluteCode.x, AbsoluteCode.y, AbsoluteCode.positionX, AbsoluteCode.positionY,
      ]
      #expect(codes.allSatisfy { !places.contains($0) })
    }
    let readings = readings(
      of: pen, publishes: false,
      [[(AbsoluteCode.x, 3), (AbsoluteCode.y, 4), (AbsoluteCode.pressure, 50)]])
    #expect(readings.count == 1 && readings[0].position == nil)
  }

  @Test func whereTheyAreAskedForTheKernelIsAskedToo() {
    let capability = Capability.classify(pen, withPositions: true)
    #expect(
      capability.neededCodes[EventType.absolute] == [
        AbsoluteCode.x, AbsoluteCode.y, AbsoluteCode.pressure,
      ])
    #expect(capability.positions?.y.minimum == -5 && capability.positions?.x.maximum == 1_000)
  }

  @Test func aPenIsWhereItsReadingSays() {
    let readings = readings(
      of: pen, publishes: true,
      [
        [(AbsoluteCode.x, 3), (AbsoluteCode.y, 4), (AbsoluteCode.pressure, 50)],
        [(AbsoluteCode.x, 5)],
        [(AbsoluteCode.pressure, 60)],
      ])
    // Moving alone makes no reading.
    #expect(readings.map(\.position) == [Position(x: 3, y: 4), Position(x: 5, y: 4)])
  }

  @Test func eachSlotHasItsOwnPosition() {
    let readings = readings(
      of: screen, publishes: true,
      [
        [
          (AbsoluteCode.trackingID, 7), (AbsoluteCode.positionX, 1), (AbsoluteCode.positionY, 2),
          (AbsoluteCode.touchPressure, 50), (AbsoluteCode.slot, 1), (AbsoluteCode.trackingID, 8),
          (AbsoluteCode.positionX, 100), (AbsoluteCode.touchPressure, 60),
        ],
        // A slot that isn't there.
        [(AbsoluteCode.slot, 9), (AbsoluteCode.positionX, 999)],
        [(AbsoluteCode.slot, 0), (AbsoluteCode.trackingID, -1)],
      ])
    #expect(readings.map(\.contact) == [0, 1, 0])
    #expect(
      readings.map(\.position) == [
        Position(x: 1, y: 2), Position(x: 100, y: 0), Position(x: 1, y: 2),
      ])
  }

  @Test func eachPacketOfProtocolAHasItsOwnPosition() throws {
    let screen = DeviceDescription.named("Screen").properties(InputProperty.direct)
      .axis(AbsoluteCode.trackingID, 0...15).axis(AbsoluteCode.touchPressure, 0...100)
      .axis(AbsoluteCode.positionX, 0...1_000).axis(AbsoluteCode.positionY, 0...600)
    let capability = Capability.classify(screen, withPositions: true)
    #expect(capability.layout == .protocolA && capability.positions?.x.maximum == 1_000)
    for publishes in [true, false] {
      let engine = Engine(publishesPositions: publishes)
      engine.attach(screen, as: DeviceHandle(0), at: Instant(microseconds: 0))
      let script = try PressScript(
        """
        1ms  id 7 mt-x 1 mt-y 2 mt-pressure 50 packet id 8 mt-x 100 mt-y 200 mt-pressure 60 packet
        2ms  id 8 mt-x 101 mt-pressure 61 packet id 7 mt-x 3 mt-y 4 mt-pressure 51 packet
        3ms  id 8 mt-x 102 mt-y 202 mt-pressure 62 packet
        4ms  id 9 mt-x 500 mt-y 501 mt-pressure 10 packet
        """)
      for event in script.frames.flatMap(\.events) { engine.ingest(event, from: DeviceHandle(0)) }
      let told = engine.readings.map { "\($0.contact) \($0.raw) \($0.position?.x ?? -1)" }
      let places = [1, 100, 3, 101, 3, 102, 500, 102]
      let values = ["7 50", "8 60", "7 51", "8 61", "7 51", "8 62", "9 10", "8 62"]
      #expect(told == zip(values, places).map { "\($0) \(publishes ? $1 : -1)" })
      // A packet without one of the two leaves it as it was.
      #expect(
        engine.readings.filter { $0.contact == 8 }.last?.position
          == (publishes ? Position(x: 102, y: 202) : nil))
      #expect(
        engine.readings.first { $0.raw == 61 }?.position
          == (publishes ? Position(x: 101, y: 200) : nil))
    }
  }

  @Test func aContactThatWasThereBeforeIsWhereTheDeviceSaysThatItIs() {
    var screen = screen
    screen.slots = [
      SlotState(trackingID: 4, pressure: 20, position: Position(x: 11, y: 12)), SlotState(),
    ]
    let readings = readings(of: screen, publishes: true, [])
    #expect(readings.map(\.position) == [Position(x: 11, y: 12)])
  }
}
