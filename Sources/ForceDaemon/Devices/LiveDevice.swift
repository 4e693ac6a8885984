import ForceCore
import ForceDevices
import LinuxSystem

/// A device of the kernel's while it is plugged in: reads its events into the engine.
final class LiveDevice: DescriptorHandler {
  let entry: DeviceEntry
  private let worker: WorkerQueue
  private let pipeline: Pipeline
  private let loop: Loop
  private let mailbox: LoopMailbox
  private let log: Log
  private let gone: (LiveDevice, Instant) -> Void
  private var node: EvdevNode?
  @exclusivity(unchecked) private var reader: EventReader?
  @exclusivity(unchecked) private var token: UInt64?
  private var hasWarned = false

  /// - Parameters:
  ///   - node: nil where the events come from elsewhere.
  ///   - gone: called once, on the loop, when the kernel says that the device is no more.
  init(
    entry: DeviceEntry, node: EvdevNode?, worker: WorkerQueue, pipeline: Pipeline, loop: Loop,
    log: Log, gone: @escaping (LiveDevice, Instant) -> Void
  ) {
    self.entry = entry
    self.node = node
    self.worker = worker
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    mailbox = LoopMailbox(loop)
    self.gone = gone
  }

  /// Begins to read the node.
  func start() throws(SystemError) {
    if let node { try start(EventReader(node)) }
  }

  /// Begins to read events from elsewhere, such as a socket.
  func start(_ reader: EventReader) throws(SystemError) {
    token = try loop.add(reader.rawDescriptor, handler: self)
    self.reader = reader
  }

  /// Reads no more.
  func stop() {
    if let token, let reader { loop.remove(reader.rawDescriptor, token: token) }
    token = nil
    reader = nil
  }

  /// Lets go of the node. It closes on the worker, because a close can wait for the driver, so this
  /// comes after everybody else has let go of it.
  func close() {
    stop()
    guard let last = node else { return }
    node = nil
    worker.run { withExtendedLifetime(last) {} }
  }

  func descriptorReady(_ readiness: Readiness, at now: Instant) {
    guard let reader else { return }
    loop.noteInput(at: now)
    switch reader.read() {
    case .events(let events):
      let latest = now + Self.slack
      for var event in events {
        if event.time > latest { takeAsNow(&event, now) }
        pipeline.engine.ingest(event, from: entry.handle)
      }
      pipeline.flushEvents(at: now)
      if pipeline.engine.lostEvents(of: entry.handle) { resynchronize() }
    case .empty: break
    case .failed(let errno):
      log.error("\(entry.id): cannot be read any more: \(errno)")
      gone(self, now)
    case .gone: gone(self, now)
    }
  }

  /// How far an event's time may lie ahead of ours, which was taken before it was read: 1 s.
  private static let slack = Microseconds.seconds(1)

  /// The engine's time never goes back: a stamp from the future would hold up all that come after it.
  private func takeAsNow(_ event: inout InputEvent, _ now: Instant) {
    event.time = now
    guard !hasWarned else { return }
    hasWarned = true
    log.warning("\(entry.id): its events carry times in the future, which are taken as now")
  }

  /// Reads the whole state anew after the kernel dropped events. The ioctls can wait behind an
  /// upload to the same device, so they run on the worker; reading rests meanwhile, so that what
  /// the kernel queues after the look is not overwritten by it.
  private func resynchronize() {
    guard let token, let node, let reader else { return }
    try? loop.change(reader.rawDescriptor, to: [], token: token)
    let this = Confined(self)
    let mailbox = mailbox
    worker.run {
      let state = try? node.snapshot()
      mailbox.post { now in this.value.finishResync(state, at: now) }
    }
  }

  private func finishResync(_ state: DeviceDescription?, at now: Instant) {
    guard let token, let reader else { return }
    if let state {
      pipeline.engine.resynchronize(state, for: entry.handle, at: now)
      pipeline.flush(at: now)
    }
    try? loop.change(reader.rawDescriptor, to: .readable, token: token)
  }
}
