import LinuxSystem

/// Event nodes as the entries of a directory, for machines without udev.
final class DirectorySource: NodeSource {
  /// What tells one node from another of the same name, and whether it may open now.
  private struct Seen: Equatable {
    var inode: UInt64
    var permissions: UInt32
    var group: UInt32
  }

  private let directory: String
  private let watch: DirectoryWatch
  private var seen: [String: Seen] = [:]
  private var isFirst = true

  init(_ directory: String) throws(DeviceError) {
    self.directory = directory
    do { watch = try DirectoryWatch(directory) } catch { throw .system(error) }
  }

  var rawDescriptor: Int32 { watch.descriptor.rawValue }

  /// It looks at every node each time.
  let losses: UInt64 = 0

  func changes() -> [NodeChange] {
    guard watch.acknowledge() || isFirst else { return [] }
    isFirst = false
    let now = look()
    var changes: [NodeChange] = []
    for path in seen.keys.sorted() where now[path]?.inode != seen[path]?.inode {
      changes.append(.removed(path: path))
      seen[path] = nil
    }
    for (path, node) in now.sorted(by: { $0.key < $1.key }) where seen[path] != node {
      let place = NodePlace(lookingUp: path)
      changes.append(seen[path] == nil ? .added(place) : .changed(place))
    }
    seen = now
    return changes
  }

  private func look() -> [String: Seen] {
    var nodes: [String: Seen] = [:]
    for name in (try? FileSystem.list(directory)) ?? [] where name.hasPrefix("event") {
      let path = "\(directory)/\(name)"
      // Gone again already, then.
      guard let status = try? FileSystem.status(of: path) else { continue }
      nodes[path] = Seen(
        inode: status.inode, permissions: status.permissions, group: status.group)
    }
    return nodes
  }
}
