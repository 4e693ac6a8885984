import LinuxSystem

/// A change among the machine's event nodes.
public enum NodeChange: Equatable, Sendable {
  /// A node that is there and ready to be opened.
  case added(NodePlace)
  /// A known node whose permissions or properties changed: one that could not be opened may now.
  case changed(NodePlace)
  case removed(path: String)
}

/// Tells which event nodes there are, and of every one that comes and goes.
///
/// Through udev where it runs, and then only of nodes that it has set up; otherwise, as in a
/// container, by watching `/dev/input`. Belongs to one loop.
public final class DeviceMonitor {
  /// Why nodes may be missed, for the log; nil when all is well.
  public let warning: String?
  private let source: any NodeSource
  private var changes: [NodeChange] = []

  /// Starts to watch. Every node that is there already comes first, as added.
  ///
  /// - Parameters:
  ///   - directory: where the nodes are when udev doesn't run.
  ///   - udevControl: exists where udev runs.
  public init(
    directory: String = "/dev/input", udevControl: String = "/run/udev/control"
  ) throws(DeviceError) {
    if FileSystem.exists(udevControl) {
      source = try UdevSource()
      warning = nil
    } else {
      source = try DirectorySource(directory)
      warning =
        "udev does not run here: watching \(directory) itself; "
        + "seats and settings from udev's rules are not known"
    }
    changes = source.changes()
    changes.reverse()
  }

  /// The descriptor to wait on. When it is readable, call `next()` until it returns nil.
  public var rawDescriptor: Int32 { source.rawDescriptor }

  /// Messages of udev's that were lost because more came at once than the kernel keeps for us. Every
  /// node was looked at again afterwards, so that no change was missed for good.
  public var losses: UInt64 { source.losses }

  /// Why the nodes could not be looked at, such as too many open files; nil when all is well. What was
  /// told before holds meanwhile; `next()` looks again, also when the descriptor is not readable.
  public var trouble: SystemError? { source.trouble }

  /// The next change, or nil when there is none for now. Does not block.
  public func next() -> NodeChange? {
    if changes.isEmpty {
      changes = source.changes()
      changes.reverse()
    }
    return changes.popLast()
  }
}

/// Where changes come from. The first call tells of every node that is there.
protocol NodeSource: AnyObject {
  var rawDescriptor: Int32 { get }
  /// Messages that were lost and made up for.
  var losses: UInt64 { get }
  /// Why the last look at the nodes failed; nil when it did not.
  var trouble: SystemError? { get }
  /// Everything that has changed since the last call, oldest first.
  func changes() -> [NodeChange]
}
