import ForceCore

/// Why a value cannot be taken, as the rest of a sentence that begins with the value.
struct ValueProblem: Error, Equatable {
  var reason: String

  static let outOfRange = ValueProblem(reason: "is out of range")
}

/// A number and the unit behind it.
private struct Quantity {
  var number: Double
  var unit: String
}

/// Reads quantities one after the other: `2min 30s`, `85 %`, `385g`.
private func quantities(_ text: String) -> [Quantity]? {
  var rest = text.utf8[...]
  var found: [Quantity] = []
  while !rest.isEmpty {
    let digits = rest.prefix(while: isNumberByte)
    rest = rest.dropFirst(digits.count).drop(while: isSpace)
    let unit = rest.prefix { !isNumberByte($0) && !isSpace($0) }
    rest = rest.dropFirst(unit.count).drop(while: isSpace)
    guard let number = decimal(String(decoding: digits, as: UTF8.self)) else { return nil }
    found.append(Quantity(number: number, unit: String(decoding: unit, as: UTF8.self)))
  }
  return found.isEmpty ? nil : found
}

private func isSpace(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

private func isNumberByte(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
}

/// A decimal number without exponent, and short enough to be meant.
private func decimal(_ text: String) -> Double? {
  guard text.utf8.count <= 32, text.utf8.contains(where: { $0 != UInt8(ascii: ".") }) else {
    return nil
  }
  return Double(text)
}

private func oneQuantity(
  _ text: String, units: [String: Double], what: String
) throws(ValueProblem) -> Double {
  guard let all = quantities(text), all.count == 1, let factor = units[all[0].unit] else {
    throw ValueProblem(reason: "is not \(what)" + commentHint(text))
  }
  return all[0].number * factor
}

/// A comment behind a value is a common slip: this syntax has none.
private func commentHint(_ text: String) -> String {
  let hasComment = zip(text, text.dropFirst()).contains { $0 == " " && ($1 == "#" || $1 == ";") }
  return hasComment ? " (a comment needs a line of its own)" : ""
}

private func within<T: Comparable>(_ value: T, _ range: ClosedRange<T>) throws(ValueProblem) -> T {
  if !range.contains(value) { throw .outOfRange }
  return value
}

/// A length of time; a bare number is in milliseconds.
func parseDuration(
  _ text: String, _ range: ClosedRange<Microseconds>
) throws(ValueProblem) -> Microseconds {
  let units: [String: Double] = [
    "us": 1, "usec": 1, "µs": 1, "μs": 1, "ms": 1e3, "msec": 1e3, "s": 1e6, "sec": 1e6,
    "second": 1e6, "seconds": 1e6, "m": 60e6, "min": 60e6, "minute": 60e6, "minutes": 60e6,
    "h": 3600e6, "hr": 3600e6, "hour": 3600e6, "hours": 3600e6,
  ]
  guard let parts = quantities(text) else {
    throw ValueProblem(reason: "is not a length of time" + commentHint(text))
  }
  var total = 0.0
  for part in parts {
    let isBare = part.unit.isEmpty && parts.count == 1
    guard let factor = isBare ? 1e3 : units[part.unit], part.number >= 0 || parts.count == 1 else {
      throw ValueProblem(reason: "is not a length of time" + commentHint(text))
    }
    total += part.number * factor
  }
  // Compared as Double first: what is far out of range need not fit Int64.
  _ = try within(total, Double(range.lowerBound.count)...Double(range.upperBound.count))
  let length = Microseconds(Int64(total.rounded()))
  guard length != .zero || total == 0 else {
    throw ValueProblem(reason: "is too short: times count in whole microseconds")
  }
  return length
}

/// Per cent; the sign may be left out.
func parsePercent(_ text: String, _ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
  try within(try oneQuantity(text, units: ["": 1, "%": 1], what: "a percentage"), range)
}

/// Per cent per second; the unit may be left out.
func parseRate(_ text: String, _ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
  try within(
    try oneQuantity(text, units: ["": 1, "%/s": 1], what: "a rate in per cent per second"), range)
}

/// A frequency; the unit may be left out.
func parseFrequency(_ text: String, _ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
  try within(
    try oneQuantity(text, units: ["": 1, "Hz": 1, "kHz": 1_000], what: "a frequency"), range)
}

/// A number without a unit.
func parseNumber(_ text: String, _ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
  try within(try oneQuantity(text, units: ["": 1], what: "a number"), range)
}

/// Grams; the unit may be left out.
func parseGrams(_ text: String, _ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
  try within(
    try oneQuantity(text, units: ["": 1, "g": 1, "kg": 1_000], what: "a mass in grams"), range)
}

/// A size in bytes; K and M count in steps of 1,024.
func parseSize(_ text: String, _ range: ClosedRange<Int>) throws(ValueProblem) -> Int {
  let units: [String: Double] = [
    "": 1, "B": 1, "K": 1_024, "KiB": 1_024, "M": 1_048_576, "MiB": 1_048_576,
  ]
  let size = try oneQuantity(text, units: units, what: "a size in bytes")
  _ = try within(size, Double(range.lowerBound)...Double(range.upperBound))
  guard let whole = Int(exactly: size) else {
    throw ValueProblem(reason: "is not a whole number of bytes")
  }
  return whole
}

func parseInteger(_ text: String, _ range: ClosedRange<Int>) throws(ValueProblem) -> Int {
  let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
  guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
    throw ValueProblem(reason: "is not a whole number" + commentHint(text))
  }
  guard let value = Int(text) else { throw .outOfRange }
  return try within(value, range)
}

/// The name of a filter.
func parseFilter(_ text: String) throws(ValueProblem) -> SmoothingFilter {
  guard let filter = SmoothingFilter(rawValue: text) else {
    throw ValueProblem(reason: "is not the name of a filter" + commentHint(text))
  }
  return filter
}

/// What counts as 100 %; true for the hardest press so far.
func parseRange(_ text: String) throws(ValueProblem) -> Bool {
  switch text {
  case "declared": return false
  case "observed": return true
  default: throw ValueProblem(reason: "is neither declared nor observed" + commentHint(text))
  }
}

/// systemd's words for true and false.
func parseBool(_ text: String) throws(ValueProblem) -> Bool {
  switch text.lowercased() {
  case "1", "yes", "y", "true", "t", "on": return true
  case "0", "no", "n", "false", "f", "off": return false
  default: throw ValueProblem(reason: "is neither yes nor no" + commentHint(text))
  }
}

/// Permission bits in octal.
func parseMode(_ text: String) throws(ValueProblem) -> UInt32 {
  guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
    let mode = UInt32(text, radix: 8)
  else { throw ValueProblem(reason: "is not a mode in octal" + commentHint(text)) }
  return try within(mode, 0...0o777)
}

/// The name or number of a group; nil for `none`.
func parseGroup(_ text: String) throws(ValueProblem) -> String? {
  if text == "none" { return nil }
  let isName = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
  guard isName, text.utf8.first != UInt8(ascii: "-"), text.utf8.count <= 32 else {
    throw ValueProblem(reason: "is not the name of a group" + commentHint(text))
  }
  return text
}

/// The id or name of a device, taken as it stands.
func parseDevice(_ text: String) throws(ValueProblem) -> String {
  guard text.utf8.count <= 256,
    text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
  else { throw ValueProblem(reason: "is not the id or name of a device") }
  return text
}
