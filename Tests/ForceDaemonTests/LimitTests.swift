import ForceCore
import ForceProtocol
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// Each limit of the configuration ends the connection that goes beyond it and no other, and a client
/// that is a nuisance within them is none to the others.
@Suite struct LimitTests {
  private let info = #"{"method":"org.varlink.service.GetInfo"}"#
  private let watch = #"{"method":"org.forced.Force.Watch","more":true}"#

  @Test func theLimitsComeFromTheConfiguration() throws {
    let daemon = try RunningDaemon(
      configuration: """
        [Server]
        MaxConnections=2
        MaxMessageSize=2K
        """)
    let clients = try [daemon.client(), daemon.client()]
    for client in clients { _ = try client.call(info) }
    #expect(
      try daemon.client(delimiter: 0).rest() == [
        #"{"error":"org.forced.Force.TooManyConnections","parameters":{"limit":2,"user":false}}"#
      ])
    try clients[0].send(String(repeating: " ", count: 2_049) + info)
    #expect(try clients[0].rest().last?.contains(#""limit":2048"#) == true)
    #expect(try clients[1].call(info).contains("product"))
  }

  @Test func aPlaceThatIsLeftCanBeTaken() throws {
    let daemon = try RunningDaemon { $0.server.maxConnectionsPerUser = 1 }
    for _ in 0..<3 {
      let client = try daemon.client()
      #expect(try client.call(info).contains("product"))
      try client.send("no call at all")
      _ = try client.rest()
    }
  }

  @Test func aReloadChangesTheLimitsOfNewConnections() throws {
    let daemon = try RunningDaemon(configuration: "[Server]\nMaxConnectionsPerUser=1\n")
    let first = try daemon.client()
    try daemon.rewrite("[Server]\nMaxConnectionsPerUser=2\n")
    #expect(try first.call(#"{"method":"org.forced.Force.Reload"}"#) == #"{"parameters":{}}"#)
    #expect(try daemon.client().call(info).contains("product"))
  }

  @Test func callsThatAreNotReadEndTheirConnectionAndNothingGrows() throws {
    let daemon = try RunningDaemon { $0.server.maxRequestsInFlight = 8 }
    let (flood, other) = (try daemon.client(), try daemon.client())
    let calls = String(repeating: #"{"method":"org.forced.Force.GetStatus"}"# + "\n", count: 100)
    // The daemon closes in the middle of this, some time after the kernel's buffers are full.
    #expect(throws: LineClient.Closed.self) {
      while true { try flood.send(bytes: Array(calls.utf8)) }
    }
    #expect(try other.call(info).contains("product"))
    let status = try daemon.status()
    #expect(status.bufferedBytes < 1_024)
    #expect(status.counters.errors == 1)
  }

  @Test func halvesOfMessagesAreHeldWithinTheLimitAndHoldNobodyUp() throws {
    let press = ScriptedInput.press(.forcePad(), [10, 20, 30, -1])
    let daemon = try RunningDaemon([press]) { $0.server.maxMessageSize = 4_096 }
    let halves = try (0..<20).map { _ in try daemon.client() }
    for half in halves {
      try half.send(bytes: Array(#"{"method":""#.utf8) + [UInt8](repeating: 0x78, count: 1_000))
    }
    let watcher = try daemon.client()
    try watcher.send(watch)
    _ = try watcher.line { $0.contains("released") }
    let status = try daemon.status()
    #expect((20 * 1_000...20 * 4_096).contains(status.bufferedBytes))
    #expect(status.counters.errors == 0)
  }

  @Test func aFloodOfConnectionsIsTurnedAwayWhileOthersAreServed() throws {
    let press = ScriptedInput.press(
      .forcePad(), (1...60).map { Int32($0) } + [-1], every: .milliseconds(2))
    let daemon = try RunningDaemon([press]) { $0.server.maxConnectionsPerUser = 4 }
    let watcher = try daemon.client()
    try watcher.send(watch)
    _ = try watcher.line()
    for _ in 0..<300 { _ = try daemon.client() }
    _ = try watcher.line { $0.contains("released") }
  }

  @Test func theSocketHasTheModeOfTheConfiguration() throws {
    let daemon = try RunningDaemon(configuration: "[Server]\nSocketMode=0604\n")
    #expect(try FileSystem.status(of: daemon.path).permissions == 0o604)
  }

  @Test func steeringIsForRootTheOwnUserAndTheGroupThatTheConfigurationNames() throws {
    let folder = try TemporaryFolder()
    let listener = try UnixListener(at: folder.path + "/socket", permissions: 0o600)
    let socket = try UnixSocket.connect(to: listener.path)
    func mayControl(_ group: String?, user: UInt32, primary: UInt32) -> VarlinkError? {
      let peer = PeerCredentials(process: 1, user: user, group: primary)
      do throws(VarlinkError) {
        try Access(controlGroup: group).checkControl(peer, groups: socket)
        return nil
      } catch { return error }
    }
    let own = CurrentProcess.effectiveUser
    #expect(mayControl(nil, user: 0, primary: 4_242) == nil)
    #expect(mayControl(nil, user: own, primary: 4_242) == nil)
    #expect(mayControl(nil, user: 4_242, primary: 4_242) != nil)
    #expect(mayControl("4242", user: 4_242, primary: 4_242) == nil)
    let refusal = mayControl("4343", user: 4_242, primary: 4_242)
    #expect(refusal?.description.contains("members of the group 4343") == true)
  }

  @Test func aControlGroupThatDoesNotCountIsSaidAndNotOffered() throws {
    let missing = Access(controlGroup: "nobody-has-this")
    #expect(
      missing.problem
        == "there is no group nobody-has-this, which ControlGroup= names, so that its members may "
        + "not steer the daemon")
    let unknown = Access(controlGroup: "wheel") { (name) throws(SystemError) in
      throw SystemError("look up group", name, .tooManyOpenFiles)
    }
    #expect(unknown.problem?.hasPrefix("cannot look up group wheel: ") == true)
    let folder = try TemporaryFolder()
    let listener = try UnixListener(at: folder.path + "/socket", permissions: 0o600)
    let socket = try UnixSocket.connect(to: listener.path)
    let stranger = PeerCredentials(process: 1, user: 4_242, group: 4_242)
    for access in [missing, unknown] {
      do throws(VarlinkError) {
        try access.checkControl(stranger, groups: socket)
        Issue.record("a stranger may steer")
      } catch { #expect(!"\(error)".contains("members of the group")) }
    }
    #expect(Access().problem == nil)
    #expect(Access(controlGroup: "4242").problem == nil)
  }

  @Test func aControlGroupThatIsMissingIsInTheLogFromTheStartAndAfterAReload() throws {
    func problem(_ group: String) -> String {
      "there is no group \(group), which ControlGroup= names"
    }
    let daemon = try RunningDaemon(configuration: "[Server]\nControlGroup=nobody-has-this\n")
    let log = daemon.log
    #expect(log.contains(problem("nobody-has-this")))
    try daemon.rewrite("[Server]\nControlGroup=nor-this\n")
    let reload = #"{"method":"org.forced.Force.Reload"}"#
    #expect(try daemon.client().call(reload) == #"{"parameters":{}}"#)
    #expect(log.contains(problem("nor-this")))
  }
}
