import ForceCore

/// A section that has a name of its own behind its kind: `[Effect click]`, `[Motor my-pad-1a2b]`.
enum NamedSection: Equatable {
  case effect(String)
  case motor(String)

  /// What may stand in brackets, for people.
  static let allowed = ["[Effect NAME]", "[Motor DEVICE]"]

  /// What is wrong with a section's title.
  struct Problem: Error {
    var problem: String
    var allowed: String
  }

  /// - Returns: nil where the title is none of a named section.
  static func parse(_ title: String) throws(Problem) -> NamedSection? {
    if let name = rest(of: title, behind: "Effect") {
      guard isEffectName(name) else {
        throw Problem(
          problem: "\"\(excerpt(name))\" is no name of an effect",
          allowed: "[Effect NAME] with 1 to 32 letters, digits, - and _, but not none")
      }
      return .effect(name)
    }
    if let name = rest(of: title, behind: "Motor") {
      guard !name.isEmpty, (try? parseDevice(name)) != nil else {
        throw Problem(
          problem: "\"\(excerpt(name))\" is not the id or name of a device",
          allowed: "[Motor DEVICE] with the id or name of a device, up to 256 bytes")
      }
      return .motor(name)
    }
    return nil
  }

  private static func rest(of title: String, behind kind: String) -> String? {
    if title == kind { return "" }
    guard title.hasPrefix(kind + " ") else { return nil }
    return String(title.dropFirst(kind.count + 1).drop { $0 == " " })
  }

  var title: String {
    switch self {
    case .effect(let name): "Effect \(name)"
    case .motor(let name): "Motor \(name)"
    }
  }

  /// An effect is there as soon as its section is, also where no key follows.
  func begin(in configuration: inout Configuration) {
    guard case .effect(let name) = self, configuration.engine.haptics.effects[name] == nil else {
      return
    }
    configuration.engine.haptics.effects[name] = EffectKey.usual
  }

  /// The keys that the section can have.
  var keys: [String] {
    switch self {
    case .effect: EffectKey.all.map(\.name)
    case .motor: [Self.gain]
    }
  }

  static let gain = "Gain"
  static let gainAllowed = "0 to 100%"

  /// What a key may be, for people; nil for one that is not there.
  func allowed(_ key: String) -> String? {
    switch self {
    case .effect: EffectKey.all.first { $0.name == key }?.allowed
    case .motor: key == Self.gain ? Self.gainAllowed : nil
    }
  }

  /// Sets a key that is there.
  /// - Parameter value: nil brings the default back.
  func set(
    _ key: String, to value: String?, in configuration: inout Configuration
  ) throws(ValueProblem) {
    switch self {
    case .effect(let name):
      let usual = HapticPattern.builtIn[name] ?? EffectKey.usual
      var pattern = configuration.engine.haptics.effects[name] ?? usual
      try EffectKey.all.first { $0.name == key }?.set(value, &pattern, usual)
      configuration.engine.haptics.effects[name] = pattern
    case .motor(let name):
      guard let value else {
        configuration.engine.haptics.gains[name] = nil
        return
      }
      configuration.engine.haptics.gains[name] = try parsePercent(value, 0...100) / 100
    }
  }
}

/// A key of an effect's section.
public struct EffectKey: Sendable {
  public let name: String
  public let allowed: String
  /// Sets the value; nil brings back that of the built-in effect, or of a new one.
  let set: @Sendable (String?, inout HapticPattern, HapticPattern) throws(ValueProblem) -> Void

  /// What a new effect is before its keys say otherwise.
  static let usual = HapticPattern(strength: 1, length: .milliseconds(60))

  private init<Value>(
    _ name: String, _ allowed: String, _ place: WritableKeyPath<HapticPattern, Value> & Sendable,
    _ parse: @escaping @Sendable (String) throws(ValueProblem) -> Value
  ) {
    self.name = name
    self.allowed = allowed
    set = { (text, pattern, usual) throws(ValueProblem) in
      pattern[keyPath: place] = try text.map(orThrow: parse) ?? usual[keyPath: place]
    }
  }

  public static let all: [EffectKey] = [
    EffectKey("Strength", "0 to 100%", \.pulse.strength) { text throws(ValueProblem) in
      try parsePercent(text, 0...100) / 100
    },
    EffectKey("Length", "1ms to 32767ms; a bare number is in ms", \.pulse.length) {
      text throws(ValueProblem) in
      try parseDuration(text, .milliseconds(1) ... .milliseconds(32_767))
    },
    EffectKey("Pulses", "1 to 10", \.pulses) { text throws(ValueProblem) in
      try parseInteger(text, 1...10)
    },
    EffectKey("Pause", "0 to 10s; a bare number is in ms", \.pause) { text throws(ValueProblem) in
      try parseDuration(text, .zero ... .seconds(10))
    },
    EffectKey("Follow", "yes or no", \.followsForce, parseBool),
  ]
}

extension Optional where Wrapped == String {
  /// `map` for a body that throws a `ValueProblem`.
  fileprivate func map<Value>(
    orThrow body: (String) throws(ValueProblem) -> Value
  ) throws(ValueProblem) -> Value? {
    guard let self else { return nil }
    return try body(self)
  }
}

/// The name of an effect; nil for `none`.
func parseEffectName(_ text: String) throws(ValueProblem) -> String? {
  if text == "none" { return nil }
  guard isEffectName(text) else { throw ValueProblem(reason: "is no name of an effect") }
  return text
}

private func isEffectName(_ name: String) -> Bool {
  (1...32).contains(name.utf8.count) && name != "none"
    && name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
}
