import ForceCore

/// Text that has been quoted and escaped as a JSON string once, to be copied into many messages.
public struct QuotedText: Equatable, Sendable {
  /// The quotes included.
  public let bytes: [UInt8]

  public init(_ text: String) {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(quoting: text)
    bytes = buffer.bytes
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
    buffer.reserve(largestMessage + device.bytes.count)
    buffer.append("{\"parameters\":{\"event\":\"reading\",\"reading\":")
    appendReading(reading, device: device, to: &buffer)
    if dropped > 0 {
      buffer.append(",\"dropped\":")
      buffer.append(dropped)
    }
    buffer.append("},\"continues\":true}")
    buffer.append(delimiter)
  }

  /// Appends one reading as an object without an envelope: a line of a dump, but for the newline.
  public static func appendReading(
    _ reading: Reading, device: borrowing QuotedText, to buffer: inout ByteBuffer
  ) {
    buffer.append("{\"device\":")
    buffer.append(device.bytes)
    buffer.append(",\"contact\":")
    buffer.append(Int64(reading.contact))
    buffer.append(",\"sequence\":")
    buffer.append(reading.sequence)
    buffer.append(",\"time\":")
    buffer.append(reading.time.microseconds)
    buffer.append(",\"raw\":")
    buffer.append(Int64(reading.raw))
    buffer.append(",\"percent\":")
    buffer.append(hundredthsOf: reading.percent)
    buffer.append(",\"grams\":")
    buffer.append(hundredthsOf: reading.grams)
    buffer.append(gramsSource(reading.gramsSource))
    buffer.append(",\"unsmoothed_percent\":")
    buffer.append(hundredthsOf: reading.unsmoothedPercent)
    buffer.append(reading.atMaximum ? ",\"at_maximum\":true" : ",\"at_maximum\":false")
    buffer.append(state(reading.state))
    if let position = reading.position {
      buffer.append(",\"x\":")
      buffer.append(Int64(position.x))
      buffer.append(",\"y\":")
      buffer.append(Int64(position.y))
    }
    buffer.append("}")
  }

  private static func gramsSource(_ source: GramsSource) -> StaticString {
    switch source {
    case .calibrated: ",\"grams_source\":\"calibrated\""
    case .profile: ",\"grams_source\":\"profile\""
    case .device: ",\"grams_source\":\"device\""
    case .nominal: ",\"grams_source\":\"nominal\""
    }
  }

  private static func state(_ state: ContactState) -> StaticString {
    switch state {
    case .touching: ",\"state\":\"touching\""
    case .steady: ",\"state\":\"steady\""
    case .released: ",\"state\":\"released\""
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
