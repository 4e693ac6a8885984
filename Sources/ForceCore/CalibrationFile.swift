/// A device's calibrations as a file: lines of text with a checksum at the end, so that half a file is
/// never taken for a whole one.
///
///     forced calibration 1
///     device 0003 1234 5678 usb-0000%3a00/input0
///     contact 0 line
///     point 12.5 0.0
///     point 612.25 500.0
///     checksum 9f2c51aa
public enum CalibrationFile {
  /// Why a file is not what it should be.
  public struct Damage: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String
  }

  private static let heading = "forced calibration 1"

  /// Which device it is, however often it is plugged in: bus, vendor, product, and the serial number
  /// or else where it is plugged in. One line without blanks in its parts.
  public static func identity(of device: DeviceIdentity) -> String {
    let place = device.uniq.isEmpty ? device.phys : device.uniq
    return "\(hex(UInt64(device.bus), 4)) \(hex(UInt64(device.vendor), 4)) "
      + "\(hex(UInt64(device.product), 4)) \(escaped(place.isEmpty ? "-" : place))"
  }

  /// The name of its file.
  public static func name(for identity: String) -> String {
    baseName(for: identity) + ".calibration"
  }

  static func baseName(for identity: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in identity.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hex(hash, 16)
  }

  public static func encode(_ identity: String, _ calibrations: [Int32: Calibration]) -> [UInt8] {
    var text = "\(heading)\ndevice \(identity)\n"
    for (contact, calibration) in calibrations.sorted(by: { $0.key < $1.key }) {
      text += "contact \(contact) \(calibration.method.rawValue)\n"
      for point in calibration.points { text += "point \(point.raw) \(point.grams)\n" }
    }
    return withChecksum(text)
  }

  static func withChecksum(_ text: String) -> [UInt8] {
    Array((text + "checksum \(hex(UInt64(checksum(text.utf8)), 8))\n").utf8)
  }

  /// - Throws: what is wrong; never returns a part.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(Damage) -> (identity: String, calibrations: [Int32: Calibration]) {
    var lines = try checkedLines(of: bytes)
    guard lines.popFirst() == heading[...], let device = lines.popFirst(),
      device.hasPrefix("device ")
    else { throw Damage(description: "it is no calibration of this version") }
    return (String(device.dropFirst(7)), try calibrations(in: lines))
  }

  /// The lines of a file without its last, the checksum, which is right.
  static func checkedLines(of bytes: [UInt8]) throws(Damage) -> ArraySlice<Substring> {
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
    return lines
  }

  private static func calibrations(
    in lines: ArraySlice<Substring>
  ) throws(Damage) -> [Int32: Calibration] {
    var found: [Int32: (method: CalibrationMethod, points: [CalibrationPoint])] = [:]
    var contact: Int32?
    for line in lines {
      let words = line.split(separator: " ")
      if words.count == 3, words[0] == "contact", let number = Int32(words[1]),
        let method = CalibrationMethod(rawValue: String(words[2]))
      {
        contact = number
        found[number] = (method, [])
      } else if words.count == 3, words[0] == "point", let number = contact,
        let raw = Double(words[1]), let grams = Double(words[2])
      {
        found[number]?.points.append(CalibrationPoint(raw: raw, grams: grams))
      } else {
        throw Damage(description: "it has a line that says nothing")
      }
    }
    var calibrations: [Int32: Calibration] = [:]
    for (contact, entry) in found {
      do throws(CalibrationRefused) {
        calibrations[contact] = try Calibration(entry.points, method: entry.method)
      } catch { throw Damage(description: "\(error)") }
    }
    return calibrations
  }

  /// CRC-32, as zip has it.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = 0xffff_ffff
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    return ~sum
  }

  private static func hex(_ number: UInt64, _ digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(digits - text.count, 0)) + text
  }

  private static func escaped(_ text: String) -> String {
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
}
