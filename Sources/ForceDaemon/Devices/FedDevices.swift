import ForceCore
import ForceDevices
import LinuxSystem

/// Devices that other programs play, in service while those programs hold their ends open.
final class FedDevices {
  private let pipeline: Pipeline
  private let loop: Loop
  private let log: Log
  private var live: [LiveDevice] = []

  init(pipeline: Pipeline, loop: Loop, log: Log) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
  }

  /// Plugs a fed device in.
  func add(_ feed: EventFeed, at now: Instant) throws(SystemError) {
    let entry = pipeline.attach(feed.description, at: now)
    let worker = WorkerQueue()
    if let motor = feed.motor { pipeline.addMotor(motor, of: entry, worker: worker, at: now) }
    pipeline.settle(entry, at: now)
    let device = LiveDevice(
      entry: entry, node: nil, worker: worker, pipeline: pipeline, loop: loop, log: log
    ) { [weak self] device, now in self?.left(device, at: now) }
    try device.start(feed.reader)
    live.append(device)
  }

  private func left(_ device: LiveDevice, at now: Instant) {
    live.removeAll { $0 === device }
    device.stop()
    pipeline.detach(device.entry, at: now)
  }
}
