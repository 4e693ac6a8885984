internal import CLinux

/// Becomes readable when an entry of a directory appears, changes its permissions or goes (inotify).
/// What has changed is for the owner to see by listing it again.
public struct DirectoryWatch: ~Copyable, Sendable {
  public let descriptor: FileDescriptor

  public init(_ path: String) throws(SystemError) {
    descriptor = FileDescriptor(owning: try checked(clinux_watch_directory(path), "watch", path))
  }

  /// Makes it unreadable again; true if something had changed.
  @discardableResult
  public borrowing func acknowledge() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
      var changed = false
      while case .bytes = descriptor.read(into: bytes) { changed = true }
      return changed
    }
  }
}
