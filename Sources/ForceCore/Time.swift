/// A point on the monotonic clock, in microseconds.
///
/// Live devices stamp their events with `CLOCK_MONOTONIC`; a recording that is dumped keeps its own
/// clock. Both start anywhere, so only differences and order mean something.
public struct Instant: Comparable, Hashable, Sendable {
  /// Microseconds since the clock's arbitrary start.
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }
  public static func + (a: Instant, b: Microseconds) -> Instant {
    Instant(microseconds: a.microseconds &+ b.count)
  }
  public static func - (a: Instant, b: Microseconds) -> Instant {
    Instant(microseconds: a.microseconds &- b.count)
  }
  public static func - (a: Instant, b: Instant) -> Microseconds {
    Microseconds(a.microseconds &- b.microseconds)
  }
}

/// The earlier of two deadlines; nil is none.
@inlinable
public func earlier(_ a: Instant?, _ b: Instant?) -> Instant? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}

/// A length of time in microseconds; negative when it points back.
public struct Microseconds: Comparable, Hashable, Sendable {
  public var count: Int64

  public init(_ count: Int64) { self.count = count }

  public static func milliseconds(_ count: Int64) -> Microseconds { Microseconds(count * 1_000) }
  public static func seconds(_ count: Int64) -> Microseconds { Microseconds(count * 1_000_000) }
  public static let zero = Microseconds(0)

  /// This length in seconds.
  public var seconds: Double { Double(count) / 1_000_000 }
  /// This length in milliseconds.
  public var milliseconds: Double { Double(count) / 1_000 }

  public static func < (a: Microseconds, b: Microseconds) -> Bool { a.count < b.count }
  public static func + (a: Microseconds, b: Microseconds) -> Microseconds {
    Microseconds(a.count + b.count)
  }
  public static func - (a: Microseconds, b: Microseconds) -> Microseconds {
    Microseconds(a.count - b.count)
  }
}
