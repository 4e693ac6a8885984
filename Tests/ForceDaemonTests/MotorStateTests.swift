import ForceCore
import Testing

@testable import ForceDaemon

@Suite struct MotorStateTests {
  private let rumble = HapticEffect(strength: 1, length: .milliseconds(60))
  private let buzz = HapticEffect(strength: 0.5, length: .milliseconds(200))
  private let id = EffectID(3)

  private func at(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: milliseconds * 1_000)
  }

  private func ready(_ effect: HapticEffect) -> MotorState {
    var state = MotorState()
    _ = state.prepare(effect)
    _ = state.finishUpload(.success(id), at: at(0))
    return state
  }

  @Test func anEffectIsUploadedOnceAndThenPlayedByItsId() {
    var state = MotorState()
    #expect(state.prepare(rumble) == .upload(rumble, replacing: nil))
    #expect(state.prepare(rumble) == nil)
    #expect(state.finishUpload(.success(id), at: at(5)) == nil)
    #expect(state.play(rumble, at: at(10)) == .play(id))
    #expect(state.play(rumble, at: at(200)) == .play(id))
  }

  @Test func aPlayThatFallsIntoTheUploadFollowsIt() {
    var state = MotorState()
    _ = state.prepare(rumble)
    #expect(state.play(rumble, at: at(0)) == nil)
    #expect(state.finishUpload(.success(id), at: at(80)) == .play(id))
  }

  @Test func aPlayThatWouldComeTooLateIsDroppedAndCounted() {
    var state = MotorState()
    _ = state.prepare(rumble)
    _ = state.play(rumble, at: at(0))
    #expect(state.finishUpload(.success(id), at: at(101)) == nil)
    #expect(state.failed == 1)
  }

  @Test func aStopTakesBackAPlayThatStillWaits() {
    var state = MotorState()
    _ = state.prepare(rumble)
    _ = state.play(rumble, at: at(0))
    #expect(state.stop(at: at(10)) == nil)
    #expect(state.finishUpload(.success(id), at: at(20)) == nil)
  }

  @Test func anotherEffectReplacesTheOneThatIsHeld() {
    var state = ready(rumble)
    #expect(state.prepare(buzz) == .upload(buzz, replacing: id))
  }

  @Test func whatIsWantedMeanwhileIsUploadedNext() {
    var state = MotorState()
    _ = state.prepare(rumble)
    #expect(state.prepare(buzz) == nil)
    #expect(state.finishUpload(.success(id), at: at(0)) == .upload(buzz, replacing: id))
  }

  @Test func aStopReachesOnlyAMotorThatPlays() {
    var state = ready(rumble)
    #expect(state.stop(at: at(0)) == nil)
    _ = state.play(rumble, at: at(0))
    #expect(state.stop(at: at(61)) == nil)
    _ = state.play(rumble, at: at(100))
    #expect(state.stop(at: at(130)) == .stop(id))
    #expect(state.stop(at: at(131)) == nil)
  }

  @Test func aFullDeviceGivesUpOurOwnEffectAndTriesOnceMore() {
    var state = ready(rumble)
    _ = state.prepare(buzz)
    #expect(state.finishUpload(.failure(.noFreeSlot), at: at(0)) == .erase(id))
    #expect(state.finishErase() == .upload(buzz, replacing: nil))
    #expect(state.finishUpload(.failure(.noFreeSlot), at: at(0)) == nil)
    #expect(state.phase == .unusable(.noFreeSlot))
  }

  @Test func aRefusedUploadIsTriedAgainAtTheNextPlay() {
    var state = MotorState()
    _ = state.prepare(rumble)
    _ = state.finishUpload(.failure(.failed("upload", errno: 5)), at: at(0))
    #expect(state.play(rumble, at: at(10)) == .upload(rumble, replacing: nil))
    #expect(state.failed == 1)
  }

  @Test func theEndStopsAndErases() {
    var state = ready(rumble)
    _ = state.play(rumble, at: at(0))
    #expect(state.shutDown() == [.stop(id), .erase(id)])
    #expect(state.prepare(rumble) == nil)
  }

  @Test func anUploadThatEndsAfterTheEndIsErased() {
    var state = MotorState()
    _ = state.prepare(rumble)
    #expect(state.shutDown() == [])
    #expect(state.finishUpload(.success(id), at: at(0)) == .erase(id))
  }

  @Test func aMotorThatHasGonePlaysNothingMore() {
    var state = ready(rumble)
    _ = state.play(rumble, at: at(0))
    state.finishPlay(.gone)
    #expect(state.phase == .unusable(.gone))
    #expect(state.failed == 1)
  }
}
