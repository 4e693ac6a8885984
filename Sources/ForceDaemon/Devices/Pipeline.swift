import ForceCore
import ForceProtocol

/// The way of a press through the daemon: the engine, then the motors, then the subscribers.
final class Pipeline: TimedWork {
  let engine: Engine
  let haptics: HapticRouter
  let publisher: Publisher
  private(set) var table = DeviceTable()
  private let untilPublished = LatencyHistogram()
  private let untilHaptic = LatencyHistogram()
  /// What is known of devices beyond their nodes.
  let tunings: Tunings
  /// Saves what was learned of the range of a device, by its identity; nil where nothing is kept.
  var keeper: ((String, [RememberedRange]) -> Void)?
  var keptLearnings: UInt64 = 0
  /// Nodes that are plugged in and stay closed to us, by path: the device's name and the reason.
  var closedNodes: [String: (name: String, reason: String)] = [:]
  /// Devices that settle together, while they do.
  private var together: [DeviceEntry]?
  let log: Log

  init(
    engine: Engine, haptics: HapticRouter, publisher: Publisher, tunings: Tunings? = nil, log: Log
  ) {
    self.tunings = tunings ?? Tunings(log: log)
    self.engine = engine
    self.haptics = haptics
    self.publisher = publisher
    self.log = log
  }

  var deadline: Instant? { earlier(engine.deadline, haptics.deadline) }

  func run(at now: Instant) {
    engine.advance(to: now)
    flush(at: now)
    haptics.advance(to: now)
  }

  /// How long events took through the daemon.
  var latency: LatencyReport {
    LatencyReport(publish: LatencyRecord(untilPublished), haptic: LatencyRecord(untilHaptic))
  }

  /// Carries out what events led to, and counts how long that took from the kernel's time stamps.
  func flushEvents(at now: Instant) {
    engine.forEachHaptic {
      let isPlayed = haptics.execute($0, at: now)
      if isPlayed, case .play = $0.action { untilHaptic.record(Loop.now() - $0.time) }
    }
    engine.forEachReading { publisher.publish($0, at: now) }
    if publisher.watcherCount > 0 {
      let end = Loop.now()
      engine.forEachReading { untilPublished.record(end - $0.time) }
    }
    engine.clearActions()
    if engine.rangeLearnings != keptLearnings { keepRanges() }
  }

  /// Carries out what the engine decided. Haptics go first: a finger notices 5 ms, an eye doesn't.
  func flush(at now: Instant) {
    engine.forEachHaptic { haptics.execute($0, at: now) }
    engine.forEachReading { publisher.publish($0, at: now) }
    engine.clearActions()
  }

  /// A device has come, or come back.
  func attach(_ description: DeviceDescription, at now: Instant) -> DeviceEntry {
    let entry = table.arrive(
      description, Capability.classify(description, withPositions: engine.publishesPositions))
    // A tare holds while the daemon runs, also over a replug.
    let tuning = tunings.tuning(for: entry.identity, before: entry.tuning)
    engine.attach(description, as: entry.handle, tuning: tuning, at: now)
    // Every mouse and power button would be a line: those with nothing to say stay silent.
    if entry.capability.measure != .none || description.hapticBackend != nil {
      log.info("\(entry.id): \(entry.sentence)")
    }
    publisher.name(entry.handle, entry.id)
    publisher.resolveFilters(table)
    return entry
  }

  /// A device has gone; a press under way ends with a released reading.
  func detach(_ entry: DeviceEntry, at now: Instant) {
    guard entry.connected else { return }
    keepRanges(of: entry)
    entry.tuning = engine.tuning(of: entry.handle) ?? DeviceTuning()
    engine.detach(entry.handle, at: now)
    flush(at: now)
    // The engine knows only of what it played itself.
    haptics.release(entry.handle, at: now)
    table.leave(entry.handle)
    haptics.remove(entry.handle, at: now)
    haptics.pair(table, at: now)
    log.info("\(entry.id): unplugged")
    announce(entry, .deviceRemoved, at: now)
  }

  func addMotor(
    _ motor: any Motor, of entry: DeviceEntry, worker: WorkerQueue, at now: Instant
  ) {
    haptics.add(motor, of: entry, worker: worker, at: now)
  }

  /// Plugs in several devices at once: they are paired when all are there, because to pair looks at
  /// every device with every other.
  func settleTogether<Failure: Error>(
    at now: Instant, _ plug: () throws(Failure) -> Void
  ) throws(Failure) {
    together = []
    defer {
      let entries = together ?? []
      together = nil
      haptics.pair(table, at: now)
      for entry in entries { tell(entry, at: now) }
    }
    try plug()
  }

  /// A device is complete: pairs presses with motors again and tells the watchers of it.
  func settle(_ entry: DeviceEntry, at now: Instant) {
    guard together == nil else {
      together?.append(entry)
      return
    }
    haptics.pair(table, at: now)
    tell(entry, at: now)
  }

  private func tell(_ entry: DeviceEntry, at now: Instant) {
    announce(entry, .deviceAdded, at: now)
    flush(at: now)
  }

  private func announce(_ entry: DeviceEntry, _ kind: WatchRequest.Kind, at now: Instant) {
    let record = DeviceRecord(entry, in: self)
    let event = WatchEvent(kind == .deviceAdded ? .deviceAdded(record) : .deviceRemoved(record))
    publisher.announce(event, kind, of: entry.handle, at: now)
  }

  /// Takes changed smoothing; presses under way go on.
  func apply(_ smoothing: SmoothingSettings, at now: Instant) {
    guard smoothing != engine.settings.smoothing else { return }
    engine.settings.smoothing = smoothing
    flush(at: now)
  }

  /// Takes changed settings; presses under way go on.
  func apply(_ settings: EngineSettings, at now: Instant) {
    engine.settings = settings
    haptics.apply(settings.haptics, devices: table, at: now)
    flush(at: now)
  }

  /// Ends whatever plays: after a reload nothing may play on that the configuration may have taken
  /// away.
  func stopHaptics(at now: Instant) {
    engine.stopHaptics(at: now)
    flush(at: now)
    haptics.stopAll(at: now)
  }
}
