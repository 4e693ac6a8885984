import CLinux
import LinuxSystem
import Testing

@Suite struct EventPollTests {
  @Test func tellsTheTokenOfWhatIsReady() throws {
    let poll = try EventPoll()
    let quiet = try FileDescriptor.pipe()
    let busy = try FileDescriptor.pipe()
    try poll.add(quiet.first, token: 1)
    try poll.add(busy.first, token: UInt64.max)
    #expect(try poll.wait(microseconds: 0) == 0)
    _ = busy.second.write(text: "x")
    #expect(try poll.wait(microseconds: nil) == 1)
    #expect(poll[0].token == UInt64.max)
    #expect(poll[0].readiness == .readable)
  }

  @Test func modifyChangesWhatIsWaitedFor() throws {
    let poll = try EventPoll()
    let pair = try UnixSocket.pair()
    try poll.add(pair.first, token: 7, for: .readable)
    #expect(try poll.wait(microseconds: 0) == 0)
    try poll.modify(pair.first, token: 8, for: [.readable, .writable])
    #expect(try poll.wait(microseconds: 0) == 1)
    #expect(poll[0].token == 8)
    #expect(poll[0].readiness == .writable)
    try poll.remove(pair.first)
    #expect(try poll.wait(microseconds: 0) == 0)
  }

  @Test func hangUpIsToldUnasked() throws {
    let poll = try EventPoll()
    let first = try UnixSocket.pair().takeFirst()
    try poll.add(first, token: 1, for: [])
    #expect(try poll.wait(microseconds: 0) == 1)
    #expect(poll[0].readiness.contains(.hungUp))
  }

  @Test func anEpollSetCanBeWatchedByAnother() throws {
    let inner = try EventPoll()
    let outer = try EventPoll()
    let wake = try WakeDescriptor()
    try inner.add(wake.descriptor, token: 1)
    try outer.add(inner.descriptor, token: 2)
    #expect(try outer.wait(microseconds: 0) == 0)
    wake.wake()
    #expect(try outer.wait(microseconds: 0) == 1)
    #expect(wake.acknowledge() == true)
    #expect(try outer.wait(microseconds: 0) == 0)
  }

  @Test func moreReadyThanCapacityComeInTurns() throws {
    let poll = try EventPoll(capacity: 2)
    let wakes = try (0..<3).map { _ in try Wake() }
    for (token, wake) in wakes.enumerated() {
      try poll.add(wake.descriptor.descriptor, token: UInt64(token))
      wake.descriptor.wake()
    }
    var seen: Set<UInt64> = []
    for _ in 0..<3 {
      let count = try poll.wait(microseconds: 0)
      #expect(count <= 2)
      for index in 0..<count { seen.insert(poll[index].token) }
    }
    #expect(seen == [0, 1, 2])
  }

  @Test func aWaitThatIsOverReturnsNothing() throws {
    #expect(try EventPoll().wait(microseconds: 1) == 0)
  }
}

/// An array cannot hold what cannot be copied.
private final class Wake {
  let descriptor: WakeDescriptor
  init() throws { descriptor = try WakeDescriptor() }
}

@Suite struct WakeDescriptorTests {
  @Test func manyWakesCountAsOne() throws {
    let wake = try WakeDescriptor()
    #expect(wake.acknowledge() == false)
    wake.wake()
    wake.wake()
    #expect(wake.acknowledge() == true)
    #expect(wake.acknowledge() == false)
  }

  @Test func aTimeInThePastFiresAtOnce() throws {
    let timer = try TimerDescriptor()
    let poll = try EventPoll()
    try poll.add(timer.descriptor, token: 1)
    for past in [Int64.min, -1, 0, 1, monotonicNow()] {
      try timer.arm(at: past)
      #expect(try poll.wait(microseconds: nil) == 1)
      #expect(timer.acknowledge() == true)
    }
    #expect(timer.acknowledge() == false)
  }

  @Test func aDisarmedTimerNeverFires() throws {
    let timer = try TimerDescriptor()
    try timer.arm(at: 1)
    try timer.disarm()
    #expect(timer.acknowledge() == false)
  }

  @Test func theMonotonicClockNeverGoesBack() {
    let first = monotonicNow()
    #expect(monotonicNow() >= first)
    #expect(monotonicNanoseconds() / 1_000 >= first)
  }
}
