/// The part of a HID report descriptor that tells in which unit a device measures force.
///
/// The kernel hands a resolution on only from 6.18, rounds it to whole units per gram, and takes dynes
/// for newtons. The descriptor has what the device really says (Device Class Definition for HID 1.11,
/// 6.2.2).
public enum HIDReportDescriptor {
  /// Standard gravity in cm/s²: what a dyne weighs in grams is 1 over this.
  fileprivate static let gravity = 980.665

  /// Units of the tip pressure per gram; nil where no tip pressure has a unit of mass or force, and
  /// where the descriptor is damaged before one.
  public static func unitsPerGram(_ bytes: [UInt8]) -> Double? {
    var state = Parser()
    var rest = bytes[...]
    while let item = Item(taking: &rest) {
      state.take(item)
      if let found = state.unitsPerGram { return found }
    }
    return nil
  }

  /// A short item: its type and tag as in the prefix, and its data.
  fileprivate struct Item {
    let prefix: UInt8
    let size: Int
    let unsigned: UInt32

    /// nil at the end, and where data is missing.
    init?(taking rest: inout ArraySlice<UInt8>) {
      guard let first = rest.popFirst() else { return nil }
      if first == 0xfe {
        // A long item: its size, its tag, and data that nobody has defined.
        guard let count = rest.popFirst(), rest.popFirst() != nil, rest.count >= Int(count) else {
          return nil
        }
        rest.removeFirst(Int(count))
        (prefix, size, unsigned) = (first, 0, 0)
        return
      }
      let size = first & 3 == 3 ? 4 : Int(first & 3)
      guard rest.count >= size else { return nil }
      var value: UInt32 = 0
      for (index, byte) in rest.prefix(size).enumerated() {
        value |= UInt32(byte) << UInt32(8 * index)
      }
      rest.removeFirst(size)
      (prefix, self.size, unsigned) = (first & 0xfc, size, value)
    }

    var signed: Int64 {
      switch size {
      case 1: Int64(Int8(truncatingIfNeeded: unsigned))
      case 2: Int64(Int16(truncatingIfNeeded: unsigned))
      default: Int64(Int32(bitPattern: unsigned))
      }
    }
  }

  fileprivate struct Globals {
    var usagePage: UInt32 = 0
    var logicalMinimum: Int64 = 0
    var logicalMaximum: Item?
    var physicalMinimum: Int64 = 0
    var physicalMaximum: Item?
    var exponent: Int64 = 0
    var unit: UInt32 = 0
  }

  private struct Parser {
    /// Page Digitizers, usage Tip Pressure.
    private static let tipPressure: UInt32 = 0x000d_0030
    /// More than any device nests.
    private static let deepest = 16

    private var globals = Globals()
    private var stack: [Globals] = []
    private var isTipPressure = false
    private(set) var unitsPerGram: Double?

    mutating func take(_ item: Item) {
      switch item.prefix {
      case 0x04: globals.usagePage = item.unsigned
      case 0x14: globals.logicalMinimum = item.signed
      case 0x24: globals.logicalMaximum = item
      case 0x34: globals.physicalMinimum = item.signed
      case 0x44: globals.physicalMaximum = item
      case 0x54: globals.exponent = Self.exponent(item)
      case 0x64: globals.unit = item.unsigned
      case 0xa4: if stack.count < Self.deepest { stack.append(globals) }
      case 0xb4: globals = stack.popLast() ?? globals
      case 0x08:
        let usage = item.size == 4 ? item.unsigned : globals.usagePage << 16 | item.unsigned
        isTipPressure = isTipPressure || usage == Self.tipPressure
      case 0x80:
        if isTipPressure { unitsPerGram = globals.unitsPerGram }
        isTipPressure = false
      // Output, feature, collection and its end use up the usages before them.
      case 0x90, 0xb0, 0xa0, 0xc0: isTipPressure = false
      default: break
      }
    }

    /// Four bits with a sign; some devices write the whole byte.
    private static func exponent(_ item: Item) -> Int64 {
      guard item.unsigned <= 15 else { return item.signed }
      return item.unsigned > 7 ? Int64(item.unsigned) - 16 : Int64(item.unsigned)
    }
  }
}

extension HIDReportDescriptor.Globals {
  fileprivate var unitsPerGram: Double? {
    let logicalMaximum = maximum(self.logicalMaximum, above: logicalMinimum)
    var physical = (
      minimum: physicalMinimum, maximum: maximum(physicalMaximum, above: physicalMinimum)
    )
    // Without a physical range the logical one is it.
    if physical == (0, 0) { physical = (logicalMinimum, logicalMaximum) }
    guard let gramsPerPhysical, logicalMaximum > logicalMinimum,
      physical.maximum > physical.minimum, (-12...12).contains(exponent)
    else { return nil }
    let grams = Double(physical.maximum - physical.minimum) * powerOfTen * gramsPerPhysical
    return Double(logicalMaximum - logicalMinimum) / grams
  }

  /// A maximum is meant without sign where the minimum isn't negative.
  private func maximum(_ item: HIDReportDescriptor.Item?, above minimum: Int64) -> Int64 {
    guard let item else { return 0 }
    return minimum < 0 ? item.signed : Int64(item.unsigned)
  }

  private var powerOfTen: Double {
    let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
    return exponent < 0 ? 1 / power : power
  }

  private var gramsPerPhysical: Double? {
    switch unit {
    // SI linear: gram.
    case 0x0101: 1
    // SI linear: centimetre · gram / second², a dyne.
    case 0xe111: 1 / HIDReportDescriptor.gravity
    default: nil
    }
  }
}
