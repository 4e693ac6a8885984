import ForceProtocol
import LinuxSystem

/// Who may steer the daemon. Reading is for everyone whom the socket's permissions let connect.
struct Access {
  /// The group whose members may steer; nil: nobody but root and the daemon's own user.
  var controlGroup: String?

  /// - Throws: `PermissionDenied` with who may, for everybody else.
  func checkControl(
    _ peer: PeerCredentials, groups socket: borrowing FileDescriptor
  ) throws(VarlinkError) {
    if peer.user == 0 || peer.user == CurrentProcess.effectiveUser { return }
    let own = Accounts.userName(CurrentProcess.effectiveUser)
    guard let controlGroup else {
      throw .permissionDenied(needed: "root and the user \(own)")
    }
    if let number = try? Accounts.group(nameOrNumber: controlGroup) {
      let groups = (try? socket.peerGroups()) ?? []
      if peer.group == number || groups.contains(number) { return }
    }
    throw .permissionDenied(
      needed: "root, the user \(own) and members of the group \(controlGroup)")
  }
}
