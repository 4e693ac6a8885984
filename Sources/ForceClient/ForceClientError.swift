import LinuxSystem

/// Why something asked of the daemon did not come about.
public enum ForceClientError: Error, Equatable, Sendable {
  /// No daemon could be reached.
  case unreachable(UnreachableDaemon)
  /// The connection broke; in a few words why.
  case connectionLost(String)
  /// The daemon took the call and said nothing for so long.
  case noAnswer(method: String, after: Microseconds)
  /// The daemon answered with an error.
  case refused(VarlinkError)
  /// The daemon answered with something that this version cannot read.
  case unexpectedReply(method: String, reason: String)
  /// The task was cancelled while it waited.
  case cancelled
}

extension ForceClientError: CustomStringConvertible {
  /// A sentence for people: what happened and what to do.
  public var description: String {
    switch self {
    case .unreachable(let daemon): daemon.description
    case .connectionLost(let reason): "the connection to the daemon broke: \(reason)"
    case .noAnswer(let method, let time):
      "the daemon did not answer \(method) within \(time.milliseconds.formattedShort) ms; "
        + "`systemctl status forced` shows how it is"
    case .refused(let error): error.description
    case .unexpectedReply(let method, let reason):
      "the daemon's answer to \(method) cannot be read (\(reason)); "
        + "is the daemon of another version than this program?"
    case .cancelled: "cancelled"
    }
  }

  /// Trying again later can help: the daemon is away and not of another opinion.
  public var isDisconnection: Bool {
    switch self {
    case .unreachable, .connectionLost: true
    case .noAnswer, .refused, .unexpectedReply, .cancelled: false
    }
  }
}

/// A daemon that could not be reached, and each way that was tried.
public struct UnreachableDaemon: Equatable, Sendable, CustomStringConvertible {
  /// One path that was tried.
  public struct Attempt: Equatable, Sendable {
    public var path: String
    public var errno: Errno
    /// The group that may connect, where the socket's permissions name one.
    public var group: String?
    /// Something is there that is no socket.
    public var isOther: Bool

    public init(path: String, errno: Errno, group: String? = nil, isOther: Bool = false) {
      self.path = path
      self.errno = errno
      self.group = group
      self.isOther = isOther
    }

    /// No daemon can ever be reached there.
    fileprivate var isHopeless: Bool { isOther || errno == .nameTooLong }
  }

  public var attempts: [Attempt]
  /// The name of the user who tried, for the advice.
  public var user: String

  public init(attempts: [Attempt], user: String) {
    self.attempts = attempts
    self.user = user
  }

  public var description: String {
    if let denied = attempts.first(where: { $0.errno == .accessDenied && !$0.isOther }) {
      return denial(denied)
    }
    if let full = attempts.first(where: { $0.errno == .wouldBlock }) {
      return "the daemon at \(full.path) takes no connections at the moment; try again"
    }
    let places = attempts.map { "\($0.path) (\(reason($0)))" }.joined(separator: " and ")
    if attempts.allSatisfy(\.isHopeless) {
      return "the daemon cannot be reached at \(places); name the socket that it listens on with "
        + "--socket or FORCED_SOCKET, or neither for the usual one"
    }
    return "the daemon cannot be reached at \(places); is it running? "
      + "Start it with `systemctl start forced`, or run `forced` in another terminal"
  }

  private func denial(_ attempt: Attempt) -> String {
    guard let group = attempt.group, group != "root" else {
      return "you may not connect to \(attempt.path): its permissions leave no group that you "
        + "could join; SocketGroup and SocketMode in forced.conf decide that"
    }
    return "you may not connect to \(attempt.path), only members of the group '\(group)' may; "
      + "join it with `sudo usermod -aG \(group) \(user)` and log in again"
  }

  private func reason(_ attempt: Attempt) -> String {
    if attempt.isOther { return "no socket, but something else" }
    return switch attempt.errno {
    case .noEntry: "no socket there"
    case .connectionRefused: "nobody listens there"
    case .nameTooLong:
      "\(attempt.path.utf8.count) bytes long, and the path of a socket has at most "
        + "\(UnixSocket.longestPath)"
    case .invalidArgument: "no valid path for a socket"
    default: attempt.errno.description
    }
  }
}

extension Double {
  /// Without a fraction where it is whole.
  var formattedShort: String {
    self == rounded() && magnitude < 1e15 ? String(Int64(self)) : String(self)
  }
}
