internal import CLinux

/// Standard output and standard error, written whole and unbuffered.
public enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  /// What came of a write.
  public enum Outcome: Equatable, Sendable {
    case written
    /// Nobody reads any more, as with `| head`: time to stop quietly.
    case closed
    case failed(SystemError)
  }

  /// Writes everything. Ignore `Signal.pipe` first, or a closed reader ends the process. On a
  /// non-blocking descriptor that is full it waits.
  @discardableResult
  public func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var rest = bytes
    while !rest.isEmpty {
      switch Transfer(clinux_write(rawValue, rest.baseAddress, rest.count)) {
      case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlock: clinux_sleep(1_000)
      case .endOfFile, .failed(.brokenPipe): return .closed
      case .failed(let errno): return .failed(SystemError("write to", name, errno))
      }
    }
    return .written
  }

  @discardableResult
  public func write(_ text: String) -> Outcome {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  private var name: String { self == .output ? "standard output" : "standard error" }
}
