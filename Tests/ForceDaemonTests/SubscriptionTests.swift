import ForceCore
import Testing

@testable import ForceDaemon

@Suite struct SubscriptionTests {
  private func reading(
    _ sequence: UInt64, _ percent: Double, contact: Int32 = 0, device: Int = 0,
    state: ContactState = .touching, atMaximum: Bool = false
  ) -> Reading {
    Reading(
      device: DeviceHandle(device), contact: contact, sequence: sequence,
      time: Instant(microseconds: Int64(sequence)), raw: 0, percent: percent, grams: 0,
      unsmoothedPercent: percent, atMaximum: atMaximum, state: state, gramsSource: .nominal)
  }

  private func at(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: milliseconds * 1_000)
  }

  /// Everything that may go out at `now`: sequence and the count of dropped readings.
  private func drain(_ subscription: inout Subscription, at now: Instant) -> [String] {
    var result: [String] = []
    while let (reading, dropped) = subscription.nextDue(at: now) {
      result.append("\(reading.sequence)-\(dropped)")
    }
    return result
  }

  @Test func aWatcherWithRoomGetsEveryReading() {
    var subscription = Subscription(filter: WatchFilter())
    for sequence in 1...5 {
      let decision = subscription.take(
        reading(UInt64(sequence), Double(sequence)), blocked: false, at: at(0))
      #expect(decision == .send(dropped: 0))
    }
    #expect(subscription.deadline == nil)
  }

  @Test func aBlockedWatcherKeepsTheNewestAndLearnsWhatItMissed() {
    var subscription = Subscription(filter: WatchFilter())
    _ = subscription.take(reading(1, 1), blocked: false, at: at(0))
    for sequence in UInt64(2)...9 {
      let decision = subscription.take(reading(sequence, 5), blocked: true, at: at(1))
      #expect(decision == .keep(replaced: sequence > 2))
    }
    #expect(drain(&subscription, at: at(2)) == ["9-7"])
    #expect(subscription.take(reading(10, 6), blocked: false, at: at(3)) == .send(dropped: 0))
  }

  @Test func pressesAndReleasesOutlastTheValuesBetweenThem() {
    var subscription = Subscription(filter: WatchFilter())
    _ = subscription.take(reading(1, 1), blocked: false, at: at(0))
    _ = subscription.take(reading(2, 5), blocked: true, at: at(0))
    _ = subscription.take(reading(3, 0, state: .released), blocked: true, at: at(0))
    for sequence in UInt64(4)...8 {
      _ = subscription.take(reading(sequence, 5), blocked: true, at: at(0))
    }
    _ = subscription.take(reading(9, 100, atMaximum: true), blocked: true, at: at(0))
    // The value 2 gave way to the release 3; of 4…8 the beginning stays, and 8 gives way to 9.
    #expect(drain(&subscription, at: at(1)) == ["3-1", "4-0", "9-4"])
  }

  @Test func beforeADeviceLeavesWhatWaitsOfItIsTakenOutInOrder() {
    var subscription = Subscription(filter: WatchFilter())
    let taken: [(Int32, Int, ContactState)] = [
      (0, 0, .touching), (1, 0, .touching), (0, 1, .touching), (0, 0, .released),
      (1, 0, .touching), (1, 0, .released),
    ]
    for (index, (contact, device, state)) in taken.enumerated() {
      let reading = reading(
        UInt64(index + 1), 5, contact: contact, device: device, state: state)
      _ = subscription.take(reading, blocked: true, at: at(0))
    }
    var told: [String] = []
    while let next = subscription.nextWaiting(of: DeviceHandle(0), at: at(1)) {
      told.append("\(next.reading.sequence)-\(next.dropped)")
    }
    #expect(told == ["1-0", "2-0", "4-0", "6-1"])
    #expect(drain(&subscription, at: at(1)) == ["3-0"], "the other device's waits on")
  }

  @Test func aQueueThatIsFullLosesItsOldest() {
    var subscription = Subscription(filter: WatchFilter())
    let count = UInt64(Subscription.capacity)
    for sequence in 1...(count + 6) {
      let state: ContactState = sequence.isMultiple(of: 2) ? .released : .touching
      _ = subscription.take(reading(sequence, 1, state: state), blocked: true, at: at(0))
    }
    let sent = drain(&subscription, at: at(1))
    #expect(sent.count == Subscription.capacity)
    #expect(sent.first == "7-6" && sent.last == "\(count + 6)-0")
  }

  @Test func contactsKeepTheirOrderAndEveryGapIsExplained() {
    var subscription = Subscription(filter: WatchFilter())
    for contact in Int32(0)...2 {
      let sequence = UInt64(contact) + 1
      _ = subscription.take(reading(sequence, 1, contact: contact), blocked: false, at: at(0))
    }
    _ = subscription.take(reading(4, 2, contact: 0), blocked: true, at: at(0))
    _ = subscription.take(reading(5, 2, contact: 1), blocked: true, at: at(0))
    _ = subscription.take(reading(6, 3, contact: 0), blocked: true, at: at(0))
    _ = subscription.take(reading(7, 2, contact: 2), blocked: true, at: at(0))
    _ = subscription.take(reading(8, 3, contact: 1), blocked: true, at: at(0))
    // 4 and 5 were replaced by 6 and 8: the gap before 6 is two, before 7 and 8 none.
    #expect(drain(&subscription, at: at(1)) == ["6-2", "7-0", "8-0"])
  }

  @Test func theRateHoldsBackValuesButNeitherReleaseNorMaximum() {
    var filter = WatchFilter()
    filter.interval = .milliseconds(100)
    var subscription = Subscription(filter: filter)
    #expect(subscription.take(reading(1, 1), blocked: false, at: at(0)) == .send(dropped: 0))
    #expect(subscription.take(reading(2, 2), blocked: false, at: at(10)) == .keep(replaced: false))
    #expect(subscription.deadline == at(100))
    #expect(drain(&subscription, at: at(99)) == [])
    #expect(
      subscription.take(reading(3, 100, atMaximum: true), blocked: false, at: at(20))
        == .keep(replaced: true))
    #expect(drain(&subscription, at: at(20)) == ["3-1"])
    #expect(
      subscription.take(reading(4, 0, state: .released), blocked: false, at: at(30))
        == .send(dropped: 0))
  }

  @Test func theRateHoldsForEachContactWhateverTheOthersDo() {
    var filter = WatchFilter()
    filter.interval = .milliseconds(100)
    var subscription = Subscription(filter: filter)
    var (moving, tapping): ([UInt64], [UInt64]) = ([], [])
    var last: UInt64 = 0
    for millisecond in Int64(0)..<1_000 {
      let isTap = millisecond % 10 == 9
      let sequence = UInt64(millisecond) + 1
      let state: ContactState = isTap && millisecond % 20 == 19 ? .released : .touching
      let reading = reading(
        sequence, Double(millisecond) / 10, contact: isTap ? 0 : 1, state: state)
      var sent: [(Reading, UInt64)] = []
      if case .send(let dropped) = subscription.take(reading, blocked: false, at: at(millisecond)) {
        sent.append((reading, dropped))
      }
      while let next = subscription.nextDue(at: at(millisecond)) { sent.append(next) }
      for (reading, dropped) in sent {
        #expect(reading.sequence == last + dropped + 1, "in order, and every gap explained")
        last = reading.sequence
        if reading.contact == 0 { tapping.append(last) } else { moving.append(last) }
      }
    }
    #expect(tapping.count == 100, "no press and no release is held back")
    #expect((9...11).contains(moving.count), "\(moving)")
  }

  /// As after a tare: every contact that rests says once more what it reads.
  @Test func whatRestsAndReadsDifferentlyIsToldWhateverTheRateAndTheChange() {
    var filter = WatchFilter()
    filter.interval = .milliseconds(1_000)
    filter.onChange = 10
    var subscription = Subscription(filter: filter)
    for (contact, millisecond) in [(Int32(0), Int64(200)), (1, 0)] {
      let resting = reading(UInt64(2 - contact), 50, contact: contact, state: .steady)
      #expect(
        subscription.take(resting, blocked: false, at: at(millisecond)) == .send(dropped: 0))
    }
    for contact in Int32(0)...1 {
      let again = reading(UInt64(3 + contact), 50, contact: contact, state: .steady)
      #expect(subscription.take(again, blocked: false, at: at(700)) == .send(dropped: 0))
    }
  }

  @Test func aSmallChangeIsLeftOutAlsoWhileSomethingWaits() {
    var filter = WatchFilter()
    filter.onChange = 10
    var subscription = Subscription(filter: filter)
    _ = subscription.take(reading(1, 50), blocked: false, at: at(0))
    _ = subscription.take(reading(2, 5, contact: 1), blocked: true, at: at(1))
    #expect(subscription.take(reading(3, 55), blocked: true, at: at(2)) == .ignore)
    #expect(subscription.take(reading(4, 12, contact: 1), blocked: true, at: at(3)) == .ignore)
    #expect(subscription.take(reading(5, 61), blocked: true, at: at(4)) == .keep(replaced: false))
    #expect(subscription.take(reading(6, 52), blocked: true, at: at(5)) == .keep(replaced: true))
    #expect(drain(&subscription, at: at(6)) == ["2-0"], "what went back is no news any more")
    #expect(subscription.take(reading(7, 61), blocked: false, at: at(7)) == .send(dropped: 4))
  }

  @Test func aValueThatWaitsGoesOutWhenTheRateAllows() {
    var filter = WatchFilter()
    filter.interval = .milliseconds(100)
    var subscription = Subscription(filter: filter)
    _ = subscription.take(reading(1, 1), blocked: false, at: at(0))
    _ = subscription.take(reading(2, 2), blocked: false, at: at(10))
    _ = subscription.take(reading(3, 3), blocked: false, at: at(20))
    #expect(drain(&subscription, at: at(100)) == ["3-1"])
    #expect(subscription.deadline == nil)
  }

  @Test func smallChangesAreLeftOutButStatesAreNot() {
    var filter = WatchFilter()
    filter.onChange = 5
    var subscription = Subscription(filter: filter)
    #expect(subscription.take(reading(1, 10), blocked: false, at: at(0)) == .send(dropped: 0))
    #expect(subscription.take(reading(2, 14.9), blocked: false, at: at(1)) == .ignore)
    #expect(subscription.take(reading(3, 15), blocked: false, at: at(2)) == .send(dropped: 1))
    #expect(
      subscription.take(reading(4, 15, state: .steady), blocked: false, at: at(3))
        == .send(dropped: 0))
  }

  @Test func otherDevicesAndContactsAreNotCounted() {
    var filter = WatchFilter()
    filter.devices = [1]
    filter.contacts = [2]
    var subscription = Subscription(filter: filter)
    #expect(subscription.take(reading(1, 1, contact: 2), blocked: false, at: at(0)) == .ignore)
    #expect(
      subscription.take(reading(1, 1, contact: 0, device: 1), blocked: false, at: at(0))
        == .ignore)
    #expect(
      subscription.take(reading(2, 1, contact: 2, device: 1), blocked: false, at: at(0))
        == .send(dropped: 0))
  }

  @Test func aContactThatBeginsAgainIsNews() {
    var filter = WatchFilter()
    filter.interval = .seconds(10)
    var subscription = Subscription(filter: filter)
    _ = subscription.take(reading(1, 1), blocked: false, at: at(0))
    _ = subscription.take(reading(2, 0, state: .released), blocked: false, at: at(1))
    #expect(subscription.take(reading(3, 1), blocked: false, at: at(2)) == .send(dropped: 0))
  }
}
