import ForceClient
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceControl

@Suite("A load that is steady")
struct SteadyLoadTests {
  private func load(contact: Int32? = nil) -> SteadyLoad {
    var load = SteadyLoad(time: .milliseconds(500), tolerance: 2, of: .grams, contact: contact)
    load.begin(at: time(0))
    return load
  }

  @Test("It is steady once it has stayed within the tolerance for the time, without any reading")
  func staysByItself() {
    var load = load()
    load.take(reading(grams: 100), at: time(1_000))
    #expect(load.steadyValue(at: time(1_499)) == nil)
    #expect(load.steadyValue(at: time(1_500)) == 100)
    #expect(load.isLoaded)
  }

  @Test("Trembling within the tolerance is steady, and its mean by time is what counts")
  func trembling() {
    var load = load()
    load.take(reading(grams: 100), at: time(1_000))
    load.take(reading(grams: 102), at: time(1_400))
    load.take(reading(grams: 101), at: time(1_500))
    let value = load.steadyValue(at: time(1_500))
    #expect(value.map { ($0 - 100.4).magnitude < 1e-9 } == true)
  }

  @Test("A move beyond the tolerance begins anew")
  func move() {
    var load = load()
    load.take(reading(grams: 100), at: time(1_000))
    load.take(reading(grams: 103), at: time(1_450))
    #expect(load.steadyValue(at: time(1_900)) == nil)
    #expect(load.steadyValue(at: time(1_950)) == 103)
  }

  @Test("A creeping load never gets steady, however slow each step is")
  func creep() {
    var load = load()
    for step in 0..<100 {
      load.take(reading(grams: 100 + Double(step) * 0.5), at: time(1_000 + Int64(step) * 100))
      #expect(load.steadyValue(at: time(1_000 + Int64(step) * 100)) == nil)
    }
  }

  @Test("The contacts of one object are summed, or one is chosen")
  func sum() {
    var (all, one) = (load(), load(contact: 4))
    for (contact, grams) in [(0, 10.0), (1, 20), (4, 30)] as [(Int32, Double)] {
      all.take(reading(contact: contact, grams: grams), at: time(1_000))
      one.take(reading(contact: contact, grams: grams), at: time(1_000))
    }
    #expect(all.steadyValue(at: time(2_000)) == 60)
    #expect(one.steadyValue(at: time(2_000)) == 30)
    all.take(reading(contact: 4, grams: 0, state: .released), at: time(2_100))
    #expect(all.steadyValue(at: time(2_700)) == 30)
  }

  @Test("Negative weights after a tare are shown as they are")
  func negative() {
    var load = load()
    load.take(reading(grams: -15), at: time(1_000))
    #expect(load.steadyValue(at: time(1_600)) == -15)
    #expect(WeightUnit.grams.text(-15) == "-15.0 g")
  }

  @Test("Units are what they are by definition")
  func units() {
    #expect(WeightUnit.grams.text(1_000) == "1000.0 g")
    #expect(WeightUnit.ounces.text(1_000) == "35.27 oz")
    #expect(WeightUnit.newtons.text(1_000) == "9.807 N")
    #expect(WeightUnit.pounds.text(1_000) == "2.205 lb")
  }
}

@Suite("Weighing and calibrating")
struct MeasureCommandTests {
  /// Runs a command with a clock that goes on by 100 ms whenever somebody looks.
  private func run(
    _ server: ScriptedServer, _ arguments: [String], errorsHaveTerminal: Bool = false
  ) async -> (ForceControl.ExitStatus, String, String) {
    let (output, errors, clock) = (Capture(), Capture(), SteppingClock())
    var environment = Environment(
      hasTerminal: false, hasColour: false,
      terminalSize: { TerminalSize(columns: 60, rows: 10) })
    environment.output = output.output
    environment.errors = errors.output
    environment.now = { clock.next() }
    environment.errorsHaveTerminal = errorsHaveTerminal
    let status = await ForceControl.run(arguments + ["--socket", server.path], in: environment)
    return (status, output.text, errors.text)
  }

  private func daemon(
    _ events: [WatchEvent], devices: [DeviceRecord] = [device()], calibrate: String = "",
    trial: String = #"{"parameters":{}}"#
  ) throws -> ScriptedServer {
    try ScriptedServer { request, peer in
      if request.contains("ListDevices") {
        let list = JSONValue.array(devices.map { .object($0.object) })
        peer.send(#"{"parameters":{"devices":\#(list)}}"#)
      } else if request.contains(#""trial":true"#) {
        peer.send(trial)
      } else if request.contains("Watch") {
        for event in events { peer.send(#"{"parameters":\#(event.parameters),"continues":true}"#) }
      } else {
        peer.send(calibrate.isEmpty ? #"{"parameters":{}}"# : calibrate)
      }
    }
  }

  private let quiet = Array(repeating: WatchEvent(.heartbeat), count: 20)

  @Test("weigh tells the weight once it is steady, in the unit that was asked for")
  func weigh() async throws {
    let server = try daemon([WatchEvent(.reading(reading(grams: 500)))] + quiet + quiet)
    let (status, output, errors) = await run(server, ["weigh", "--unit", "oz"])
    #expect(status == .done)
    #expect(output == "17.64 oz\n")
    #expect(errors.contains("nominal and no measurement"))
  }

  @Test("weigh says that it is over the maximum")
  func overMaximum() async throws {
    let server = try daemon(
      [WatchEvent(.reading(reading(percent: 100, grams: 385, atMaximum: true)))] + quiet + quiet)
    let (_, output, _) = await run(server, ["weigh"])
    #expect(output == "385.0 g  over the maximum: it may be more\n")
  }

  @Test("calibrate asks for each weight, and shows what is left at each")
  func calibrate() async throws {
    let calibration = try Calibration([
      CalibrationPoint(raw: 0, grams: 0), CalibrationPoint(raw: 1_732, grams: 200),
    ])
    let answer =
      #"{"parameters":{"calibration":\#(JSONValue.object(CalibrationRecord(calibration).object))}}"#
    let server = try daemon(
      quiet + [WatchEvent(.reading(reading()))] + quiet + quiet, calibrate: answer)
    let (status, output, errors) = await run(server, ["calibrate", "0", "200"])
    #expect(status == .done, "\(errors)")
    #expect(output.contains("Take everything off and keep it still (1 of 2)."))
    #expect(output.contains("Put 200.0 g on it and keep it still (2 of 2)."))
    #expect(output.contains("it reads 1732.0"))
    #expect(output.contains("off by 0.00 g"))
  }

  @Test("calibrate refuses what makes no calibration before it asks for any weight")
  func refusals() async throws {
    let server = try daemon([])
    for arguments in [
      ["calibrate"], ["calibrate", "100"], ["calibrate", "5", "5"], ["calibrate", "0", "heavy"],
      ["calibrate", "--method", "cubic", "0", "1"], ["calibrate", "--remove", "5"],
      ["calibrate", "0x10", "20"], ["calibrate", "0", "+5"], ["calibrate", "0", "1e2"],
      ["weigh", "--unit", "stone"], ["weigh", "--time", "1h"], ["weigh", "--count", "0"],
    ] {
      let (status, output, _) = await run(server, arguments)
      #expect(status == .wrongUsage, "\(arguments)")
      #expect(output.isEmpty)
    }
  }

  @Test(
    "What a weight can be is said, and how many there can be",
    arguments: [
      (["0", "0.0000001"], "allowed: 0, or 0.1 to 999999999 in plain digits"),
      (["-5", "100"], "no weight can be negative"), (["-.5", "100"], "no weight can be negative"),
      ([String](repeating: "1", count: 65), "65 weights are more than 64"),
      (["--contact", "1", "0", "100"], "Test pad is calibrated as a whole; leave out --contact"),
    ])
  func weights(arguments: [String], hint: String) async throws {
    let server = try daemon([])
    defer { server.stop() }
    let (status, output, errors) = await run(server, ["calibrate"] + arguments)
    #expect(status == .wrongUsage)
    #expect(errors.contains(hint), "\(errors)")
    #expect(output.isEmpty)
  }

  @Test(
    "What stands in the way of calibrating is said before the first weight",
    arguments: [
      (
        #"{"error":"org.forced.Force.PermissionDenied","parameters":{"needed":"root"}}"#,
        "permission denied: only root may do that"
      ),
      (
        #"{"error":"org.forced.Force.CalibrationRefused","#
          + #""parameters":{"device":"pad","reason":"no folder"}}"#,
        #"no calibration of "pad": no folder"#
      ),
    ])
  func refusedBeforeWeighing(answer: String, message: String) async throws {
    let server = try daemon(quiet + quiet, trial: answer)
    defer { server.stop() }
    let (status, output, errors) = await run(server, ["calibrate", "0", "100"])
    #expect(status == .failed)
    #expect(errors == "forcectl: \(message)\n")
    #expect(output.isEmpty)
  }

  @Test(
    "A device that goes ends it, and says whether anything was changed",
    arguments: [
      (["calibrate", "0", "100"], "Test pad was unplugged; nothing was changed"),
      (["weigh"], "Test pad was unplugged"),
    ])
  func unplugged(arguments: [String], message: String) async throws {
    // As the daemon tells it: the end of the press, then that of the device.
    let server = try daemon([
      WatchEvent(.reading(reading())), WatchEvent(.reading(reading(state: .released))),
      WatchEvent(.deviceRemoved(device(connected: false))),
    ])
    defer { server.stop() }
    let (status, _, errors) = await run(server, arguments)
    #expect(status == .failed)
    #expect(errors.hasSuffix("forcectl: \(message)\n"), "\(errors)")
  }

  @Test(
    "Ctrl-C before there is a result is a failure",
    arguments: [
      (["calibrate", "0", "100"], "interrupted; nothing was changed"), (["weigh"], "interrupted"),
    ])
  func interrupted(arguments: [String], message: String) async throws {
    let (watching, began) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { request, peer in
      if request.contains("ListDevices") {
        peer.send(#"{"parameters":{"devices":[\#(JSONValue.object(device().object))]}}"#)
      } else if request.contains("Watch") {
        began.finish()
      } else {
        peer.send(#"{"parameters":{}}"#)
      }
    }
    defer { server.stop() }
    let task = Task { await run(server, arguments) }
    for await _ in watching {}
    task.cancel()
    let (status, _, errors) = await task.value
    #expect(status == .failed)
    #expect(errors.hasSuffix("forcectl: \(message)\n"), "\(errors)")
  }

  @Test(
    "A named device that cannot be measured with: why not",
    arguments: [
      (["weigh"], false), (["calibrate", "0", "100"], false), (["tune"], false), (["weigh"], true),
    ])
  func named(arguments: [String], isConnected: Bool) async throws {
    let server = try daemon(
      [],
      devices: [
        device("other"),
        isConnected
          ? device(measure: "none", reason: "no pressure axis") : device(connected: false),
      ])
    defer { server.stop() }
    let (status, _, errors) = await run(server, arguments + ["--device", "pad"])
    #expect(status == .failed)
    #expect(
      errors
        == (isConnected
          ? "forcectl: Test pad does not measure force: no pressure axis\n"
          : "forcectl: pad is not connected\n"))
  }

  @Test(
    "On a terminal weigh says what it waits for while nothing lies there", arguments: [true, false])
  func waiting(isTerminal: Bool) async throws {
    let server = try daemon(quiet + [WatchEvent(.reading(reading(grams: 500)))] + quiet + quiet)
    defer { server.stop() }
    let (status, output, errors) = await run(
      server, ["weigh"], errorsHaveTerminal: isTerminal)
    #expect(status == .done)
    #expect(output == "500.0 g\n")
    let sentence = "nothing lies on Test pad; waiting for something that stays within 2 g for 1 s\n"
    #expect(errors.contains(sentence) == isTerminal)
  }

  @Test("What lies there when 0 g is asked for is said, and only counts once it was put back")
  func forgotten() async throws {
    let lies = WatchEvent(.reading(reading()))
    let lifted = WatchEvent(.reading(reading(state: .released)))
    let calibration = try Calibration([
      CalibrationPoint(raw: 0, grams: 0), CalibrationPoint(raw: 1_732, grams: 200),
    ])
    let answer =
      #"{"parameters":{"calibration":\#(JSONValue.object(CalibrationRecord(calibration).object))}}"#
    var events = [lies]
    events += quiet
    events.append(lifted)
    events += quiet
    events.append(lies)
    events += quiet
    events += quiet
    let server = try daemon(events, calibrate: answer)
    defer { server.stop() }
    let (status, output, errors) = await run(server, ["calibrate", "0", "200"])
    #expect(status == .done, "\(errors)")
    #expect(output.contains("  1732.0 is read now: lift what lies there"))
    #expect(output.contains("  it reads 0.0\nPut 200.0 g on it"), "\(output)")
    // A tray goes back.
    let tray = try daemon(
      [lies] + quiet + [lifted, lies] + quiet + [WatchEvent(.deviceRemoved(device()))])
    defer { tray.stop() }
    let (_, told, _) = await run(tray, ["calibrate", "0", "200"])
    #expect(told.contains("  it reads 1732.0\nPut 200.0 g on it"), "\(told)")
  }
}

private final class SteppingClock: @unchecked Sendable {
  private let lock = PlainLock()
  private var milliseconds: Int64 = 0

  func next() -> Instant {
    lock.locked {
      milliseconds += 100
      return time(milliseconds)
    }
  }
}
