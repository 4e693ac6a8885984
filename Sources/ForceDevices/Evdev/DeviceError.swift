import LinuxSystem

/// Why an input node could not be used: what was tried, on what, and what to do.
public enum DeviceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The node is there and its permissions keep us out. Members of `group` are let in; nil: nobody whom
  /// `user`, which is who we are, could join.
  case denied(path: String, group: String?, user: String)
  /// The permissions would do, but the service's or container's own rules keep us out.
  case forbidden(path: String)
  /// Unplugged or revoked.
  case gone(path: String)
  /// No evdev node, but something else.
  case notEvdev(path: String)
  /// Neither a FIFO nor a socket.
  case notFeed(path: String)
  case system(SystemError)

  public var description: String {
    switch self {
    case .denied(let path, let group, let user):
      "cannot open \(path): permission denied for user \(user); "
        + adviceWhenDenied(path: path, group: group, user: user)
    case .forbidden(let path):
      "cannot open \(path): not permitted by the sandbox or container that this runs in; "
        + "allow character devices of class input (DeviceAllow=char-input rw)"
    case .gone(let path): "\(path) is gone: unplugged or revoked"
    case .notEvdev(let path): "\(path) is no input event node; they are /dev/input/event*"
    case .notFeed(let path):
      "\(path) cannot feed events: it is neither a FIFO nor a Unix socket"
    case .system(let error): error.description
    }
  }

  /// Whether the node may open in a moment: udev sets permissions a little after a plug.
  public var isWorthRetrying: Bool {
    switch self {
    case .denied: true
    case .system(let error): error.errno == .noEntry || error.errno == .busy || isShortage
    case .forbidden, .gone, .notEvdev, .notFeed: false
    }
  }

  /// Whether descriptors or memory have run out: it opens when others have given some back, whenever
  /// that is.
  public var isShortage: Bool {
    guard case .system(let error) = self else { return false }
    return [.tooManyOpenFiles, .tooManyOpenFilesOfAll, .outOfMemory].contains(error.errno)
  }

  /// An error of the kernel as one about a node.
  init(_ operation: String, _ path: String, _ errno: Errno) {
    switch errno {
    case .accessDenied:
      let status = try? FileSystem.status(of: path)
      // Root's own group is for nobody to join, and one that may not read helps nobody.
      let helps = status.map { $0.group != 0 && $0.permissions & 0o040 != 0 } ?? false
      self = .denied(
        path: path, group: helps ? Accounts.groupName(status?.group ?? 0) : nil,
        user: Accounts.userName(CurrentProcess.effectiveUser))
    case .notPermitted: self = .forbidden(path: path)
    case .noDevice, .noSuchDeviceOrAddress: self = .gone(path: path)
    case .notATypewriter: self = .notEvdev(path: path)
    default: self = .system(SystemError(operation, path, errno))
    }
  }
}

/// What to do about a node that is closed to us. The service's user gets its nodes from the package's
/// rule, and would get keyboards too from a group.
private func adviceWhenDenied(path: String, group: String?, user: String) -> String {
  let name = path.split(separator: "/").last.map(String.init) ?? path
  if user == "forced" {
    return "65-forced.rules gives it every node that it needs, unless a later rule takes it away: "
      + "see \"udevadm test /sys/class/input/\(name)\", then \"udevadm trigger \(path)\""
  }
  guard let group else {
    return "no group that could be joined is let in: a udev rule has to give the node one, "
      + "such as GROUP=\"input\", MODE=\"0660\""
  }
  return "it belongs to group \(group): "
    + "join it with \"usermod -aG \(group) \(user)\" and log in again"
}
