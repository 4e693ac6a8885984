import Testing

@testable import ForceDaemon

@Suite struct OptionsTests {
  @Test func everythingCanBeAsked() throws {
    let options = try Options([
      "--config", "c", "--socket=/s", "--simulate", "--simulate=tap", "--replay", "a", "--replay",
      "b", "--no-evdev",
    ])
    var expected = Options()
    expected.configuration = "c"
    expected.socket = "/s"
    expected.simulations = [.press, .tap]
    expected.replays = ["a", "b"]
    expected.evdev = false
    #expect(options == expected)
  }

  @Test(arguments: [
    (["--simulate=dance"], "press, tap, ramp, noise"), (["--dump"], "--replay"),
    (["--dump", "--replay", "a", "--simulate"], "no"), (["extra"], "extra"),
    (["--nonsense"], "--nonsense"), (["--socket"], "--socket"), (["--socket="], "--socket"),
  ])
  func wrongUsageIsNamed(arguments: [String], part: String) {
    do {
      _ = try Options(arguments)
      Issue.record("accepted")
    } catch {
      #expect(error.message.contains(part))
    }
  }
}
