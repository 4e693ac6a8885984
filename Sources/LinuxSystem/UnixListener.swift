internal import CLinux

/// Why a socket could not be listened on.
public enum ListenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A process listens there already; its id where the kernel tells.
  case inUse(path: String, process: Int32?)
  /// Something that is no socket has that name.
  case notASocket(path: String)
  case pathTooLong(path: String)
  /// The socket's folder is not there and could not be made.
  case noFolder(SystemError)
  case system(SystemError)

  public var description: String {
    switch self {
    case .inUse(let path, 1?):
      "the service manager listens on \(path) already: stop its socket unit first "
        + "(systemctl stop forced.socket forced), or choose another path"
    case .inUse(let path, let process?):
      "process \(process) listens on \(path) already: end it first, or choose another path"
    case .inUse(let path, nil):
      "another process listens on \(path) already: end it first, or choose another path"
    case .notASocket(let path): "\(path) is there already and is not a socket"
    case .pathTooLong(let path):
      "the path of a socket has at most \(UnixSocket.longestPath) bytes: \(path)"
    case .noFolder(let error):
      "\(error); choose another place for the socket with --socket, or run it with XDG_RUNTIME_DIR "
        + "set, as a login sets it, for a place of your own"
    case .system(let error): error.description
    }
  }
}

/// A Unix socket that takes connections.
public final class UnixListener: Sendable {
  public let descriptor: FileDescriptor
  /// Where it is in the file system; "" where it has no name there.
  public let path: String
  private let device: UInt64
  private let inode: UInt64

  /// Listens at `path`. A socket file that nobody listens on is replaced, one that is in use is
  /// left alone.
  ///
  /// - Parameters:
  ///   - permissions: who may connect, such as 0o660; nobody may before they and the group are set.
  ///   - group: the file's group by number; nil leaves the process's own.
  public init(
    at path: String, permissions: UInt32, group: UInt32? = nil, backlog: Int32 = 1_024
  ) throws(ListenError) {
    guard path.utf8.count <= UnixSocket.longestPath else { throw .pathTooLong(path: path) }
    // Held until the new socket listens, so that two that start at once do not both find the old
    // file stale and take it from each other.
    let lock = DirectoryLock(around: path)
    try clearStaleSocket(at: path)
    let status: FileSystem.Status
    do throws(SystemError) {
      descriptor = try listen(
        at: path, permissions: permissions, group: group, backlog: backlog)
      status = try FileSystem.status(of: path, followingLinks: false)
    } catch {
      throw .system(error)
    }
    device = status.device
    inode = status.inode
    self.path = path
    lock.release()
  }

  /// Takes over a socket that listens already, such as a service manager's; its file is not ours
  /// and stays.
  public init(adopting socket: consuming FileDescriptor) throws(SystemError) {
    try checked(clinux_set_nonblocking(socket.rawValue), "take over a socket")
    var bytes = [CChar](repeating: 0, count: 256)
    _ = clinux_unix_path(socket.rawValue, &bytes, bytes.count)
    path = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    descriptor = socket
    // No file has these: `removeFile` finds that it is not this one's.
    device = 0
    inode = 0
  }

  /// The next connection, non-blocking; nil when none waits. A connection that its client has
  /// given up already is passed over.
  public func accept() throws(SystemError) -> FileDescriptor? {
    while true {
      let result = clinux_unix_accept(descriptor.rawValue)
      if result == -EAGAIN { return nil }
      if result == -ECONNABORTED { continue }
      return FileDescriptor(owning: try checked(result, "accept a connection on", path))
    }
  }

  /// Removes the socket file, if it is still this one's.
  public func removeFile() {
    guard !path.isEmpty, let status = try? FileSystem.status(of: path, followingLinks: false),
      status.device == device, status.inode == inode
    else { return }
    _ = clinux_unlink(path)
  }
}

private func listen(
  at path: String, permissions: UInt32, group: UInt32?, backlog: Int32
) throws(SystemError) -> FileDescriptor {
  let socket = try UnixSocket.make()
  try checked(clinux_unix_bind(socket.rawValue, path), "make socket", path)
  do throws(SystemError) {
    try checked(clinux_unix_listen(socket.rawValue, backlog), "listen on", path)
    if let group { try FileSystem.setGroup(of: path, to: group) }
    try FileSystem.setPermissions(of: path, to: permissions)
  } catch {
    _ = clinux_unlink(path)
    throw error
  }
  return socket
}

/// Removes a socket file that nobody listens on; throws when the path is taken.
private func clearStaleSocket(at path: String) throws(ListenError) {
  var status = clinux_file_status()
  let found = clinux_file_status(path, 0, &status)
  if found == -ENOENT { return }
  guard found == 0 else { throw .system(SystemError("look at", path, Errno(rawValue: -found))) }
  guard status.mode & UInt32(S_IFMT) == UInt32(S_IFSOCK) else { throw .notASocket(path: path) }
  let owner: FileDescriptor
  do throws(SystemError) {
    owner = try UnixSocket.connect(to: path)
  } catch {
    switch error.errno {
    case .noEntry: return
    case .connectionRefused:
      let removed = clinux_unlink(path)
      if removed == 0 || removed == -ENOENT { return }
      throw .system(SystemError("replace the stale socket", path, Errno(rawValue: -removed)))
    // Somebody listens and has no room in its queue just now.
    case .wouldBlock: throw .inUse(path: path, process: nil)
    default: throw .system(error)
    }
  }
  throw .inUse(path: path, process: (try? owner.peerCredentials())?.process)
}

/// An advisory lock on the directory that holds a path; leaves no file behind.
private struct DirectoryLock: ~Copyable {
  private let directory: FileDescriptor?

  /// Waits up to a second. Then it goes on without: any program that can read the directory can
  /// hold the lock, and must not be able to keep the daemon from starting.
  init(around path: String) {
    guard
      let directory = try? FileDescriptor.open(FileSystem.directory(of: path), .directory)
    else {
      self.directory = nil
      return
    }
    var attempts = 50
    while attempts > 0, clinux_lock_exclusively(directory.rawValue) == -EAGAIN {
      clinux_sleep(20_000)
      attempts -= 1
    }
    self.directory = consume directory
  }

  consuming func release() {}
}
