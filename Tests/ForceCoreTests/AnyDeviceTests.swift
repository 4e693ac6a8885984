import ForceCore
import ForceTestSupport
import Testing

/// Whatever a device says of itself, and whatever it sends.
@Suite("Any device")
struct AnyDeviceTests {
  private static let axes: [UInt16] = [
    AbsoluteCode.x, AbsoluteCode.z, AbsoluteCode.rx, AbsoluteCode.ry, AbsoluteCode.rz,
    AbsoluteCode.gas, AbsoluteCode.brake, AbsoluteCode.hat0X, AbsoluteCode.hat0Y,
    AbsoluteCode.hat1X, AbsoluteCode.hat1Y, AbsoluteCode.pressure, AbsoluteCode.distance,
    AbsoluteCode.miscellaneous, AbsoluteCode.slot, AbsoluteCode.touchMajor,
    AbsoluteCode.positionX, AbsoluteCode.positionY, AbsoluteCode.trackingID,
    AbsoluteCode.touchPressure, AbsoluteCode.touchDistance,
  ]
  private static let keys: [UInt16] = [
    KeyCode.touch, KeyCode.toolPen, KeyCode.toolRubber, KeyCode.toolFinger, KeyCode.toolDoubleTap,
    KeyCode.stylus, KeyCode.gamepad, KeyCode.joystick, 0x110,
  ]
  private static let numbers: [Int32] = [
    .min, -32_768, -127, -2, -1, 0, 1, 2, 5, 9, 100, 127, 255, 256, 1_000, 2_047, 65_535, .max,
  ]

  private static func describe(_ random: inout SeededRandom) -> DeviceDescription {
    // By chance alone a balance board hardly comes about.
    if Int.random(in: 0..<12, using: &random) == 0 { return .balanceBoard() }
    var device = DeviceDescription.named("anything")
    let axisShare = Int.random(in: 1...9, using: &random)
    for code in axes where Int.random(in: 0..<10, using: &random) < axisShare {
      func number() -> Int32 { numbers.randomElement(using: &random) ?? 0 }
      device.axes[code] =
        Bool.random(using: &random)
        ? AbsoluteAxis(minimum: 0, maximum: 255, value: 0)
        : AbsoluteAxis(
          minimum: number(), maximum: number(), fuzz: number(), flat: number(),
          resolution: number(), value: number())
    }
    for key in keys where Int.random(in: 0..<3, using: &random) == 0 { device.keys.insert(key) }
    for key in device.keys where Int.random(in: 0..<4, using: &random) == 0 {
      device.pressedKeys.insert(key)
    }
    device.miscellaneous = [MiscellaneousCode.serial]
    device.slots = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
      SlotState(trackingID: Int32.random(in: -1...2, using: &random))
    }
    return device
  }

  private static func event(at time: Instant, _ random: inout SeededRandom) -> InputEvent {
    let value = numbers.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<12:
      return InputEvent(
        time: time, type: EventType.absolute, code: axes.randomElement(using: &random) ?? 0,
        value: value)
    case 12..<16:
      return InputEvent(
        time: time, type: EventType.key, code: keys.randomElement(using: &random) ?? 0,
        value: Int32.random(in: 0...1, using: &random))
    case 16:
      return InputEvent(time: time, type: EventType.miscellaneous, code: 0, value: value)
    case 17:
      let codes = [SynchronizationCode.multitouchReport, SynchronizationCode.dropped]
      return InputEvent(
        time: time, type: EventType.synchronization, code: codes.randomElement(using: &random) ?? 0,
        value: 0)
    default:
      return InputEvent(
        time: time, type: EventType.synchronization, code: SynchronizationCode.report, value: 0)
    }
  }

  /// Everything by which a device can say that nothing touches it: keys up, slots empty, axes at their
  /// minimum, an empty packet.
  private static func lift(_ device: DeviceDescription, at time: Instant) -> [InputEvent] {
    func event(_ type: UInt16, _ code: UInt16, _ value: Int32) -> InputEvent {
      InputEvent(time: time, type: type, code: code, value: value)
    }
    let report = event(EventType.synchronization, SynchronizationCode.report, 0)
    // A frame that a drop spoiled ends first.
    var events = [report]
    events += keys.map { event(EventType.key, $0, 0) }
    for slot in Int32(0)..<257 {
      events.append(event(EventType.absolute, AbsoluteCode.slot, slot))
      events.append(event(EventType.absolute, AbsoluteCode.trackingID, -1))
    }
    let others = axes.filter { !AbsoluteCode.perContact.contains($0) && $0 != AbsoluteCode.slot }
    events += others.compactMap { code in
      device.axes[code].map { event(EventType.absolute, code, $0.minimum) }
    }
    // That last tracking ID began a packet of protocol A; the next one is empty.
    let packet = event(EventType.synchronization, SynchronizationCode.multitouchReport, 0)
    return events + [packet, report, packet, report]
  }

  /// A device as it can be, played as it can be.
  /// - Returns: what came out, and whether anything was left down after everything was lifted.
  private static func play(seed: Int) -> (Capability, [Reading], staysDown: Bool) {
    var random = SeededRandom(seed: UInt64(seed))
    let device = describe(&random)
    var settings = EngineSettings()
    settings.scale.observesRange = seed % 3 == 0
    settings.contact.pressAt = seed % 4 == 0 ? 10 : 0
    settings.contact.releaseAt = settings.contact.pressAt / 2
    settings.smoothing.filter = SmoothingFilter.allCases[seed % 3]
    let engine = Engine(settings: settings, publishesPositions: seed.isMultiple(of: 2))
    let handle = DeviceHandle(0)
    var now = Instant(microseconds: 0)
    let capability = engine.attach(device, as: handle, at: now)
    var readings = engine.readings
    engine.clearActions()
    for _ in 0..<300 {
      now = now + Microseconds([0, 1, 900, 8_000, 300_000].randomElement(using: &random) ?? 0)
      engine.advance(to: now)
      engine.ingest(event(at: now, &random), from: handle)
      if engine.lostEvents(of: handle), Bool.random(using: &random) {
        engine.resynchronize(describe(&random), for: handle, at: now)
      }
      readings += engine.readings
      engine.clearActions()
    }
    for event in lift(device, at: now) { engine.ingest(event, from: handle) }
    var staysDown = false
    engine.forEachCurrent(of: handle) { if $0.state != .released { staysDown = true } }
    _ = engine.insight(of: handle)
    engine.detach(handle, at: now)
    return (capability, readings + engine.readings, staysDown)
  }

  @Test(
    "No crash, no number that is none, no contact that stays, and a reason for no force",
    arguments: 0..<20)
  func anything(chunk: Int) {
    for seed in chunk * 20..<(chunk + 1) * 20 {
      let (capability, readings, staysDown) = Self.play(seed: seed)
      // Pedals may rest at their maximum.
      if !capability.hasPedals { #expect(!staysDown, "seed \(seed)") }
      #expect((capability.measure == .force) == (capability.reason == nil), "seed \(seed)")
      #expect((capability.layout == nil) == (capability.reason != nil), "seed \(seed)")
      if capability.layout == nil { #expect(readings.isEmpty, "seed \(seed)") }
      check(readings, seed)
    }
  }

  @Test("Among them are devices of every layout, with readings, and devices that measure nothing")
  func variety() {
    let played = (0..<120).map { Self.play(seed: $0) }
    for layout in ["single", "slots", "protocolA", "triggers", "balanceBoard"] {
      #expect(
        played.contains {
          !$0.1.isEmpty && $0.0.layout.map { "\($0)".hasPrefix(layout) } == true
        }, "no \(layout)")
    }
    #expect(played.contains { $0.0.layout == nil })
  }

  private func check(_ readings: [Reading], _ seed: Int) {
    var down: Set<Int32> = []
    for reading in readings {
      let sane =
        (0...100).contains(reading.percent) && (0...100).contains(reading.unsmoothedPercent)
        && reading.grams.isFinite && reading.grams >= 0
      #expect(sane, "seed \(seed): \(reading)")
      if reading.state == .released {
        #expect(down.remove(reading.contact) != nil, "seed \(seed): released twice")
        #expect(reading.percent == 0 && reading.grams == 0, "seed \(seed)")
      } else {
        down.insert(reading.contact)
      }
    }
    #expect(down.isEmpty, "seed \(seed)")
    let sequences = readings.map(\.sequence)
    #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 }, "seed \(seed)")
    #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.time <= $1.time }, "seed \(seed)")
  }
}

extension Capability {
  fileprivate var hasPedals: Bool {
    if case .triggers = layout { return true }
    return false
  }
}
