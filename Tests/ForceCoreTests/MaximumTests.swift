import ForceCore
import ForceTestSupport
import Testing

@Suite("At the maximum")
struct MaximumTests {
  private func settings(_ change: (inout EngineSettings) -> Void = { _ in }) -> EngineSettings {
    var settings = EngineSettings.unsmoothed
    change(&settings)
    return settings
  }

  @Test("Reached above one threshold, left below another, with nothing in between")
  func hysteresis() {
    var trigger = MaximumTrigger()
    let settings = MaximumSettings()
    let steps: [(percent: Double, entered: Bool, isAt: Bool)] = [
      (99.49, false, false), (99.5, true, true), (99.4, false, true), (99.6, false, true),
      (95, false, true), (94.99, false, false), (99, false, false), (100, true, true),
    ]
    for step in steps {
      #expect(trigger.update(step.percent, settings) == step.entered)
      #expect(trigger.isAtMaximum == step.isAt)
    }
  }

  @Test("At or above the maximum the reading says exactly 100 % and exactly the span")
  func saysHundred() throws {
    let press = Press(on: .pen(maximum: 1_000), settings())
    try press.play(
      """
      0ms   touch 1 pressure 994
      50ms  pressure 996
      99ms  pressure 994
      """, rest: .milliseconds(50))
    let below = press.readings.last { $0.time.microseconds < 50_000 }
    #expect(below?.percent == 99.4)
    #expect(below?.atMaximum == false)
    let above = press.readings.last { $0.time.microseconds < 99_000 }
    #expect(above?.percent == 100)
    #expect(above?.grams == 385)
    #expect(above?.unsmoothedPercent == 99.6)
    #expect(above?.atMaximum == true)
    // Armed still, but no longer at or above.
    #expect(press.readings.last?.percent == 99.4)
    #expect(press.readings.last?.atMaximum == true)
  }

  @Test("One effect plays on entering, and not again before the force has fallen back")
  func playsOnce() throws {
    let press = Press(on: .pen(maximum: 1_000), settings())
    try press.play(
      """
      0ms    touch 1 pressure 1000
      200ms  pressure 960
      400ms  pressure 1000
      600ms  pressure 900
      800ms  pressure 1000
      999ms  touch 0
      """)
    #expect(press.haptics.map(\.time.microseconds) == [1_000, 801_000])
    let effect = HapticPattern(strength: 1, length: .milliseconds(60))
    #expect(press.haptics.allSatisfy { $0.action == .play(effect) && $0.device == press.handle })
  }

  @Test("The effect and the first reading at the maximum have the same time")
  func oneDecision() throws {
    let press = Press(on: .pen())
    try press.play("0ms touch 1 pressure 2047", rest: .milliseconds(400))
    let first = press.readings.first { $0.atMaximum }
    #expect(first?.time == press.haptics.first?.time)
    #expect(press.haptics.count == 1)
  }

  @Test("Within the minimum interval a second effect is left out, per device")
  func minimumInterval() throws {
    let press = Press(on: .pad(), settings { $0.haptics.minimumInterval = .milliseconds(100) })
    try press.play(
      """
      0ms    slot 0 id 1 mt-pressure 1000
      20ms   slot 1 id 2 mt-pressure 1000
      60ms   slot 0 mt-pressure 0
      80ms   mt-pressure 1000
      130ms  slot 1 mt-pressure 0
      150ms  mt-pressure 1000
      """, rest: .milliseconds(50))
    #expect(press.haptics.map(\.contact) == [0, 1])
    #expect(press.haptics.map(\.time.microseconds) == [1_000, 151_000])
  }

  @Test("Strength and length come from the settings")
  func effect() throws {
    let press = Press(
      on: .pen(),
      settings {
        $0.haptics.strength = 0.25
        $0.haptics.effects["click"]?.pulse.length = .milliseconds(15)
      })
    try press.play("0ms touch 1 pressure 2047", rest: .milliseconds(5))
    #expect(
      press.haptics.map(\.action)
        == [.play(HapticPattern(strength: 0.25, length: .milliseconds(15)))])
  }

  @Test("Switched off, nothing plays, and at_maximum is told all the same")
  func switchedOff() throws {
    let press = Press(on: .pen(), settings { $0.haptics.enabled = false })
    try press.play("0ms touch 1 pressure 2047", rest: .milliseconds(50))
    #expect(press.haptics.isEmpty)
    #expect(press.readings.last?.atMaximum == true)
  }

  @Test("A click outlives its press; a lasting effect ends with it")
  func release() throws {
    let script = "0ms touch 1 pressure 2047\n20ms touch 0"
    let click = Press(
      on: .pen(), settings { $0.haptics.effects["click"]?.pulse.length = .milliseconds(60) })
    try click.play(script)
    #expect(click.haptics.count == 1)
    let lasting = Press(
      on: .pen(), settings { $0.haptics.effects["click"]?.pulse.length = .seconds(5) })
    try lasting.play(script)
    #expect(lasting.haptics.map(\.action).last == .stop)
    #expect(lasting.haptics.last?.time.microseconds == 20_000)
  }

  @Test("A lasting effect goes on while another contact of the device ends")
  func otherContact() throws {
    let press = Press(
      on: .pad(), settings { $0.haptics.effects["click"]?.pulse.length = .seconds(5) })
    try press.play(
      """
      0ms   slot 0 id 1 mt-pressure 10 slot 1 id 2 mt-pressure 1000
      20ms  slot 0 id -1
      30ms  slot 1 id -1
      """)
    #expect(press.haptics.map(\.time.microseconds) == [1_000, 30_000])
    #expect(press.haptics.last?.action == .stop)
  }

  @Test("The maximum can be set lower")
  func lowered() throws {
    let press = Press(
      on: .pen(maximum: 1_000),
      settings {
        $0.maximum.reachedAt = 60
        $0.maximum.releaseAt = 50
      })
    try press.play("0ms touch 1 pressure 700", rest: .milliseconds(50))
    #expect(press.readings.last?.percent == 100)
    #expect(press.readings.last?.unsmoothedPercent == 70)
    #expect(press.haptics.count == 1)
  }
}
