import ForceClient

/// How a gauge looks.
struct GaugeStyle: Equatable, Sendable {
  var colour: Bool
  /// Columns that a line may take.
  var width: Int
}

/// One contact's line: `42 %  162 g  [████████······]`.
///
/// - Parameter label: what stands before it, where there are several; "" for none.
func gaugeLine(_ reading: ReadingRecord, label: String, style: GaugeStyle) -> String {
  let percent = aligned(percentText(reading, places: 0), to: 5)
  let grams = aligned("\(fixed(reading.grams, places: 0)) g", to: 6)
  let note = reading.state == .released ? "  released" : ""
  let numbers = label.isEmpty ? "\(percent)  \(grams)" : "\(label)  \(percent)  \(grams)"
  // The longest note keeps its place, so that the bar's length does not jump.
  let room = style.width - numbers.count - "  []  released".count
  let cells = min(room, 40)
  guard cells >= 4 else {
    if numbers.count + note.count <= style.width { return numbers + note }
    // The numbers of a contact that has ended are 0: the word says more.
    guard reading.state == .released else { return numbers }
    return label.isEmpty ? "released" : "\(label)  released"
  }
  let bar = gaugeBar(percent: reading.percent, cells: cells)
  return "\(numbers)  [\(coloured(bar, reading, style))]\(note)"
}

/// A bar of so many cells. Anything above 0 shows, and only 100 % fills it.
func gaugeBar(percent: Double, cells: Int) -> String {
  let share = min(max(percent, 0), 100) / 100
  var filled = Int((share * Double(cells)).rounded())
  if share > 0 { filled = max(filled, 1) }
  if share < 1 { filled = min(filled, cells - 1) }
  return String(repeating: "█", count: filled) + String(repeating: "·", count: cells - filled)
}

private func coloured(_ bar: String, _ reading: ReadingRecord, _ style: GaugeStyle) -> String {
  guard style.colour, reading.state != .released else { return bar }
  let colour = reading.atMaximum ? "1;31" : reading.percent >= 80 ? "33" : "32"
  return "\u{1b}[\(colour)m\(bar)\u{1b}[0m"
}
