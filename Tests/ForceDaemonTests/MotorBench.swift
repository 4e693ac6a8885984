import ForceCore
import Testing

@testable import ForceDaemon

/// A motor's state and the device at its other end, which takes everything at once unless told.
struct MotorBench {
  var state: MotorState
  var now = Instant(microseconds: 0)
  /// What the motor was told, in order, with the millisecond.
  private(set) var log: [String] = []
  /// Answers to uploads, before the device takes them all.
  var answers: [MotorError] = []
  /// How long an upload takes.
  var uploadTime = Microseconds.zero
  /// Whether an erase is never answered.
  var erasesHang = false
  /// Stops that the driver does not take.
  var refusedStops = 0
  private var nextID: Int16 = 0

  init(slots: Int = 8, interval: Microseconds = .milliseconds(10)) {
    var limits = MotorLimits()
    limits.slots = slots
    limits.interval = interval
    state = MotorState(limits)
  }

  /// One whose motor holds the click.
  static func ready(slots: Int = 8, interval: Int64 = 10) -> MotorBench {
    var bench = MotorBench(slots: slots, interval: .milliseconds(interval))
    bench.prepare(clickPattern.pulse)
    _ = bench.take()
    return bench
  }

  mutating func prepare(_ effects: HapticEffect...) {
    state.prepare(effects)
    pump()
  }

  mutating func play(_ pattern: HapticPattern) {
    state.play(pattern, at: now)
    pump()
  }

  mutating func follow(_ strength: Double) {
    state.follow(strength)
    pump()
  }

  mutating func stop() {
    state.stop(at: now)
    pump()
  }

  /// Lets time pass, at each of the state's deadlines.
  mutating func pass(_ milliseconds: Int64) {
    let end = now + .milliseconds(milliseconds)
    var steps = 0
    while let deadline = state.deadline, deadline <= end, steps < 10_000 {
      now = max(now, deadline)
      pump()
      steps += 1
    }
    #expect(steps < 10_000, "a deadline at which there is nothing to do")
    now = end
  }

  mutating func pump() {
    while let order = state.next(at: now) { carryOut(order) }
  }

  mutating func carryOut(_ order: MotorOrder?) {
    guard let order else { return }
    let time = now.microseconds / 1_000
    switch order {
    case .upload(let effect, let replacing):
      let percent = Int((effect.strength * 100).rounded())
      log.append("\(time) upload \(percent)%" + (replacing.map { " over \($0.value)" } ?? ""))
      guard uploadTime == .zero else { return }
      finishUpload()
    case .erase(let id):
      log.append("\(time) erase \(id.value)")
      if !erasesHang { carryOut(state.finishErase()) }
    case .play(let id):
      log.append("\(time) play \(id.value)")
      carryOut(state.finishPlay(nil))
    case .stop(let id):
      log.append("\(time) stop \(id.value)")
      guard refusedStops > 0 else { return }
      refusedStops -= 1
      carryOut(state.finishStop(id, .failed("stop", errno: 11)))
    case .tell(let trouble): log.append("\(time) \(trouble)")
    }
  }

  /// The device answers the upload under way.
  mutating func finishUpload() {
    guard case .uploading(let upload) = state.work else { return }
    let result: Result<EffectID, MotorError>
    if answers.isEmpty {
      let id = upload.replacing ?? EffectID(nextID)
      if upload.replacing == nil { nextID += 1 }
      result = .success(id)
    } else {
      result = .failure(answers.removeFirst())
    }
    carryOut(state.finishUpload(result, at: now))
  }

  /// The log since the last call.
  mutating func take() -> [String] {
    defer { log.removeAll() }
    return log
  }
}

let clickPattern = HapticPattern(strength: 1, length: .milliseconds(60))
let buzzPattern = HapticPattern(strength: 0.5, length: .milliseconds(200))
let rampPattern = HapticPattern(
  HapticEffect(strength: 0.2, length: .milliseconds(500)), followsForce: true)
