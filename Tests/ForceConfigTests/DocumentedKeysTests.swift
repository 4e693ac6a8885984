import ForceConfig
import ForceCore
import Testing

/// Words without the marks around them.
private func words(_ text: some StringProtocol) -> [String] {
  text.split { " \n,;()\"".contains($0) }.map { word in
    String(word.hasSuffix(".") ? word.dropLast() : word)
  }
}

/// What a key may be, in the words of `allowed` of which a document has to use the same.
private struct Bounds {
  /// One after the other, such as "0 to 10s".
  var phrases: [[String]] = []
  /// Anywhere.
  var single: [String] = []
  /// What a bare number is in.
  var unit: String?

  init(_ allowed: String) {
    for clause in allowed.split(separator: ";") {
      let all = words(clause)
      if all.starts(with: ["a", "bare", "number"]) {
        unit = all.last
      } else if all == ["yes", "or", "no"] || clause.contains(": ") {
        phrases.append(all)
      } else if all.dropFirst().contains("to"), clause.contains(where: \.isNumber),
        !all.contains("up")
      {
        // The unit in words behind it is said once for the file.
        phrases.append(Array(all.prefix { $0 != "in" && $0 != "per" }))
      } else {
        single += all.filter { !["the", "of", "a", "an", "or", "up", "to"].contains($0) }
      }
    }
  }

  /// What of it a text does not say.
  func missing(in text: String) -> [String] {
    let said = words(text)
    var missing = single.filter { !said.contains($0) && !said.contains("\($0):") }
    for phrase in phrases
    where !said.indices.contains(where: { start in
      said.count - start >= phrase.count && zip(said[start...], phrase).allSatisfy(isSame)
    }) {
      missing.append(phrase.joined(separator: " "))
    }
    return missing
  }
}

/// A number may have its unit elsewhere; a sentence may begin with the word.
private func isSame(_ said: String, _ wanted: String) -> Bool {
  if said == wanted || said.lowercased() == wanted { return true }
  let number = wanted.prefix { $0.isNumber || $0 == "." }
  return !number.isEmpty && said == number
}

/// An entry of a manual page: the lines of its label and what is said below them.
private struct Entry {
  var section: String
  var labels: [[String]] = []
  var text = ""

  func names(_ key: String) -> Bool { labels.contains { $0.contains("\(key)=") } }

  /// What stands behind the key in the label.
  func value(of key: String) -> String? {
    for label in labels {
      guard let place = label.firstIndex(of: "\(key)=") else { continue }
      return place + 1 < label.count ? label[place + 1] : ""
    }
    return nil
  }
}

private func entries(ofPage page: String) -> [Entry] {
  var section = ""
  var entries: [Entry] = []
  var isLabel = false
  for line in page.split(separator: "\n") {
    if line.hasPrefix(".SH") {
      section = line.dropFirst(4).filter { !"[]".contains($0) }
      entries.append(Entry(section: section))
    } else if line == ".TP" {
      entries.append(Entry(section: section))
      isLabel = true
    } else if line == ".TQ" {
      isLabel = true
    } else if !entries.isEmpty {
      let isMacro = line.hasPrefix(".")
      var said = words(line)
      if isMacro { said.removeFirst() }
      if isLabel { entries[entries.count - 1].labels.append(said) }
      let plain = said.joined(separator: " ").filter { $0 != "\\" }
      if !isLabel { entries[entries.count - 1].text += plain + " " }
      isLabel = false
    }
  }
  return entries
}

/// What the shipped file and its manual page say of each key is what the code has.
@Suite struct DocumentedKeysTests {
  @Test func theShippedFileNamesTheBoundsOfEachKeyWithTheKey() throws {
    let found = commentedAssignments(try shipped("conf/forced.conf"))
    func check(_ section: String, _ key: String, _ allowed: String) {
      let comment = found.first { $0.section == section && $0.key == key }?.comment ?? ""
      let bounds = Bounds(allowed)
      #expect(bounds.missing(in: comment) == [], "[\(section)] \(key): \(comment)")
      guard let unit = bounds.unit else { return }
      #expect(comment.contains("Unit: \(unit)"), "[\(section)] \(key): \(comment)")
    }
    for key in ConfigurationKey.all { check(key.section, key.name, key.allowed) }
    for key in EffectKey.all { check("Effect click", key.name, key.allowed) }
  }

  @Test func theManualNamesTheBoundsOfEachKeyWithTheKey() throws {
    let entries = entries(ofPage: try shipped("man/forced.conf.5"))
    func check(_ section: String, _ key: String, _ allowed: String) {
      let text = entries.first { $0.section == section && $0.names(key) }?.text ?? ""
      #expect(Bounds(allowed).missing(in: text) == [], "[\(section)] \(key): \(text)")
    }
    for key in ConfigurationKey.all { check(key.section, key.name, key.allowed) }
    for key in EffectKey.all { check("Effect NAME", key.name, key.allowed) }
  }

  @Test func theManualNamesTheDefaultOfEachKey() throws {
    let entries = entries(ofPage: try shipped("man/forced.conf.5"))
    for key in ConfigurationKey.all {
      let entry = entries.first { $0.section == key.section && $0.names(key.name) }
      #expect(entry?.value(of: key.name) == key.defaultText, "[\(key.section)] \(key.name)")
    }
  }
}
