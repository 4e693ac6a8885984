/// The known name that a misspelt one most likely stands for, or nil where none is near enough.
func nearest(to name: String, among known: [String]) -> String? {
  let wanted = name.lowercased()
  // A longer text cannot be near any of ours, and comparing it costs its length.
  if wanted.unicodeScalars.count > 64 { return nil }
  let bound = max(2, wanted.unicodeScalars.count / 3)
  let distances = known.map { (name: $0, distance: editDistance(wanted, $0.lowercased())) }
  guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= bound
  else { return nil }
  return best.name
}

/// Levenshtein's distance: the fewest insertions, removals and replacements that turn one text into
/// the other.
private func editDistance(_ a: String, _ b: String) -> Int {
  let a = Array(a.unicodeScalars)
  let b = Array(b.unicodeScalars)
  var row = Array(0...b.count)
  for (i, scalar) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, other) in b.enumerated() {
      let replaced = diagonal + (scalar == other ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[b.count]
}
