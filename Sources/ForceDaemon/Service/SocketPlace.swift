import ForceConfig
import LinuxSystem

/// Where the daemon serves.
enum SocketPlace {
  /// `--socket`, `$FORCED_SOCKET`, for users `$XDG_RUNTIME_DIR/forced/forced.sock`, else
  /// `/run/forced/forced.sock`.
  static func path(_ option: String?) -> String {
    if let option { return option }
    if let path = CurrentProcess.environment("FORCED_SOCKET"), !path.isEmpty { return path }
    if !CurrentProcess.isRoot, let folder = CurrentProcess.environment("XDG_RUNTIME_DIR"),
      !folder.isEmpty
    {
      return "\(folder)/forced/forced.sock"
    }
    return "/run/forced/forced.sock"
  }

  /// Listens there, with the permissions that the configuration asks for.
  ///
  /// A user who is not in the group keeps the socket to himself, and is told so.
  static func listen(
    at path: String, _ settings: ServerSettings, log: Log
  ) throws(ListenError) -> UnixListener {
    do throws(SystemError) {
      let folder = FileSystem.directory(of: path)
      if !FileSystem.exists(folder) { try FileSystem.createDirectory(folder) }
    } catch { throw .noFolder(error) }
    var group: UInt32?
    if let name = settings.socketGroup {
      do throws(SystemError) {
        group = try Accounts.group(nameOrNumber: name)
        if group == nil {
          log.warning(
            "there is no group \(name) to share the socket with: name another one in SocketGroup=")
        }
      } catch { log.warning("the socket is not shared with group \(name): \(error)") }
    }
    do throws(ListenError) {
      return try UnixListener(at: path, permissions: settings.socketMode, group: group)
    } catch {
      guard case .system(let cause) = error, cause.errno == .notPermitted, group != nil else {
        throw error
      }
      log.notice(
        "the socket is not shared with the group \(settings.socketGroup ?? ""), "
          + "because user \(Accounts.userName(CurrentProcess.effectiveUser)) is not in it")
      return try UnixListener(at: path, permissions: settings.socketMode)
    }
  }
}
