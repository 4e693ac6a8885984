/// What ends a message on a connection.
public enum Delimiter: UInt8, Sendable, CaseIterable {
  /// A NUL byte, as Varlink has it.
  case nul = 0x00
  /// A newline, for shells.
  case newline = 0x0a
}

/// A message that is longer than a connection takes. The bytes behind it cannot be understood any
/// more: say so and close.
public struct MessageTooLarge: Error, Equatable, Sendable {
  /// The longest message in bytes, without its delimiter.
  public var limit: Int

  public init(limit: Int) { self.limit = limit }
}

/// Cuts a stream of bytes into messages, however the bytes are split across reads.
///
/// The first delimiter seen decides for the whole connection; from then on the other one is an
/// ordinary byte. Lines of nothing but white space are skipped, so that an empty line typed into
/// `socat` does no harm. Memory is reused; while messages are taken as they come it
/// stays below twice the limit and what one `append` brings.
public struct MessageFramer: ~Copyable {
  /// The longest message that a daemon takes unless its configuration says otherwise.
  public static let defaultLimit = 65_536

  /// Memory that is kept between messages, in bytes: a thousand clients that each sent one long
  /// message must not hold on to a thousand long buffers.
  private static let keptCapacity = 4_096

  /// The longest message in bytes, without its delimiter.
  public let limit: Int
  /// What ends messages here; nil until the first one has ended.
  public private(set) var delimiter: Delimiter?

  private var buffer: ByteBuffer
  /// Where the present message starts in the buffer.
  private var messageStart = 0
  /// Up to where the buffer is known to hold no delimiter.
  private var searched = 0

  /// - Parameter delimiter: nil to let the first delimiter decide; a client knows its own.
  public init(limit: Int = MessageFramer.defaultLimit, delimiter: Delimiter? = nil) {
    self.limit = max(limit, 1)
    self.delimiter = delimiter
    buffer = ByteBuffer(capacity: min(1024, self.limit))
  }

  /// How many bytes wait here: whole messages not yet taken, and the beginning of the next.
  public var pendingBytes: Int { buffer.count - messageStart }

  /// How many bytes of memory it holds.
  public var capacity: Int { buffer.capacity }

  /// Adds what a read brought.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    discardTaken(makingRoomFor: bytes.count)
    buffer.append(bytes)
  }

  /// Adds what a read brought.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Hands the next whole message, without its delimiter, to `body`; nil when there is none yet.
  ///
  /// The bytes are valid only within the call. After `MessageTooLarge` every further call throws it
  /// again.
  public mutating func next<R>(
    _ body: (UnsafeRawBufferPointer) -> R
  ) throws(MessageTooLarge) -> R? {
    while let end = findDelimiter() {
      let start = messageStart
      if end - start > limit { throw MessageTooLarge(limit: limit) }
      messageStart = end + 1
      searched = messageStart
      if delimiter == .newline && isBlank(start..<end) { continue }
      return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
    if pendingBytes > limit { throw MessageTooLarge(limit: limit) }
    return nil
  }

  private mutating func findDelimiter() -> Int? {
    let from = searched
    let known = delimiter
    let found = buffer.withUnsafeBytes { bytes in
      bytes[from...].firstIndex { byte in
        if let known { return byte == known.rawValue }
        return byte == Delimiter.nul.rawValue || byte == Delimiter.newline.rawValue
      }
    }
    searched = found ?? buffer.count
    if let found, known == nil { delimiter = Delimiter(rawValue: buffer[found]) }
    return found
  }

  private func isBlank(_ range: Range<Int>) -> Bool {
    buffer.withUnsafeBytes { bytes in
      bytes[range].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    }
  }

  private mutating func discardTaken(makingRoomFor additional: Int) {
    if messageStart == 0 { return }
    if messageStart == buffer.count {
      buffer.removeAll(keepingAtMost: Self.keptCapacity)
    } else if buffer.capacity - buffer.count < additional {
      buffer.removeFirst(messageStart)
    } else {
      return
    }
    searched -= messageStart
    messageStart = 0
  }
}
