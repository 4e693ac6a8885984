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

  @Test("Another contact's end does not stop a ramp")
  func otherContact() throws {
    var settings = EngineSettings.unsmoothed
    settings.haptics.onPress = "ramp"
    settings.haptics.onMaximum = nil
    settings.haptics.minimumInterval = .seconds(10)
    let press = Press(on: .pad(), settings)
    try press.play(
      """
      0ms   slot 0 id 1 mt-pressure 500
      10ms  slot 1 id 2 mt-pressure 100
      20ms  slot 1 id -1
      30ms  slot 0 id -1
      """)
    #expect(story(press).filter { $0.hasSuffix("stop") } == ["30 stop"])
  }
}
