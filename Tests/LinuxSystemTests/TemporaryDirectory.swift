import LinuxSystem

/// A directory of its own for one test, removed with everything in it when the test is over.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let base = CurrentProcess.environment("TMPDIR") ?? "/tmp"
    path = "\(base)/forced-test-\(CurrentProcess.id)-\(monotonicNanoseconds())"
    try FileSystem.createDirectory(path, permissions: 0o700)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ text: String) throws {
    let file = try FileDescriptor.open(file(name), [.writeOnly, .create, .truncate])
    var text = text
    try text.withUTF8 { bytes in try file.writeAll(UnsafeRawBufferPointer(bytes)) }
  }

  deinit { removeTree(path) }
}

private func removeTree(_ path: String) {
  for name in (try? FileSystem.list(path)) ?? [] {
    let entry = "\(path)/\(name)"
    if (try? FileSystem.status(of: entry, followingLinks: false))?.kind == .directory {
      removeTree(entry)
    } else {
      try? FileSystem.unlink(entry)
    }
  }
  try? FileSystem.removeDirectory(path)
}

extension FileDescriptor {
  borrowing func write(text: String) -> Transfer {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  borrowing func readText() -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ read(into: $0) }) else {
      return ""
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
