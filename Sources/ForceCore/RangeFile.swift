/// What was learned of a device's range, as a file.
///
///     forced range 1
///     device 0003 1234 5678 usb-0000%3a00/input0
///     axis 0 learned 1200 peak -
///     checksum 9f2c51aa
public enum RangeFile {
  private static let file = DeviceFile(kind: "range")

  /// The name of the file about the device with this key.
  public static func name(for key: String) -> String { file.name(for: key) }

  public static func encode(_ key: String, _ ranges: [RememberedRange]) -> [UInt8] {
    func text(_ value: Int32?) -> String { value.map { "\($0)" } ?? "-" }
    return file.encode(
      key,
      ranges.enumerated().map { axis, range in
        "axis \(axis) learned \(text(range.learnedMaximum)) peak \(text(range.peak))"
      })
  }

  /// - Throws: what is wrong; never returns a part.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(DeviceFile.Damage) -> (key: String, ranges: [RememberedRange]) {
    let (key, lines) = try file.decode(bytes)
    var ranges: [RememberedRange] = []
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count == 6, words[0] == "axis", words[1] == "\(ranges.count)",
        words[2] == "learned", words[4] == "peak", let learned = value(words[3]),
        let peak = value(words[5])
      else { throw DeviceFile.Damage.unreadable(line) }
      ranges.append(RememberedRange(learnedMaximum: learned, peak: peak))
    }
    return (key, ranges)
  }

  /// nil where it is neither a number nor "-".
  private static func value(_ word: Substring) -> Int32?? {
    if word == "-" { return .some(nil) }
    return Int32(word).map { .some($0) }
  }
}
