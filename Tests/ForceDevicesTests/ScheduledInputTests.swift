import ForceCore
import Testing

@testable import ForceDevices

private let twoFrames = """
  N: pad
  I: 0003 0001 0002 0003
  A: 18 0 255 0 0
  E: 100.000000 0001 014a 1
  E: 100.000000 0000 0000 0
  E: 100.250000 0001 014a 0
  E: 100.250000 0000 0000 0
  """

private func time(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }

@Suite("Replaying a recording")
struct ReplayInputTests {
  private func replay() throws -> ReplayInput {
    ReplayInput(try EvemuRecording.parse(Array(twoFrames.utf8), path: "pad.evemu"))
  }

  @Test("Frames come at their recorded distances from the start, then the device leaves")
  func keepsDistances() throws {
    let input = try replay()
    input.begin(at: time(5_000))
    #expect(input.nextTime == time(5_000))
    var times: [Int64] = []
    input.deliver(until: time(4_999)) { _ in times.append(-1) }
    input.deliver(until: time(5_000)) { times.append($0.time.microseconds) }
    #expect(times == [5_000, 5_000])
    #expect(input.nextTime == time(255_000))
    input.deliver(until: time(1_000_000)) { times.append($0.time.microseconds) }
    #expect(times == [5_000, 5_000, 255_000, 255_000])
    #expect(input.nextTime == nil)
  }

  @Test("Begun at its own first time, it keeps the recording's clock")
  func ownClock() throws {
    let input = try replay()
    input.begin(at: try #require(input.firstTime))
    var times: [Int64] = []
    input.deliver(until: time(.max)) { times.append($0.time.microseconds) }
    #expect(times == [100_000_000, 100_000_000, 100_250_000, 100_250_000])
  }

  @Test("Begun again, it plays again")
  func playsAgain() throws {
    let input = try replay()
    input.begin(at: time(0))
    input.deliver(until: time(.max)) { _ in }
    input.begin(at: time(7))
    #expect(input.nextTime == time(7))
  }

  @Test("A description without events leaves at once")
  func descriptionOnly() throws {
    let text = twoFrames.split(separator: "\n").prefix(3).joined(separator: "\n")
    let input = ReplayInput(try EvemuRecording.parse(Array(text.utf8), path: "pad.evemu"))
    input.begin(at: time(0))
    #expect(input.nextTime == nil)
    #expect(input.firstTime == nil)
  }
}

@Suite("The simulated pad")
struct SimulatedPadTests {
  private struct Frame {
    var time: Int64
    var touches: Bool
    var pressure: Int32
    var events: Int
  }

  private func frames(_ pattern: PressPattern, seconds: Int64, seed: UInt64 = 1) -> [Frame] {
    let pad = SimulatedPad(pattern: pattern, seed: seed)
    pad.begin(at: time(0))
    var frames: [Frame] = []
    var frame = Frame(time: 0, touches: false, pressure: 0, events: 0)
    func take(_ event: InputEvent) {
      frame.events += 1
      switch (event.type, event.code) {
      case (EventType.key, KeyCode.touch): frame.touches = event.value == 1
      case (EventType.absolute, AbsoluteCode.pressure): frame.pressure = event.value
      default:
        frame.time = event.time.microseconds
        frames.append(frame)
        frame.events = 0
      }
    }
    for second in 1...seconds { pad.deliver(until: time(second * 1_000_000), to: take) }
    return frames
  }

  @Test(
    "Every frame changes something and comes a multiple of 4 ms after the last",
    arguments: PressPattern.allCases)
  func silentWhenSteady(pattern: PressPattern) {
    let frames = frames(pattern, seconds: 12)
    #expect(frames.first?.time == 0)
    #expect(frames.allSatisfy { $0.events > 1 && (0...4_095).contains($0.pressure) })
    #expect(frames.allSatisfy { $0.touches == ($0.pressure > 0) })
    let steps = zip(frames, frames.dropFirst()).map { $1.time - $0.time }
    #expect(steps.allSatisfy { $0 >= 4_000 && $0 % 4_000 == 0 })
    #expect(frames.contains { !$0.touches })
  }

  @Test("A press goes up to the maximum, holds it in silence, and lets go")
  func press() throws {
    let frames = frames(.press, seconds: 2)
    let top = try #require(frames.firstIndex { $0.pressure == 4_095 })
    let rise = frames[...top].map(\.pressure)
    #expect(zip(rise, rise.dropFirst()).allSatisfy { $0 < $1 })
    #expect(frames[top + 1].time - frames[top].time >= 500_000)
    #expect(frames.last?.touches == false)
  }

  @Test("Taps differ in force and one reaches the maximum")
  func taps() {
    var peaks: [Int32] = []
    var peak: Int32 = 0
    for frame in frames(.tap, seconds: 2) {
      peak = max(peak, frame.pressure)
      if !frame.touches {
        peaks.append(peak)
        peak = 0
      }
    }
    #expect(peaks.count == 5)
    #expect(Set(peaks).count == 5)
    #expect(peaks.contains(4_095))
  }

  @Test("Noise depends on its seed and on nothing else")
  func noise() {
    let first = frames(.noise, seconds: 4).map(\.pressure)
    #expect(frames(.noise, seconds: 4).map(\.pressure) == first)
    #expect(frames(.noise, seconds: 4, seed: 2).map(\.pressure) != first)
  }

  @Test("The pad does not replay the hours that a stopped program missed")
  func longStop() throws {
    let pad = SimulatedPad(pattern: .press)
    pad.begin(at: time(0))
    pad.deliver(until: time(1_000)) { _ in }
    var count = 0
    let late = time(100_000_000_000)
    pad.deliver(until: late) { _ in count += 1 }
    #expect(count < 5_000)
    let next = try #require(pad.nextTime)
    #expect(next > late && next - late < .seconds(3))
  }
}

@Suite("The simulated motor")
struct SimulatedMotorTests {
  private final class Log: @unchecked Sendable {
    var actions: [SimulatedMotor.Action] = []
  }

  private let effect = HapticEffect(strength: 1, length: .milliseconds(60))

  @Test("It tells what it is told")
  func reports() throws {
    let log = Log()
    let motor = SimulatedMotor { log.actions.append($0) }
    let id = try motor.upload(effect, replacing: nil)
    let weaker = HapticEffect(strength: 0.5, length: .milliseconds(60))
    #expect(try motor.upload(weaker, replacing: id) == id)
    try motor.play(id)
    try motor.stop(id)
    try motor.erase(id)
    #expect(
      log.actions == [
        .uploaded(id, effect), .uploaded(id, weaker), .played(id, weaker), .stopped(id),
        .erased(id),
      ])
    #expect(log.actions[2].description == "plays effect 0: 50 % for 60 ms")
  }

  @Test("It holds 16 effects and refuses what it does not hold")
  func limits() throws {
    let motor = SimulatedMotor { _ in }
    for _ in 0..<16 { _ = try motor.upload(effect, replacing: nil) }
    #expect(throws: MotorError.noFreeSlot) { try motor.upload(effect, replacing: nil) }
    try motor.erase(EffectID(3))
    #expect(try motor.upload(effect, replacing: nil) == EffectID(3))
    #expect(throws: MotorError.self) { try motor.play(EffectID(99)) }
    #expect(throws: MotorError.self) { try motor.erase(EffectID(99)) }
    #expect(throws: MotorError.self) { try motor.upload(effect, replacing: EffectID(99)) }
  }
}
