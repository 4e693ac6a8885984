import ForceCore
import Testing

@testable import ForceDaemon

@Suite("What one motor is told")
struct MotorStateTests {
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready(interval: interval)
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready(interval: 50)
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
    var bench = MotorBench.ready(slots: 1, interval: 50)
    bench.play(clickPattern)
    bench.pass(10)
    bench.stop()
    bench.prepare(buzzPattern.pulse)
    bench.pass(200)
    // The repetition too: under another effect's number it would stop that one.
    #expect(bench.take() == ["0 play 0", "50 stop 0", "100 stop 0", "100 upload 50% over 0"])
  }

  @Test func aStopThatTheDriverDoesNotTakeIsCountedAndTriedAgain() {
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
    bench.play(buzzPattern)
    bench.pass(20)
    bench.refusedStops = .max
    bench.stop()
    bench.pass(10_000)
    #expect(bench.state.counters.refusedStops == 1 + UInt64(MotorState.stopTries))
  }

  @Test func aPlayAfterAStopIsNotStoppedByItsRepetition() {
    var bench = MotorBench.ready()
    bench.play(clickPattern)
    bench.pass(20)
    bench.stop()
    bench.pass(15)
    bench.play(clickPattern)
    bench.pass(100)
    #expect(bench.take() == ["0 play 0", "20 stop 0", "35 play 0"])
  }

  @Test func aPadThatEndsNothingByItselfIsStoppedAtTheEnd() {
    var bench = MotorBench.ready()
    bench.state.limits.needsStop = true
    bench.play(clickPattern)
    bench.pass(1_000)
    #expect(bench.take() == ["0 play 0", "60 stop 0", "90 stop 0"])
  }

  @Test func aPadThatEndsNothingByItselfIsStoppedBeforeItsEndWhenAsked() {
    var bench = MotorBench.ready()
    bench.state.limits.needsStop = true
    bench.play(clickPattern)
    bench.pass(20)
    bench.stop()
    bench.pass(1_000)
    #expect(bench.take() == ["0 play 0", "20 stop 0", "50 stop 0"])
  }

  // MARK: Following force

  @Test func anEffectThatFollowsForceIsRenewedBeforeItsLengthRunsOut() {
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready(interval: 50)
    var short = rampPattern
    short.pulse.length = .milliseconds(20)
    bench.play(short)
    bench.pass(30)
    bench.follow(0)
    bench.pass(1_000)
    #expect(!bench.take().contains { $0.contains("stop") }, "it has ended by itself")
  }

  @Test func aClickPlaysOverAnEffectThatFollowsForce() {
    var bench = MotorBench.ready()
    bench.play(rampPattern)
    bench.pass(20)
    bench.play(clickPattern)
    bench.pass(10)
    #expect(bench.take() == ["0 upload 20%", "0 play 1", "20 play 0"])
    #expect(bench.state.follow != nil)
  }

  @Test func aStalledLoopLeavesAtMostOneLength() {
    var bench = MotorBench.ready()
    bench.play(rampPattern)
    // Nobody asks any more: what was played is finite.
    #expect(bench.state.slots[1].playingUntil == Instant(microseconds: 500_000))
    bench.now = Instant(microseconds: 20_000_000)
    bench.stop()
    #expect(bench.take() == ["0 upload 20%", "0 play 1"])
  }

  // MARK: The end

  @Test func theEndStopsAndErasesEverything() {
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
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
    var bench = MotorBench.ready()
    bench.play(HapticPattern(strength: 1, length: .seconds(5)))
    bench.pass(20)
    bench.stop()
    bench.state.retire(at: bench.now)
    #expect(bench.state.counters.gone == 1)
  }

  @Test func aDeviceThatIsUnpluggedForgetsEverything() {
    var bench = MotorBench.ready()
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
