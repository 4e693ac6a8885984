internal import CLinux

/// Becomes readable when an entry of a directory appears, changes its permissions or goes (inotify).
/// What has changed is for the owner to see by listing it again.
///
/// The directory itself may be missing, go and come back, as `/dev/input` does with the first and the
/// last device; its parent must exist.
public struct DirectoryWatch: ~Copyable, Sendable {
  public let descriptor: FileDescriptor
  private let path: String

  public init(_ path: String) throws(SystemError) {
    let watch = FileDescriptor(owning: try checked(clinux_watch_create(), "watch", path))
    let parent = FileSystem.directory(of: path)
    try checked(clinux_watch_creation(watch.rawValue, parent), "watch", parent)
    descriptor = watch
    self.path = path
    watchEntries()
  }

  /// Makes it unreadable again; true if something may have changed.
  @discardableResult
  public borrowing func acknowledge() -> Bool {
    let changed = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
      var changed = false
      while case .bytes = descriptor.read(into: bytes) { changed = true }
      return changed
    }
    if changed { watchEntries() }
    return changed
  }

  /// Watching the same directory again changes nothing; a new one of that name needs its own watch.
  private borrowing func watchEntries() {
    _ = clinux_watch_entries(descriptor.rawValue, path)
  }
}
