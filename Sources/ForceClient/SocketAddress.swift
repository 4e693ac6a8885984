import LinuxSystem

/// Where the daemon listens.
public enum SocketAddress: Equatable, Sendable {
  /// `$FORCED_SOCKET` where it is set; else the user's own daemon, then the system's.
  case standard
  /// A path.
  case path(String)

  /// The system's daemon.
  public static let systemPath = "/run/forced/forced.sock"

  /// The paths to try, in order.
  ///
  /// - Parameter environment: looks up a variable; the process's own by default.
  public func paths(
    environment: (String) -> String? = CurrentProcess.environment
  ) -> [String] {
    if case .path(let path) = self { return [path] }
    if let path = environment("FORCED_SOCKET"), !path.isEmpty { return [path] }
    guard let runtime = environment("XDG_RUNTIME_DIR"), !runtime.isEmpty else {
      return [Self.systemPath]
    }
    return ["\(runtime)/forced/forced.sock", Self.systemPath]
  }
}
