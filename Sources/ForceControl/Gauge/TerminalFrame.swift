/// Redraws a few lines in place with the least that every terminal understands.
struct TerminalFrame {
  /// Hides the cursor and cuts long lines instead of wrapping them, so that a line is one row.
  static let begin = "\u{1b}[?25l\u{1b}[?7l"
  static let end = "\u{1b}[?7h\u{1b}[?25h"

  private var shown: [String] = []
  private var columns = 0

  /// What to write so that `lines` stand where the last ones stood; "" when nothing changed.
  mutating func draw(_ lines: [String], columns: Int) -> String {
    if lines == shown, columns == self.columns { return "" }
    var text = shown.isEmpty ? Self.begin : "\r" + up(rowsAbove(at: columns))
    for (index, line) in lines.enumerated() {
      // Cleared before it is written: behind a line that fills the row, the cursor still stands on its
      // last character. The last one clears all that is below it, too.
      let clear = index + 1 < lines.count ? "\u{1b}[0K" : "\u{1b}[0J"
      text += (index > 0 ? "\r\n" : "") + clear + line
    }
    shown = lines
    self.columns = columns
    return text
  }

  /// What to write at the end: the lines stay, the cursor goes below them.
  mutating func finish() -> String {
    guard !shown.isEmpty else { return "" }
    shown = []
    return "\r\n" + Self.end
  }

  private func up(_ rows: Int) -> String { rows > 0 ? "\u{1b}[\(rows)A" : "" }

  /// A terminal that became narrower may have broken the lines that it shows into several rows.
  private func rowsAbove(at columns: Int) -> Int {
    let rows = shown.map { line -> Int in
      guard columns > 0, columns < self.columns else { return 1 }
      return max((min(visibleWidth(line), self.columns) + columns - 1) / columns, 1)
    }
    return rows.reduce(0, +) - 1
  }
}

/// How many columns a line takes without its escape sequences.
func visibleWidth(_ line: String) -> Int {
  var width = 0
  var isEscaped = false
  for character in line {
    if character == "\u{1b}" {
      isEscaped = true
    } else if isEscaped {
      isEscaped = !character.isLetter
    } else {
      width += 1
    }
  }
  return width
}
