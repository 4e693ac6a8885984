import ForceCore
import Testing

@testable import ForceDaemon

@Suite("What one motor is told when its driver is slow or refuses")
struct MotorTroubleTests {
  // MARK: Uploads that take time

  @Test func aPlayThatFallsIntoTheUploadFollowsIt() {
    var bench = MotorBench()
    bench.uploadTime = .milliseconds(80)
    bench.prepare(clickPattern.pulse)
    bench.play(clickPattern)
    bench.pass(80)
    bench.finishUpload()
    bench.pump()
    #expect(bench.take() == ["0 upload 100%", "80 play 0"])
  }

  @Test func aPlayThatWouldComeTooLateIsDroppedAndCounted() {
    var bench = MotorBench()
    bench.uploadTime = .seconds(1)
    bench.prepare(clickPattern.pulse)
    bench.play(clickPattern)
    bench.pass(101)
    bench.finishUpload()
    bench.pump()
    #expect(bench.take() == ["0 upload 100%"])
    #expect(bench.state.counters.failed == 1)
  }

  /// Asks for another strength every 10 ms, for a second, and answers uploads after so long.
  private func askFast(_ bench: inout MotorBench, uploadTime: Int64) -> (plays: Int, uploads: Int) {
    bench.uploadTime = .milliseconds(uploadTime)
    var answerAt: Int64?
    for millisecond in Int64(0)..<1_000 {
      if millisecond % 10 == 0 {
        bench.play(
          HapticPattern(strength: Double(millisecond + 1) / 1_000, length: .milliseconds(20)))
      }
      if let due = answerAt, due <= millisecond {
        answerAt = nil
        bench.finishUpload()
        bench.pump()
      }
      if answerAt == nil, case .uploading = bench.state.work { answerAt = millisecond + uploadTime }
      bench.pass(1)
    }
    let log = bench.take()
    return (
      log.filter { $0.contains("play") }.count, log.filter { $0.contains("upload") }.count
    )
  }

  @Test(arguments: [Int64(2), 8, 15, 40])
  func whatWasUploadedIsPlayedThoughANewerPlayCameMeanwhile(_ uploadTime: Int64) {
    var bench = MotorBench.ready()
    let (plays, uploads) = askFast(&bench, uploadTime: uploadTime)
    #expect(plays >= uploads - 1, "\(plays) plays of \(uploads) uploads")
    #expect(plays >= Int(1_000 / (uploadTime + 10)) - 1)
    #expect(uploads <= 101)
    let counters = bench.state.counters
    #expect(counters.played == UInt64(plays) && counters.failed == 0)
    #expect(counters.played + counters.coalesced >= 98)
  }

  @Test func uploadsForPlaysKeepTheDistanceOfCommands() {
    var bench = MotorBench.ready(interval: 50)
    let (plays, uploads) = askFast(&bench, uploadTime: 2)
    #expect(uploads <= 21 && plays >= 18)
  }

  @Test func uploadsWhosePlaysAreTakenBackKeepTheDistanceToo() {
    var bench = MotorBench.ready(interval: 50)
    for millisecond in 1...500 {
      bench.play(
        HapticPattern(strength: Double(millisecond) / 1_000, length: .milliseconds(20)))
      bench.stop()
      bench.pass(1)
    }
    let uploads = bench.take().filter { $0.contains("upload") }.count
    #expect(uploads >= 8 && uploads <= 11, "\(uploads) uploads")
  }

  @Test func withOneSlotWhatWasUploadedForAPlayWaitsForItThere() {
    var bench = MotorBench.ready(slots: 1, interval: 50)
    bench.play(clickPattern)
    bench.pass(5)
    bench.play(HapticPattern(strength: 0.3, length: .milliseconds(20)))
    bench.pass(200)
    #expect(
      bench.take() == ["0 play 0", "50 upload 30% over 0", "100 play 0", "150 upload 100% over 0"])
  }

  @Test func aStopDuringAnUploadForAPlayTakesThePlayBack() {
    var bench = MotorBench.ready()
    bench.uploadTime = .milliseconds(8)
    bench.play(buzzPattern)
    bench.pass(4)
    bench.play(HapticPattern(strength: 0.3, length: .milliseconds(20)))
    bench.stop()
    bench.pass(4)
    bench.finishUpload()
    bench.pump()
    bench.pass(200)
    #expect(bench.take() == ["0 upload 50%"])
    #expect(bench.state.counters.coalesced == 2)
  }

  @Test func theSameEffectAskedForTwiceDuringItsUploadIsPlayedOnce() {
    var bench = MotorBench.ready()
    bench.uploadTime = .milliseconds(8)
    bench.play(buzzPattern)
    bench.pass(4)
    bench.play(buzzPattern)
    bench.pass(4)
    bench.finishUpload()
    bench.pump()
    bench.pass(200)
    #expect(bench.take() == ["0 upload 50%", "8 play 1"])
    #expect(bench.state.counters.coalesced == 1)
  }

  @Test func anUploadThatTakesThirtySecondsIsToldOnceAndCounted() {
    var bench = MotorBench()
    bench.uploadTime = .seconds(30)
    bench.prepare(clickPattern.pulse)
    bench.pass(30_000)
    bench.finishUpload()
    bench.play(clickPattern)
    #expect(
      bench.take() == [
        "0 upload 100%", "1000 slow",
        "30000 \(MotorTrouble.answered(after: .seconds(30)))", "30000 play 0",
      ])
    #expect(bench.state.counters.slow == 1)
  }

  @Test func anEraseThatHangsIsToldAndCountedToo() {
    var bench = MotorBench.ready(slots: 1)
    bench.answers = [.noFreeSlot]
    bench.erasesHang = true
    bench.play(buzzPattern)
    bench.pass(30_000)
    #expect(bench.take() == ["0 upload 50% over 0", "0 erase 0", "1000 slow"])
    #expect(bench.state.counters.slow == 1)
    bench.carryOut(bench.state.finishErase())
    #expect(
      bench.take() == ["30000 upload 50%", "30000 \(MotorTrouble.answered(after: .seconds(30)))"])
  }

  @Test func whatIsWantedMeanwhileIsUploadedNext() {
    var bench = MotorBench(slots: 1)
    bench.uploadTime = .seconds(1)
    bench.prepare(clickPattern.pulse)
    bench.prepare(buzzPattern.pulse)
    #expect(bench.take() == ["0 upload 100%"])
    bench.finishUpload()
    bench.pump()
    #expect(bench.take() == ["0 upload 50% over 0"])
  }

  // MARK: Refusals

  @Test func aDeviceFilledByOthersIsMadeDoWith() {
    var bench = MotorBench.ready()
    bench.answers = [.noFreeSlot]
    bench.play(buzzPattern)
    #expect(bench.take() == ["0 upload 50%", "0 upload 50% over 0", "0 play 0"])
    #expect(bench.state.counters.full == 1)
    #expect(bench.state.trouble == nil)
  }

  @Test func aFullDeviceGivesUpOurOwnEffectTriesOnceMoreAndThenSaysSo() {
    var bench = MotorBench.ready(slots: 1)
    bench.answers = [.noFreeSlot, .noFreeSlot]
    bench.play(buzzPattern)
    #expect(bench.take() == ["0 upload 50% over 0", "0 erase 0", "0 upload 50%", "0 full"])
    #expect(bench.state.trouble == .noFreeSlot)
    #expect(bench.state.counters.full == 2)
    #expect(bench.state.counters.failed == 1)
    bench.pass(10_000)
    #expect(bench.take() == [], "and is left alone")
  }

  @Test func aDeviceThatIsFullFromTheStartSaysSoAndIsTriedAgainAtTheNextPlay() {
    var bench = MotorBench()
    bench.answers = [.noFreeSlot]
    bench.prepare(clickPattern.pulse)
    #expect(bench.take() == ["0 upload 100%", "0 full"])
    bench.play(clickPattern)
    #expect(bench.take() == ["0 upload 100%"])
    bench.play(clickPattern)
    #expect(bench.take() == ["0 play 0"])
    #expect(bench.state.trouble == nil)
    #expect(bench.state.counters.failed == 1)
  }

  @Test func aClaimThatIsRefusedIsToldCountedAndTriedAgainAtTheNextPlay() {
    let refusal = MotorError.failed("upload", errno: 22)
    var bench = MotorBench()
    bench.answers = [refusal, refusal]
    bench.prepare(clickPattern.pulse)
    #expect(bench.take() == ["0 upload 100%", "0 \(MotorTrouble.refused(refusal))"])
    bench.play(clickPattern)
    #expect(bench.take().count == 2)
    #expect(bench.state.counters.refused == 2)
    #expect(bench.state.counters.failed == 1)
    #expect(bench.state.deadline == nil)
  }

  @Test func aMotorThatVanishesInMidEffectIsToldOnceAndPlaysNothingMore() {
    var bench = MotorBench.ready()
    bench.play(rampPattern)
    _ = bench.take()
    bench.carryOut(bench.state.finishPlay(.gone))
    bench.carryOut(bench.state.finishStop(EffectID(0), .gone))
    #expect(bench.take() == ["0 gone"])
    bench.play(clickPattern)
    bench.stop()
    bench.pass(1_000)
    #expect(bench.take() == [])
    #expect(bench.state.counters.gone == 1)
    #expect(bench.state.counters.failed == 2)
  }

  @Test func aPlayThatTheDeviceRefusesIsToldAndCounted() {
    var bench = MotorBench.ready()
    bench.carryOut(bench.state.finishPlay(.failed("play", errno: 5)))
    #expect(bench.take() == ["0 \(MotorTrouble.failed(.failed("play", errno: 5)))"])
    #expect(bench.state.counters.failed == 1)
    #expect(bench.state.trouble == .failed("play", errno: 5))
    bench.play(clickPattern)
    #expect(bench.state.trouble == nil)
  }
}
