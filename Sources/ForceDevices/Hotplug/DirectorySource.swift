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

  /// Why the last look failed. What was seen before it holds, and the next call looks again.
  private(set) var trouble: SystemError?

  func changes() -> [NodeChange] {
    guard watch.acknowledge() || isFirst || trouble != nil else { return [] }
    isFirst = false
    do throws(SystemError) {
      let now = try look()
      trouble = nil
      return update(to: now)
    } catch {
      trouble = error
      return []
    }
  }

  private func update(to now: [String: Seen]) -> [NodeChange] {
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

  private func look() throws(SystemError) -> [String: Seen] {
    var nodes: [String: Seen] = [:]
    let names = try unlessGone { () throws(SystemError) in try FileSystem.list(directory) } ?? []
    for name in names where name.hasPrefix("event") {
      let path = "\(directory)/\(name)"
      let status = try unlessGone { () throws(SystemError) in try FileSystem.status(of: path) }
      guard let status else { continue }
      nodes[path] = Seen(
        inode: status.inode, permissions: status.permissions, group: status.group)
    }
    return nodes
  }
}

/// Nil where nothing is. Any other error, such as too many open files, says nothing about what is there.
private func unlessGone<Value>(
  _ look: () throws(SystemError) -> Value
) throws(SystemError) -> Value? {
  do throws(SystemError) { return try look() } catch {
    switch error.errno {
    case .noEntry, .notADirectory: return nil
    default: throw error
    }
  }
}
