import ForceConfig
import ForceCore
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

@Suite struct ServerTests {
  private let info = #"{"method":"org.varlink.service.GetInfo"}"#
  private let watch = #"{"method":"org.forced.Force.Watch","more":true}"#

  @Test(arguments: [UInt8(0), UInt8(10)])
  func theFirstDelimiterDecides(delimiter: UInt8) throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client(delimiter: delimiter)
    #expect(try client.call(info).contains(#""product":"forced""#))
    #expect(try client.call(info).contains(#""interfaces":["org.varlink.service""#))
  }

  @Test func callsInOnePieceAreAnsweredInOrder() throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    try client.send(info + "\n" + #"{"method":"org.forced.Force.ListDevices"}"# + "\n" + info)
    #expect(try client.line().contains("product"))
    #expect(try client.line() == #"{"parameters":{"devices":[]}}"#)
    #expect(try client.line().contains("product"))
  }

  @Test func aCallInSinglesBytesIsUnderstood() throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    for byte in (info + "\n").utf8 { try client.send(bytes: [byte]) }
    #expect(try client.line().contains("product"))
  }

  @Test func aOnewayCallGetsNoReply() throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    try client.send(#"{"method":"org.varlink.service.GetInfo","oneway":true}"#)
    try client.send(#"{"method":"org.forced.Force.Nonsense","oneway":true}"#)
    #expect(try client.call(#"{"method":"org.forced.Force.ListDevices"}"#).contains("devices"))
  }

  @Test(arguments: [
    (#"{"method":"org.forced.Force.Nope"}"#, "org.varlink.service.MethodNotFound"),
    (#"{"method":"com.example.Nope"}"#, "org.varlink.service.InterfaceNotFound"),
    (#"{"method":"org.forced.Force.Watch"}"#, "org.varlink.service.ExpectedMore"),
    (
      #"{"method":"org.forced.Force.GetReading","parameters":{"device":"x"}}"#,
      "org.forced.Force.NoSuchDevice"
    ),
    (
      #"{"method":"org.forced.Force.Watch","more":true,"parameters":{"max_hz":-1}}"#,
      "org.forced.Force.InvalidValue"
    ),
    (
      #"{"method":"org.forced.Force.Watch","more":true,"parameters":{"max_herz":1}}"#,
      "org.varlink.service.InvalidParameter"
    ),
    (#"{"method":"org.forced.Force.PlayHaptic"}"#, "org.forced.Force.NoMotor"),
    (
      #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"x"}}"#,
      "org.varlink.service.InterfaceNotFound"
    ),
  ])
  func aCallThatCannotBeAnsweredGetsItsErrorAndTheConnectionGoesOn(
    call: String, error: String
  ) throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    #expect(try client.call(call).hasPrefix(#"{"error":"\#(error)""#))
    #expect(try client.call(info).contains("product"))
  }

  @Test(arguments: ["no json", "[]", "{\"method\":7}", "{\"method\":\"a.b\",\"more\":1}"])
  func whatIsNoCallGetsAnErrorAndTheEnd(message: String) throws {
    let daemon = try RunningDaemon()
    let (client, other) = (try daemon.client(), try daemon.client())
    try client.send(message)
    let rest = try client.rest()
    #expect(rest.count == 1)
    #expect(rest.first?.contains("org.forced.Force.MalformedMessage") == true)
    #expect(try other.call(info).contains("product"))
  }

  @Test func aMessageThatIsTooLongGetsAnErrorAndTheEnd() throws {
    let daemon = try RunningDaemon { $0.server.maxMessageSize = 1_000 }
    let client = try daemon.client()
    try client.send(info)
    _ = try client.line()
    try client.send(String(repeating: "x", count: 1_001))
    #expect(
      try client.rest() == [
        #"{"error":"org.forced.Force.MessageTooLarge","parameters":{"limit":1000}}"#
      ])
  }

  @Test func moreConnectionsThanAllowedAreTurnedAway() throws {
    let daemon = try RunningDaemon { $0.server.maxConnectionsPerUser = 2 }
    let clients = try [daemon.client(), daemon.client()]
    for client in clients { #expect(try client.call(info).contains("product")) }
    let third = try daemon.client(delimiter: 0)
    #expect(try third.rest().first?.contains("TooManyConnections") == true)
    #expect(try clients[0].call(info).contains("product"))
  }

  @Test func moreCallsThanAllowedBehindAWatchEndTheConnection() throws {
    let daemon = try RunningDaemon { $0.server.maxRequestsInFlight = 3 }
    let client = try daemon.client()
    for call in [watch, info, info, info, info] { try client.send(call) }
    #expect(try client.rest().last?.contains("TooManyRequests") == true)
  }

  @Test func theServedDefinitionIsTheInterface() throws {
    let daemon = try RunningDaemon()
    let reply = try daemon.client().call(
      #"{"method":"org.varlink.service.GetInterfaceDescription","#
        + #""parameters":{"interface":"org.forced.Force"}}"#)
    #expect(reply.contains("interface org.forced.Force"))
    #expect(reply.contains("method Watch("))
  }

  @Test func aBadReloadChangesNothingAndIsTold() throws {
    let daemon = try RunningDaemon(configuration: "[Smoothing]\nTimeConstant=9ms\n")
    let client = try daemon.client()
    try daemon.rewrite("[Smoothing]\nTimeConstant=slow\n")
    let reply = try client.call(#"{"method":"org.forced.Force.Reload"}"#)
    #expect(reply.contains("ConfigurationRejected") && reply.contains("forced.conf:2"))
    #expect(daemon.log.contains("the old one stays in force"))
    let smoothing = #"{"method":"org.forced.Force.SetSmoothing"}"#
    #expect(try client.call(smoothing).contains(#""time_constant_ms":9"#))
    try daemon.rewrite("[Smoothing]\nTimeConstant=3ms\n")
    #expect(try client.call(#"{"method":"org.forced.Force.Reload"}"#) == #"{"parameters":{}}"#)
    #expect(try client.call(smoothing).contains(#""time_constant_ms":3"#))
  }

  @Test func aReloadSaysWhatOnlyARestartBringsIntoForce() throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    try daemon.rewrite("[Server]\nPublishPositions=yes\nMaxConnections=9\n[Realtime]\nPriority=3\n")
    _ = try client.call(#"{"method":"org.forced.Force.Reload"}"#)
    #expect(
      daemon.log.contains("leave it to the daemon: SocketGroup, PublishPositions, Priority"))
    try daemon.rewrite("[Server]\nSocketGroup=none\n")
    let before = daemon.log.lines.count
    _ = try client.call(#"{"method":"org.forced.Force.Reload"}"#)
    #expect(!daemon.log.lines[before...].contains { $0.contains("restart") })
  }

  @Test func askingForTheSmoothingChangesNothing() throws {
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(maximum: 100), [50])])
    let client = try daemon.client()
    try client.send(watch)
    _ = try client.line { $0.contains("steady") }
    let before = try daemon.status().counters.readings
    _ = try daemon.client().call(#"{"method":"org.forced.Force.SetSmoothing"}"#)
    #expect(try daemon.status().counters.readings == before)
  }

  @Test func theStatusTellsTheSmoothingInForce() throws {
    let daemon = try RunningDaemon(configuration: "[Smoothing]\nTimeConstant=9ms\n")
    let client = try daemon.client()
    let status = #"{"method":"org.forced.Force.GetStatus"}"#
    #expect(
      try client.call(status).contains(
        #""smoothing":{"filter":"exponential","time_constant_ms":9,"#))
    _ = try client.call(
      #"{"method":"org.forced.Force.SetSmoothing","parameters":{"filter":"none"}}"#)
    #expect(try client.call(status).contains(#""smoothing":{"filter":"none","#))
  }

  @Test func theServiceNamesItsManualAsItsAddress() throws {
    let daemon = try RunningDaemon()
    let client = try daemon.client()
    #expect(try client.call(info).contains(#""url":"man:forced(8)""#))
  }

  @Test func whereNoFolderCanBeMadeThereIsAHintAtOtherPlaces() {
    do throws(ListenError) {
      // Not even root may make folders in /proc.
      _ = try SocketPlace.listen(at: "/proc/forced/forced.sock", ServerSettings(), log: Log())
      Issue.record("it listens")
    } catch {
      #expect(error.description.hasPrefix("cannot make directory /proc/forced: "))
      #expect(error.description.contains("--socket"))
      #expect(error.description.contains("XDG_RUNTIME_DIR"))
    }
  }

  @Test func whoMaySteerIsSaidOnce() {
    #expect(Access.needed(by: 0) == "root")
    #expect(Access.needed(by: 0, group: "wheel") == "root and members of the group wheel")
    #expect(Access.needed(by: 54_321) == "root and the user 54321")
    #expect(
      Access.needed(by: 54_321, group: "wheel")
        == "root, the user 54321 and members of the group wheel")
  }

  @Test func theSocketFileGoesWithTheDaemon() throws {
    let daemon = try RunningDaemon()
    #expect(FileSystem.exists(daemon.path))
    let client = try daemon.client()
    _ = try client.call(info)
    daemon.end()
    #expect(!FileSystem.exists(daemon.path))
    #expect(try client.rest() == [])
  }
}
