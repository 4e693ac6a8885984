import ForceClient
import Testing

@testable import ForceControl

@Suite("Lines of watch")
struct ReadingTextTests {
  @Test("A reading is its device, contact, percent and grams")
  func plain() {
    #expect(plainLine(reading()) == "pad 0  42.3 %  162.9 g")
    #expect(plainLine(reading(contact: 3), dropped: 7) == "pad 3  42.3 %  162.9 g  (7 missed)")
    #expect(plainLine(reading(state: .steady)) == "pad 0  42.3 %  162.9 g  steady")
  }

  @Test("The limit is 100%+, the way back from it is a number again")
  func maximum() {
    #expect(
      plainLine(reading(percent: 100, grams: 385, atMaximum: true)) == "pad 0  100%+  385.0 g")
    #expect(
      plainLine(reading(percent: 97, grams: 373.45, atMaximum: true)) == "pad 0  97.0 %  373.5 g")
  }

  @Test("A release says so instead of a force")
  func released() {
    #expect(plainLine(reading(percent: 0, grams: 0, state: .released)) == "pad 0  released")
  }

  @Test("JSON is the reading as the protocol has it, with the missed ones")
  func json() throws {
    let line = jsonLine(reading(), dropped: 2)
    let object = try #require(JSONValue.parse(line).objectValue)
    #expect(object["percent"] == 42.3)
    #expect(object["dropped"] == 2)
    #expect(try JSONValue.parse(jsonLine(reading()))["dropped"] == nil)
  }
}

@Suite("Words and numbers")
struct TextTests {
  @Test("Numbers are rounded to their places")
  func numbers() {
    #expect(fixed(1.25, places: 1) == "1.3")
    #expect(fixed(-0.05, places: 2) == "-0.05")
    #expect(fixed(3, places: 0) == "3")
    #expect(fixed(.nan, places: 1) == "nan")
    #expect(grouped(0) == "0")
    #expect(grouped(1_234_567) == "1,234,567")
    #expect(grouped(.max) == "18,446,744,073,709,551,615")
  }

  @Test("Durations have units; nonsense has none")
  func durations() {
    #expect(duration("500ms") == .milliseconds(500))
    #expect(duration("1.5s") == .milliseconds(1_500))
    #expect(duration("2m") == .seconds(120))
    #expect(duration("2min") == .seconds(120))
    #expect(duration("1h") == .seconds(3_600))
    #expect(duration("3") == .seconds(3))
    for text in ["", "s", "-1s", "0", "1e99h", "infs", "1 s", "5x", "nan", "0x10s"] {
      #expect(duration(text) == nil, "\(text)")
    }
  }

  @Test("Times are spoken in their two largest units")
  func spokenTimes() {
    #expect(spoken(seconds: 0.5) == "0 s")
    #expect(spoken(seconds: 61) == "1 min 1 s")
    #expect(spoken(seconds: 7_380) == "2 h 3 min")
    #expect(spoken(seconds: 86_400) == "1 d")
    #expect(spoken(seconds: .infinity) != "")
  }

  @Test("The word that was meant is found, and no other")
  func nearestWords() {
    let words = ["watch", "devices", "status"]
    #expect(nearest(to: "wacth", among: words) == "watch")
    #expect(nearest(to: "device", among: words) == "devices")
    #expect(nearest(to: "xyz", among: words) == nil)
    #expect(nearest(to: "", among: words) == nil)
  }

  @Test("Sentences are broken between words")
  func wrapping() {
    #expect(wrapped("one two three", to: 8) == ["one two", "three"])
    #expect(wrapped("unbreakable", to: 4) == ["unbreakable"])
    #expect(wrapped("", to: 4) == [""])
  }
}

@Suite("Tables and status")
struct TableTests {
  @Test("Devices come in columns, with reasons below")
  func devices() {
    let text = deviceTable([
      device(),
      device("old", name: "Old\u{7}one", measure: "none", reason: "no width", connected: false),
    ])
    #expect(
      text == """
        ID   NAME      KIND         MEASURES  RANGE   100 %            HAPTICS
        pad  Test pad  pressurepad  force     0…4095  385 g (nominal)  FF_RUMBLE
        old  Old?one   pressurepad  none      0…4095  385 g (nominal)  FF_RUMBLE
            not connected
            no force: no width

        """)
  }

  @Test("A motor of its own that refuses is not shown as one that plays")
  func refusingMotor() {
    var pad = device()
    pad.haptics = "none"
    pad.hapticsReason = "its own motor, which plays nothing: Invalid argument"
    let lines = deviceTable([pad]).split(separator: "\n")
    #expect(lines[1].hasSuffix("none"))
    #expect(
      lines[2] == "    no haptics: its own motor, which plays nothing: Invalid argument")
  }

  @Test("No device is a sentence with what to do")
  func noDevices() {
    #expect(deviceTable([]).contains("forced --simulate"))
  }

  @Test("Status counts in words")
  func status() {
    var counters = DaemonCounters()
    counters.events = 12_345
    counters.frames = 1
    let text = statusText(
      StatusRecord(
        version: "0.1.0", pid: 42, uptimeSeconds: 65, config: [], socket: "/run/x",
        subscribers: 2, connections: 1, counters: counters,
        realtime: [RealtimeRecord(name: "scheduler", state: "refused", reason: "not allowed")],
        motors: [MotorRecord(device: "pad", haptics: "none", reason: "no motor")]))
    #expect(text.hasPrefix("forced 0.1.0, process 42, running for 1 min 5 s\n"))
    #expect(text.contains("1 connection, 2 watches"))
    #expect(text.contains("12,345 in 1 frame, 0 overflows"))
    #expect(text.contains("scheduler   refused: not allowed"))
    #expect(text.contains("none for pad, no motor"))
  }
}

@Suite("Histograms of latency")
struct LatencyTextTests {
  @Test("Percentiles stand over one bar for each bucket, the fullest 40 long")
  func histogram() {
    let publish = LatencyRecord(
      count: 1_203, p50: 41, p90: 55, p99: 55, p999: 55, maximum: 1_055,
      buckets: [.init(upTo: 43, count: 1_200), .init(upTo: 1_087, count: 3)])
    let text = latencyText(LatencyReport(publish: publish, haptic: LatencyRecord(count: 0)))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].hasPrefix("event → publish: 1"))
    #expect(lines[0].contains("half within 41 µs") && lines[0].contains("99.9 % 55 µs"))
    #expect(lines[1].hasSuffix(" " + String(repeating: "█", count: 40)))
    #expect(lines[2].hasSuffix("3  █") && lines[2].contains("µs"))
    #expect(lines[4] == "event → haptic: no haptic was played yet")
  }
}
