import ForceClient

/// How `tune` shows what it measured.
struct TuneText {
  var device: DeviceRecord
  var session: TuneSession

  /// What is missing is absent, not 0.
  private static let absent = "–"

  /// The table, as wide as it is or, where that is wider than `width`, narrower: without grams and
  /// units, and with names cut.
  func table(width: Int = .max) -> [String] {
    if isWide(in: width) { return lines(wideRows, gap: 2) }
    var narrow = rows(headings: ["", "NOISE", "LAG", "SETTLES"], withGrams: false)
    let excess = lineWidth(narrow, gap: 1) - width
    if excess > 0 {
      let room = max((narrow.map { $0[0].count }.max() ?? 0) - excess, 8)
      for index in narrow.indices where narrow[index][0].count > room {
        narrow[index][0] = narrow[index][0].prefix(room - 1) + "…"
      }
    }
    return lines(narrow, gap: 1)
  }

  private func isWide(in width: Int) -> Bool { lineWidth(wideRows, gap: 2) <= width }

  private var wideRows: [[String]] {
    rows(headings: ["", "NOISE %", "GRAMS", "LAG ms", "SETTLES ms"], withGrams: true)
  }

  private func rows(headings: [String], withGrams: Bool) -> [[String]] {
    [headings]
      + zip(session.candidates, session.figures).map { candidate, figures in
        var cells = [mark(candidate) + candidate.settings.name]
        cells.append(figures.noise.map { fixed($0, places: 3) } ?? Self.absent)
        if withGrams {
          cells.append(grams(figures).map { fixed($0, places: 2) } ?? Self.absent)
        }
        cells.append(lag(figures))
        cells.append(figures.settling.map { fixed($0, places: 0) } ?? Self.absent)
        return cells
      }
  }

  private func lag(_ figures: SmoothingFigures) -> String {
    guard let lag = figures.lag else { return Self.absent }
    return lag >= longestLag ? ">\(fixed(longestLag, places: 0))" : fixed(lag, places: 1)
  }

  private var longestLag: Double { SmoothingComparison.longestLag.milliseconds }

  private func grams(_ figures: SmoothingFigures) -> Double? {
    guard let noise = figures.noise, let span = device.spanGrams else { return nil }
    return noise / 100 * span
  }

  private func mark(_ candidate: TuneCandidate) -> String {
    switch candidate.role {
    case .inForce: "* "
    case .asked: "+ "
    case .other: "  "
    }
  }

  private func widths(_ rows: [[String]]) -> [Int] {
    rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
  }

  private func lineWidth(_ rows: [[String]], gap: Int) -> Int {
    widths(rows).reduce(0, +) + gap * (rows[0].count - 1)
  }

  private func lines(_ rows: [[String]], gap: Int) -> [String] {
    let widths = widths(rows)
    return rows.map { row in
      row.indices.map { column in
        column == 0 ? padded(row[0], to: widths[0]) : aligned(row[column], to: widths[column])
      }.joined(separator: String(repeating: " ", count: gap))
    }
  }

  /// What stands under the table.
  func legend(width: Int = .max) -> [String] {
    var lines = isWide(in: width) ? [] : ["noise in %, lag and settling in ms"]
    lines.append(marks)
    if device.gramsSource == "nominal" && isWide(in: width) {
      lines.append("grams are nominal: no measurement")
    }
    if session.missed > 0 {
      lines.append("\(grouped(session.missed)) readings were missed: the figures are coarse")
    }
    return lines.flatMap { wrapped($0, to: width) }
  }

  private var marks: String {
    let marks = "* in force now" + (hasAsked ? ", + as you asked" : "")
    guard let first = session.candidates.first?.settings else { return marks }
    return marks
      + "; each within \(brief(first.riseRate)) %/s up, \(brief(first.fallRate)) %/s down"
  }

  private var hasAsked: Bool { session.candidates.contains { $0.role == .asked } }

  /// One object for each setting.
  var json: [String] {
    zip(session.candidates, session.figures).map { candidate, figures in
      var object: JSONObject = [
        "device": .string(device.id), "setting": .string(candidate.settings.name),
        "in_force": .bool(candidate.role == .inForce),
        "presses": .integer(Int64(session.presses)),
      ]
      func set(_ key: String, _ value: Double?, places: Double) {
        object[key] = value.map { .number(($0 * places).rounded() / places) }
      }
      set("noise_percent", figures.noise, places: 10_000)
      set("noise_grams", grams(figures), places: 10_000)
      set("lag_ms", figures.lag, places: 10)
      set("settles_ms", figures.settling, places: 1)
      if session.missed > 0 { object["missed"] = JSONValue(session.missed) }
      object["smoothing"] = .object(SmoothingRecord(candidate.settings).parameters)
      return object.description
    }
  }

  /// How to take a setting over: the one that was asked for, else the calmest of those that lag no
  /// more than the one in force.
  var conclusion: [String] {
    guard let choice else {
      let inForce = session.figures.first ?? SmoothingFigures()
      return inForce.noise == nil || inForce.lag == nil
        ? ["Too little was measured to choose by. " + session.advice]
        : ["No setting here is calmer than the one in force without lagging more."]
    }
    let why =
      choice.role == .asked
      ? "as you asked" : "the calmest of those that lag no more than the one in force"
    return ["\(choice.settings.name), \(why). To keep it, in /etc/forced/forced.conf.d/tune.conf:"]
      + choice.settings.configurationLines.map { "    \($0)" }
      + [
        "then `sudo systemctl reload forced`. To try it until the next reload:",
        "    forcectl call SetSmoothing '\(choice.settings.call)'",
      ]
  }

  private var choice: TuneCandidate? {
    if let asked = session.candidates.first(where: { $0.role == .asked }) { return asked }
    let measured = Array(zip(session.candidates, session.figures))
    guard let inForce = measured.first?.1, let noise = inForce.noise, let lag = inForce.lag else {
      return nil
    }
    let better = measured.filter { _, figures in
      guard let other = figures.noise, let late = figures.lag else { return false }
      // Half a millisecond is the nearest that a lag is known.
      return other < noise * 0.95 && late <= lag + 0.5
    }
    return better.min { ($0.1.noise ?? 0) < ($1.1.noise ?? 0) }?.0
  }
}
