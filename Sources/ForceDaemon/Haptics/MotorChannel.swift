import Dispatch
import ForceCore

/// One motor in service: carries out what its state decides, blocking work on a queue of its own.
///
/// Confined to the loop; only the motor itself, which is `Sendable`, crosses to the worker queue.
final class MotorChannel {
  let device: DeviceHandle
  let motor: any Motor
  /// Whether commands to it go through the air.
  let isBluetooth: Bool
  private(set) var state: MotorState
  /// The share of its full strength that the motor is driven with.
  private var gain = 1.0
  private let worker: WorkerQueue
  private let loop: LoopMailbox
  private let log: Log
  private let name: String

  init(
    device: DeviceHandle, name: String, description: DeviceDescription, motor: any Motor,
    worker: WorkerQueue, loop: LoopMailbox, log: Log
  ) {
    self.device = device
    self.name = name
    self.motor = motor
    self.loop = loop
    self.log = log
    self.worker = worker
    isBluetooth = description.identity.bus == Bus.bluetooth
    var limits = MotorLimits()
    limits.slots = min(max(description.effectSlots, 1), MotorLimits.mostSlots)
    state = MotorState(limits)
  }

  var deadline: Instant? { state.deadline }

  /// Why the motor plays nothing; nil when it does.
  var trouble: MotorError? { state.trouble }

  /// Takes settings and makes the motor hold the effects that can be played for a press.
  func apply(_ settings: HapticSettings, gain: Double, at now: Instant) {
    state.limits.interval = isBluetooth ? settings.bluetoothInterval : settings.commandInterval
    setGain(gain)
    var effects: [HapticEffect] = []
    if settings.enabled {
      for occasion in HapticOccasion.allCases {
        guard let pattern = settings.effect(on: occasion), !pattern.followsForce else { continue }
        let pulse = scaled(pattern).pulse
        if pulse.strength > 0, !effects.contains(pulse) { effects.append(pulse) }
      }
    }
    state.prepare(effects)
    advance(to: now)
  }

  func play(_ pattern: HapticPattern, at now: Instant) {
    state.play(scaled(pattern), at: now)
    advance(to: now)
  }

  func follow(_ strength: Double, at now: Instant) {
    state.follow(strength * share)
    advance(to: now)
  }

  func stop(at now: Instant) {
    state.stop(at: now)
    advance(to: now)
  }

  /// Does what is due.
  func advance(to now: Instant) {
    while let order = state.next(at: now) { carryOut(order, at: now) }
  }

  /// The motor's device is gone, and the effects with it.
  func retire(at now: Instant) {
    let before = state.counters.gone
    state.retire(at: now)
    if state.counters.gone > before { tell(.gone) }
  }

  /// Stops and erases; `done` is left when the motor has nothing of ours any more.
  func shutDown(_ done: DispatchGroup, at now: Instant) {
    for order in state.shutDown() {
      if case .erase(let id) = order {
        let motor = motor
        worker.run(in: done) { try? motor.erase(id) }
      } else {
        carryOut(order, at: now)
      }
    }
    let motor = motor
    worker.run(in: done) { try? motor.restoreGain() }
  }

  // MARK: Gain

  /// What strengths are scaled with here; 1 where the device does it.
  private var share: Double { motor.hasGain ? 1 : gain }

  private func scaled(_ pattern: HapticPattern) -> HapticPattern { pattern.scaled(by: share) }

  /// Where the device has a gain of its own, it is set; it outlives the daemon, so it is put back.
  private func setGain(_ gain: Double) {
    guard gain != self.gain else { return }
    self.gain = gain
    guard motor.hasGain else { return }
    let motor = motor
    // Behind the uploads, whose lock it would wait for on the loop.
    worker.run { try? motor.setGain(gain) }
  }

  // MARK: Orders

  private func carryOut(_ order: MotorOrder?, at now: Instant) {
    switch order {
    case nil: break
    case .play(let id):
      do throws(MotorError) {
        try motor.play(id)
        carryOut(state.finishPlay(nil), at: now)
      } catch { carryOut(state.finishPlay(error), at: now) }
    case .stop(let id):
      do throws(MotorError) { try motor.stop(id) } catch {
        carryOut(state.finishStop(error), at: now)
      }
    case .upload(let effect, let replacing): upload(effect, replacing: replacing)
    case .erase(let id): erase(id)
    case .tell(let trouble): tell(trouble)
    }
  }

  private func upload(_ effect: HapticEffect, replacing: EffectID?) {
    let (motor, loop) = (motor, loop)
    let this = Confined(self)
    worker.run {
      let result: Result<EffectID, MotorError>
      do throws(MotorError) {
        result = .success(try motor.upload(effect, replacing: replacing))
      } catch { result = .failure(error) }
      loop.post { now in this.value.finishUpload(result, at: now) }
    }
  }

  private func finishUpload(_ result: Result<EffectID, MotorError>, at now: Instant) {
    state.limits.needsStop = motor.needsStop
    state.limits.changesWhilePlaying = motor.changesWhilePlaying
    carryOut(state.finishUpload(result, at: now), at: now)
    advance(to: now)
  }

  private func erase(_ id: EffectID) {
    let (motor, loop) = (motor, loop)
    let this = Confined(self)
    worker.run {
      try? motor.erase(id)
      loop.post { now in
        this.value.carryOut(this.value.state.finishErase(at: now), at: now)
        this.value.advance(to: now)
      }
    }
  }

  private func tell(_ trouble: MotorTrouble) {
    let counters = state.counters
    func about(_ name: String, _ value: UInt64, _ error: MotorError? = nil) -> Log.Fields {
      .about(self.name, errno: error?.errno, counter: (name, value))
    }
    switch trouble {
    case .slow:
      log.warning(
        "\(name): its driver has not taken an effect for \(MotorState.uploadLimit.seconds) s; "
          + "rumble waits, readings go on", about("uploads_slow", counters.slow))
    case .answered(let time):
      log.notice(
        "\(name): its driver took an effect after \(time.seconds) s", .about(name))
    case .full:
      log.warning(
        "\(name): no rumble, because other programs use all effect slots of the device; "
          + "tried again at the next effect", about("uploads_full", counters.full))
    case .refused(let error):
      log.warning(
        "\(name): no rumble, because it refuses the effects that it announces: \(error)",
        about("uploads_refused", counters.refused, error))
    case .gone:
      log.notice(
        "\(name): its motor went in the middle of an effect; the device stops by itself",
        about("motors_gone", counters.gone))
    case .failed(let error):
      log.warning(
        "\(name): its motor did not obey: \(error)",
        about("haptics_failed", counters.failed, error))
    }
  }
}

extension MotorError {
  fileprivate var errno: Int32? {
    if case .failed(_, let errno) = self { return errno }
    return nil
  }
}
