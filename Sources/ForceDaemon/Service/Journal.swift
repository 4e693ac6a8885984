import CSystemd
import LinuxSystem

/// systemd's journal, by its own protocol: a datagram of fields, no line to be taken apart.
enum Journal {
  /// Whether what is written to standard error ends up there.
  static var isBehindStandardError: Bool { csystemd_logs_to_journal() != 0 }

  /// By standard error, whose unit the journal knew before it was written to. Of a datagram it finds that
  /// out when it reads it, and not at all when the sender has ended by then.
  static func sayByStream(_ priority: Log.Priority, _ text: String) {
    _ = StandardStream.error.write("<\(priority.rawValue)>\(text)\n")
  }

  static func send(_ priority: Log.Priority, _ text: String, _ fields: Log.Fields) {
    var lines = [
      "MESSAGE=\(text)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=forced",
    ]
    if let device = fields.device { lines.append("FORCED_DEVICE=\(device)") }
    if let errno = fields.errno { lines.append("ERRNO=\(errno)") }
    if let (name, value) = fields.counter {
      lines.append("FORCED_COUNTER=\(name)")
      lines.append("FORCED_COUNT=\(value)")
    }
    let bytes = lines.flatMap { Array($0.utf8) }
    let lengths = lines.map(\.utf8.count)
    bytes.withUnsafeBytes { text in
      guard let base = text.baseAddress else { return }
      _ = csystemd_journal(
        base.assumingMemoryBound(to: CChar.self), lengths, Int32(lengths.count))
    }
  }
}
