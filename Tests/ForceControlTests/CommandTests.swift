import ForceClient
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceControl

/// Answers as a daemon with these devices would; to Watch with these events, which never end.
private func daemon(
  devices: [DeviceRecord] = [device()], events: [WatchEvent] = [], closing: Bool = false
) throws -> ScriptedServer {
  try ScriptedServer { request, peer in
    if request.contains("ListDevices") {
      let list = JSONValue.array(devices.map { .object($0.object) })
      peer.send(#"{"parameters":{"devices":\#(list)}}"#)
    } else if request.contains("Watch") {
      for event in events { peer.send(#"{"parameters":\#(event.parameters),"continues":true}"#) }
      if closing { peer.close() }
    } else {
      peer.send(#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"?"}}"#)
    }
  }
}

private func press(_ percents: [Double]) -> [WatchEvent] {
  percents.enumerated().map { index, percent in
    WatchEvent(.reading(reading(sequence: UInt64(index + 1), percent: percent)))
  }
}

@Suite("forcectl watch")
struct WatchCommandTests {
  @Test("Without a terminal every reading is a plain line; --count ends it")
  func plain() async throws {
    let server = try daemon(events: press([1, 2, 3]))
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("--socket", server.path, "watch", "--count", "2") == .done)
    #expect(session.output.lines == ["pad 0  1.0 %  162.9 g", "pad 0  2.0 %  162.9 g"])
    #expect(session.errors.text == "")
  }

  @Test("JSON is one object a line")
  func json() async throws {
    let server = try daemon(events: press([1, 2]))
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("watch", "--json", "--count=2", "--socket", server.path) == .done)
    let percents = try session.output.lines.map { try JSONValue.parse(String($0))["percent"] }
    #expect(percents == [1, 2])
  }

  @Test("What is asked of the daemon: rate, and the device by id or by name")
  func request() async throws {
    let (requests, log) = AsyncStream.makeStream(of: String.self)
    let server = try ScriptedServer { request, peer in
      if request.contains("ListDevices") {
        let list = JSONValue.array(
          [device("a", name: "Pen"), device("b", name: "Pen")].map { .object($0.object) })
        _ = peer.send(#"{"parameters":{"devices":\#(list)}}"#)
        return
      }
      log.yield(request)
      peer.send(#"{"parameters":\#(press([1])[0].parameters),"continues":true}"#)
    }
    defer { server.stop() }
    for device in ["b", "Pen"] {
      let status = await Session().run(
        "watch", "--socket", server.path, "--device", device, "--rate", "20", "--count", "1")
      #expect(status == .done)
    }
    log.finish()
    var wanted: [JSONValue?] = []
    for await request in requests {
      let parameters = try JSONValue.parse(request)["parameters"]
      #expect(parameters?["max_hz"] == 20)
      wanted.append(parameters?["devices"])
    }
    #expect(wanted == [["b"], ["a", "b"]])
  }

  @Test("An unknown device is a failure that names the nearest")
  func unknownDevice() async throws {
    let server = try daemon(devices: [device("simulated-pad")])
    defer { server.stop() }
    let session = Session()
    let status = await session.run(
      "watch", "--socket", server.path, "--device", "simulatd-pad")
    #expect(status == .failed)
    #expect(session.errors.text.contains("did you mean 'simulated-pad'?"))
  }

  @Test("--for ends it")
  func time() async throws {
    let server = try daemon()
    defer { server.stop() }
    #expect(await Session().run("watch", "--socket", server.path, "--for", "20ms") == .done)
  }

  @Test("Nothing that measures force: a sentence says so, and it waits")
  func nothingToMeasure() async throws {
    let server = try daemon(devices: [device(measure: "none", reason: "no pressure axis")])
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("watch", "--socket", server.path, "--for", "20ms") == .done)
    #expect(session.errors.text.contains("no device here measures force"))
    let other = Session()
    _ = await other.run("watch", "--socket", server.path, "--for", "20ms", "--device", "pad")
    #expect(other.errors.text.contains("Test pad does not measure force: no pressure axis"))
  }

  @Test("A closed output ends it quietly")
  func closedOutput() async throws {
    let server = try daemon(events: press([1, 2, 3]))
    defer { server.stop() }
    var session = Session()
    session.output = Capture(limit: 1)
    #expect(await session.run("watch", "--socket", server.path) == .done)
    #expect(session.errors.text == "")
  }

  @Test("A daemon that restarts is waited for, and said so")
  func restart() async throws {
    let server = try daemon(events: press([1]), closing: true)
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("watch", "--socket", server.path, "--count", "2") == .done)
    #expect(session.output.lines.count == 2)
    #expect(session.errors.text.contains("waiting for it to come back"))
  }

  @Test("On a terminal it draws gauges and gives the cursor back")
  func gauge() async throws {
    let server = try daemon(events: press([10, 20, 30]))
    defer { server.stop() }
    var session = Session()
    session.hasTerminal = true
    #expect(await session.run("watch", "--socket", server.path, "--count", "3") == .done)
    #expect(session.output.text.hasPrefix(TerminalFrame.begin))
    #expect(session.output.text.contains(" 30 %"))
    #expect(session.output.text.hasSuffix(TerminalFrame.end))
  }
}

@Suite("forcectl devices and status")
struct ListingTests {
  @Test("devices prints a table, or an object a line")
  func devices() async throws {
    let server = try daemon(devices: [device("a"), device("b")])
    defer { server.stop() }
    let table = Session()
    #expect(await table.run("devices", "--socket", server.path) == .done)
    #expect(table.output.lines.count == 3)
    let json = Session()
    #expect(await json.run("devices", "--json", "--socket", server.path) == .done)
    #expect(try json.output.lines.map { try JSONValue.parse(String($0))["id"] } == ["a", "b"])
  }

  @Test("What the daemon refuses is a failure with its words")
  func refusal() async throws {
    let server = try daemon()
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("status", "--socket", server.path) == .failed)
    #expect(session.errors.text == "forcectl: the daemon has no method \"?\"\n")
  }
}

@Suite("forcectl call, monitor and on")
struct HookCommandTests {
  @Test("call sends the parameters and prints those of the reply")
  func call() async throws {
    let server = try ScriptedServer { request, peer in
      #expect(
        request
          == #"{"method":"org.forced.Force.GetReading","parameters":{"device":"pad"}}"#)
      peer.send(#"{"parameters":{"readings":[]}}"#)
    }
    defer { server.stop() }
    let session = Session()
    let status = await session.run(
      "call", "--socket", server.path, "GetReading", #"{"device":"pad"}"#)
    #expect(status == .done)
    #expect(session.output.text == "{\"readings\":[]}\n")
  }

  @Test("call --more prints every reply")
  func callMore() async throws {
    let server = try ScriptedServer { _, peer in
      peer.send(#"{"parameters":{"n":1},"continues":true}"#, #"{"parameters":{"n":2}}"#)
    }
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("call", "--more", "--socket", server.path, "a.B") == .done)
    #expect(session.output.lines == [#"{"n":1}"#, #"{"n":2}"#])
  }

  @Test("monitor shows both directions, until the daemon goes")
  func monitor() async throws {
    let server = try ScriptedServer { _, peer in
      peer.send(#"{"parameters":{"n":"\u001b"},"continues":true}"#)
      peer.close()
    }
    defer { server.stop() }
    let session = Session()
    #expect(await session.run("monitor", "--socket", server.path, "a.B") == .unreachable)
    let messages = session.output.lines.map { $0.drop { !"<>".contains($0) } }
    #expect(
      messages == [
        #"> {"method":"a.B","more":true}"#,
        #"< {"parameters":{"n":"\u001b"},"continues":true}"#,
      ])
  }

  @Test("A message's line has time and direction, and no escape sequence")
  func trafficLines() {
    #expect(
      trafficLine(.fromDaemon, Array("{\u{1b}}".utf8), after: Microseconds(1_204))
        == "  0.001204 < {?}")
  }

  @Test("on runs a command at what it was told, as often as it was told")
  func on() async throws {
    let server = try daemon(events: press([10, 20]))
    defer { server.stop() }
    let session = Session()
    let status = await session.run(
      "on", "press", "--socket", server.path, "--count", "1", "--", "sh", "-c",
      #"[ "$FORCED_PERCENT" = 10.00 ] && [ "$FORCED_EVENT" = press ]"#)
    #expect(status == .done)
    #expect(session.errors.text == "")
    let missing = Session()
    #expect(
      await missing.run("on", "press", "--socket", server.path, "--", "/nonexistent/x") == .failed)
    #expect(missing.errors.text.contains("cannot run /nonexistent/x: No such file"))
  }

  @Test("on counts a press of a daemon that restarted during one", .timeLimit(.minutes(1)))
  func onAfterRestart() async throws {
    let server = try daemon(events: press([10]), closing: true)
    defer { server.stop() }
    let session = Session()
    let status = await session.run(
      "on", "press", "--socket", server.path, "--count", "2", "--", "true")
    #expect(status == .done)
    #expect(session.errors.text.contains("the daemon has gone"))
  }
}

@Suite("forcectl on that fails")
struct OnFailureTests {
  private let place: TemporaryFolder
  init() throws { place = try TemporaryFolder() }

  /// Sends a press, and once the command has made the file "runs", whatever shall make `on` fail.
  private func daemon(_ trouble: String) throws -> ScriptedServer {
    let runs = "\(place.path)/runs"
    return try ScriptedServer { request, peer in
      if request.contains("ListDevices") {
        _ = peer.send(#"{"parameters":{"devices":[]}}"#)
        return
      }
      peer.send(#"{"parameters":\#(press([10])[0].parameters),"continues":true}"#)
      while !FileSystem.exists(runs) { sleepThread(microseconds: 1_000) }
      peer.send(trouble)
    }
  }

  /// Says its number when it runs, does not listen to SIGTERM and would run for 20 s or more.
  private var stubborn: String {
    """
    trap '' TERM
    echo $$ > \(place.path)/new && mv \(place.path)/new \(place.path)/runs
    for turn in $(seq 2000); do sleep 0.01; done
    """
  }

  private func expectEnded() throws {
    let id = String(decoding: try FileSystem.read("\(place.path)/runs"), as: UTF8.self).dropLast()
    #expect(!FileSystem.exists("/proc/\(id)"), "process \(id) runs on")
  }

  @Test("An error of the daemon's ends the command first", .timeLimit(.minutes(1)))
  func daemonError() async throws {
    let server = try daemon(
      #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"?"}}"#)
    defer { server.stop() }
    let session = Session()
    let status = await session.run(
      "on", "press", "--socket", server.path, "--", "sh", "-c", stubborn)
    #expect(status == .failed)
    try expectEnded()
    #expect(session.errors.text.contains("sh does not end when asked to and is killed"))
  }

  @Test("A command that cannot be run ends the one that does first", .timeLimit(.minutes(1)))
  func failedStart() async throws {
    let program = "\(place.path)/once"
    #expect(try ChildProcess.start(["ln", "-s", "/bin/sh", program]).wait() == .exited(0))
    let next = WatchEvent(.reading(reading(contact: 1, sequence: 2)))
    let server = try daemon(#"{"parameters":\#(next.parameters),"continues":true}"#)
    defer { server.stop() }
    let session = Session()
    let status = await session.run(
      "on", "press", "--socket", server.path, "--parallel", "2", "--", program, "-c",
      "rm \(program)\n\(stubborn)")
    #expect(status == .failed)
    try expectEnded()
    #expect(session.errors.text.contains("cannot run \(program)"))
  }
}

@Suite("forcectl's command line")
struct CommandLineTests {
  @Test("No daemon is exit status 3, with what to do")
  func unreachable() async {
    let session = Session()
    #expect(await session.run("--socket", "/nonexistent/forced.sock", "devices") == .unreachable)
    #expect(session.errors.text.contains("systemctl start forced"))
    #expect(session.output.text == "")
  }

  @Test(
    "Wrong usage is exit status 2, a sentence and a hint",
    arguments: [
      ([], "forcectl --help"),
      (["wacth"], "did you mean 'watch'?"),
      (["frobnicate"], "forcectl --help"),
      (["--sockt", "x", "watch"], "did you mean --socket?"),
      (["watch", "--jsn"], "did you mean --json?"),
      (["watch", "--bananas"], "forcectl watch --help"),
      (["watch", "--count"], "--count needs a value"),
      (["watch", "--count", "0"], "from 1 on"),
      (["watch", "--count", "many"], "from 1 on"),
      (["watch", "--rate", "-1"], "readings a second"),
      (["watch", "--rate", "nan"], "readings a second"),
      (["watch", "--rate", "0x10"], "in plain digits"),
      (["watch", "--rate", "+5"], "in plain digits"),
      (["watch", "--count", "+5"], "from 1 on"),
      (["watch", "--for", "ever"], "a bare number counts seconds"),
      (["watch", "--json", "--plain"], "exclude each other"),
      (["tune", "--plain", "--json"], "exclude each other"),
      (["watch", "--gauge"], "needs a terminal"),
      (["watch", "now"], "one word too many"),
      (["devices", "x\u{1b}[2J"], "'x?[2J' is one word too many"),
      (["--socket=", "status"], "needs a path"),
      (["call"], "the method is missing"),
      (["call", "GetStatus", "{"], "no JSON"),
      (["call", "GetStatus", "[]"], "an array and no object"),
      (["call", "GetStatus", "{}", "x"], "quote the JSON"),
      (["on"], "press, release, maximum"),
      (["on", "pres", "--", "true"], "did you mean 'press'?"),
      (["on", "press"], "the command is missing"),
      (["on", "press", "--parallel", "0", "--", "true"], "from 1 on"),
      (["help", "x-ray"], "no command 'x-ray'"),
    ])
  func wrongUsage(arguments: [String], hint: String) async {
    let session = Session()
    var environment = Environment(
      hasTerminal: false, hasColour: false,
      terminalSize: { TerminalSize(columns: 80, rows: 24) })
    environment.output = session.output.output
    environment.errors = session.errors.output
    #expect(await ForceControl.run(arguments, in: environment) == .wrongUsage)
    #expect(session.errors.text.hasPrefix("forcectl: "))
    #expect(session.errors.text.contains(hint), "\(session.errors.text)")
    #expect(session.output.text == "")
  }

  @Test("Help and version go to standard output and ask no daemon")
  func help() async {
    for arguments in [["--help"], ["help"], ["-h"]] {
      let session = Session()
      var environment = Environment(
        hasTerminal: false, hasColour: false,
        terminalSize: { TerminalSize(columns: 80, rows: 24) })
      environment.output = session.output.output
      #expect(await ForceControl.run(arguments, in: environment) == .done)
      for command in Command.all { #expect(session.output.text.contains("  \(command.name)")) }
    }
    for command in Command.all {
      let session = Session()
      #expect(await session.run(command.name, "--help") == .done)
      #expect(session.output.text.hasPrefix("Usage: forcectl [--socket PATH] \(command.name)"))
      let other = Session()
      #expect(await other.run("help", command.name) == .done)
      #expect(other.output.text == session.output.text)
    }
    let version = Session()
    #expect(await version.run("--version") == .done)
    #expect(version.output.text == "forcectl \(forcedVersion)\n")
  }
}
