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
  /// What the device's own gain was set to; nil: not by us yet.
  private var writtenGain: Double?
  /// Writes of the gain that the driver has not taken yet.
  private var gainWrites = 0
  private var followers = MotorFollowers()
  private let worker: WorkerQueue
  private let loop: LoopMailbox
  let log: Log
  let name: String

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

  /// Plays an effect for a pressed device.
  /// - Returns: why the motor did not take it; nil when it did, or when it is about to.
  @discardableResult
  func play(_ pattern: HapticPattern, for device: DeviceHandle, at now: Instant) -> MotorError? {
    let failed = state.counters.failed
    if pattern.followsForce {
      followers.add(pattern, of: device)
      playFollowed(at: now)
    } else {
      state.play(scaled(pattern), at: now)
    }
    advance(to: now)
    return state.counters.failed > failed ? state.trouble : nil
  }

  func follow(_ strength: Double, for device: DeviceHandle, at now: Instant) {
    guard followers.follow(strength, of: device), let leading = followers.leading else { return }
    state.follow(scaled(leading).pulse.strength)
    advance(to: now)
  }

  /// Stops what plays, but for what follows the force of other devices.
  func stop(for device: DeviceHandle, at now: Instant) {
    followers.remove(device)
    state.stop(at: now)
    playFollowed(at: now)
    advance(to: now)
  }

  /// Stops what plays, for whomever.
  func stop(at now: Instant) {
    followers.removeAll()
    state.stop(at: now)
    advance(to: now)
  }

  private func playFollowed(at now: Instant) {
    if let leading = followers.leading { state.play(scaled(leading), at: now) }
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

  // MARK: The end

  /// Whether the driver is being asked something: it may hold the lock that a stop waits for.
  var isAtWork: Bool { state.isAtWork || gainWrites > 0 }

  /// Stops everything at once; only while the driver is not at work.
  /// - Returns: what is left to do, which can block.
  func stopForGood(at now: Instant) -> [MotorOrder] {
    state.shutDown().filter { order in
      guard case .stop = order else { return true }
      carryOut(order, at: now)
      return false
    }
  }

  /// The rest of the end; `done` is left when the motor has nothing of ours any more.
  /// - Parameter orders: nil: nothing has been done for the end yet.
  func shutDown(_ orders: [MotorOrder]?, _ done: DispatchGroup) {
    let (motor, orders) = (motor, orders ?? state.shutDown())
    worker.run(in: done) {
      for case .stop(let id) in orders { try? motor.stop(id) }
      for case .erase(let id) in orders { try? motor.erase(id) }
      try? motor.restoreGain()
    }
  }

  // MARK: Gain

  /// What strengths are scaled with here; 1 where the device does it.
  private var share: Double { motor.hasGain ? 1 : gain }

  private func scaled(_ pattern: HapticPattern) -> HapticPattern { pattern.scaled(by: share) }

  /// Where the device has a gain of its own, it is set; it outlives the daemon, so it is put back.
  private func setGain(_ gain: Double) {
    guard gain != self.gain else { return }
    self.gain = gain
    writeGain()
  }

  private func writeGain() {
    guard motor.hasGain else { return }
    writtenGain = gain
    gainWrites += 1
    let (motor, loop, gain) = (motor, loop, gain)
    let this = Confined(self)
    // Behind the uploads, whose lock it would wait for on the loop.
    worker.run {
      try? motor.setGain(gain)
      loop.post { _ in this.value.gainWrites -= 1 }
    }
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
        carryOut(state.finishStop(id, error), at: now)
      }
    case .upload(let effect, let replacing): upload(effect, replacing: replacing)
    case .erase(let id): erase(id)
    case .tell(let trouble): tell(trouble)
    }
  }

  private func upload(_ effect: HapticEffect, replacing: EffectID?) {
    // Full gain too is written once: a daemon that was killed may have left another.
    if writtenGain == nil { writeGain() }
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
        this.value.carryOut(this.value.state.finishErase(), at: now)
        this.value.advance(to: now)
      }
    }
  }
}
