import LinuxSystem

extension SocketAddress {
  /// Connects to the first path where somebody listens.
  func connect() throws(ForceClientError) -> FileDescriptor {
    var attempts: [UnreachableDaemon.Attempt] = []
    for path in paths() {
      do throws(SystemError) {
        return try UnixSocket.connect(to: path)
      } catch {
        attempts.append(
          .init(
            path: path, errno: error.errno,
            group: error.errno == .accessDenied ? openGroup(path) : nil,
            isOther: isOther(path)))
      }
    }
    throw .unreachable(
      UnreachableDaemon(
        attempts: attempts, user: Accounts.userName(CurrentProcess.effectiveUser)))
  }

  /// Something is there, and it is no socket.
  private func isOther(_ path: String) -> Bool {
    guard let status = try? FileSystem.status(of: path) else { return false }
    return status.kind != .socket
  }

  /// The group whose members may connect; nil where there is none.
  private func openGroup(_ path: String) -> String? {
    // Connecting takes the right to write; 0o020 is the group's.
    guard let status = try? FileSystem.status(of: path), status.permissions & 0o020 != 0 else {
      return nil
    }
    return Accounts.groupName(status.group)
  }
}
