import LinuxSystem

/// What the daemon has to say to people: one line each on standard error, with the priority that
/// the journal understands when it reads there.
final class Log: Sendable {
  enum Priority: Int {
    case error = 3
    case warning, notice, info
  }

  private let prefixed: Bool
  private let write: @Sendable (String) -> Void

  /// - Parameter prefixed: puts `<priority>` before each line, for a journal at the other end.
  init(
    prefixed: Bool = CurrentProcess.environment("JOURNAL_STREAM") != nil,
    write: @escaping @Sendable (String) -> Void = { _ = StandardStream.error.write($0) }
  ) {
    self.prefixed = prefixed
    self.write = write
  }

  func error(_ text: String) { say(.error, text) }
  func warning(_ text: String) { say(.warning, text) }
  func notice(_ text: String) { say(.notice, text) }
  func info(_ text: String) { say(.info, text) }

  private func say(_ priority: Priority, _ text: String) {
    write(prefixed ? "<\(priority.rawValue)>\(text)\n" : "forced: \(text)\n")
  }
}
