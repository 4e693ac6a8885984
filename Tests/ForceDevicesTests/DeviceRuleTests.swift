import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

/// One condition or assignment of a udev rule, such as `ATTRS{capabilities/ff}!="0"`.
private struct RulePart {
  var key: Substring
  var sign: String
  var value: Substring

  init?(_ text: Substring) {
    guard let start = text.firstIndex(where: { "!=".contains($0) }),
      let quote = text.firstIndex(of: "\""), start < quote, text.last == "\""
    else { return nil }
    key = text[..<start]
    sign = String(text[start..<quote])
    value = text[text.index(after: quote)...].dropLast()
  }
}

/// Whether a text matches a pattern of `*`, `?` and `[…]`.
private func matches(_ pattern: Substring, _ text: Substring) -> Bool {
  guard let first = pattern.first else { return text.isEmpty }
  if first == "*" {
    return matches(pattern.dropFirst(), text)
      || (!text.isEmpty && matches(pattern, text.dropFirst()))
  }
  guard let letter = text.first else { return false }
  if first == "[", let end = pattern.firstIndex(of: "]") {
    return pattern[..<end].dropFirst().contains(letter)
      && matches(pattern[end...].dropFirst(), text.dropFirst())
  }
  return (first == "?" || first == letter) && matches(pattern.dropFirst(), text.dropFirst())
}

/// The udev rule of the package, applied as udev applies it.
@Suite("Field reports: access to the nodes")
struct DeviceRuleTests {
  private static let lines: [[RulePart]] = {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let text = (try? FileSystem.read("\(root)/systemd/65-forced.rules")) ?? []
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: ",").compactMap { RulePart($0.drop { $0 == " " }) } }
  }()

  /// What the rule gives a node: its owner, group and mode, as text.
  private func given(_ facts: [String: String]) -> String? {
    var result: String?
    var isSkipping = false
    for line in Self.lines {
      if line.contains(where: { $0.key == "LABEL" }) { isSkipping = false }
      let conditions = line.filter { $0.sign == "==" || $0.sign == "!=" }
      let holds = conditions.allSatisfy {
        matches($0.value, Substring(facts[String($0.key)] ?? "")) == ($0.sign == "==")
      }
      guard holds, !isSkipping else { continue }
      let sets = line.filter { $0.sign == "=" }
      if sets.contains(where: { $0.key == "GOTO" }) { isSkipping = true }
      let access = ["OWNER", "GROUP", "MODE"].compactMap { key in
        sets.first { $0.key == key }.map { String($0.value) }
      }
      if !access.isEmpty { result = access.joined(separator: " ") }
    }
    return result
  }

  private func facts(_ device: DeviceDescription, joystick: Bool = false) -> [String: String] {
    func mask(_ codes: some Sequence<UInt16>) -> String {
      String(codes.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }, radix: 16)
    }
    // Effects lie in the second word, which the kernel writes first.
    let effects = device.forceFeedback.map { $0 - 64 }
    return [
      "ACTION": "add", "SUBSYSTEM": "input", "KERNEL": "event5",
      "ATTRS{capabilities/abs}": mask(device.axes.keys),
      "ATTRS{capabilities/ff}": effects.isEmpty ? "0" : "\(mask(effects)) 0",
      "ENV{ID_INPUT_JOYSTICK}": joystick ? "1" : "",
    ]
  }

  private let ours = "forced input 0660"

  @Test("47: the rule gives the daemon's user what has pressure, triggers or a motor, at each plug")
  func whatIsOurs() {
    let screen = DeviceDescription.named("screen").axis(AbsoluteCode.slot, 0...9)
      .axis(AbsoluteCode.trackingID, 0...99).axis(AbsoluteCode.touchPressure, 0...255)
    let vibrator = DeviceDescription.named("vibrator").forceFeedback(ForceFeedbackCode.rumble)
    for device in [DeviceDescription.pen(), .pad(), screen, vibrator] {
      #expect(given(facts(device)) == ours)
    }
    #expect(given(facts(.balanceBoard(), joystick: true)) == ours)
    #expect(given(facts(.gamepad().axis(AbsoluteCode.z, 0...255), joystick: true)) == ours)
    for action in ["change", "bind"] {
      var again = facts(.pen())
      again["ACTION"] = action
      #expect(given(again) == ours)
    }
  }

  @Test("47: keyboards, mice and other kinds of node stay closed to it")
  func whatIsNot() {
    let keyboard = DeviceDescription.named("keyboard").keys(30)
    let touchpad = DeviceDescription.named("pad").axis(AbsoluteCode.x, 0...9)
      .axis(AbsoluteCode.y, 0...9).axis(AbsoluteCode.distance, 0...1)
    for device in [keyboard, touchpad] { #expect(given(facts(device)) == nil) }
    for (key, value) in [("KERNEL", "js0"), ("SUBSYSTEM", "block"), ("ACTION", "remove")] {
      var other = facts(.pen())
      other[key] = value
      #expect(given(other) == nil)
    }
  }

  @Test("A keyboard stays closed whatever else it has, and a mouse with a joystick's buttons too")
  func oddKeyboards() {
    let typed = DeviceDescription.named("odd").keys(30).forceFeedback(ForceFeedbackCode.rumble)
      .axis(AbsoluteCode.pressure, 0...255)
    for isJoystick in [false, true] {
      var keyboard = facts(typed, joystick: isJoystick)
      #expect(given(keyboard) == ours)
      keyboard["ENV{ID_INPUT_KEYBOARD}"] = "1"
      #expect(given(keyboard) == nil)
    }
    var mouse = facts(.named("many buttons").keys(0x110), joystick: true)
    mouse["ENV{ID_INPUT_MOUSE}"] = "1"
    #expect(given(mouse) == nil)
    // With pressure a tablet's mouse is ours.
    var puck = facts(.pen())
    puck["ENV{ID_INPUT_MOUSE}"] = "1"
    #expect(given(puck) == ours)
  }

  @Test("47: each node that refuses is named, with its group and how to join it")
  func refusal() {
    for path in ["/dev/input/event3", "/dev/input/event14"] {
      let error = DeviceError.denied(path: path, group: "input", user: "ann")
      #expect(error.isWorthRetrying)
      #expect("\(error)".hasPrefix("cannot open \(path): permission denied for user ann"))
      #expect("\(error)".contains("usermod -aG input ann"))
    }
  }
}
