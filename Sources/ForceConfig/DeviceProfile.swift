import ForceCore

/// What is known of a kind of device and the device doesn't say: a file of `devices.d`.
public struct DeviceProfile: Equatable, Sendable {
  /// Where it was read from.
  public var path: String
  /// What a device has to be; nil: anything.
  public var bus: UInt16?
  public var vendor: UInt16?
  public var product: UInt16?
  /// The device's name; `*` stands for any text.
  public var name: String?
  public var tuning = DeviceTuning()

  init(path: String) { self.path = path }

  public func matches(_ identity: DeviceIdentity) -> Bool {
    (bus ?? identity.bus) == identity.bus && (vendor ?? identity.vendor) == identity.vendor
      && (product ?? identity.product) == identity.product
      && (name.map { isMatch(identity.name, pattern: $0) } ?? true)
  }

  /// The profile of a device: of those that match, the first by file name.
  public static func find(
    for identity: DeviceIdentity, among profiles: [DeviceProfile]
  ) -> DeviceProfile? {
    profiles.first { $0.matches(identity) }
  }
}

/// Whether a text is what a pattern with `*` in it says.
private func isMatch(_ text: String, pattern: String) -> Bool {
  let parts = pattern.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
  var rest = Substring(text).utf8
  for (index, part) in parts.enumerated() {
    if index == 0 {
      guard rest.starts(with: part) else { return false }
      rest = rest.dropFirst(part.count)
      if parts.count == 1 { return rest.isEmpty }
    } else if index == parts.count - 1 {
      return rest.count >= part.count && rest.suffix(part.count).elementsEqual(part)
    } else {
      while !rest.starts(with: part) {
        guard rest.popFirst() != nil else { return false }
      }
      rest = rest.dropFirst(part.count)
    }
  }
  return true
}

// MARK: - Reading

private struct ProfileKey: Sendable {
  let section: String
  let name: String
  let allowed: String
  let set: @Sendable (String, inout DeviceProfile) throws(ValueProblem) -> Void
}

extension DeviceProfile {
  private static let keys: [ProfileKey] = [
    ProfileKey(section: "Match", name: "Bus", allowed: "usb, bluetooth, i2c or a number in hex") {
      (text, profile) throws(ValueProblem) in profile.bus = try parseBus(text)
    },
    ProfileKey(section: "Match", name: "Vendor", allowed: "four digits in hex") {
      (text, profile) throws(ValueProblem) in profile.vendor = try parseNumber16(text)
    },
    ProfileKey(section: "Match", name: "Product", allowed: "four digits in hex") {
      (text, profile) throws(ValueProblem) in profile.product = try parseNumber16(text)
    },
    ProfileKey(section: "Match", name: "Name", allowed: "the device's name; * is any text") {
      (text, profile) throws(ValueProblem) in profile.name = try parseDevice(text)
    },
    ProfileKey(section: "Scale", name: "Minimum", allowed: "a raw value below Maximum") {
      (text, profile) throws(ValueProblem) in profile.tuning.minimum = try parseRaw(text)
    },
    ProfileKey(section: "Scale", name: "Maximum", allowed: "a raw value above Minimum") {
      (text, profile) throws(ValueProblem) in profile.tuning.maximum = try parseRaw(text)
    },
    ProfileKey(section: "Scale", name: "UnitsPerGram", allowed: "0.000001 to 1000000") {
      (text, profile) throws(ValueProblem) in
      profile.tuning.gramsPerUnit = 1 / (try parseNumber(text, 0.000_001...1_000_000))
    },
    ProfileKey(section: "Scale", name: "Range", allowed: "declared or observed") {
      (text, profile) throws(ValueProblem) in profile.tuning.observesRange = try parseRange(text)
    },
    ProfileKey(section: "Contact", name: "PressAt", allowed: "0 to 100%") {
      (text, profile) throws(ValueProblem) in
      profile.setContact(\.pressAt, try parsePercent(text, 0...100))
    },
    ProfileKey(section: "Contact", name: "ReleaseAt", allowed: "0 to PressAt, in per cent") {
      (text, profile) throws(ValueProblem) in
      profile.setContact(\.releaseAt, try parsePercent(text, 0...100))
    },
    ProfileKey(section: "Contact", name: "PressGrams", allowed: "0 to 100kg") {
      (text, profile) throws(ValueProblem) in
      profile.setContact(\.pressGrams, try parseGrams(text, 0...100_000))
    },
    ProfileKey(section: "Contact", name: "ReleaseGrams", allowed: "0 to PressGrams") {
      (text, profile) throws(ValueProblem) in
      profile.setContact(\.releaseGrams, try parseGrams(text, 0...100_000))
    },
    ProfileKey(section: "Pen", name: "DetectOffset", allowed: "yes or no") {
      (text, profile) throws(ValueProblem) in
      profile.tuning.detectsPenOffset = try parseBool(text)
    },
  ]

  private mutating func setContact(
    _ place: WritableKeyPath<ContactSettings, Double>, _ value: Double
  ) {
    var contact = tuning.contact ?? ContactSettings()
    contact[keyPath: place] = value
    tuning.contact = contact
  }

  /// Reads a profile, in the syntax of the configuration.
  ///
  /// - Throws: every error of the file.
  public static func parse(
    _ file: ConfigurationFile
  ) throws(ConfigurationErrors) -> DeviceProfile {
    var reader = ProfileReader(file.path)
    var lines = ConfigurationLines(file.bytes)
    while let (line, item) = lines.nextItem() { reader.take(item, line: line) }
    return try reader.finish()
  }

  private struct ProfileReader {
    private var profile: DeviceProfile
    private var section: String?
    private var errors: [ConfigurationError] = []

    init(_ path: String) {
      profile = DeviceProfile(path: path)
      profile.tuning.profile = path
    }

    mutating func take(_ item: ConfigurationItem, line: Int) {
      switch item {
      case .section(let name):
        section = name
        let sections = ["Match", "Scale", "Contact", "Pen"]
        if sections.contains(name) { return }
        refuse(
          line, key: nil, "there is no section [\(excerpt(name))]",
          allowed: sections.map { "[\($0)]" }.joined(separator: ", "))
      case .assignment(let key, let value): assign(key, value, line: line)
      case .invalid(let problem, let allowed):
        refuse(line, key: nil, problem, allowed: allowed)
      }
    }

    private mutating func assign(_ name: String, _ value: String, line: Int) {
      let here = DeviceProfile.keys.filter { $0.section == section }
      guard let key = here.first(where: { $0.name == name }) else {
        // The keys of a section that doesn't exist were reported with it.
        if section != nil && here.isEmpty { return }
        refuse(
          line, key: excerpt(name), "there is no such key",
          allowed: here.isEmpty ? "[Match] first" : here.map(\.name).joined(separator: ", "),
          suggestion: nearest(to: name, among: here.map(\.name)))
        return
      }
      do throws(ValueProblem) { try key.set(value, &profile) } catch {
        refuse(
          line, key: key.name, "\"\(excerpt(value))\" \(error.reason)", allowed: key.allowed)
      }
    }

    private mutating func refuse(
      _ line: Int, key: String?, _ problem: String, allowed: String, suggestion: String? = nil
    ) {
      errors.append(
        ConfigurationError(
          file: profile.path, line: line, section: section, key: key, problem: problem,
          allowed: allowed, suggestion: suggestion))
    }

    mutating func finish() throws(ConfigurationErrors) -> DeviceProfile {
      if profile.bus == nil && profile.vendor == nil && profile.product == nil
        && profile.name == nil
      {
        section = "Match"
        refuse(
          1, key: nil, "nothing says which devices are meant",
          allowed: "Bus, Vendor, Product or Name")
      }
      if let minimum = profile.tuning.minimum, let maximum = profile.tuning.maximum,
        minimum >= maximum
      {
        section = "Scale"
        refuse(
          1, key: "Minimum", "Minimum (\(minimum)) is not below Maximum (\(maximum))",
          allowed: "below Maximum, \(maximum)")
      }
      if let contact = profile.tuning.contact,
        contact.releaseAt > contact.pressAt || contact.releaseGrams > contact.pressGrams
      {
        section = "Contact"
        refuse(
          1, key: nil, "the release lies above the press",
          allowed: "ReleaseAt up to PressAt, ReleaseGrams up to PressGrams")
      }
      if !errors.isEmpty { throw ConfigurationErrors(errors) }
      return profile
    }
  }
}

/// `BUS_…` of `linux/input.h`.
private func parseBus(_ text: String) throws(ValueProblem) -> UInt16 {
  switch text {
  case "usb": 0x03
  case "bluetooth": 0x05
  case "virtual": 0x06
  case "i2c": 0x18
  default: try parseNumber16(text)
  }
}

private func parseNumber16(_ text: String) throws(ValueProblem) -> UInt16 {
  let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
  guard let number = UInt16(digits, radix: 16), digits.utf8.first != UInt8(ascii: "+") else {
    throw ValueProblem(reason: "is no number of four digits in hex")
  }
  return number
}

private func parseRaw(_ text: String) throws(ValueProblem) -> Int32 {
  Int32(try parseInteger(text, Int(Int32.min)...Int(Int32.max)))
}
