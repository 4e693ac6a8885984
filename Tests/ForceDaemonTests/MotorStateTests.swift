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

@Suite("What one motor is told")
struct MotorStateTests {
  private func ready(slots: Int = 8, interval: Int64 = 10) -> MotorBench {
    var bench = MotorBench(slots: slots, interval: .milliseconds(interval))
    bench.prepare(clickPattern.pulse)
    _ = bench.take()
    return bench
  }

  @Test func anEffectIsUploadedOnceAndThenPlayedByItsId() {
    var bench = MotorBench()
    bench.prepare(clickPattern.pulse)
    bench.prepare(clickPattern.pulse)
    bench.play(clickPattern)
    bench.pass(200)
    bench.play(clickPattern)
    #expect(bench.take() == ["0 upload 100%", "0 play 0", "200 play 0"])
  }

  @Test func severalEffectsAreHeldAtOnceWhereTheyFit() {
    var bench = MotorBench()
    bench.prepare(clickPattern.pulse, buzzPattern.pulse)
    bench.play(clickPattern)
    bench.pass(100)
    bench.play(buzzPattern)
    #expect(bench.take() == ["0 upload 100%", "0 upload 50%", "0 play 0", "100 play 1"])
  }

  @Test func withOneSlotAnEffectIsReplacedUnderTheSameId() {
    var bench = MotorBench(slots: 1)
    bench.prepare(clickPattern.pulse, buzzPattern.pulse)
    bench.pass(10)
    bench.play(buzzPattern)
    bench.pass(300)
    bench.play(clickPattern)
    #expect(
      bench.take() == [
        "0 upload 100%", "10 upload 50% over 0", "10 play 0", "210 upload 100% over 0",
        "310 play 0",
      ])
  }

  @Test func aDeviceIsNeverAskedForMoreSlotsThanItHas() {
    var bench = MotorBench(slots: 2)
    bench.prepare(clickPattern.pulse)
    for strength in 1...9 {
      bench.play(HapticPattern(strength: Double(strength) / 10, length: .milliseconds(20)))
      bench.pass(100)
    }
    #expect(bench.state.slots.count == 2)
    #expect(bench.take().filter { $0.contains("upload") && !$0.contains("over") }.count == 2)
  }

  @Test func pulsesAreCountedOutWithTheirPauses() {
    var bench = ready()
    var pattern = clickPattern
    pattern.pulses = 3
    pattern.pause = .milliseconds(40)
    bench.play(pattern)
    bench.pass(1_000)
    #expect(bench.take() == ["0 play 0", "100 play 0", "200 play 0"])
    #expect(bench.state.deadline == nil)
    #expect(bench.state.counters.played == 3)
  }

  @Test func aNewEffectTakesThePlaceOfPulsesThatRemain() {
    var bench = ready()
    var pattern = clickPattern
    pattern.pulses = 10
    bench.play(pattern)
    bench.pass(130)
    bench.play(clickPattern)
    bench.pass(1_000)
    #expect(bench.take() == ["0 play 0", "120 play 0", "130 play 0"])
  }

  // MARK: Rate

  @Test(arguments: [Int64(10), 50])
  func betweenTwoCommandsTheIntervalPassesAndTheNewestIsDone(_ interval: Int64) {
    var bench = ready(interval: interval)
    bench.prepare(clickPattern.pulse, buzzPattern.pulse)
    _ = bench.take()
    bench.play(clickPattern)
    bench.pass(1)
    bench.play(clickPattern)
    bench.pass(1)
    bench.play(buzzPattern)
    bench.pass(100)
    #expect(bench.take() == ["0 play 0", "\(interval) play 1"])
    #expect(bench.state.counters.coalesced == 1)
  }

  @Test func aStopTakesBackAPlayThatStillWaits() {
    var bench = ready()
    bench.play(clickPattern)
    bench.pass(5)
    bench.play(clickPattern)
    bench.stop()
    bench.pass(100)
    // The one that plays is stopped, twice; the one that waited is never heard of.
    #expect(bench.take() == ["0 play 0", "10 stop 0", "40 stop 0"])
    #expect(bench.state.counters.coalesced == 1)
  }

  @Test func aStopIsRepeatedOnceAndReachesOnlyAMotorThatPlays() {
    var bench = ready()
    bench.stop()
    bench.play(clickPattern)
    bench.pass(61)
    bench.stop()
    bench.pass(100)
    #expect(bench.take() == ["0 play 0"])
    bench.play(clickPattern)
    bench.pass(30)
    bench.stop()
    bench.stop()
    bench.pass(1_000)
    #expect(bench.take() == ["161 play 0", "191 stop 0", "221 stop 0"])
  }

  @Test func everyEffectIsStoppedOnceBeforeAnyIsStoppedAgain() {
    var bench = MotorBench(interval: .milliseconds(50))
    let effects = (1...8).map {
      HapticPattern(strength: Double($0) / 10, length: .seconds(20))
    }
    bench.state.prepare(effects.map(\.pulse))
    bench.pump()
    for effect in effects {
      bench.play(effect)
      bench.pass(50)
    }
    _ = bench.take()
    bench.stop()
    bench.pass(5_000)
    let stops = bench.take().compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(stops.prefix(8) == (0..<8).map { "\($0)" }[...])
    #expect(stops.count == 16 && Set(stops.suffix(8)).count == 8)
  }

  @Test func aStopThatIsDueComesBeforeAnUploadForAPlay() {
    var bench = ready(interval: 50)
    bench.play(clickPattern)
    bench.pass(10)
    bench.stop()
    bench.pass(2)
    bench.uploadTime = .seconds(2)
    bench.play(buzzPattern)
    bench.pass(100)
    #expect(bench.take() == ["0 play 0", "50 stop 0", "50 upload 50%"])
  }

  @Test func aStopThatIsDueComesBeforeAnythingIsPrepared() {
    var bench = ready(slots: 1, interval: 50)
    bench.play(clickPattern)
    bench.pass(10)
    bench.stop()
    bench.prepare(buzzPattern.pulse)
    bench.pass(200)
    // The repetition too: under another effect's number it would stop that one.
    #expect(bench.take() == ["0 play 0", "50 stop 0", "100 stop 0", "100 upload 50% over 0"])
  }

  @Test func aStopThatTheDriverDoesNotTakeIsCountedAndTriedAgain() {
    var bench = ready()
    bench.play(buzzPattern)
    bench.pass(20)
    bench.refusedStops = 3
    bench.stop()
    bench.pass(1_000)
    let told = bench.take()
    #expect(told.filter { $0.hasSuffix("stop 1") }.count == 4, "\(told)")
    #expect(told.filter { $0.contains("failed") }.count == 3)
    #expect(bench.state.counters.refusedStops == 3 && bench.state.counters.failed == 0)
  }

  @Test func aDriverThatTakesNoStopIsNotAskedForEver() {
    var bench = ready()
    bench.play(buzzPattern)
    bench.pass(20)
    bench.refusedStops = .max
    bench.stop()
    bench.pass(10_000)
    #expect(bench.state.counters.refusedStops == 1 + UInt64(MotorState.stopTries))
  }

  @Test func aPlayAfterAStopIsNotStoppedByItsRepetition() {
    var bench = ready()
    bench.play(clickPattern)
    bench.pass(20)
    bench.stop()
    bench.pass(15)
    bench.play(clickPattern)
    bench.pass(100)
    #expect(bench.take() == ["0 play 0", "20 stop 0", "35 play 0"])
  }

  @Test func aPadThatEndsNothingByItselfIsStoppedAtTheEnd() {
    var bench = ready()
    bench.state.limits.needsStop = true
    bench.play(clickPattern)
    bench.pass(1_000)
    #expect(bench.take() == ["0 play 0", "60 stop 0", "90 stop 0"])
  }

  // MARK: Uploads that take time

  @Test func aPadThatEndsNothingByItselfIsStoppedBeforeItsEndWhenAsked() {
    var bench = ready()
    bench.state.limits.needsStop = true
    bench.play(clickPattern)
    bench.pass(20)
    bench.stop()
    bench.pass(1_000)
    #expect(bench.take() == ["0 play 0", "20 stop 0", "50 stop 0"])
  }

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
    var bench = ready()
    let (plays, uploads) = askFast(&bench, uploadTime: uploadTime)
    #expect(plays >= uploads - 1, "\(plays) plays of \(uploads) uploads")
    #expect(plays >= Int(1_000 / (uploadTime + 10)) - 1)
    #expect(uploads <= 101)
    let counters = bench.state.counters
    #expect(counters.played == UInt64(plays) && counters.failed == 0)
    #expect(counters.played + counters.coalesced >= 98)
  }

  @Test func uploadsForPlaysKeepTheDistanceOfCommands() {
    var bench = ready(interval: 50)
    let (plays, uploads) = askFast(&bench, uploadTime: 2)
    #expect(uploads <= 21 && plays >= 18)
  }

  @Test func uploadsWhosePlaysAreTakenBackKeepTheDistanceToo() {
    var bench = ready(interval: 50)
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
    var bench = ready(slots: 1, interval: 50)
    bench.play(clickPattern)
    bench.pass(5)
    bench.play(HapticPattern(strength: 0.3, length: .milliseconds(20)))
    bench.pass(200)
    #expect(
      bench.take() == ["0 play 0", "50 upload 30% over 0", "100 play 0", "150 upload 100% over 0"])
  }

  @Test func aStopDuringAnUploadForAPlayTakesThePlayBack() {
    var bench = ready()
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
    var bench = ready()
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
    var bench = ready(slots: 1)
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
    var bench = ready()
    bench.answers = [.noFreeSlot]
    bench.play(buzzPattern)
    #expect(bench.take() == ["0 upload 50%", "0 upload 50% over 0", "0 play 0"])
    #expect(bench.state.counters.full == 1)
    #expect(bench.state.trouble == nil)
  }

  @Test func aFullDeviceGivesUpOurOwnEffectTriesOnceMoreAndThenSaysSo() {
    var bench = ready(slots: 1)
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
    var bench = ready()
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
    var bench = ready()
    bench.carryOut(bench.state.finishPlay(.failed("play", errno: 5)))
    #expect(bench.take() == ["0 \(MotorTrouble.failed(.failed("play", errno: 5)))"])
    #expect(bench.state.counters.failed == 1)
    #expect(bench.state.trouble == .failed("play", errno: 5))
    bench.play(clickPattern)
    #expect(bench.state.trouble == nil)
  }

  // MARK: Following force

  @Test func anEffectThatFollowsForceIsRenewedBeforeItsLengthRunsOut() {
    var bench = ready()
    bench.play(rampPattern)
    bench.pass(1_100)
    #expect(
      bench.take() == [
        "0 upload 20%", "0 play 1", "250 play 1", "500 play 1", "750 play 1",
        "1000 play 1",
      ])
    bench.stop()
    bench.pass(10_000)
    #expect(bench.take() == ["1100 stop 1", "1130 stop 1"])
    #expect(bench.state.deadline == nil)
  }

  @Test func aChangedForceChangesTheEffectUnderItsId() {
    var bench = ready()
    bench.play(rampPattern)
    bench.pass(20)
    bench.follow(0.4)
    bench.pass(3)
    bench.follow(0.5)
    bench.pass(3)
    bench.follow(0.6)
    bench.pass(30)
    // The two that came within the interval are one.
    #expect(
      bench.take() == ["0 upload 20%", "0 play 1", "20 upload 40% over 1", "30 upload 60% over 1"])
  }

  @Test func whereAChangeIsFeltOnlyAtAPlayItIsPlayedAgain() {
    var bench = ready()
    bench.state.limits.changesWhilePlaying = false
    bench.play(rampPattern)
    bench.pass(20)
    bench.follow(0.4)
    bench.pass(3)
    bench.follow(0.5)
    bench.pass(30)
    // A changed effect reaches the pad as one command: when it is played.
    #expect(
      bench.take() == [
        "0 upload 20%", "0 play 1", "20 upload 40% over 1", "20 play 1", "30 upload 50% over 1",
        "30 play 1",
      ])
  }

  @Test func aForceThatNeverRestsIsFeltAllTheSame() {
    var bench = ready()
    bench.state.limits.changesWhilePlaying = false
    bench.play(rampPattern)
    bench.pass(20)
    bench.uploadTime = .milliseconds(8)
    bench.follow(0.3)
    for percent in 31...34 {
      // Each change comes while the one before it is still being uploaded.
      bench.pass(8)
      bench.follow(Double(percent) / 100)
      bench.finishUpload()
      bench.pump()
    }
    #expect(bench.take().filter { $0.hasSuffix("play 1") }.count >= 3)
  }

  @Test func withoutForceItRestsAndWithForceItGoesOn() {
    var bench = ready()
    bench.play(rampPattern)
    bench.pass(20)
    bench.follow(0)
    bench.pass(100)
    #expect(bench.take().suffix(2) == ["20 stop 1", "50 stop 1"])
    bench.follow(0.2)
    bench.pass(1)
    #expect(bench.take() == ["120 play 1"])
  }

  @Test func withoutForceAfterItsEndItRestsToo() {
    var bench = ready(interval: 50)
    var short = rampPattern
    short.pulse.length = .milliseconds(20)
    bench.play(short)
    bench.pass(30)
    bench.follow(0)
    bench.pass(1_000)
    #expect(!bench.take().contains { $0.contains("stop") }, "it has ended by itself")
  }

  @Test func aClickPlaysOverAnEffectThatFollowsForce() {
    var bench = ready()
    bench.play(rampPattern)
    bench.pass(20)
    bench.play(clickPattern)
    bench.pass(10)
    #expect(bench.take() == ["0 upload 20%", "0 play 1", "20 play 0"])
    #expect(bench.state.follow != nil)
  }

  @Test func aStalledLoopLeavesAtMostOneLength() {
    var bench = ready()
    bench.play(rampPattern)
    // Nobody asks any more: what was played is finite.
    #expect(bench.state.slots[1].playingUntil == Instant(microseconds: 500_000))
    bench.now = Instant(microseconds: 20_000_000)
    bench.stop()
    #expect(bench.take() == ["0 upload 20%", "0 play 1"])
  }

  // MARK: The end

  @Test func theEndStopsAndErasesEverything() {
    var bench = ready()
    bench.prepare(clickPattern.pulse, buzzPattern.pulse)
    bench.play(clickPattern)
    let (first, second) = (EffectID(0), EffectID(1))
    #expect(
      bench.state.shutDown() == [.stop(first), .erase(first), .stop(second), .erase(second)])
    _ = bench.take()
    bench.play(clickPattern)
    bench.pass(1_000)
    #expect(bench.take() == [])
  }

  @Test func anUploadThatEndsAfterTheEndIsErased() {
    var bench = MotorBench()
    bench.uploadTime = .seconds(1)
    bench.prepare(clickPattern.pulse)
    #expect(bench.state.shutDown() == [])
    #expect(
      bench.state.finishUpload(.success(EffectID(7)), at: bench.now) == .erase(EffectID(7)))
  }

  @Test func aDeviceThatIsUnpluggedWhileItsEffectChangesWentInMidEffect() {
    var bench = ready()
    bench.play(rampPattern)
    bench.pass(20)
    bench.uploadTime = .seconds(1)
    bench.follow(0.8)
    bench.pass(700)
    bench.stop()
    bench.state.retire(at: bench.now)
    #expect(bench.state.counters.gone == 1)
  }

  @Test func aDeviceWhoseFingerTheUnpluggingLiftsWentInMidEffect() {
    var bench = ready()
    bench.play(HapticPattern(strength: 1, length: .seconds(5)))
    bench.pass(20)
    bench.stop()
    bench.state.retire(at: bench.now)
    #expect(bench.state.counters.gone == 1)
  }

  @Test func aDeviceThatIsUnpluggedForgetsEverything() {
    var bench = ready()
    bench.play(rampPattern)
    _ = bench.take()
    bench.state.retire(at: bench.now)
    bench.play(clickPattern)
    bench.stop()
    bench.pass(1_000)
    #expect(bench.take() == [])
    #expect(bench.state.slots.isEmpty)
    #expect(bench.state.counters.gone == 1)
  }
}
