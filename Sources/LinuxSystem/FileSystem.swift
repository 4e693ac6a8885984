internal import CLinux

/// Files and directories by path.
public enum FileSystem {
  /// What kind of file a path names.
  public enum Kind: Sendable {
    case regular, directory, socket, characterDevice, symbolicLink, pipe, other
  }

  /// What the kernel says of a file.
  public struct Status: Equatable, Sendable {
    public let kind: Kind
    /// The file system and the number on it: together the same for the same file only.
    public let device: UInt64
    public let inode: UInt64
    public let size: Int64
    /// Permission bits, such as 0o660.
    public let permissions: UInt32
    public let user: UInt32
    public let group: UInt32
  }

  public static func status(
    of path: String, followingLinks: Bool = true
  ) throws(SystemError) -> Status {
    var found = clinux_file_status()
    try checked(clinux_file_status(path, followingLinks ? 1 : 0, &found), "look at", path)
    return Status(
      kind: kind(of: found.mode), device: found.device, inode: found.inode, size: found.size,
      permissions: found.mode & 0o7777, user: found.user, group: found.group)
  }

  public static func exists(_ path: String) -> Bool {
    var found = clinux_file_status()
    return clinux_file_status(path, 1, &found) == 0
  }

  private static func kind(of mode: UInt32) -> Kind {
    switch Int32(truncatingIfNeeded: mode) & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .directory
    case S_IFSOCK: .socket
    case S_IFCHR: .characterDevice
    case S_IFLNK: .symbolicLink
    case S_IFIFO: .pipe
    default: .other
    }
  }

  /// The whole content of a file; "file too large" when it is longer than `limit` bytes.
  public static func read(_ path: String, limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
    let file = try FileDescriptor.open(path)
    var content: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { piece.deallocate() }
    while true {
      switch file.read(into: piece) {
      case .bytes(let count):
        guard content.count + count <= limit else {
          throw SystemError("read", path, .fileTooLarge)
        }
        content.append(contentsOf: piece[..<count])
      case .endOfFile: return content
      case .wouldBlock: throw SystemError("read", path, .wouldBlock)
      case .failed(let errno): throw SystemError("read", path, errno)
      }
    }
  }

  /// The names in a directory, sorted, without "." and "..".
  public static func list(_ path: String) throws(SystemError) -> [String] {
    var failure: Int32 = 0
    guard let directory = clinux_open_directory(path, &failure) else {
      throw SystemError("list", path, Errno(rawValue: failure))
    }
    defer { clinux_close_directory(directory) }
    var names: [String] = []
    while let name = clinux_next_entry(directory, &failure) {
      let name = String(cString: name)
      if name != "." && name != ".." { names.append(name) }
    }
    guard failure == 0 else { throw SystemError("list", path, Errno(rawValue: failure)) }
    return names.sorted()
  }

  /// The path from the root on; as it is where it is "" or the current folder is not known.
  public static func absolute(_ path: String) -> String {
    guard !path.isEmpty, !path.hasPrefix("/") else { return path }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { text in
      guard let base = text.baseAddress, clinux_current_folder(base, text.count) >= 0 else {
        return path
      }
      return "\(String(cString: base))/\(path)"
    }
  }

  /// Makes a directory; content with one that is there. Its parent must exist.
  public static func createDirectory(
    _ path: String, permissions: UInt32 = 0o755
  ) throws(SystemError) {
    let result = clinux_make_directory(path, permissions)
    if result == -EEXIST, try status(of: path).kind == .directory { return }
    try checked(result, "make directory", path)
  }

  public static func unlink(_ path: String) throws(SystemError) {
    try checked(clinux_unlink(path), "remove", path)
  }

  public static func removeDirectory(_ path: String) throws(SystemError) {
    try checked(clinux_remove_directory(path), "remove directory", path)
  }

  /// Replaces `to` in one step: it names the old file or the new one, never neither.
  public static func rename(_ from: String, to: String) throws(SystemError) {
    try checked(clinux_rename(from, to), "rename \(from) to", to)
  }

  public static func setPermissions(of path: String, to mode: UInt32) throws(SystemError) {
    try checked(clinux_change_mode(path, mode), "set the mode of", path)
  }

  /// The file's owner may only give it to a group that the process is in; root to any.
  public static func setGroup(of path: String, to group: UInt32) throws(SystemError) {
    try checked(clinux_change_group(path, group), "set the group of", path)
  }

  /// Everything before the last "/": "/" for files of the root, "." where there is none.
  public static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
