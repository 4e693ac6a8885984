import ForceClient
import ForceCore
import ForceTestSupport
import LinuxSystem
import Testing

/// Clients outlive the daemon.
@Suite struct RestartTests {
  @Test func twentyClientsFindTheDaemonAgainAndNoneMissesTheFirstStateAfter() async throws {
    let folder = try TemporaryFolder()
    let patient = Reconnection(firstDelay: .milliseconds(5), giveUpAfter: .seconds(60))
    let client = ForceClient(.path(folder.path + "/forced.sock"), reconnection: patient)
    // A press that lasts: its raw value tells the two daemons apart.
    let before = try RunningDaemon([ScriptedInput.press(.forcePad(), [30])], in: folder)

    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let clients = (0..<20).map { _ in
      Task { () -> [WatchEvent.Kind] in
        var seen: [WatchEvent.Kind] = []
        for try await event in client.watch() {
          seen.append(event.kind)
          guard case .reading(let reading) = event.kind else { continue }
          if reading.raw == 30 && reading.state == .steady { arrived.yield() }
          if reading.raw == 70 { break }
        }
        return seen
      }
    }
    var count = 0
    for await _ in arrivals {
      count += 1
      if count == clients.count { break }
    }
    before.end()
    let after = try RunningDaemon([ScriptedInput.press(.forcePad(), [70])], in: folder)

    for client in clients {
      let seen = try await client.value
      // The device first, then its press; the old daemon's end invents no release between.
      let first = try #require(
        seen.lastIndex { if case .deviceAdded = $0 { true } else { false } })
      #expect(first == seen.count - 2 && first > 0)
      guard case .reading(let old) = seen[first - 1] else { return #expect(Bool(false)) }
      #expect(old.raw == 30 && old.state == .steady)
    }
    after.end()
  }
}
