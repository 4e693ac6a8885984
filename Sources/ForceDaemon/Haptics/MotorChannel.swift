import Dispatch
import ForceCore

/// One motor in service: carries out what its state decides, blocking work on a queue of its own.
///
/// Confined to the loop; only the motor itself, which is `Sendable`, crosses to the worker queue.
final class MotorChannel {
  let device: DeviceHandle
  let motor: any Motor
  private(set) var state = MotorState()
  private let worker: WorkerQueue
  private let loop: LoopMailbox
  private let log: Log
  private let name: String

  init(
    device: DeviceHandle, name: String, motor: any Motor, worker: WorkerQueue, loop: LoopMailbox,
    log: Log
  ) {
    self.device = device
    self.name = name
    self.motor = motor
    self.loop = loop
    self.log = log
    self.worker = worker
  }

  func prepare(_ effect: HapticEffect) { carryOut(state.prepare(effect)) }
  func play(_ effect: HapticEffect, at now: Instant) { carryOut(state.play(effect, at: now)) }
  func stop(at now: Instant) { carryOut(state.stop(at: now)) }

  /// The motor's device is gone, and the effects with it.
  func retire() { state = state.retired() }

  /// Stops and erases; `done` is left when the motor has nothing of ours any more.
  func shutDown(_ done: DispatchGroup) {
    for order in state.shutDown() {
      if case .erase(let id) = order {
        let motor = motor
        worker.run(in: done) { try? motor.erase(id) }
      } else {
        carryOut(order)
      }
    }
    worker.run(in: done) {}
  }

  private func carryOut(_ order: MotorOrder?) {
    switch order {
    case nil: break
    case .play(let id):
      do throws(MotorError) {
        try motor.play(id)
        state.finishPlay(nil)
      } catch {
        state.finishPlay(error)
        log.warning("\(name): playing its effect failed: \(error)")
      }
    case .stop(let id):
      do throws(MotorError) { try motor.stop(id) } catch {
        log.warning("\(name): stopping its effect failed: \(error)")
      }
    case .upload(let effect, let replacing): upload(effect, replacing: replacing)
    case .erase(let id): erase(id)
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

  private func erase(_ id: EffectID) {
    let (motor, loop) = (motor, loop)
    let this = Confined(self)
    worker.run {
      try? motor.erase(id)
      loop.post { _ in this.value.carryOut(this.value.state.finishErase()) }
    }
  }

  private func finishUpload(_ result: Result<EffectID, MotorError>, at now: Instant) {
    carryOut(state.finishUpload(result, at: now))
    if case .unusable(let error) = state.phase {
      log.warning("\(name): no rumble, because its effect could not be loaded: \(error)")
    }
  }
}
