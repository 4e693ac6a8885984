/// What is kept of a device from one start to the next: lines of text under a heading, with a checksum at
/// the end, so that half a file is never taken for a whole one.
///
///     forced calibration 1
///     device 0003 1234 5678 usb-0000%3a00/input0
///     ...
///     checksum 9f2c51aa
public struct DeviceFile: Sendable {
  /// Why a file is not what it should be.
  public struct Damage: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// What is kept: the kind of file, the ending of its name.
  let kind: String

  /// The name of the file about the device with this key.
  func name(for key: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return "\(hex(hash, 16)).\(kind)"
  }

  func encode(_ key: String, _ lines: [String]) -> [UInt8] {
    let text = (["forced \(kind) 1", "device \(key)"] + lines).joined(separator: "\n") + "\n"
    return Array((text + "checksum \(hex(UInt64(checksum(text.utf8)), 8))\n").utf8)
  }

  /// The device's key and the lines below it.
  /// - Throws: what is wrong; never returns a part.
  func decode(_ bytes: [UInt8]) throws(Damage) -> (key: String, lines: ArraySlice<Substring>) {
    guard let text = String(validating: bytes, as: UTF8.self), text.utf8.last == 10 else {
      throw Damage(description: "it ends in the middle of a line")
    }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard let last = lines.popLast(), last.hasPrefix("checksum ") else {
      throw Damage(description: "it has no checksum")
    }
    let body = bytes.dropLast(last.utf8.count + 1)
    guard last.dropFirst(9) == hex(UInt64(checksum(body)), 8) else {
      throw Damage(description: "its checksum is wrong")
    }
    guard lines.popFirst() == "forced \(kind) 1", let device = lines.popFirst(),
      device.hasPrefix("device ")
    else { throw Damage(description: "it is no \(kind) of this version") }
    return (String(device.dropFirst(7)), lines)
  }
}

extension DeviceFile.Damage {
  static func unreadable(_ line: Substring) -> Self {
    Self(description: "it has a line that cannot be read, \"\(line.prefix(80))\"")
  }
}

extension DeviceIdentity {
  /// Which device it is, however often it is plugged in: bus, vendor, product, and the serial number
  /// or else where it is plugged in. One line without blanks in its parts.
  public var key: String {
    let place = uniq.isEmpty ? phys : uniq
    return "\(hex(UInt64(bus), 4)) \(hex(UInt64(vendor), 4)) \(hex(UInt64(product), 4)) "
      + escaped(place.isEmpty ? "-" : place)
  }
}

/// CRC-32, as zip has it.
func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
  var sum: UInt32 = 0xffff_ffff
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
  }
  return ~sum
}

private func hex(_ number: UInt64, _ digits: Int) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(digits - text.count, 0)) + text
}

private func escaped(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    if (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "%") {
      result.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      result += "%" + hex(UInt64(byte), 2)
    }
  }
  return result
}
