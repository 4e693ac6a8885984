import CSystemd
import LinuxSystem

/// The socket that a service manager listens on for us, so that clients may come before we do.
enum SocketActivation {
  /// The first descriptor that is handed over (`SD_LISTEN_FDS_START`).
  private static let first: Int32 = 3

  /// - Returns: nil when there is none.
  static func take(log: Log) throws(SystemError) -> UnixListener? {
    var names = [CChar](repeating: 0, count: 1_024)
    let count = csystemd_listen(&names, names.count)
    if count < 0 {
      throw SystemError("take over the sockets of", "the service manager", Errno(rawValue: -count))
    }
    guard count > 0 else { return nil }
    let known = String(
      decoding: names.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
    ).split(separator: ":")
    var listener: UnixListener?
    for index in 0..<count {
      let socket = FileDescriptor(owning: first + index)
      let name = Int(index) < known.count ? String(known[Int(index)]) : "unknown"
      guard listener == nil, socket.isListeningUnixSocket() else {
        log.warning(
          "the socket \(name) of the service manager is not used: "
            + (listener == nil ? "it is no Unix stream socket" : "one is enough"))
        continue
      }
      listener = try UnixListener(adopting: socket)
    }
    return listener
  }
}
