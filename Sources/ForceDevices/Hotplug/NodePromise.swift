import ForceCore
import LinuxSystem

extension NodePlace {
  /// Whether the node has pressure, triggers or a motor, by what `/sys` says without opening it; nil
  /// where it says nothing.
  ///
  /// The daemon's user may open only such nodes. That it may not open a keyboard is as it should be
  /// and no trouble to tell.
  public var promisesForceOrMotor: Bool? {
    guard !syspath.isEmpty else { return nil }
    func bits(_ kind: String) -> CapabilityBits? {
      guard let text = try? FileSystem.read("\(syspath)/device/capabilities/\(kind)", limit: 4_096)
      else { return nil }
      return CapabilityBits(String(decoding: text, as: UTF8.self))
    }
    guard let axes = bits("abs"), let effects = bits("ff"), let keys = bits("key") else {
      return nil
    }
    return axes.contains(AbsoluteCode.pressure) || axes.contains(AbsoluteCode.touchPressure)
      || !effects.isEmpty || (0x120...0x13f).contains(where: { keys.contains($0) })  // joysticks
  }
}

/// A bit mask as the kernel writes it: words of `long` in hexadecimal, the highest first.
struct CapabilityBits {
  private let words: [UInt]

  init?(_ text: String) {
    var words: [UInt] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      guard let value = UInt(word, radix: 16) else { return nil }
      words.append(value)
    }
    self.words = words.reversed()
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  func contains(_ bit: UInt16) -> Bool {
    let (word, place) = Int(bit).quotientAndRemainder(dividingBy: UInt.bitWidth)
    return word < words.count && words[word] >> UInt(place) & 1 == 1
  }
}
