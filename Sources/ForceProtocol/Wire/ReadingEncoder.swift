import ForceCore

/// Text that has been quoted and escaped as a JSON string once, to be copied into many messages.
public struct QuotedText: Equatable, Sendable {
  /// The quotes included.
  public let bytes: [UInt8]
  /// The start of a reading of the device that this text names, up to the contact's number.
  let readingStart: [UInt8]

  public init(_ text: String) {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(quoting: text)
    bytes = buffer.bytes
    buffer.removeAll()
    buffer.append("{\"device\":")
    buffer.append(bytes)
    buffer.append(",\"contact\":")
    readingStart = buffer.bytes
  }
}

/// Writes readings as messages, on the hot path: nothing here allocates once the buffer is large
/// enough.
///
/// The same bytes go to every subscriber that wants the reading, only the delimiter and a count of
/// dropped readings can differ; both stand at the end.
public enum ReadingEncoder {
  /// Room for one message without the device's id: fixed text and the longest numbers.
  static let largestMessage = 512

  /// Appends a whole reply to `Watch` that carries a reading.
  ///
  /// - Parameters:
  ///   - device: the device's id.
  ///   - dropped: how many readings of the device this subscriber was not sent since the one before;
  ///     left out at 0.
  ///   - delimiter: appended after the message.
  public static func appendEvent(
    _ reading: Reading, device: borrowing QuotedText, dropped: UInt64 = 0, delimiter: Delimiter,
    to buffer: inout ByteBuffer
  ) {
    buffer.appendReserved(largestMessage + device.readingStart.count) { writer in
      writer.put("{\"parameters\":{\"event\":\"reading\",\"reading\":")
      put(reading, device, into: &writer)
      if dropped > 0 {
        writer.put(",\"dropped\":")
        writer.put(dropped)
      }
      writer.put("},\"continues\":true}")
      writer.put(byte: delimiter.rawValue)
    }
  }

  /// Appends one reading as an object without an envelope: a line of a dump, but for the newline.
  public static func appendReading(
    _ reading: Reading, device: borrowing QuotedText, to buffer: inout ByteBuffer
  ) {
    buffer.appendReserved(largestMessage + device.readingStart.count) { writer in
      put(reading, device, into: &writer)
    }
  }

  @inline(__always)
  private static func put(
    _ reading: Reading, _ device: borrowing QuotedText, into writer: inout MessageWriter
  ) {
    writer.put(device.readingStart)
    writer.put(Int64(reading.contact))
    writer.put(",\"sequence\":")
    writer.put(reading.sequence)
    writer.put(",\"time\":")
    writer.put(reading.time.microseconds)
    writer.put(",\"raw\":")
    writer.put(Int64(reading.raw))
    writer.put(",\"percent\":")
    writer.put(hundredthsOf: reading.percent)
    writer.put(",\"grams\":")
    writer.put(hundredthsOf: reading.grams)
    putGramsSource(reading.gramsSource, into: &writer)
    writer.put(",\"unsmoothed_percent\":")
    writer.put(hundredthsOf: reading.unsmoothedPercent)
    if reading.atMaximum {
      writer.put(",\"at_maximum\":true")
    } else {
      writer.put(",\"at_maximum\":false")
    }
    putState(reading.state, into: &writer)
    if let position = reading.position {
      writer.put(",\"x\":")
      writer.put(Int64(position.x))
      writer.put(",\"y\":")
      writer.put(Int64(position.y))
    }
    writer.put(byte: UInt8(ascii: "}"))
  }

  @inline(__always)
  private static func putGramsSource(_ source: GramsSource, into writer: inout MessageWriter) {
    switch source {
    case .calibrated: writer.put(",\"grams_source\":\"calibrated\"")
    case .profile: writer.put(",\"grams_source\":\"profile\"")
    case .device: writer.put(",\"grams_source\":\"device\"")
    case .nominal: writer.put(",\"grams_source\":\"nominal\"")
    }
  }

  @inline(__always)
  private static func putState(_ state: ContactState, into writer: inout MessageWriter) {
    switch state {
    case .touching: writer.put(",\"state\":\"touching\"")
    case .steady: writer.put(",\"state\":\"steady\"")
    case .released: writer.put(",\"state\":\"released\"")
    }
  }
}

extension ReadingEncoder {
  /// Appends one haptic command as an object: a line of a dump, but for the newline.
  public static func appendHaptic(
    _ command: HapticCommand, device: borrowing QuotedText, to buffer: inout ByteBuffer
  ) {
    buffer.append("{\"haptic\":")
    switch command.action {
    case .play: buffer.append("\"play\"")
    case .follow: buffer.append("\"follow\"")
    case .stop: buffer.append("\"stop\"")
    }
    buffer.append(",\"device\":")
    buffer.append(device.bytes)
    buffer.append(",\"contact\":")
    buffer.append(Int64(command.contact))
    buffer.append(",\"time\":")
    buffer.append(command.time.microseconds)
    switch command.action {
    case .play(let pattern):
      buffer.append(",\"strength\":")
      buffer.append(hundredthsOf: pattern.pulse.strength * 100)
      buffer.append(",\"length_ms\":")
      buffer.append(hundredthsOf: pattern.pulse.length.milliseconds)
      if pattern.pulses > 1 {
        buffer.append(",\"pulses\":")
        buffer.append(Int64(pattern.pulses))
        buffer.append(",\"pause_ms\":")
        buffer.append(hundredthsOf: pattern.pause.milliseconds)
      }
    case .follow(let strength):
      buffer.append(",\"strength\":")
      buffer.append(hundredthsOf: strength * 100)
    case .stop: break
    }
    buffer.append("}")
  }
}
