import ForceCore

/// Gathers the values and the errors of a set of files.
struct ConfigurationReader {
  private var configuration = Configuration()
  private var errors: [ConfigurationError] = []
  /// Where each key was assigned last, for errors that only show when all is read.
  private var places: [String: (file: String, line: Int)] = [:]

  mutating func read(_ file: ConfigurationFile) {
    var lines = ConfigurationLines(file.bytes)
    var section = SectionState.none
    while let (line, item) = lines.nextItem() {
      switch item {
      case .section(let name): section = enter(name, file: file.path, line: line)
      case .assignment(let key, let value):
        assign(key, value, in: section, file: file.path, line: line)
      case .invalid(let problem, let allowed):
        errors.append(
          ConfigurationError(
            file: file.path, line: line, section: section.name, key: nil, problem: problem,
            allowed: allowed))
      }
    }
  }

  private enum SectionState {
    case none
    case known(String)
    case named(NamedSection)
    /// Reported once; its keys are not reported again.
    case unknown

    var name: String? {
      switch self {
      case .known(let name): name
      case .named(let section): section.title
      case .none, .unknown: nil
      }
    }
  }

  private mutating func enter(_ name: String, file: String, line: Int) -> SectionState {
    let sections = ConfigurationKey.sections
    if sections.contains(name) { return .known(name) }
    do throws(NamedSection.Problem) {
      if let section = try NamedSection.parse(name) {
        section.begin(in: &configuration)
        return .named(section)
      }
    } catch {
      errors.append(
        ConfigurationError(
          file: file, line: line, section: nil, key: nil, problem: error.problem,
          allowed: error.allowed))
      return .unknown
    }
    errors.append(
      ConfigurationError(
        file: file, line: line, section: nil, key: nil,
        problem: "there is no section [\(excerpt(name))]",
        allowed: (sections.map { "[\($0)]" } + NamedSection.allowed).joined(separator: ", "),
        suggestion: nearest(to: name, among: sections).map { "[\($0)]" }))
    return .unknown
  }

  private mutating func assign(
    _ name: String, _ value: String, in section: SectionState, file: String, line: Int
  ) {
    if case .unknown = section { return }
    if case .named(let named) = section {
      assign(name, value, in: named, file: file, line: line)
      return
    }
    guard let sectionName = section.name else {
      errors.append(
        ConfigurationError(
          file: file, line: line, section: nil, key: excerpt(name),
          problem: "the key stands before any section",
          allowed: "a section above it: "
            + ConfigurationKey.sections.map { "[\($0)]" }.joined(separator: ", ")))
      return
    }
    guard let key = ConfigurationKey.all.first(where: { $0.isNamed(name, in: sectionName) }) else {
      errors.append(unknownKey(name, in: sectionName, file: file, line: line))
      return
    }
    places["\(sectionName) \(key.name)"] = (file, line)
    do throws(ValueProblem) {
      try key.set(value.isEmpty ? nil : value, &configuration)
    } catch {
      errors.append(
        ConfigurationError(
          file: file, line: line, section: sectionName, key: key.name,
          problem: "\"\(excerpt(value))\" \(error.reason)", allowed: key.allowed))
    }
  }

  private mutating func assign(
    _ key: String, _ value: String, in section: NamedSection, file: String, line: Int
  ) {
    guard let allowed = section.allowed(key) else {
      errors.append(
        ConfigurationError(
          file: file, line: line, section: section.title, key: excerpt(key),
          problem: "there is no such key", allowed: section.keys.joined(separator: ", "),
          suggestion: nearest(to: key, among: section.keys)))
      return
    }
    do throws(ValueProblem) {
      try section.set(key, to: value.isEmpty ? nil : value, in: &configuration)
    } catch {
      errors.append(
        ConfigurationError(
          file: file, line: line, section: section.title, key: key,
          problem: "\"\(excerpt(value))\" \(error.reason)", allowed: allowed))
    }
  }

  private func unknownKey(
    _ name: String, in section: String, file: String, line: Int
  ) -> ConfigurationError {
    let keys = ConfigurationKey.all
    let here = keys.filter { $0.section == section }.map(\.name)
    var suggestion = nearest(to: name, among: here)
    if suggestion == nil, let near = nearest(to: name, among: keys.map(\.name)),
      let key = keys.first(where: { $0.name == near })
    {
      suggestion = "\(near) in [\(key.section)]"
    }
    return ConfigurationError(
      file: file, line: line, section: section, key: excerpt(name), problem: "there is no such key",
      allowed: here.joined(separator: ", "), suggestion: suggestion)
  }

  /// What the files say together.
  mutating func finish() throws(ConfigurationErrors) -> Configuration {
    let engine = configuration.engine
    // The level that arms the maximum again has to lie below the one that reaches it. Thresholds of a
    // contact may be equal: then there is no hysteresis.
    check(
      "Maximum", lower: ("ReleaseAt", engine.maximum.releaseAt),
      upper: ("ReachedAt", engine.maximum.reachedAt), unit: "%", mayBeEqual: false)
    check(
      "Contact", lower: ("ReleaseAt", engine.contact.releaseAt),
      upper: ("PressAt", engine.contact.pressAt), unit: "%", mayBeEqual: true)
    check(
      "Contact", lower: ("ReleaseGrams", engine.contact.releaseGrams),
      upper: ("PressGrams", engine.contact.pressGrams), unit: "g", mayBeEqual: true)
    checkEffects()
    if !errors.isEmpty { throw ConfigurationErrors(errors) }
    return configuration
  }

  private mutating func check(
    _ section: String, lower: (name: String, value: Double), upper: (name: String, value: Double),
    unit: String, mayBeEqual: Bool
  ) {
    if lower.value < upper.value || (mayBeEqual && lower.value == upper.value) { return }
    // With neither key assigned the defaults hold, and those are in order.
    let isLower = places["\(section) \(lower.name)"] != nil
    let key = isLower ? lower.name : upper.name
    guard let place = places["\(section) \(key)"] else { return }
    errors.append(
      ConfigurationError(
        file: place.file, line: place.line, section: section, key: key,
        problem: "\(lower.name) (\(lower.value)\(unit)) is \(mayBeEqual ? "above" : "not below") "
          + "\(upper.name) (\(upper.value)\(unit))",
        allowed: isLower
          ? "\(mayBeEqual ? "up to" : "below") \(upper.name), \(upper.value)\(unit)"
          : "\(mayBeEqual ? "from" : "above") \(lower.name), \(lower.value)\(unit)"))
  }

  /// The effects that are to be played have to be there, and something has to be there to be followed.
  private mutating func checkEffects() {
    let haptics = configuration.engine.haptics
    let names = haptics.effects.keys.sorted()
    let chosen = [
      ("OnMaximum", haptics.onMaximum), ("OnPress", haptics.onPress),
      ("OnRelease", haptics.onRelease),
    ]
    for (key, name) in chosen {
      guard let name, let place = places["Haptics \(key)"] else { continue }
      if haptics.effects[name] == nil {
        errors.append(
          ConfigurationError(
            file: place.file, line: place.line, section: "Haptics", key: key,
            problem: "there is no effect \(name)",
            allowed: (["none"] + names).joined(separator: ", ") + ", or one with a section "
              + "[Effect \(name)] of its own", suggestion: nearest(to: name, among: names)))
      } else if key == "OnRelease", haptics.effects[name]?.followsForce == true {
        let others = names.filter { haptics.effects[$0]?.followsForce == false }
        errors.append(
          ConfigurationError(
            file: place.file, line: place.line, section: "Haptics", key: key,
            problem: "\(name) follows the force of a press (Follow=yes), and a release ends that",
            allowed: (["none"] + others).joined(separator: ", ")))
      }
    }
  }
}
