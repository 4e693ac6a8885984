internal import CLinux

/// Who is at the other end of a Unix socket, as the kernel vouches for it.
public struct PeerCredentials: Equatable, Sendable {
  public let process: Int32
  public let user: UInt32
  public let group: UInt32

  public init(process: Int32, user: UInt32, group: UInt32) {
    self.process = process
    self.user = user
    self.group = group
  }
}

/// Stream sockets in the file system, all non-blocking.
public enum UnixSocket {
  /// The longest path that fits an address, in bytes (`sun_path` less its NUL).
  public static let longestPath = 107

  /// Connects. "No entry" means no socket there, "connection refused" that nobody listens on it,
  /// "would block" that its queue of new connections is full.
  public static func connect(to path: String) throws(SystemError) -> FileDescriptor {
    let socket = try make()
    try checked(clinux_unix_connect(socket.rawValue, path), "connect to", path)
    return socket
  }

  /// Two sockets connected to each other.
  public static func pair() throws(SystemError) -> DescriptorPair {
    try DescriptorPair("make a pair of sockets", clinux_unix_pair)
  }

  static func make() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try checked(clinux_unix_socket(), "make a socket"))
  }
}

extension FileDescriptor {
  /// One `send`, which never blocks and never raises SIGPIPE. Never allocates.
  public borrowing func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    Transfer(clinux_send(rawValue, bytes.baseAddress, bytes.count))
  }

  /// Sends two pieces as one, in one call.
  public borrowing func send(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> Transfer {
    Transfer(
      clinux_send_two(
        rawValue, first.baseAddress, first.count, second.baseAddress, second.count))
  }

  /// One `recv`, which never blocks. Never allocates.
  public borrowing func receive(into bytes: UnsafeMutableRawBufferPointer) -> Transfer {
    Transfer(clinux_receive(rawValue, bytes.baseAddress, bytes.count))
  }

  /// The process that connected, or on a client's side the one that listens.
  public borrowing func peerCredentials() throws(SystemError) -> PeerCredentials {
    var peer = clinux_credentials()
    try checked(clinux_peer_credentials(rawValue, &peer), "ask who connected")
    return PeerCredentials(process: peer.process, user: peer.user, group: peer.group)
  }

  /// The peer's supplementary groups when it connected.
  public borrowing func peerGroups() throws(SystemError) -> [UInt32] {
    let number = rawValue
    return try groupList("ask for the peer's groups") { clinux_peer_groups(number, $0, $1) }
  }

  /// Asks for a send buffer of so many bytes; the kernel doubles it and has limits of its own.
  public borrowing func setSendBuffer(_ bytes: Int) throws(SystemError) {
    try checked(
      clinux_set_send_buffer(rawValue, Int32(clamping: bytes)), "set the size of a send buffer")
  }

  /// Whether it is a Unix socket that listens, as a service manager hands them over.
  public borrowing func isListeningUnixSocket() -> Bool {
    clinux_is_listening_unix_socket(rawValue) == 1
  }
}
