import LinuxSystem

/// A folder of its own for one test, with folders in it; gone when the test is over.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    let base = CurrentProcess.environment("TMPDIR") ?? "/tmp"
    path = "\(base)/forced-\(CurrentProcess.id)-\(monotonicNanoseconds())"
    try FileSystem.createDirectory(path, permissions: 0o700)
  }

  /// Writes a file, and makes the folders above it.
  public func write(_ name: String, _ text: String) throws {
    let parts = name.split(separator: "/")
    var folder = path
    for part in parts.dropLast() {
      folder += "/" + part
      try FileSystem.createDirectory(folder)
    }
    let file = try FileDescriptor.open(
      "\(folder)/\(parts.last ?? "")", [.writeOnly, .create, .truncate])
    var text = text
    try text.withUTF8 { bytes in try file.writeAll(UnsafeRawBufferPointer(bytes)) }
  }

  deinit { remove(path) }

  private func remove(_ path: String) {
    for name in (try? FileSystem.list(path)) ?? [] {
      let inner = "\(path)/\(name)"
      if (try? FileSystem.unlink(inner)) == nil { remove(inner) }
    }
    try? FileSystem.removeDirectory(path)
  }
}
