import ForceConfig
import ForceCore
import ForceTestSupport
import Testing

@Suite struct ConfigurationErrorTests {
  @Test func anErrorNamesFileLineSectionKeyValueAndWhatIsAllowed() {
    let found = errors(in: "\n[Smoothing]\nTimeConstant=fast\n")
    #expect(
      found.map(\.description) == [
        "a.conf:3: [Smoothing] TimeConstant: \"fast\" is not a length of time; "
          + "allowed: 0 to 10s; a bare number is in ms; 0: no low-pass"
      ])
  }

  @Test func everyErrorOfEveryFileIsReported() {
    do throws(ConfigurationErrors) {
      _ = try Configuration.parse([
        ConfigurationFile(path: "a", text: "[Realtime]\nPriority=x\nPriority=100\nnonsense\n"),
        ConfigurationFile(path: "b", text: "Priority=1\n[Nowhere]\nA=1\nB=2\n"),
      ])
      Issue.record("no error")
    } catch {
      #expect(error.errors.map { "\($0.file):\($0.line)" } == ["a:2", "a:3", "a:4", "b:1", "b:2"])
      #expect(error.description.split(separator: "\n").count == 5)
    }
  }

  @Test(arguments: [
    ("[Smoothing]\nTimeconst=1", "TimeConstant"), ("[Haptics]\nStrenght=1", "Strength"),
    ("[Haptics]\nenabled=yes", "Enabled"), ("[Realtime]\nRiseRate=1", "RiseRate in [Smoothing]"),
    ("[Sever]", "[Server]"), ("[smoothing]", "[Smoothing]"),
  ])
  func aMisspeltNameGetsTheNearestOne(_ text: String, _ suggestion: String) {
    let found = errors(in: text)
    #expect(found.count == 1 && found[0].suggestion == suggestion)
  }

  @Test func aNameThatIsNearToNothingGetsTheListOnly() {
    let found = errors(in: "[Realtime]\nqwertyuiop=1")
    #expect(found.count == 1 && found[0].suggestion == nil)
    #expect(found[0].allowed == "Priority, LockMemory")
  }

  @Test func aCommentBehindAValueIsExplained() {
    let found = errors(in: "[Realtime]\nPriority=5 # high\n")
    #expect(found.count == 1 && found[0].problem.contains("line of its own"))
  }

  @Test(arguments: [
    "[Smoothing]\nTimeConstant=", "[Smoothing]\nSteadyAfter=", "[Smoothing]\nRiseRate=",
    "[Maximum]\nReachedAt=", "[Scale]\nNominalGrams=", "[Server]\nMaxMessageSize=",
    "[Server]\nMaxConnections=", "[Realtime]\nPriority=", "[Server]\nSocketMode=",
    "[Haptics]\nEnabled=",
  ])
  func valuesThatMeanNothingAreErrors(_ assignment: String) {
    let values = [
      "-1", "1e3", "nan", "inf", "0x10", "1,5", "1 2", "--1", "ms", "%", ".", "1..2", "é",
      "99999999999999999999999999", "-99999999999999999999999999", "\u{1}", "1ms2", "1 parsec",
      "999999999999999999h", "1h -59min", "\"1\"", String(repeating: "9", count: 1_000),
      "a b", "-x", "=", "==1",
    ]
    for value in values {
      #expect(errors(in: assignment + value).count == 1, "\(assignment)\(value)")
    }
  }

  @Test(arguments: [
    "a b", "-x", "=", "é", "%", "\u{1}", "a/b", "a:b", String(repeating: "9", count: 33), "\"a\"",
  ])
  func whatIsNoNameOfAGroupIsAnError(_ value: String) {
    #expect(errors(in: "[Server]\nSocketGroup=\(value)").count == 1)
  }

  @Test(arguments: [
    ("[Smoothing]\nTimeConstant=10s", "[Smoothing]\nTimeConstant=10.001s"),
    ("[Smoothing]\nRiseRate=1000000", "[Smoothing]\nRiseRate=1000001"),
    ("[Smoothing]\nFallRate=0.01", "[Smoothing]\nFallRate=0"),
    ("[Smoothing]\nInterval=1", "[Smoothing]\nInterval=999us"),
    ("[Smoothing]\nInterval=1000ms", "[Smoothing]\nInterval=1.001s"),
    ("[Smoothing]\nSteadyAfter=1h", "[Smoothing]\nSteadyAfter=1h 1ms"),
    ("[Maximum]\nReachedAt=100%", "[Maximum]\nReachedAt=100.1%"),
    ("[Maximum]\nReleaseAt=0", "[Maximum]\nReleaseAt=-0.1"),
    ("[Scale]\nNominalGrams=100kg", "[Scale]\nNominalGrams=100001"),
    ("[Haptics]\nStrength=0", "[Haptics]\nStrength=101"),
    ("[Effect click]\nLength=32767ms", "[Effect click]\nLength=32768ms"),
    ("[Effect click]\nLength=1", "[Effect click]\nLength=0"),
    ("[Effect click]\nPulses=10", "[Effect click]\nPulses=11"),
    ("[Effect click]\nPulses=1", "[Effect click]\nPulses=0"),
    ("[Effect click]\nPause=10s", "[Effect click]\nPause=10001"),
    ("[Motor pad]\nGain=100", "[Motor pad]\nGain=101"),
    ("[Haptics]\nCommandInterval=1s", "[Haptics]\nCommandInterval=1001"),
    ("[Haptics]\nOnPress=buzz", "[Haptics]\nOnPress=boom"),
    ("[Haptics]\nMinimumInterval=1min", "[Haptics]\nMinimumInterval=61s"),
    ("[Server]\nSocketMode=777", "[Server]\nSocketMode=1777"),
    ("[Server]\nMaxConnections=65536", "[Server]\nMaxConnections=0"),
    ("[Server]\nMaxMessageSize=16MiB", "[Server]\nMaxMessageSize=17M"),
    ("[Server]\nMaxMessageSize=1K", "[Server]\nMaxMessageSize=1023B"),
    ("[Realtime]\nPriority=99", "[Realtime]\nPriority=100"),
  ])
  func theBoundsAreWithinAndTheNextIsNot(_ good: String, _ bad: String) {
    #expect(errors(in: good) == [])
    #expect(errors(in: bad).map(\.line) == [2])
  }

  @Test func anEffectThatIsPlayedHasToBeThere() throws {
    let found = errors(in: "[Haptics]\nOnMaximum=clik\n")
    #expect(
      found.map(\.description) == [
        "a.conf:2: [Haptics] OnMaximum: there is no effect clik; did you mean click?; "
          + "allowed: none, buzz, click, double-click, ramp, or one with a section "
          + "[Effect clik] of its own"
      ])
    // Where it is made does not matter.
    #expect(
      try parse("[Haptics]\nOnMaximum=thud\n[Effect thud]\nPulses=2\n").engine.haptics
        .effect(on: .maximum)?.pulses == 2)
  }

  @Test func anEffectIsThereWithItsSectionAlsoWithoutAKey() throws {
    let haptics = try parse("[Haptics]\nOnPress=thud\n[Effect thud]\n").engine.haptics
    #expect(haptics.effect(on: .press) == HapticPattern(strength: 1, length: .milliseconds(60)))
  }

  @Test func aTimeThatIsNothingInMicrosecondsIsRefused() {
    #expect(errors(in: "[Smoothing]\nTimeConstant=0.4us\n").map(\.line) == [2])
    #expect(errors(in: "[Smoothing]\nTimeConstant=0us\n") == [])
    #expect(errors(in: "[Smoothing]\nTimeConstant=0.6us\n") == [])
  }

  @Test func anEffectThatFollowsForceHasNoneToFollowAtARelease() throws {
    #expect(
      errors(in: "[Haptics]\nOnRelease=ramp\n").map(\.description) == [
        "a.conf:2: [Haptics] OnRelease: ramp follows the force of a press (Follow=yes), and a "
          + "release ends that; allowed: none, buzz, click, double-click"
      ])
    #expect(errors(in: "[Effect thud]\nFollow=yes\n[Haptics]\nOnRelease=thud\n").count == 1)
    #expect(
      try parse("[Haptics]\nOnRelease=ramp\n[Effect ramp]\nFollow=no\n").engine.haptics
        .onRelease == "ramp")
  }

  @Test(arguments: [
    "[Effect]", "[Effect none]", "[Effect a b]", "[Effect é]", "[Motor]",
    "[Effect " + String(repeating: "a", count: 33) + "]",
    "[Motor " + String(repeating: "a", count: 257) + "]",
  ])
  func anEffectAndAMotorNeedAName(_ title: String) {
    // Reported once, its keys are not.
    #expect(errors(in: title + "\nStrength=1\nGain=1\n").map(\.line) == [1])
  }

  @Test func anUnknownKeyOfANamedSectionIsAnErrorWithASuggestion() {
    let found = errors(in: "[Effect click]\nLenght=5ms\n[Motor pad]\nLength=1\n")
    #expect(found.map(\.line) == [2, 4])
    #expect(found[0].suggestion == "Length" && found[0].section == "Effect click")
  }

  @Test func bytesThatAreNoTextAreReportedWithTheirLine() {
    let bytes = Array("[Haptics]\nMotor=".utf8) + [0xff, 0xfe, 0x0a] + Array("Strength=1\n".utf8)
    do throws(ConfigurationErrors) {
      _ = try Configuration.parse([ConfigurationFile(path: "a", bytes: bytes)])
      Issue.record("no error")
    } catch {
      #expect(error.errors.map(\.line) == [2])
      #expect(error.errors[0].problem.contains("UTF-8"))
    }
  }

  @Test func anErrorIsOneLineWhateverTheFileHolds() {
    for text in [
      "[\u{1}\u{85}\u{7f}]", "a\rb", "[Server]\n\u{1b}[31m=1", "[Haptics]\nMotor=a\u{7}",
    ] {
      for error in errors(in: text) {
        #expect(
          !error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
      }
      #expect(!errors(in: text).isEmpty)
    }
  }

  @Test func randomBytesNeverDoMoreThanGiveErrors() {
    var random = SeededGenerator(seed: 7)
    let pieces = [
      "[", "]", "=", "\\", "\n", "#", ";", " ", "Smoothing", "TimeConstant", "1ms", "\r", "é",
      "\u{338}", "Maximum", "ReachedAt", "9",
    ]
    for _ in 0..<3_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        if Int.random(in: 0..<10, using: &random) == 0 {
          bytes.append(.random(in: .min ... .max, using: &random))
        } else {
          bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
        }
      }
      do throws(ConfigurationErrors) {
        _ = try Configuration.parse([ConfigurationFile(path: "a", bytes: bytes)])
      } catch {
        #expect(!error.errors.isEmpty)
      }
    }
  }
}
