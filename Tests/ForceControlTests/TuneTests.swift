import ForceClient
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceControl

private func reading(
  at milliseconds: Int64, _ percent: Double, contact: Int32 = 0, state: ContactState = .touching
) -> ReadingRecord {
  ReadingRecord(
    device: "pad", contact: contact, sequence: 1,
    time: Instant(microseconds: 7_000_000 + milliseconds * 1_000), raw: 1, percent: 0, grams: 0,
    gramsSource: .nominal, unsmoothedPercent: percent, atMaximum: false, state: state)
}

/// A slow ramp to 60 %, then a quick press that holds, with a trembling of ±0.2 %.
private let exercise: [ReadingRecord] = {
  var readings: [ReadingRecord] = []
  for now in stride(from: 0, to: 1_200, by: 4) as StrideTo<Int64> {
    readings.append(reading(at: now, Double(now) * 0.05))
  }
  readings.append(reading(at: 1_200, 0, state: .released))
  for now in stride(from: 2_000, to: 6_000, by: 4) as StrideTo<Int64> {
    readings.append(reading(at: now, now / 4 % 2 == 0 ? 60.2 : 59.8))
  }
  readings.append(reading(at: 6_000, 0, state: .released))
  return readings
}()

private func session(
  asked: SmoothingSettings? = nil, _ readings: [ReadingRecord] = exercise
) -> TuneSession {
  var session = TuneSession(TuneCandidate.all(inForce: SmoothingSettings(), asked: asked))
  for reading in readings { _ = session.take(reading, at: reading.time) }
  return session
}

private func text(_ session: TuneSession) -> TuneText {
  TuneText(device: device(), session: session)
}

@Suite("Tuning the smoothing")
struct TuneTests {
  @Test("Two presses measure every setting, each more calm and more late than the one before")
  func figures() throws {
    let session = session()
    #expect(session.presses == 2)
    let figures = session.figures
    #expect(figures.allSatisfy { $0.noise != nil && $0.lag != nil && $0.settling != nil })
    let place = Dictionary(
      uniqueKeysWithValues: zip(session.candidates.map(\.settings.name), figures))
    let row = ["none", "exponential 3 ms", "exponential 6 ms", "exponential 12 ms"]
    for (faster, calmer) in zip(row, row.dropFirst()) {
      let (a, b) = (try #require(place[faster]), try #require(place[calmer]))
      #expect(a.noise ?? 0 > b.noise ?? 9, "\(faster) and \(calmer)")
      #expect(a.lag ?? 999 < b.lag ?? 0, "\(faster) and \(calmer)")
      #expect(a.settling ?? 999 <= b.settling ?? 0, "\(faster) and \(calmer)")
    }
    #expect(session.advice == "Press again to measure anew.")
  }

  @Test("Before anything was measured figures are absent, and it says how to press")
  func absent() {
    let session = session([])
    #expect(session.advice.hasPrefix("Press quickly and hold still"))
    #expect(session.advice.contains("press slowly"))
    for line in text(session).table().dropFirst() {
      #expect(line.filter { $0 == "–" }.count == 4, "\(line)")
    }
    for line in text(session).json {
      #expect(!line.contains("noise") && !line.contains("lag_ms") && !line.contains("settles_ms"))
    }
    #expect(text(session).conclusion[0].hasPrefix("Too little was measured"))
  }

  @Test("It asks for what is missing only")
  func missing() {
    let slow = session(exercise.filter { $0.time.microseconds < 9_000_000 })
    #expect(slow.advice == "Press quickly and hold still for 2 seconds.")
    let quick = session(exercise.filter { $0.time.microseconds >= 9_000_000 })
    #expect(quick.advice == "Press slowly, from lightly to hard, for a second or two.")
  }

  @Test("Time that passes without a reading counts, whatever clock the readings have")
  func silence() {
    var session = session([])
    _ = session.take(reading(at: 0, 50), at: time(1))
    session.pass(to: time(300))
    #expect(session.isResting)
    session.pass(to: time(2_500))
    #expect(session.figures[0].noise == 0)
    #expect(session.figures[0].settling != nil)
    // Another contact and the end of another are nothing to the one that is followed.
    let other = [
      session.take(reading(at: 400, 3, contact: 1), at: time(2_600)),
      session.take(reading(at: 401, 0, contact: 1, state: .released), at: time(2_601)),
    ]
    #expect(other == [false, false])
    #expect(session.isTouching)
    session.interrupt()
    #expect(!session.isTouching && session.presses == 0)
  }

  @Test("A press that was there before the watch measures nothing; the next one does")
  func joined() {
    var screen = TuneScreen(
      device(), TuneSession(TuneCandidate.all(inForce: SmoothingSettings(), asked: nil)))
    func take(_ reading: ReadingRecord, at now: Int64) {
      screen.apply(WatchEvent(.reading(reading)), at: time(now))
    }
    for start in [0, 20_000] as [Int64] {
      // The current state, also after the daemon was away; the contact's own release is in it or not.
      screen.apply(WatchEvent(.deviceAdded(device())), at: time(start))
      take(reading(at: start, 50), at: start)
      screen.apply(WatchEvent(.heartbeat), at: time(start + 50))
      for now in stride(from: start + 100, to: start + 3_000, by: 50) as StrideTo<Int64> {
        take(reading(at: now, 50), at: now)
      }
      #expect(screen.session.figures.allSatisfy { $0 == SmoothingFigures() })
      #expect(screen.session.advice == "Let go first: this press began before the watch.")
      take(reading(at: start + 3_000, 0, state: .released), at: start + 3_000)
      #expect(screen.session.presses == 0)
      #expect(screen.session.advice.hasPrefix("Press quickly"))
    }
    for start in [30_000, 40_000] as [Int64] {
      screen.apply(WatchEvent(.deviceAdded(device())), at: time(start))
      // What ended before the watch, or silence: what touches after it is seen from its begin.
      if start == 30_000 {
        take(reading(at: start, 0, state: .released), at: start)
      } else {
        screen.apply(WatchEvent(.heartbeat), at: time(start + 50))
      }
      take(reading(at: start + 100, 60), at: start + 100)
      take(reading(at: start + 2_000, 0, state: .released), at: start + 2_000)
    }
    #expect(screen.session.presses == 2)
    #expect(screen.session.figures.allSatisfy { $0.settling != nil && $0.noise == 0 })
  }

  @Test("The table fits 40 columns: without grams, with names cut; wide it has both")
  func widths() {
    var settings = SmoothingSettings()
    (settings.filter, settings.medianOf3, settings.minimumCutoff) = (.oneEuro, true, 12.5)
    let text = text(session(asked: settings))
    let wide = text.table()
    #expect(wide[0].contains("GRAMS") && wide[0].contains("SETTLES ms"))
    #expect(wide[1].hasPrefix("* exponential 6 ms"))
    #expect(wide[2].hasPrefix("+ one-euro 12.5 Hz 0.02, median"))
    for width in 30...60 {
      #expect(text.table(width: width).allSatisfy { $0.count <= width }, "\(width)")
    }
    #expect(!text.table(width: 40)[0].contains("GRAMS"))
    var screen = TuneScreen(device(), session(asked: settings))
    let style = GaugeStyle(colour: false, width: 40)
    #expect(screen.text(style: style, rows: 40).allSatisfy { $0.count <= 40 })
    #expect(screen.text(style: style, rows: 3).count == 3)
    screen.apply(.disconnected(.connectionLost("gone")))
    #expect(screen.text(style: style, rows: 40)[0].hasPrefix("the daemon has gone"))
  }

  @Test("At its end it prints the lines for the setting that was asked for")
  func asked() {
    var settings = SmoothingSettings()
    settings.timeConstant = Microseconds(12_500)
    let lines = text(session(asked: settings)).conclusion
    #expect(lines.contains("    Filter=exponential"))
    #expect(lines.contains("    TimeConstant=12.5ms"))
    #expect(lines.contains("    MedianOf3=no"))
    #expect(
      lines.last == "    forcectl call SetSmoothing "
        + #"'{"filter":"exponential","time_constant_ms":12.5,"median_of_3":false}'"#)
    (settings.filter, settings.medianOf3) = (.oneEuro, true)
    #expect(
      settings.configurationLines == [
        "[Smoothing]", "Filter=one-euro", "MinimumCutoff=5Hz", "Beta=0.02",
        "DerivativeCutoff=1Hz", "MedianOf3=yes",
      ])
  }

  @Test("Unasked it proposes what is calmer and no later than the one in force, where there is one")
  func proposal() {
    var slow = SmoothingSettings()
    slow.timeConstant = .milliseconds(12)
    var session = TuneSession(TuneCandidate.all(inForce: slow, asked: nil))
    for reading in exercise { _ = session.take(reading, at: reading.time) }
    let noise = session.figures[0].noise ?? 0
    let lines = text(session).conclusion
    let name = lines[0].prefix { $0 != "," }
    if let index = session.candidates.firstIndex(where: { $0.settings.name == name }) {
      #expect((session.figures[index].noise ?? 9) < noise)
      #expect((session.figures[index].lag ?? 999) <= (session.figures[0].lag ?? 0) + 0.5)
    } else {
      #expect(lines[0].hasPrefix("No setting here is calmer"))
    }
  }
}

@Suite("forcectl tune")
struct TuneCommandTests {
  private func daemon(smoothing: Bool = true) throws -> ScriptedServer {
    try ScriptedServer { request, peer in
      if request.contains("ListDevices") {
        peer.send(#"{"parameters":{"devices":[\#(JSONValue.object(device().object))]}}"#)
      } else if request.contains("GetStatus") {
        let status = StatusRecord(
          version: "9", pid: 1, uptimeSeconds: 1, config: [], socket: "s", subscribers: 0,
          connections: 1, counters: DaemonCounters(), realtime: [], motors: [],
          smoothing: smoothing ? SmoothingRecord(SmoothingSettings()) : nil)
        peer.send(#"{"parameters":{"status":\#(JSONValue.object(status.object))}}"#)
      } else {
        for reading in exercise {
          peer.send(
            #"{"parameters":\#(WatchEvent(.reading(reading)).parameters),"continues":true}"#)
        }
      }
    }
  }

  @Test(
    "Without a terminal the table comes after each press, and the lines for the conf at the end")
  func plain() async throws {
    let server = try daemon()
    let session = Session()
    let status = await session.run(
      "tune", "--filter", "one-euro", "--beta", "0.5", "--count", "2", "--socket", server.path)
    #expect(status == .done, "\(session.errors.text)")
    #expect(session.output.text.split(separator: "\n").filter { $0.contains("NOISE %") }.count == 2)
    #expect(session.output.text.contains("+ one-euro 5 Hz 0.5"))
    #expect(session.output.text.contains("    Beta=0.5\n"))
    #expect(session.output.text.hasPrefix("Press quickly"))
    #expect(session.errors.text == "")
  }

  @Test("--json prints an object for each setting, in which what is not known is not there")
  func json() async throws {
    let server = try daemon()
    let session = Session()
    #expect(
      await session.run("tune", "--json", "--count", "2", "--socket", server.path) == .done)
    let objects = session.output.lines.map { (try? JSONValue.parse(String($0)))?.objectValue }
    #expect(objects.count == 16)
    #expect(objects[0]?["lag_ms"]?.doubleValue != nil)
    #expect(objects[0]?["noise_percent"] == nil)
    #expect(objects[8]?["in_force"]?.boolValue == true)
    #expect(objects[8]?["noise_percent"]?.doubleValue != nil)
    #expect(session.errors.text == "")
  }

  @Test("On a terminal the table is redrawn in place, and the cursor comes back")
  func live() async throws {
    let server = try daemon()
    let session = Session(hasTerminal: true)
    #expect(await session.run("tune", "--count", "2", "--socket", server.path) == .done)
    #expect(session.output.text.hasPrefix(TerminalFrame.begin))
    #expect(session.output.text.contains(TerminalFrame.end))
  }

  @Test("A daemon that does not say its smoothing is too old for it")
  func oldDaemon() async throws {
    let server = try daemon(smoothing: false)
    let session = Session()
    #expect(await session.run("tune", "--socket", server.path) == .failed)
    #expect(session.errors.text.contains("does not say which smoothing is in force"))
  }

  @Test(
    "What makes no setting is refused",
    arguments: [
      (["--filter", "butter"], "none, exponential, one-euro"),
      (["--time-constant", "12"], "with a unit"),
      (["--time-constant", "1h"], "with a unit"),
      (["--beta", "-1"], "0 to 100"),
      (["--minimum-cutoff", "0"], "0.05 to 1000"),
      (["--filter", "none", "--beta", "1"], "--beta belongs to the filter one-euro"),
      (["--time-constant", "5ms", "--beta", "1"], "--beta belongs to the filter one-euro"),
      (["now"], "one word too many"),
    ])
  func refusals(arguments: [String], hint: String) async {
    let session = Session()
    var environment = Environment(
      hasTerminal: false, hasColour: false,
      terminalSize: { TerminalSize(columns: 80, rows: 24) })
    environment.errors = session.errors.output
    let status = await ForceControl.run(["tune"] + arguments, in: environment)
    #expect(status == .wrongUsage)
    #expect(session.errors.text.contains(hint), "\(session.errors.text)")
  }
}
