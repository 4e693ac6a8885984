import ForceCore
import ForceDevices
import LinuxSystem

/// Finds the devices of the kernel, opens them and keeps them in service while they are there.
///
/// After a plug the node can refuse for about a second, until udev has given it its permissions:
/// EACCES is tried again for `patience`, and only then said. Where descriptors or memory have run out the
/// tries go on, since it is not the node that has to change.
final class Discovery: DescriptorHandler, TimedWork {
  /// How long a refusal is taken for a node that udev has not finished. 5 s.
  static let patience = Microseconds.seconds(5)
  /// From one try to the next. 200 ms.
  static let interval = Microseconds.milliseconds(200)
  /// From one try to the next while descriptors or memory lack. 2 s.
  static let shortageInterval = Microseconds.seconds(2)

  private struct Refused {
    let place: NodePlace
    let since: Instant
    let next: Instant
    /// Descriptors or memory lacked: perhaps also when its place was looked up.
    var isShort = false
  }

  /// How the try to open a node went, as its worker tells.
  private struct Outcome {
    let result: Result<EvdevNode, DeviceError>
    /// False for nodes that stay closed to us and should.
    var concernsUs = true
    /// Of a node that could not be opened, by /sys; "" where unknown.
    var name = ""
  }

  private let pipeline: Pipeline
  private let loop: Loop
  private let mailbox: LoopMailbox
  private let log: Log
  private let monitor: DeviceMonitor
  private var live: [String: LiveDevice] = [:]
  private var refused: [Refused] = []
  /// Nodes that are being opened: the number of the try and the time of the plug that asked for it.
  private var opening: [String: (number: UInt64, since: Instant)] = [:]
  private var tries: UInt64 = 0
  /// Messages of plugging that were lost, and made up for by a look at every node.
  private(set) var losses: UInt64 = 0
  private var token: UInt64?
  /// When to look at the nodes again, where the last look failed.
  private var nextLook: Instant?
  /// Times that a node refused to open, those that a later try mended too.
  private(set) var denials: UInt64 = 0

  /// - Parameter monitor: tells of the nodes; nil for the machine's own.
  init(
    pipeline: Pipeline, loop: Loop, log: Log, monitor: DeviceMonitor? = nil
  ) throws(DeviceError) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    mailbox = LoopMailbox(loop)
    if let monitor { self.monitor = monitor } else { self.monitor = try DeviceMonitor() }
  }

  func start(at now: Instant) throws(SystemError) {
    if let warning = monitor.warning { log.warning(warning) }
    token = try loop.add(monitor.rawDescriptor, handler: self)
    takeChanges(at: now)
  }

  /// Listens no more; what was found stays in service.
  func stop() {
    if let token { loop.remove(monitor.rawDescriptor, token: token) }
    token = nil
  }

  func descriptorReady(_ readiness: Readiness, at now: Instant) {
    takeChanges(at: now)
  }

  private func takeChanges(at now: Instant) {
    while let change = monitor.next() {
      switch change {
      case .added(let place), .changed(let place):
        refused.removeAll { $0.place.path == place.path }
        open(place, since: now)
      case .removed(let path): removed(path, at: now)
      }
    }
    noteTrouble(at: now)
    guard monitor.losses != losses else { return }
    losses = monitor.losses
    log.warning(
      "so much was plugged at once that the kernel dropped messages of udev's: "
        + "looked at every device again",
      Log.Fields(counter: ("hotplug_lost", losses)))
  }

  /// A failed look is said once, and done again until one succeeds.
  private func noteTrouble(at now: Instant) {
    guard let trouble = monitor.trouble else {
      nextLook = nil
      return
    }
    if nextLook == nil {
      log.warning(
        "devices that come or go are not noticed for now: \(trouble)",
        Log.Fields(errno: trouble.errno.rawValue))
    }
    nextLook = now + Self.shortageInterval
  }

  var deadline: Instant? { earlier(refused.map(\.next).min(), nextLook) }

  func run(at now: Instant) {
    if let nextLook, nextLook <= now { takeChanges(at: now) }
    let due = refused.filter { $0.next <= now }
    refused.removeAll { $0.next <= now }
    for node in due { open(node.place, since: node.since, looksUpAgain: node.isShort) }
  }

  private func open(_ heard: NodePlace, since: Instant, looksUpAgain: Bool = false) {
    let path = heard.path
    guard live[path] == nil, opening[path] == nil else { return }
    tries += 1
    let number = tries
    opening[path] = (number, since)
    let worker = WorkerQueue()
    let this = Confined(self)
    let mailbox = mailbox
    let positions = pipeline.engine.publishesPositions
    worker.run {
      let place = looksUpAgain ? NodePlace(lookingUp: path) : heard
      let outcome: Outcome
      do throws(DeviceError) {
        outcome = Outcome(result: .success(try openNode(place, withPositions: positions)))
      } catch {
        var denied = Outcome(result: .failure(error), name: place.deviceName)
        if case .denied = error { denied.concernsUs = place.promisesForceOrMotor ?? true }
        outcome = denied
      }
      mailbox.post { now in this.value.opened(place, number, outcome, worker, at: now) }
    }
  }

  private func opened(
    _ place: NodePlace, _ number: UInt64, _ outcome: Outcome, _ worker: WorkerQueue,
    at now: Instant
  ) {
    // A node that was removed meanwhile is no longer in `opening`, or is there for a later try.
    guard let since = opening[place.path]?.since, opening[place.path]?.number == number else {
      return
    }
    opening[place.path] = nil
    if case .failure(.denied) = outcome.result, outcome.concernsUs { denials += 1 }
    switch outcome.result {
    // A keyboard stays closed to the daemon, and that is right.
    case .failure where !outcome.concernsUs: break
    case .success(let node): serve(node, at: place, worker, at: now)
    case .failure(let error):
      let isEarly = error.isWorthRetrying && now - since < Self.patience
      if isEarly || error.isShortage {
        let next = now + (isEarly ? Self.interval : Self.shortageInterval)
        refused.append(
          Refused(place: place, since: since, next: next, isShort: error.isShortage))
      }
      if !isEarly { report(error, at: place, named: outcome.name) }
    }
  }

  /// A node that is gone before it was opened is no trouble.
  private func report(_ error: DeviceError, at place: NodePlace, named name: String) {
    if case .gone = error { return }
    pipeline.closedNodes[place.path] = (name, "\(error)")
    log.warning("\(error)", .about(place.path, counter: ("nodes_denied", denials)))
  }

  private func serve(_ node: EvdevNode, at place: NodePlace, _ worker: WorkerQueue, at now: Instant)
  {
    pipeline.closedNodes[place.path] = nil
    let entry = pipeline.attach(node.description, at: now)
    let device = LiveDevice(
      entry: entry, node: node, worker: worker, pipeline: pipeline, loop: loop, log: log
    ) { [unowned self] device, now in left(place.path, device, at: now) }
    live[place.path] = device
    let hasMotor = addMotor(of: node, entry, worker, at: now)
    pipeline.settle(entry, at: now)
    guard entry.capability.measure == .force else {
      // Nothing to read and nothing to play: why keep the kernel's node busy?
      if !hasMotor { device.close() }
      return
    }
    do throws(SystemError) { try device.start() } catch {
      log.error("\(entry.id): cannot be read: \(error)")
      left(place.path, device, at: now)
    }
  }

  private func addMotor(
    of node: EvdevNode, _ entry: DeviceEntry, _ worker: WorkerQueue, at now: Instant
  ) -> Bool {
    entry.motorNote = nil
    guard let motor = EvdevMotor(node) else { return false }
    guard !node.isReadOnly else {
      entry.motorNote = "\(node.place.path) could be opened for reading only"
      log.warning(
        "\(entry.id): no rumble, because \(node.place.path) could be opened for reading only")
      return false
    }
    pipeline.addMotor(motor, of: entry, worker: worker, at: now)
    return true
  }

  private func removed(_ path: String, at now: Instant) {
    opening[path] = nil
    pipeline.closedNodes[path] = nil
    refused.removeAll { $0.place.path == path }
    if let device = live[path] { left(path, device, at: now) }
  }

  private func left(_ path: String, _ device: LiveDevice, at now: Instant) {
    live[path] = nil
    device.stop()
    pipeline.detach(device.entry, at: now)
    device.close()
  }
}

/// Opens a node and has the kernel hand over only what the device's kind needs.
private func openNode(
  _ place: NodePlace, withPositions: Bool
) throws(DeviceError) -> EvdevNode {
  let node = try EvdevNode(place)
  let codes = Capability.classify(
    node.description, withPositions: withPositions
  ).neededCodes
  // Without the mask everything works too, at the price of wake-ups.
  if !codes.isEmpty { try? node.limitEvents(to: codes) }
  return node
}
