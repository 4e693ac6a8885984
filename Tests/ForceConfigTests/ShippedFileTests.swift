import ForceConfig
import ForceCore
import LinuxSystem
import Testing

/// A file of the package, by its path from the package's root.
func shipped(_ path: String) throws -> String {
  let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  return String(decoding: try FileSystem.read("\(root)/\(path)"), as: UTF8.self)
}

/// The commented assignments of a file as (section, key, value, the comment above).
func commentedAssignments(
  _ text: String
) -> [(section: String, key: String, value: String, comment: String)] {
  var section = ""
  var comment = ""
  var isOver = false
  var found: [(section: String, key: String, value: String, comment: String)] = []
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    if line.hasPrefix("[") {
      section = String(line.dropFirst().dropLast())
    } else if line.hasPrefix("# ") {
      if isOver { comment = "" }
      isOver = false
      comment += line.dropFirst(2) + " "
    } else if line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
      let key = String(line[..<equals].dropFirst())
      found.append((section, key, String(line[line.index(after: equals)...]), comment))
      isOver = true
    } else if line.isEmpty {
      comment = ""
    }
  }
  return found
}

@Suite struct ShippedFileTests {
  @Test func theShippedFileIsTheDefaults() throws {
    let text = try shipped("conf/forced.conf")
    #expect(try parse(text) == Configuration())
  }

  @Test func theShippedFileWithEveryKeyUncommentedIsTheDefaultsToo() throws {
    let text = try shipped("conf/forced.conf")
    let uncommented = text.split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") && line != "#" ? line.dropFirst() : line
    }.joined(separator: "\n")
    #expect(uncommented.contains("\nTimeConstant=6ms"))
    #expect(try parse(uncommented) == Configuration())
  }

  @Test func theShippedFileHasEveryKeyInOrderWithItsDefault() throws {
    let found = commentedAssignments(try shipped("conf/forced.conf"))
      .filter { !$0.section.hasPrefix("Effect ") }
    #expect(
      found.map { "[\($0.section)] \($0.key)=\($0.value)" }
        == ConfigurationKey.all.map { "[\($0.section)] \($0.name)=\($0.defaultText)" })
  }

  @Test func theShippedFileHasEveryBuiltInEffectWithEveryKey() throws {
    let found = commentedAssignments(try shipped("conf/forced.conf"))
    for name in HapticPattern.builtIn.keys {
      let keys = found.filter { $0.section == "Effect \(name)" }.map(\.key)
      #expect(keys == EffectKey.all.map(\.name), "\(name)")
    }
  }

  @Test func everyKeyOfTheShippedFileIsExplained() throws {
    for (section, key, _, comment) in commentedAssignments(try shipped("conf/forced.conf")) {
      // Explained once, with the first effect.
      if section.hasPrefix("Effect "), section != "Effect click" { continue }
      #expect(comment.count > 20, "\(key)")
    }
  }
}
