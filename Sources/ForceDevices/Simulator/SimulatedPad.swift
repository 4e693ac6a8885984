import ForceCore

/// A pressure pad with a motor that needs neither hardware nor privileges: 0…4095, 250 frames a
/// second while the force changes, silent while it doesn't, as the kernel would be. It never leaves.
public final class SimulatedPad: ScheduledInput {
  /// The largest value that the pad sends.
  public static let maximum: Int32 = 4_095
  /// One frame every 4 ms.
  static let frameInterval = Microseconds.milliseconds(4)

  public let pattern: PressPattern
  public let description: DeviceDescription
  private let seed: UInt64
  private let ticksPerPeriod: Int64
  private var start = Instant(microseconds: 0)
  /// The next frame interval to look at, counted from the start.
  private var tick: Int64 = 0
  private var pending: Frame
  private var touches = false
  private var pressure: Int32 = 0

  /// - Parameters:
  ///   - pattern: what the simulated finger does.
  ///   - seed: chooses the noise; the same seed gives the same noise.
  public init(pattern: PressPattern = .press, seed: UInt64 = 1) {
    self.pattern = pattern
    self.seed = seed
    ticksPerPeriod = pattern.period * 1_000 / Self.frameInterval.count
    description = DeviceDescription(
      identity: DeviceIdentity(
        bus: Bus.virtual, vendor: 0, product: 0, name: "Simulated pad", uniq: "", phys: ""),
      properties: [InputProperty.pointer, InputProperty.pressurePad],
      keys: [KeyCode.touch, KeyCode.toolFinger],
      axes: [AbsoluteCode.pressure: AbsoluteAxis(minimum: 0, maximum: Self.maximum)],
      forceFeedback: [ForceFeedbackCode.rumble], effectSlots: SimulatedMotor.effectSlots,
      node: "simulator")
    pending = Frame(tick: 0, touches: false, pressure: 0)
    findNextFrame()
  }

  public var nextTime: Instant? { time(of: pending.tick) }

  public func begin(at start: Instant) {
    tick = 0
    touches = false
    pressure = 0
    findNextFrame()
    self.start = start - Microseconds(pending.tick * Self.frameInterval.count)
  }

  public func deliver(until now: Instant, to sink: (InputEvent) -> Void) {
    skipWholePeriods(until: now)
    while time(of: pending.tick) <= now {
      send(pending, to: sink)
      findNextFrame()
    }
  }

  /// After the program was stopped for long: nobody wants to see the presses that it missed.
  private func skipWholePeriods(until now: Instant) {
    let late = (now - time(of: pending.tick)).count / Self.frameInterval.count
    guard late > 2 * ticksPerPeriod else { return }
    let skipped = (late / ticksPerPeriod - 1) * ticksPerPeriod
    tick += skipped
    pending.tick += skipped
  }

  private func send(_ frame: Frame, to sink: (InputEvent) -> Void) {
    let time = time(of: frame.tick)
    func send(_ type: UInt16, _ code: UInt16, _ value: Int32) {
      sink(InputEvent(time: time, type: type, code: code, value: value))
    }
    if frame.touches != touches {
      send(EventType.key, KeyCode.touch, frame.touches ? 1 : 0)
    }
    if frame.pressure != pressure {
      send(EventType.absolute, AbsoluteCode.pressure, frame.pressure)
    }
    send(EventType.synchronization, SynchronizationCode.report, 0)
    touches = frame.touches
    pressure = frame.pressure
  }

  /// Looks ahead to the next frame that changes something. Every pattern presses and lets go within
  /// its period, so that there is always one.
  private func findNextFrame() {
    repeat {
      pending = frame(at: tick)
      tick += 1
    } while pending.touches == touches && pending.pressure == pressure
  }

  private func frame(at tick: Int64) -> Frame {
    let force = pattern.force(
      at: tick % ticksPerPeriod * Self.frameInterval.count / 1_000, draw: draw(tick))
    guard let force else { return Frame(tick: tick, touches: false, pressure: 0) }
    let value = Int32((min(max(force, 0), 1) * Double(Self.maximum)).rounded())
    // What touches is felt.
    return Frame(tick: tick, touches: true, pressure: max(value, 1))
  }

  /// -1…1, denser around 0, depending on the seed and the tick alone. The mixing is SplitMix64
  /// (Steele, Lea and Flood, OOPSLA 2014).
  private func draw(_ tick: Int64) -> Double {
    var z = seed &+ UInt64(bitPattern: tick) &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    z ^= z >> 31
    let first = Double(z >> 32) / 4_294_967_296
    let second = Double(z & 0xffff_ffff) / 4_294_967_296
    return first - second
  }

  private func time(of tick: Int64) -> Instant {
    start + Microseconds(tick * Self.frameInterval.count)
  }

  private struct Frame {
    var tick: Int64
    var touches: Bool
    var pressure: Int32
  }
}
