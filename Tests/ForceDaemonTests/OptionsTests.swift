import Testing

@testable import ForceDaemon

@Suite struct OptionsTests {
  @Test func everythingCanBeAsked() throws {
    let options = try Options([
      "--config", "c", "--socket=/s", "--simulate", "--simulate=tap", "--replay", "a", "--replay",
      "b", "--feed", "/f", "--feed=/g,h,i", "--no-evdev",
    ])
    var expected = Options()
    expected.configuration = "c"
    expected.socket = "/s"
    expected.simulations = [.press, .tap]
    expected.replays = ["a", "b"]
    expected.feeds = [.init(path: "/f"), .init(path: "/g", description: "h,i")]
    expected.evdev = false
    #expect(options == expected)
  }

  @Test(arguments: [
    (["--simulate=dance"], "press, tap, ramp, noise"), (["--dump"], "--replay"),
    (["--dump", "--replay", "a", "--simulate"], "no"), (["extra"], "extra"),
    (["tap"], "--simulate=tap"), (["--socket", "a", "--socket=b"], "--socket is given twice"),
    (["--config=a", "--config", "a"], "twice"),
    (["--dump", "--replay", "a", "--feed", "f"], "feed"), (["--feed=,a"], "description"),
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
