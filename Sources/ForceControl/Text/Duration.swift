import ForceClient

/// Reads "500ms", "1.5s", "2m", "1h" or a bare number of seconds; above 0, at most 1,000 h.
func duration(_ text: String) -> Microseconds? {
  let units: [(suffix: String, microseconds: Double)] = [
    ("ms", 1_000), ("s", 1_000_000), ("min", 60_000_000), ("m", 60_000_000), ("h", 3_600_000_000),
    ("", 1_000_000),
  ]
  for unit in units where text.hasSuffix(unit.suffix) {
    let digits = text.dropLast(unit.suffix.count)
    guard let number = plainNumber(digits) else { continue }
    let microseconds = number * unit.microseconds
    guard microseconds >= 1, microseconds <= 3_600_000_000_000 else { return nil }
    return Microseconds(Int64(microseconds))
  }
  return nil
}

/// A length of time for people, in its two largest units: "2 h 3 min".
func spoken(seconds: Double) -> String {
  let whole = Int64(min(max(seconds, 0), 1e12))
  let parts: [(Int64, String)] = [
    (whole / 86_400, "d"), (whole / 3_600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s"),
  ]
  guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
  return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    .joined(separator: " ")
}

/// Digits, with a point among them: `12.5`. Double would take "0x10", "+5", "inf" and "1e9", too.
func plainNumber(_ text: some StringProtocol) -> Double? {
  guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else {
    return nil
  }
  return Double(text)
}
