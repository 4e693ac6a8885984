import ForceCore
import ForceTestSupport
import Testing

@Suite("Which effect plays when")
struct HapticOccasionTests {
  private func press(_ change: (inout HapticSettings) -> Void) -> Press {
    var settings = EngineSettings.unsmoothed
    change(&settings.haptics)
    return Press(on: .pen(maximum: 1_000), settings)
  }

  private func story(_ press: Press) -> [String] {
    press.haptics.map { command in
      let time = command.time.microseconds / 1_000
      return switch command.action {
      case .play(let pattern):
        "\(time) play \(Int((pattern.pulse.strength * 100).rounded()))% "
          + "\(pattern.pulses)×\(pattern.pulse.length.count / 1_000)ms"
      case .follow(let strength): "\(time) follow \(Int((strength * 100).rounded()))%"
      case .stop: "\(time) stop"
      }
    }
  }

  @Test("An effect of its own at the press, at the maximum and at the release")
  func occasions() throws {
    let press = press {
      $0.onPress = "buzz"
      $0.onMaximum = "click"
      $0.onRelease = "double-click"
    }
    try press.play(
      """
      0ms    touch 1 pressure 100
      300ms  pressure 1000
      600ms  touch 0
      """)
    #expect(story(press) == ["0 play 70% 1×200ms", "301 play 100% 1×60ms", "600 play 100% 2×40ms"])
  }

  @Test("An occasion without an effect plays none")
  func none() throws {
    let press = press { $0.onMaximum = nil }
    try press.play("0ms touch 1 pressure 1000\n50ms touch 0")
    #expect(press.haptics.isEmpty)
  }

  @Test("The strength of the settings weakens every effect")
  func strength() throws {
    let press = press {
      $0.strength = 0.5
      $0.onMaximum = "buzz"
    }
    try press.play("0ms touch 1 pressure 1000", rest: .milliseconds(10))
    #expect(story(press) == ["1 play 35% 1×200ms"])
  }

  @Test("An effect of no strength is not played")
  func zero() throws {
    let press = press { $0.strength = 0 }
    try press.play("0ms touch 1 pressure 1000", rest: .milliseconds(10))
    #expect(press.haptics.isEmpty)
  }

  @Test("A ramp is as strong as the force while it is held, and stops at the release")
  func ramp() throws {
    let press = press {
      $0.onPress = "ramp"
      $0.onMaximum = nil
    }
    try press.play(
      """
      0ms    touch 1 pressure 0
      10ms   pressure 400
      20ms   pressure 405
      30ms   pressure 800
      40ms   touch 0
      """)
    #expect(story(press) == ["0 play 0% 1×500ms", "11 follow 40%", "31 follow 80%", "40 stop"])
  }

  @Test("A ramp from the maximum on ends when the maximum is left")
  func rampAtMaximum() throws {
    let press = press { $0.onMaximum = "ramp" }
    try press.play(
      """
      0ms    touch 1 pressure 1000
      10ms   pressure 960
      20ms   pressure 500
      30ms   touch 0
      """)
    #expect(story(press) == ["1 play 100% 1×500ms", "11 follow 96%", "21 stop"])
  }

  @Test("A device that goes stops its ramp and plays no release")
  func unplugged() throws {
    let press = press {
      $0.onPress = "ramp"
      $0.onMaximum = nil
      $0.onRelease = "click"
    }
    try press.play("0ms touch 1 pressure 500", rest: .milliseconds(5))
    press.detach()
    #expect(story(press).last == "5 stop")
  }

  @Test("A reload stops what plays")
  func reload() throws {
    let press = press {
      $0.onPress = "ramp"
      $0.onMaximum = nil
    }
    try press.play("0ms touch 1 pressure 500", rest: .milliseconds(5))
    press.engine.stopHaptics(at: press.now)
    press.collect()
    #expect(story(press).last == "5 stop")
    press.engine.stopHaptics(at: press.now)
    press.collect()
    #expect(story(press).filter { $0.hasSuffix("stop") }.count == 1)
  }

  private func padPress(_ change: (inout HapticSettings) -> Void) -> Press {
    var settings = EngineSettings.unsmoothed
    change(&settings.haptics)
    return Press(on: .pad(), settings)
  }

  @Test("Another contact's end does not stop a ramp, whether it came soon after the first or late")
  func otherContact() throws {
    for second in [10, 200] {
      let press = padPress {
        $0.onPress = "ramp"
        $0.onMaximum = nil
      }
      try press.play(
        """
        0ms   slot 0 id 1 mt-pressure 500
        \(second)ms  slot 1 id 2 mt-pressure 100
        \(second + 10)ms  slot 1 id -1
        \(second + 20)ms  slot 0 mt-pressure 700
        \(second + 30)ms  slot 0 id -1
        """)
      let story = story(press)
      #expect(story.filter { $0.hasSuffix("stop") } == ["\(second + 30) stop"])
      #expect(story.contains { $0.contains("\(second + 21) follow") }, "\(story)")
    }
  }

  @Test("Of several contacts a ramp follows the strongest, and then whichever remains")
  func strongestContact() throws {
    let press = padPress {
      $0.onPress = "ramp"
      $0.onMaximum = nil
    }
    try press.play(
      """
      0ms    slot 0 id 1 mt-pressure 20
      50ms   slot 1 id 2 mt-pressure 100
      100ms  slot 0 mt-pressure 40
      150ms  slot 1 id -1
      200ms  slot 0 id -1
      """)
    let strengths = press.haptics.compactMap { command -> Double? in
      if case .follow(let strength) = command.action { return strength }
      return nil
    }
    let (first, second) = (strengths.first ?? 0, strengths.max() ?? 0)
    #expect(first > 0 && second > first)
    // The weaker one is not heard of before the stronger one has gone.
    #expect(strengths.last ?? 0 > first && strengths.last ?? 0 < second)
    #expect(press.haptics.last(where: { $0.action != .stop })?.time.microseconds == 150_000)
    #expect(story(press).filter { $0.hasSuffix("stop") } == ["200 stop"])
  }

  @Test("An effect that follows force has nothing to follow at a release")
  func rampAtRelease() throws {
    let press = press {
      $0.onMaximum = nil
      $0.onRelease = "ramp"
    }
    try press.play("0ms touch 1 pressure 500\n50ms touch 0")
    #expect(press.haptics.isEmpty)
  }

  // MARK: Long effects

  private func humming(_ change: (inout HapticSettings) -> Void = { _ in }) -> HapticSettings {
    var settings = HapticSettings()
    settings.effects["hum"] = HapticPattern(strength: 0.5, length: .seconds(3))
    settings.onPress = "hum"
    change(&settings)
    return settings
  }

  @Test("A long effect ends with its press, also when a click came after it")
  func longThenClick() throws {
    let press = press { $0 = humming() }
    try press.play(
      """
      0ms    touch 1 pressure 100
      300ms  pressure 1000
      600ms  touch 0
      """)
    #expect(story(press) == ["0 play 50% 1×3000ms", "301 play 100% 1×60ms", "600 stop"])
  }

  @Test("Of two lasting effects of one press the longer one counts")
  func longThenShorter() throws {
    let press = press {
      $0 = humming()
      $0.effects["thud"] = HapticPattern(strength: 1, length: .milliseconds(300))
      $0.onMaximum = "thud"
    }
    try press.play("0ms touch 1 pressure 100\n300ms pressure 1000\n900ms touch 0")
    #expect(story(press).last == "900 stop")
  }

  @Test("A device that goes stops a long effect of a release, also when a click came after it")
  func unpluggedAfterRelease() throws {
    let press = press {
      $0 = humming()
      $0.onPress = "click"
      $0.onMaximum = nil
      $0.onRelease = "hum"
    }
    try press.play(
      "0ms touch 1 pressure 100\n50ms touch 0\n200ms touch 1 pressure 100",
      rest: .milliseconds(300))
    press.detach()
    #expect(story(press).last == "500 stop")
  }

  @Test("A long effect of one finger ends with it, also when another finger clicked after it")
  func longAndAnotherFinger() throws {
    let press = padPress { settings in
      settings = humming {
        $0.onPress = nil
        $0.onMaximum = "hum"
        $0.onRelease = "click"
      }
    }
    try press.play(
      """
      0ms    slot 0 id 1 mt-pressure 1000
      300ms  slot 1 id 2 mt-pressure 100
      500ms  slot 1 id -1
      800ms  slot 0 id -1
      """)
    let stops = story(press).filter { $0.hasSuffix("stop") }
    #expect(stops == ["800 stop"])
    #expect(story(press).contains("500 play 100% 1×60ms"))
  }

  @Test("Long effects of two fingers play on until the second lifts", arguments: [0, 1])
  func longOfTwoFingers(first: Int) throws {
    let press = padPress { settings in
      settings = humming {
        $0.onPress = nil
        $0.onMaximum = "hum"
      }
    }
    try press.play(
      """
      0ms     slot 0 id 1 mt-pressure 1000
      500ms   slot 1 id 2 mt-pressure 1000
      1000ms  slot \(first) id -1
      2000ms  slot \(1 - first) id -1
      """)
    #expect(story(press) == ["1 play 50% 1×3000ms", "501 play 50% 1×3000ms", "2000 stop"])
  }

  @Test("A long effect's end does not end a ramp of another finger")
  func longOverRamp() throws {
    var settings = EngineSettings.unsmoothed
    settings.haptics = humming {
      $0.onPress = "ramp"
      $0.onMaximum = "hum"
    }
    let press = Press(on: .pad(), settings)
    try press.play(
      """
      0ms    slot 0 id 1 mt-pressure 20
      300ms  slot 1 id 2 mt-pressure 1000
      600ms  slot 1 id -1
      900ms  slot 0 id -1
      """)
    let story = story(press)
    #expect(story.filter { $0.hasSuffix("stop") } == ["600 stop", "900 stop"])
    #expect(story.contains { $0.hasPrefix("600 play") && $0.hasSuffix("500ms") }, "\(story)")
  }

  @Test("A device that goes stops its long effect, also when a click came after it")
  func unpluggedInLongEffect() throws {
    let press = press { $0 = humming() }
    try press.play("0ms touch 1 pressure 100\n300ms pressure 1000", rest: .milliseconds(100))
    press.detach()
    #expect(story(press).last == "400 stop")
  }

  @Test("A long effect that has ended by itself needs no stop")
  func longHasEnded() throws {
    let press = press { $0 = humming() }
    try press.play("0ms touch 1 pressure 100\n3100ms touch 0")
    #expect(story(press) == ["0 play 50% 1×3000ms"])
  }
}
