import Dispatch
import ForceCore
import ForceProtocol
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// A motor that writes down what it is told, and whose driver can hang or refuse.
final class NotedMotor: Motor, @unchecked Sendable {
  let hasGain: Bool
  private let lock = PlainLock()
  private var told: [String] = []
  private var next: Int16 = 0
  private var isUploading = false
  private let refusal: MotorError?
  private let answer = DispatchSemaphore(value: 0)
  private let hangs: Bool

  /// - Parameter hangs: each upload waits for `letGo`.
  init(hasGain: Bool = false, hangs: Bool = false, refusal: MotorError? = nil) {
    self.hasGain = hasGain
    self.hangs = hangs
    self.refusal = refusal
  }

  func letGo() { answer.signal() }

  func upload(_ effect: HapticEffect, replacing: EffectID?) throws(MotorError) -> EffectID {
    lock.locked { isUploading = true }
    if hangs { answer.wait() }
    lock.locked { isUploading = false }
    if let refusal { throw refusal }
    return lock.locked {
      told.append("upload")
      if replacing == nil { next += 1 }
      return replacing ?? EffectID(next - 1)
    }
  }

  func erase(_ effect: EffectID) throws(MotorError) { note("erase") }
  func play(_ effect: EffectID) throws(MotorError) { note("play") }
  func stop(_ effect: EffectID) throws(MotorError) { note("stop") }
  func setGain(_ gain: Double) throws(MotorError) { note("gain \(Int(gain * 100))%") }

  private func note(_ what: String) {
    lock.locked { told.append(isUploading ? "\(what) against the lock" : what) }
  }

  /// What it was told since the last call.
  func take() -> [String] {
    lock.locked {
      defer { told.removeAll() }
      return told
    }
  }
}

/// Pressed devices and motors, without a daemon.
final class RouterBench {
  let pipeline: Pipeline
  private let loop: Loop
  private let log = Log(write: { _ in })
  private var workers: [WorkerQueue] = []
  private(set) var now = Loop.now()

  init(_ change: (inout HapticSettings) -> Void = { _ in }) throws {
    loop = try Loop()
    var settings = EngineSettings()
    change(&settings.haptics)
    pipeline = Pipeline(
      engine: Engine(settings: settings),
      haptics: HapticRouter(settings: settings.haptics, loop: LoopMailbox(loop), log: log),
      publisher: Publisher(), log: log)
    // What workers post comes in when `pass` lets it, and not while the test is at the state.
    loop.queue.suspend()
  }

  deinit { loop.queue.resume() }

  var router: HapticRouter { pipeline.haptics }

  @discardableResult
  func plugIn(_ device: DeviceDescription, _ motor: NotedMotor? = nil) -> DeviceEntry {
    let entry = pipeline.attach(device, at: now)
    if let motor {
      let worker = WorkerQueue()
      workers.append(worker)
      pipeline.addMotor(motor, of: entry, worker: worker, at: now)
    }
    pipeline.settle(entry, at: now)
    return entry
  }

  /// Waits for what drivers were asked, then lets time pass.
  func pass(_ milliseconds: Int64 = 200) {
    for worker in workers {
      let done = DispatchGroup()
      worker.run(in: done) {}
      done.wait()
    }
    loop.queue.resume()
    loop.queue.sync {}
    loop.queue.suspend()
    let end = max(now, Loop.now()) + .milliseconds(milliseconds)
    while let due = router.deadline, due <= end {
      now = max(now, due)
      router.advance(to: now)
    }
    now = end
  }
}

@Suite("Which motor is told what, of several")
struct HapticRouterTests {
  private static let vibrator = DeviceDescription.named("vibrator")
    .forceFeedback(ForceFeedbackCode.rumble)
  private static let long = HapticPattern(strength: 0.5, length: .seconds(20))

  /// Plugs in a screen beside a vibrator, which plays a long effect for it by then.
  private func playLong(
    on bench: RouterBench, pressing screen: DeviceDescription = .pad()
  ) -> (screen: DeviceEntry, motor: NotedMotor) {
    let motor = NotedMotor()
    bench.plugIn(Self.vibrator, motor)
    let entry = bench.plugIn(screen)
    bench.router.play(Self.long, for: entry.handle, at: bench.now)
    bench.pass()
    bench.pass()
    return (entry, motor)
  }

  @Test("A screen that goes takes the effect along that its seat's vibrator plays for it")
  func unplugged() throws {
    let bench = try RouterBench()
    let (screen, motor) = playLong(on: bench)
    #expect(motor.take().last == "play")
    bench.pipeline.detach(screen, at: bench.now)
    bench.pass()
    #expect(motor.take() == ["stop", "stop"])
  }

  @Test("A screen that goes by a motor that the configuration names does so too")
  func unpluggedFromNamedMotor() throws {
    let bench = try RouterBench { $0.motor = "vibrator" }
    let (screen, motor) = playLong(on: bench)
    _ = motor.take()
    bench.pipeline.detach(screen, at: bench.now)
    bench.pass()
    #expect(motor.take() == ["stop", "stop"])
  }

  @Test("Whoever gets another motor in mid-effect leaves the old one silent")
  func pairedAnew() throws {
    let bench = try RouterBench()
    let new = NotedMotor()
    let (screen, old) = playLong(on: bench, pressing: .pad().at(uniq: "aa"))
    _ = old.take()
    bench.plugIn(.gamepad().at(uniq: "aa").forceFeedback(ForceFeedbackCode.rumble), new)
    bench.pass()
    #expect(old.take() == ["stop", "stop"])
    bench.router.play(Self.long, for: screen.handle, at: bench.now)
    bench.pass()
    #expect(old.take().isEmpty && new.take().last == "play")
  }

  @Test("Who stays with a motor is not interrupted when another device comes")
  func pairedAsBefore() throws {
    let bench = try RouterBench()
    let (_, motor) = playLong(on: bench)
    _ = motor.take()
    bench.pipeline.detach(bench.plugIn(.gamepad()), at: bench.now)
    bench.pass()
    #expect(motor.take().isEmpty)
  }

  @Test("Of two devices on one motor, the ramp of one goes on when the other is released")
  func twoDevices() throws {
    let bench = try RouterBench()
    let motor = NotedMotor()
    bench.plugIn(Self.vibrator, motor)
    let (first, second) = (bench.plugIn(.pad()), bench.plugIn(.pad().at(uniq: "b")))
    func tell(_ device: DeviceEntry, _ action: HapticAction) {
      bench.router.execute(
        HapticCommand(device: device.handle, contact: 0, time: bench.now, action: action),
        at: bench.now)
      bench.pass()
    }
    let strength = { () -> Double? in
      bench.router.channel(of: DeviceHandle(0))?.state.follow?.strength
    }
    let ramp = HapticPattern(HapticEffect(strength: 0.4, length: .seconds(1)), followsForce: true)
    tell(first, .play(ramp))
    tell(second, .play(ramp.scaled(by: 2)))
    #expect(strength() == 0.8, "the strongest counts")
    tell(second, .stop)
    #expect(strength() == 0.4)
    _ = motor.take()
    tell(first, .follow(0.6))
    #expect(strength() == 0.6)
    bench.pass(2_000)
    #expect(motor.take().contains("play"))
    tell(first, .stop)
    #expect(strength() == nil)
    #expect(motor.take().suffix(2) == ["stop", "stop"])
  }

  @Test("The end stops every motor at once, whichever driver hangs")
  func endBesideAHangingDriver() throws {
    let bench = try RouterBench()
    let (hanging, quick) = (NotedMotor(hangs: true), NotedMotor())
    let pad = DeviceDescription.gamepad().forceFeedback(ForceFeedbackCode.rumble)
    let first = bench.plugIn(pad.at(uniq: "a"), hanging)
    hanging.letGo()
    bench.pass()
    let second = bench.plugIn(pad.at(uniq: "b"), quick)
    bench.pass()
    bench.router.play(Self.long, for: first.handle, at: bench.now)
    bench.router.play(.builtIn["click"] ?? Self.long, for: second.handle, at: bench.now)
    _ = (hanging.take(), quick.take())
    #expect(bench.router.shutDown(at: bench.now).wait(timeout: .now() + 0.3) == .timedOut)
    #expect(hanging.take() == [], "nothing against the lock that the upload holds")
    #expect(quick.take() == ["stop", "erase"])
    hanging.letGo()
    #expect(bench.router.shutDown(at: bench.now).wait(timeout: .now() + 10) == .success)
    // What the late upload brought is erased after that.
    #expect(hanging.take().prefix(3) == ["upload", "stop", "erase"])
  }

  @Test("Full gain is written once, before the first effect, and never again")
  func fullGain() throws {
    let bench = try RouterBench()
    let motor = NotedMotor(hasGain: true)
    let pad = bench.plugIn(
      .gamepad().forceFeedback(ForceFeedbackCode.rumble, ForceFeedbackCode.gain), motor)
    bench.pass()
    #expect(motor.take() == ["gain 100%", "upload"])
    bench.router.apply(bench.router.settings, devices: bench.pipeline.table, at: bench.now)
    bench.router.play(Self.long, for: pad.handle, at: bench.now)
    bench.pass()
    bench.pass()
    #expect(motor.take() == ["upload", "play"])
  }

  @Test("A gain of the configuration is written once, and full gain when it is taken away")
  func configuredGain() throws {
    let bench = try RouterBench { $0.gains["Test Gamepad"] = 0.3 }
    let motor = NotedMotor(hasGain: true)
    bench.plugIn(.gamepad().forceFeedback(ForceFeedbackCode.rumble, ForceFeedbackCode.gain), motor)
    bench.pass()
    #expect(motor.take() == ["gain 30%", "upload"])
    bench.router.apply(HapticSettings(), devices: bench.pipeline.table, at: bench.now)
    bench.pass()
    #expect(motor.take() == ["gain 100%"])
  }

  // MARK: Motors that refuse

  private static let refusal = MotorError.failed("uploading an effect to the pad", errno: 22)

  @Test("A motor that refuses drives nothing, and its device says why, in words")
  func refusing() throws {
    let bench = try RouterBench()
    let motor = NotedMotor(refusal: Self.refusal)
    let pad = bench.plugIn(.gamepad().forceFeedback(ForceFeedbackCode.rumble), motor)
    bench.pass()
    let record = DeviceRecord(pad, in: bench.pipeline)
    #expect(record.haptics == "none" && record.motor == record.id)
    #expect(
      record.hapticsReason
        == "its own motor, which plays nothing: uploading an effect to the pad failed: "
        + "Invalid argument")
    #expect(bench.router.play(Self.long, for: pad.handle, at: bench.now) == Self.refusal)
  }

  @Test("Who asks a motor to play that is known to refuse gets HapticFailed with the reason")
  func refusedCall() throws {
    let running = try RunningDaemon()
    let worker = WorkerQueue()
    let motor = NotedMotor(refusal: Self.refusal)
    running.daemon.onLoop { daemon in
      let pad = DeviceDescription.gamepad().forceFeedback(ForceFeedbackCode.rumble)
      let entry = daemon.pipeline.attach(pad, at: Loop.now())
      daemon.pipeline.addMotor(motor, of: entry, worker: worker, at: Loop.now())
      daemon.pipeline.settle(entry, at: Loop.now())
    }
    let done = DispatchGroup()
    worker.run(in: done) {}
    done.wait()
    let reply = try running.client().call(
      #"{"method":"org.forced.Force.PlayHaptic","parameters":{"device":"Test Gamepad"}}"#)
    #expect(reply.contains("org.forced.Force.HapticFailed") && reply.contains("Invalid argument"))
  }

  @Test("A vibrator alone plays for whoever names no device")
  func vibratorAlone() throws {
    let running = try RunningDaemon()
    let (worker, motor) = (WorkerQueue(), NotedMotor())
    running.daemon.onLoop { daemon in
      let vibrator = DeviceDescription.named("Vibrator").forceFeedback(ForceFeedbackCode.rumble)
      let entry = daemon.pipeline.attach(vibrator, at: Loop.now())
      daemon.pipeline.addMotor(motor, of: entry, worker: worker, at: Loop.now())
      let button = daemon.pipeline.attach(.named("Power Button"), at: Loop.now())
      for entry in [entry, button] { daemon.pipeline.settle(entry, at: Loop.now()) }
    }
    let reply = try running.client().call(#"{"method":"org.forced.Force.PlayHaptic"}"#)
    #expect(reply == #"{"parameters":{"motor":"vibrator"}}"#)
  }
}
