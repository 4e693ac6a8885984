/// Text with blanks behind it, up to a width.
func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(width - text.count, 0))
}

/// Text with blanks before it, up to a width.
func aligned(_ text: String, to width: Int) -> String {
  String(repeating: " ", count: max(width - text.count, 0)) + text
}

/// Text in lines of at most `width` characters, broken between words where that can be.
func wrapped(_ text: String, to width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = ""
    }
    line += line.isEmpty ? String(word) : " \(word)"
  }
  return lines + [line]
}

/// A number with so many decimals, 0…6.
func fixed(_ value: Double, places: Int) -> String {
  let power = (0..<min(max(places, 0), 6)).reduce(1.0) { power, _ in power * 10 }
  let scaled = (value * power).rounded()
  guard scaled.isFinite, scaled.magnitude < 9e15 else { return String(value) }
  let whole = Int64(scaled)
  guard places > 0 else { return String(whole) }
  let (seconds, fraction) = whole.magnitude.quotientAndRemainder(dividingBy: UInt64(power))
  let digits = String(fraction)
  let zeros = String(repeating: "0", count: max(places - digits.count, 0))
  return "\(whole < 0 ? "-" : "")\(seconds).\(zeros)\(digits)"
}

/// A whole number in groups of three digits.
func grouped(_ value: UInt64) -> String {
  let digits = Array(String(value))
  var text = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return text
}

/// The word that was probably meant, or nil when none is near.
func nearest(to word: String, among words: [String]) -> String? {
  let near = words.map { (word: $0, distance: editDistance(word, $0)) }
    .min { $0.distance < $1.distance }
  // Two letters in the wrong order are two replacements.
  guard let near, near.distance <= max(2, near.word.count / 3), near.distance < near.word.count,
    near.distance < word.count
  else { return nil }
  return near.word
}

/// How many letters to insert, remove or replace to make one word of the other (Levenshtein).
private func editDistance(_ a: String, _ b: String) -> Int {
  let b = Array(b.prefix(64))
  var row = Array(0...b.count)
  for (i, letter) in a.prefix(64).enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, other) in b.enumerated() {
      let replaced = diagonal + (letter == other ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
    }
  }
  return row[b.count]
}
