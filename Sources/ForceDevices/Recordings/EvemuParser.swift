import ForceCore

/// Reads an evemu recording line by line: `N:` name, `I:` identity, `P:` properties, `B:` bits of
/// what the device can send, `A:` axes, `L:` and `S:` LEDs and switches, `E:` events.
struct EvemuParser {
  private let path: String
  private var lineNumber = 0
  private var name: String?
  private var identity: (bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16)?
  private var properties = BitField()
  private var bits: [UInt16: BitField] = [:]
  private var axes: [UInt16: AbsoluteAxis] = [:]
  private var noted = AxisValueComments()
  private var events: [InputEvent] = []
  private var frameEnds: [Int] = []
  private var clock = RecordedClock()

  init(path: String) { self.path = path }

  mutating func read(_ bytes: [UInt8]) throws(RecordingError) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
      var line = bytes[start..<end]
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      lineNumber += 1
      try readLine(line)
      start = end < bytes.endIndex ? end + 1 : end
    }
  }

  private mutating func readLine(_ line: ArraySlice<UInt8>) throws(RecordingError) {
    var scanner = LineScanner(line)
    scanner.skipBlanks()
    if scanner.skip("#") { return noted.read(&scanner) }
    if scanner.isAtEnd { return }
    if scanner.skip("E:") { return try readEvent(&scanner, line) }
    guard frameEnds.isEmpty, events.isEmpty else {
      throw error(line, expected: "only E: lines (events) once the first event has come")
    }
    if scanner.skip("N:") { return try readName(scanner, line) }
    if scanner.skip("I:") { return try readIdentity(&scanner, line) }
    if scanner.skip("P:") { return try readProperties(&scanner, line) }
    if scanner.skip("B:") { return try readBits(&scanner, line) }
    if scanner.skip("A:") { return try readAxis(&scanner, line) }
    // LEDs and switches say nothing about force.
    if scanner.skip("L:") || scanner.skip("S:") { return }
    throw strangeLine(line)
  }

  private mutating func readName(
    _ scanner: LineScanner, _ line: ArraySlice<UInt8>
  ) throws(RecordingError) {
    guard name == nil else {
      throw error(line, expected: "one N: line: a recording holds one device")
    }
    // One blank belongs to the format; any others, and '#', belong to the name.
    name = String(
      decoding: scanner.rest.dropFirst(scanner.rest.first == 0x20 ? 1 : 0), as: UTF8.self)
  }

  private mutating func readIdentity(
    _ scanner: inout LineScanner, _ line: ArraySlice<UInt8>
  ) throws(RecordingError) {
    guard let bus = scanner.hexadecimal(), let vendor = scanner.hexadecimal(),
      let product = scanner.hexadecimal(), let version = scanner.hexadecimal(), scanner.isAtEnd
    else {
      throw error(
        line, expected: "I: bus vendor product version, four hexadecimal numbers of 16 bits")
    }
    identity = (bus, vendor, product, version)
  }

  private mutating func readProperties(
    _ scanner: inout LineScanner, _ line: ArraySlice<UInt8>
  ) throws(RecordingError) {
    guard properties.append(fields: &scanner) else {
      throw error(line, expected: "P: and bytes in hexadecimal")
    }
  }

  private mutating func readBits(
    _ scanner: inout LineScanner, _ line: ArraySlice<UInt8>
  ) throws(RecordingError) {
    guard let type = scanner.hexadecimal(), type <= 0x1f,
      bits[type, default: BitField()].append(fields: &scanner)
    else { throw error(line, expected: "B: event type, then bytes, all hexadecimal") }
  }

  private mutating func readAxis(
    _ scanner: inout LineScanner, _ line: ArraySlice<UInt8>
  ) throws(RecordingError) {
    let expected = "A: axis minimum maximum fuzz flat [resolution], the axis hexadecimal"
    guard let code = scanner.hexadecimal() else { throw error(line, expected: expected) }
    var values: [Int32] = []
    while !scanner.isAtEnd, values.count < 6 {
      guard let value = scanner.decimal() else { throw error(line, expected: expected) }
      guard let value = Int32(exactly: value) else {
        throw error(line, expected: "axis values between \(Int32.min) and \(Int32.max)")
      }
      values.append(value)
    }
    guard values.count == 4 || values.count == 5 else { throw error(line, expected: expected) }
    guard axes[code] == nil else { throw error(line, expected: "one A: line for an axis") }
    axes[code] = AbsoluteAxis(
      minimum: values[0], maximum: values[1], fuzz: values[2], flat: values[3],
      resolution: values.count == 5 ? values[4] : 0)
  }

  private mutating func readEvent(
    _ scanner: inout LineScanner, _ line: ArraySlice<UInt8>
  ) throws(RecordingError) {
    guard let time = scanner.time() else {
      throw error(line, expected: "E: and a time in seconds with six decimals, such as 12.345678")
    }
    guard let type = scanner.hexadecimal(), let code = scanner.hexadecimal(),
      let value = scanner.decimal(), scanner.isAtEnd
    else {
      throw error(line, expected: "E: time type code value, type and code hexadecimal")
    }
    guard let value = Int32(exactly: value) else {
      throw error(line, expected: "an event value between \(Int32.min) and \(Int32.max)")
    }
    guard let instant = clock.instant(of: time) else {
      throw error(
        line,
        expected: "times that go forward; this one is more than a second before the line above it")
    }
    events.append(InputEvent(time: instant, type: type, code: code, value: value))
    if type == EventType.synchronization, code == SynchronizationCode.report {
      frameEnds.append(events.count)
    }
  }
}

// MARK: - The result

extension EvemuParser {
  consuming func finish() throws(RecordingError) -> EvemuRecording {
    guard let name else {
      throw RecordingError(
        path: path,
        found: events.isEmpty ? "nothing is recorded here" : "events without a device description",
        expected: "a recording of evemu-record, which starts with the lines N: and I:")
    }
    guard let identity else {
      throw RecordingError(
        path: path, found: "no I: line",
        expected: "I: bus vendor product version, four hexadecimal numbers of 16 bits")
    }
    let whole = frameEnds.last ?? 0
    let incomplete = events.count - whole
    events.removeLast(incomplete)
    return EvemuRecording(
      description: description(name, identity), events: events, frameEnds: frameEnds,
      incompleteEvents: incomplete)
  }

  private func description(
    _ name: String, _ id: (bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16)
  ) -> DeviceDescription {
    var axes = axes
    // An axis that is announced without a range exists all the same; it is one of zero width.
    for code in bits[EventType.absolute]?.codes ?? [] where axes[code] == nil {
      axes[code] = AbsoluteAxis(minimum: 0, maximum: 0)
    }
    for (code, value) in noted.values { axes[code]?.value = value }
    let forceFeedback = bits[EventType.forceFeedback]?.codes ?? []
    var description = DeviceDescription(
      identity: DeviceIdentity(
        bus: id.bus, vendor: id.vendor, product: id.product, version: id.version, name: name),
      properties: properties.codes, keys: bits[EventType.key]?.codes ?? [], axes: axes,
      forceFeedback: forceFeedback, effectSlots: forceFeedback.isEmpty ? 0 : 16,
      slots: emptySlots(axes), node: path)
    description.miscellaneous = bits[EventType.miscellaneous]?.codes ?? []
    return description
  }

  private func emptySlots(_ axes: [UInt16: AbsoluteAxis]) -> [SlotState] {
    // ABS_RESERVED marks fake multitouch, see libevdev's treatment of it.
    guard let slot = axes[AbsoluteCode.slot], axes[AbsoluteCode.reserved] == nil, slot.maximum >= 0
    else { return [] }
    // input_mt_init_slots refuses more than 1,024.
    return Array(repeating: SlotState(), count: Int(min(slot.maximum, 1_023)) + 1)
  }
}

// MARK: - What is wrong

extension EvemuParser {
  private func error(_ line: ArraySlice<UInt8>, expected: String) -> RecordingError {
    RecordingError(
      path: path, line: lineNumber, found: "found '\(excerpt(line))'", expected: expected)
  }

  /// A line that no recording has: says what the file probably is instead.
  private func strangeLine(_ line: ArraySlice<UInt8>) -> RecordingError {
    var found = "found '\(excerpt(line))'"
    if line.contains(where: { $0 < 0x20 && $0 != 0x09 }) {
      found = "this is not a text file"
    } else if isHexadecimalBytes(line) {
      found = "this is a HID report descriptor, which holds no events"
    } else if name == nil, excerpt(line).hasPrefix("version:") {
      found = "this is a recording of libinput, in YAML"
    }
    return RecordingError(
      path: path, line: lineNumber, found: found,
      expected: "a recording of evemu-record: lines that start with N:, I:, P:, B:, A:, E: or #")
  }

  private func isHexadecimalBytes(_ line: ArraySlice<UInt8>) -> Bool {
    var scanner = LineScanner(line)
    var count = 0
    while !scanner.isAtEnd {
      guard let byte = scanner.hexadecimal(), byte <= 0xff else { return false }
      count += 1
    }
    return count >= 4
  }

  /// The start of a line, fit to be shown on any terminal.
  private func excerpt(_ line: ArraySlice<UInt8>) -> String {
    let shown = line.prefix(40).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: shown, as: UTF8.self) + (line.count > 40 ? "…" : "")
  }
}
