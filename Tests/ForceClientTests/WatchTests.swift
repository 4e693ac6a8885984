import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceClient

private func reading(_ sequence: Int, percent: Double = 10) -> String {
  """
  {"parameters":{"event":"reading","reading":{"device":"pad","contact":0,"sequence":\(sequence),\
  "time":\(sequence * 1000),"raw":1,"percent":\(percent),"grams":2.5,"grams_source":"nominal",\
  "unsmoothed_percent":11,"at_maximum":false,"state":"touching"}},"continues":true}
  """
}

extension WatchEvent {
  fileprivate var sequence: UInt64? {
    if case .reading(let reading) = kind { return reading.sequence }
    return nil
  }
}

@Suite("Watching")
struct WatchTests {
  private let quick = Reconnection(
    firstDelay: .milliseconds(1), longestDelay: .milliseconds(5), giveUpAfter: .seconds(20))

  @Test("A watch asks for what it wants and brings events in order")
  func events() async throws {
    let server = try ScriptedServer { request, peer in
      #expect(
        request == #"{"method":"org.forced.Force.Watch","parameters":{"max_hz":30},"more":true}"#)
      peer.send(reading(1), reading(2), #"{"parameters":{"event":"heartbeat"},"continues":true}"#)
    }
    defer { server.stop() }
    let watch = ForceClient(.path(server.path)).watch(WatchRequest(maximumHertz: 30))
    var events = watch.makeAsyncIterator()
    #expect(try await events.next()?.sequence == 1)
    #expect(try await events.next()?.sequence == 2)
    #expect(try await events.next()?.kind == .heartbeat)
  }

  @Test("Without a daemon a watch says so at once, unless it is told to wait")
  func noDaemon() async throws {
    let path = "/tmp/forced-test-\(CurrentProcess.id)-none.sock"
    var events = ForceClient(.path(path), reconnection: quick).watch().makeAsyncIterator()
    await #expect(throws: ForceClientError.self) { try await events.next() }

    var waiting = quick
    waiting.waitsAtStart = true
    let watch = ForceClient(.path(path), reconnection: waiting).watch()
    let first = Task { () -> WatchEvent? in
      var events = watch.makeAsyncIterator()
      return try await events.next()
    }
    let server = try ScriptedServer(at: path) { _, peer in peer.send(reading(1)) }
    defer { server.stop() }
    #expect(try await first.value?.sequence == 1)
  }

  @Test("Clients of a daemon that restarts all subscribe again and get the first state after")
  func restart() async throws {
    let path = "/tmp/forced-test-\(CurrentProcess.id)-\(monotonicNanoseconds()).sock"
    let first = try ScriptedServer(at: path) { _, peer in peer.send(reading(1)) }
    let watch = ForceClient(.path(path), reconnection: quick).watch()
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let clients = (0..<20).map { _ in
      Task { () -> [UInt64?] in
        var events = watch.makeAsyncIterator()
        let before = try await events.next()?.sequence
        arrived.yield()
        return [before, try await events.next()?.sequence]
      }
    }
    var count = 0
    for await _ in arrivals {
      count += 1
      if count == 20 { break }
    }
    first.stop()
    let second = try ScriptedServer(at: path) { _, peer in peer.send(reading(100)) }
    defer { second.stop() }
    for client in clients { #expect(try await client.value == [1, 100]) }
  }

  @Test("Connecting and disconnecting are told between the events")
  func connectionChanges() async throws {
    let server = try ScriptedServer { _, peer in
      peer.send(reading(1))
      peer.close()
    }
    defer { server.stop() }
    let (changes, log) = AsyncStream.makeStream(of: ConnectionChange.self)
    let watch = ForceClient(.path(server.path), reconnection: quick).watch { log.yield($0) }
    var events = watch.makeAsyncIterator()
    _ = try await events.next()
    _ = try await events.next()
    log.finish()
    var seen: [ConnectionChange] = []
    for await change in changes { seen.append(change) }
    #expect(
      seen == [.connected, .disconnected(.connectionLost("the daemon closed it")), .connected])
  }

  @Test("Without reconnection, or after the time for it, the error ends the watch")
  func givesUp() async throws {
    for reconnection in [nil, Reconnection(giveUpAfter: .zero)] {
      let server = try ScriptedServer { _, peer in
        peer.send(reading(1))
        peer.close()
      }
      let client = ForceClient(.path(server.path), reconnection: reconnection)
      var events = client.watch().makeAsyncIterator()
      _ = try await events.next()
      await #expect(throws: ForceClientError.connectionLost("the daemon closed it")) {
        try await events.next()
      }
      server.stop()
    }
  }

  @Test("A refusal ends the watch: asking again would not help")
  func refusal() async throws {
    let server = try ScriptedServer { _, peer in
      peer.send(
        #"{"error":"org.forced.Force.InvalidValue","parameters":{"parameter":"max_hz","#
          + #""found":"-1","allowed":"above 0"}}"#)
    }
    defer { server.stop() }
    var events = ForceClient(.path(server.path), reconnection: quick).watch().makeAsyncIterator()
    await #expect(
      throws: ForceClientError.refused(
        .invalidValue(parameter: "max_hz", found: "-1", allowed: "above 0"))
    ) { try await events.next() }
  }

  @Test("Cancelling ends the watch without an error")
  func cancellation() async throws {
    let server = try ScriptedServer { _, peer in peer.send(reading(1)) }
    defer { server.stop() }
    let watch = ForceClient(.path(server.path)).watch()
    let task = Task { () -> Int in
      var count = 0
      for try await _ in watch { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value <= 1)
  }

  @Test("A reader that does not read holds back the daemon and not its own memory")
  func slowReader() async throws {
    let (sent, log) = AsyncStream.makeStream(of: Int.self)
    let server = try ScriptedServer { _, peer in
      var count = 0
      while count < 200_000, peer.send(reading(count + 1), patience: 100) { count += 1 }
      log.yield(count)
      log.finish()
    }
    defer { server.stop() }
    let watch = ForceClient(.path(server.path)).watch()
    var events = watch.makeAsyncIterator()
    #expect(try await events.next()?.sequence == 1)
    for await count in sent { #expect(count < 200_000) }
  }
}

@Suite("Back-off")
struct ReconnectionTests {
  @Test("Delays double up to the longest and are spread over their last half")
  func delays() {
    let reconnection = Reconnection(
      firstDelay: .milliseconds(100), longestDelay: .milliseconds(1_000))
    func delay(_ attempt: Int, _ jitter: Double) -> Int64 {
      reconnection.delay(beforeAttempt: attempt, jitter: jitter).count
    }
    #expect((0..<6).map { delay($0, 1) } == [100, 200, 400, 800, 1_000, 1_000].map { $0 * 1_000 })
    #expect(delay(1, 0) == 100_000)
    #expect(delay(.max, 0.5) == 750_000)
    #expect(Reconnection(firstDelay: .zero).delay(beforeAttempt: 0, jitter: 1) > .zero)
  }
}
