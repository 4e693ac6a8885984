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
    guard let controlGroup else { throw .permissionDenied(needed: Self.needed()) }
    if let number = try? Accounts.group(nameOrNumber: controlGroup) {
      let groups = (try? socket.peerGroups()) ?? []
      if peer.group == number || groups.contains(number) { return }
    }
    throw .permissionDenied(needed: Self.needed(group: controlGroup))
  }

  /// Who may, in words; a daemon of root's has no other user to name.
  static func needed(
    by user: UInt32 = CurrentProcess.effectiveUser, group: String? = nil
  ) -> String {
    var who = ["root"]
    if user != 0 { who.append("the user \(Accounts.userName(user))") }
    if let group { who.append("members of the group \(group)") }
    guard let last = who.popLast(), !who.isEmpty else { return "root" }
    return "\(who.joined(separator: ", ")) and \(last)"
  }
}
