import ForceCore
import LinuxSystem

extension NodePlace {
  /// The name of the node's device, by `/sys`, without opening it; "" where unknown.
  public var deviceName: String {
    guard !syspath.isEmpty,
      let text = try? FileSystem.read("\(syspath)/device/name", limit: 4_096)
    else { return "" }
    return String(decoding: text.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Whether the node has pressure, triggers or a motor, by what `/sys` says without opening it; nil
  /// where it says nothing.
  ///
  /// The daemon's user may open only such nodes. That it may not open a keyboard, whatever else that
  /// has, is as it should be and no trouble to tell.
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
    // What udev takes for a keyboard: it has all of the first 31 keys, Escape to S.
    if (1...31).allSatisfy({ keys.contains($0) }) { return false }
    let isJoystick = !keys.contains(0x110) && (0x120...0x13f).contains { keys.contains($0) }
    return axes.contains(AbsoluteCode.pressure) || axes.contains(AbsoluteCode.touchPressure)
      || !effects.isEmpty || isJoystick
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
