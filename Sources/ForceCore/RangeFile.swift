/// What was learned of a device's range, as a file: lines of text with a checksum at the end.
///
///     forced range 1
///     device 0003 1234 5678 usb-0000%3a00/input0
///     axis 0 learned 1200 peak -
///     checksum 9f2c51aa
public enum RangeFile {
  private static let heading = "forced range 1"

  /// The name of a device's file, by what `CalibrationFile.identity(of:)` says of it.
  public static func name(for identity: String) -> String {
    CalibrationFile.baseName(for: identity) + ".range"
  }

  public static func encode(_ identity: String, _ ranges: [RememberedRange]) -> [UInt8] {
    func text(_ value: Int32?) -> String { value.map { "\($0)" } ?? "-" }
    var lines = "\(heading)\ndevice \(identity)\n"
    for (axis, range) in ranges.enumerated() {
      lines += "axis \(axis) learned \(text(range.learnedMaximum)) peak \(text(range.peak))\n"
    }
    return CalibrationFile.withChecksum(lines)
  }

  /// - Throws: what is wrong; never returns a part.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(CalibrationFile.Damage) -> (identity: String, ranges: [RememberedRange]) {
    var lines = try CalibrationFile.checkedLines(of: bytes)
    guard lines.popFirst() == heading[...], let device = lines.popFirst(),
      device.hasPrefix("device ")
    else { throw CalibrationFile.Damage(description: "it is no range of this version") }
    var ranges: [RememberedRange] = []
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count == 6, words[0] == "axis", words[1] == "\(ranges.count)",
        words[2] == "learned", words[4] == "peak", let learned = value(words[3]),
        let peak = value(words[5])
      else { throw CalibrationFile.Damage(description: "it has a line that says nothing") }
      ranges.append(RememberedRange(learnedMaximum: learned, peak: peak))
    }
    return (String(device.dropFirst(7)), ranges)
  }

  /// nil where it is neither a number nor "-".
  private static func value(_ word: Substring) -> Int32?? {
    if word == "-" { return .some(nil) }
    return Int32(word).map { .some($0) }
  }
}
