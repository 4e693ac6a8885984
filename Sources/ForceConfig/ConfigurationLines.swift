/// What a line of a configuration file is, comments and continuations resolved.
enum ConfigurationItem: Equatable {
  case section(String)
  case assignment(key: String, value: String)
  case invalid(problem: String, allowed: String)
}

/// Cuts a configuration file into sections and assignments.
///
/// Works on bytes: to Swift's characters, a carriage return before a newline or an accent after an
/// `=` would hide what this syntax goes by.
struct ConfigurationLines {
  private var lines: [ArraySlice<UInt8>]
  private var next = 0

  init(_ bytes: [UInt8]) {
    let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
    lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  /// The next item and the number, from 1, of the line on which it starts; nil at the end.
  mutating func nextItem() -> (line: Int, item: ConfigurationItem)? {
    while next < lines.count {
      let number = next + 1
      let first = trimmed(lines[next])
      next += 1
      if first.isEmpty || isComment(first) { continue }
      return (number, item(of: joined(first)))
    }
    return nil
  }

  /// A line with those that a backslash at its end joins to it. Comments between them are skipped,
  /// as systemd does.
  private mutating func joined(_ first: ArraySlice<UInt8>) -> [UInt8] {
    var text = Array(first)
    while text.last == UInt8(ascii: "\\") {
      text[text.count - 1] = UInt8(ascii: " ")
      while next < lines.count && isComment(trimmed(lines[next])) { next += 1 }
      if next == lines.count { break }
      text += trimmed(lines[next])
      next += 1
    }
    return Array(trimmed(text[...]))
  }

  private func isComment(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";")
  }

  private func item(of bytes: [UInt8]) -> ConfigurationItem {
    guard let line = String(validating: bytes, as: UTF8.self) else {
      return .invalid(
        problem: "\"\(excerpt(String(decoding: bytes, as: UTF8.self)))\" is not valid UTF-8",
        allowed: "text in UTF-8")
    }
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]"), bytes.count > 2 else {
        return .invalid(
          problem: "\"\(excerpt(line))\" is no section", allowed: "[Section] on a line of its own")
      }
      return .section(String(decoding: bytes[1..<(bytes.count - 1)], as: UTF8.self))
    }
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
      return .invalid(
        problem: "\"\(excerpt(line))\" is neither a section nor an assignment",
        allowed: "[Section], Key=value, or a comment that begins with # or ;")
    }
    let key = trimmed(bytes[..<equals])
    if key.isEmpty {
      return .invalid(
        problem: "\"\(excerpt(line))\" has no key before its =", allowed: "Key=value")
    }
    return .assignment(
      key: String(decoding: key, as: UTF8.self),
      value: String(decoding: trimmed(bytes[(equals + 1)...]), as: UTF8.self))
  }
}

/// Without spaces, tabs and carriage returns at either end.
private func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
  guard let first = text.firstIndex(where: { !isSpace($0) }),
    let last = text.lastIndex(where: { !isSpace($0) })
  else { return [] }
  return text[first...last]
}

/// The beginning of a text, for a message that has to stay on one line.
func excerpt(_ text: String) -> String {
  let longest = 60
  var shown = ""
  for (count, scalar) in text.unicodeScalars.enumerated() {
    if count == longest { return shown + "…" }
    shown.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
  }
  return shown
}
