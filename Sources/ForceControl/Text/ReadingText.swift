import ForceClient
import LinuxSystem

/// "42 %", or "100%+" at the limit.
func percentText(_ reading: ReadingRecord, places: Int) -> String {
  reading.atMaximum && reading.percent >= 100
    ? "100%+" : "\(fixed(reading.percent, places: places)) %"
}

/// The line that `watch --plain` prints: `simulated-pad 0  42.3 %  162.9 g`.
func plainLine(_ reading: ReadingRecord, dropped: UInt64 = 0) -> String {
  var line = "\(printable(reading.device)) \(reading.contact)  "
  switch reading.state {
  case .released: line += "released"
  case .touching, .steady:
    line += "\(percentText(reading, places: 1))  \(fixed(reading.grams, places: 1)) g"
    if reading.state == .steady { line += "  steady" }
  }
  if dropped > 0 { line += "  (\(dropped) missed)" }
  return line
}

/// The object that `watch --json` prints: the reading, and the readings missed before it.
func jsonLine(_ reading: ReadingRecord, dropped: UInt64 = 0) -> String {
  var object = reading.object
  if dropped > 0 { object["dropped"] = JSONValue(dropped) }
  return object.description
}
