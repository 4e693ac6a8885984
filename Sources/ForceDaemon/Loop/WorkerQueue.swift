import Dispatch

/// A queue for the blocking work of one device: opening, uploading, erasing, looking, closing, in
/// this order whatever the driver takes for each. A driver that hangs holds up its own device only.
final class WorkerQueue: Sendable {
  private let queue = DispatchQueue(label: "org.forced.worker")

  func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  func run(in group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
    queue.async(group: group, execute: work)
  }
}
