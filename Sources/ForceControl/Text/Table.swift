/// Columns of text, each as wide as its widest cell, with notes under the rows.
struct Table {
  private let headings: [String]
  private var rows: [(cells: [String], notes: [String])] = []

  init(_ headings: [String]) { self.headings = headings }

  mutating func add(_ cells: [String], notes: [String] = []) {
    rows.append((cells, notes))
  }

  var text: String {
    let widths = headings.indices.map { column in
      rows.map { $0.cells[column].count }.reduce(headings[column].count, max)
    }
    var text = line(headings, widths)
    for row in rows {
      text += line(row.cells, widths)
      for note in row.notes { text += "    \(note)\n" }
    }
    return text
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = zip(cells, widths).map { padded($0, to: $1) }.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}
