import ForceProtocol
import LinuxSystem

/// Who may steer the daemon. Reading is for everyone whom the socket's permissions let connect.
///
/// Names are looked up when it is made, which can take as long as the network to a directory of accounts
/// does, and so never happens on the loop.
struct Access: Equatable, Sendable {
  /// The number of the group whose members may steer; nil: nobody but root and the daemon's own user.
  private let group: UInt32?
  private let user: UInt32
  private let needed: String
  /// Why the group that was named does not count; nil when it does, or when none was named.
  let problem: String?

  /// - Parameters:
  ///   - controlGroup: the group's name or number; nil for none.
  ///   - lookUp: finds its number; nil when there is no such group.
  init(
    controlGroup: String? = nil,
    lookUp: (String) throws(SystemError) -> UInt32? = Accounts.group(nameOrNumber:)
  ) {
    user = CurrentProcess.effectiveUser
    var found: UInt32?
    var problem: String?
    if let controlGroup {
      let consequence = "which ControlGroup= names, so that its members may not steer the daemon"
      do throws(SystemError) {
        found = try lookUp(controlGroup)
        if found == nil { problem = "there is no group \(controlGroup), \(consequence)" }
      } catch {
        problem = "\(error), \(consequence): reload when it can be looked up"
      }
    }
    group = found
    self.problem = problem
    needed = Self.needed(by: user, group: found == nil ? nil : controlGroup)
  }

  /// - Throws: `PermissionDenied` with who may, for everybody else.
  func checkControl(
    _ peer: PeerCredentials, groups socket: borrowing FileDescriptor
  ) throws(VarlinkError) {
    if peer.user == 0 || peer.user == user { return }
    if let group {
      if peer.group == group { return }
      if let groups = try? socket.peerGroups(), groups.contains(group) { return }
    }
    throw .permissionDenied(needed: needed)
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
