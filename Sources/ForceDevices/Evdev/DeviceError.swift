import LinuxSystem

/// Why an input node could not be used: what was tried, on what, and what to do.
public enum DeviceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The node is there and its permissions keep us out. `group` owns it; `user` is who we are.
  case denied(path: String, group: String, user: String)
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
      "cannot open \(path): permission denied for user \(user); it belongs to group \(group): "
        + "join it with \"usermod -aG \(group) \(user)\" and log in again"
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
    case .system(let error): error.errno == .noEntry || error.errno == .busy
    case .forbidden, .gone, .notEvdev, .notFeed: false
    }
  }

  /// An error of the kernel as one about a node.
  init(_ operation: String, _ path: String, _ errno: Errno) {
    switch errno {
    case .accessDenied:
      let owner = try? FileSystem.status(of: path).group
      self = .denied(
        path: path, group: Accounts.groupName(owner ?? 0),
        user: Accounts.userName(CurrentProcess.effectiveUser))
    case .notPermitted: self = .forbidden(path: path)
    case .noDevice, .noSuchDeviceOrAddress: self = .gone(path: path)
    case .notATypewriter: self = .notEvdev(path: path)
    default: self = .system(SystemError(operation, path, errno))
    }
  }
}
