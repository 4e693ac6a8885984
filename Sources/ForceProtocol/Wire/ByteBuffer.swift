/// Bytes on their way out: one owner, memory that grows and is kept.
///
/// Emptying it keeps its memory, so a buffer that has once held the largest message never allocates
/// again.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
  private var start: UnsafeMutablePointer<UInt8>
  /// How many bytes fit before the buffer has to grow.
  public private(set) var capacity: Int
  /// How many bytes it holds.
  public private(set) var count = 0

  public init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  public var isEmpty: Bool { count == 0 }

  /// Empties the buffer and keeps its memory.
  public mutating func removeAll() { count = 0 }

  /// Empties the buffer, and gives memory back where it has grown beyond `limit`: for a buffer that
  /// one large message must not leave large.
  public mutating func removeAll(keepingAtMost limit: Int) {
    count = 0
    let kept = max(limit, 16)
    if capacity <= kept { return }
    start.deallocate()
    start = .allocate(capacity: kept)
    capacity = kept
  }

  /// Shortens the buffer to its first bytes; does nothing where it is no longer than that.
  public mutating func truncate(to newCount: Int) {
    if newCount < count { count = max(newCount, 0) }
  }

  /// Drops bytes at the front; all of them where it holds no more than that.
  public mutating func removeFirst(_ dropped: Int) {
    let rest = max(count - max(dropped, 0), 0)
    start.update(from: start + (count - rest), count: rest)
    count = rest
  }

  /// Makes room for so many more bytes.
  public mutating func reserve(_ additional: Int) {
    if capacity - count < additional { grow(to: count + additional) }
  }

  private mutating func grow(to needed: Int) {
    let newCapacity = max(needed, capacity * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    capacity = newCapacity
  }

  /// Hands over the bytes for the length of the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The byte at an offset below `count`.
  public subscript(offset: Int) -> UInt8 {
    get {
      precondition(offset >= 0 && offset < count, "a byte beyond the end of the buffer")
      return start[offset]
    }
    set {
      precondition(offset >= 0 && offset < count, "a byte beyond the end of the buffer")
      start[offset] = newValue
    }
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// The bytes as text; what is not UTF-8 becomes U+FFFD.
  public var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

extension ByteBuffer {
  public mutating func append(byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  public mutating func append(_ delimiter: Delimiter) { append(byte: delimiter.rawValue) }

  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends text that needs no escaping, such as the fixed parts of a message.
  public mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    (start + count).update(from: text.utf8Start, count: length)
    count += length
  }

  /// Appends a whole number in decimal.
  public mutating func append(_ value: Int64) {
    appendReserved(24) { writer in writer.put(value) }
  }

  /// Appends a whole number in decimal.
  public mutating func append(_ value: UInt64) {
    appendReserved(24) { writer in writer.put(value) }
  }

  /// Appends a number rounded to two decimal places, half away from zero, without zeros at the end:
  /// `42`, `42.5`, `0.01`.
  ///
  /// What is not finite becomes 0, and what lies beyond ±9·10¹⁵ that bound: every output is JSON.
  public mutating func append(hundredthsOf value: Double) {
    appendReserved(24) { writer in writer.put(hundredthsOf: value) }
  }

  /// Appends what `body` writes, which must be no longer than `limit` bytes.
  @inline(__always)
  mutating func appendReserved(_ limit: Int, _ body: (inout MessageWriter) -> Void) {
    reserve(limit)
    var writer = MessageWriter(start + count)
    body(&writer)
    let written = writer.place - (start + count)
    precondition(written <= limit, "a message longer than what was reserved for it")
    count += written
  }
}
