import Dispatch
import ForceConfig
import ForceCore
import ForceDevices
import ForceProtocol
import LinuxSystem

/// Varlink wants an address; a manual page has one too, man(1) and desktops know it.
let serviceInfo = ServiceInfo(
  vendor: "forced", product: "forced", version: forcedVersion, url: "man:forced(8)")

/// Everything that serves, put together. Confined to the loop once it has started.
final class Daemon {
  let pipeline: Pipeline
  let server: Server
  /// Who may steer, as the configuration in force has it.
  var access: Access { loaded.access }

  private let options: Options
  private let sources: ConfigurationSources
  private var loaded: LoadedConfiguration
  /// As it was at the start, which some keys go by.
  private let initial: Configuration
  private let loop: Loop
  private let mailbox: LoopMailbox
  private let log: Log
  private let notifier = ServiceNotifier()
  private let scheduled: ScheduledDevices
  private let fed: FedDevices
  private var discovery: Discovery?
  private let realtime: [RealtimeRecord]
  private let started = Loop.now()
  private var signals: SignalWatch?
  private let files = WorkerQueue()
  /// What is still to be written when the daemon ends.
  private let writes = DispatchGroup()
  private let ended = DispatchSemaphore(value: 0)

  init(
    _ options: Options, _ sources: ConfigurationSources, _ loaded: LoadedConfiguration,
    listener: UnixListener, realtime: [RealtimeRecord], calibrations: CalibrationStore? = nil,
    log: Log
  ) throws(SystemError) {
    self.options = options
    self.sources = sources
    self.loaded = loaded
    initial = loaded.configuration
    self.realtime = realtime
    self.log = log
    loop = try Loop()
    mailbox = LoopMailbox(loop)
    let settings = loaded.configuration.engine
    pipeline = Pipeline(
      engine: Engine(
        settings: settings,
        publishesPositions: loaded.configuration.server.publishPositions),
      haptics: HapticRouter(settings: settings.haptics, loop: mailbox, log: log),
      publisher: Publisher(),
      tunings: Tunings(profiles: loaded.profiles, store: calibrations, log: log), log: log)
    if let ranges = calibrations?.ranges {
      pipeline.keeper = { [files, writes, log] key, learned in
        files.run(in: writes) {
          do throws(SystemError) { try ranges.save(key, learned) } catch {
            log.warning("what a device taught of its range is not kept: \(error)")
          }
        }
      }
    }
    server = Server(
      listener: listener, settings: loaded.configuration.server, loop: loop,
      publisher: pipeline.publisher, log: log)
    scheduled = ScheduledDevices(pipeline: pipeline, loop: loop, log: log)
    fed = FedDevices(pipeline: pipeline, loop: loop, log: log)
  }

  /// Begins to serve.
  ///
  /// - Parameters:
  ///   - inputs: scripted devices that are there from the start.
  ///   - feeds: devices that other programs play, likewise.
  func start(
    _ inputs: [any ScheduledInput], feeds: [EventFeed] = []
  ) throws(SystemError) {
    server.methods = ForceMethods(self)
    // On the queue from the first step on: an upload can come back before the last one.
    let result = loop.queue.sync { () -> Result<Void, SystemError> in
      do throws(SystemError) { return .success(try begin(inputs, feeds)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func begin(
    _ inputs: [any ScheduledInput], _ feeds: [EventFeed]
  ) throws(SystemError) {
    let now = Loop.now()
    // Frames that are due come before the smoothing of silence, which they may make needless.
    let timer = LogTimer(log)
    for work in [scheduled, pipeline, pipeline.publisher, server, notifier, timer]
      as [any TimedWork]
    {
      loop.add(work)
    }
    try pipeline.settleTogether(at: now) { () throws(SystemError) in
      for input in inputs { scheduled.add(input, at: now) }
      for feed in feeds { try fed.add(feed, at: now) }
    }
    if options.evdev { startDiscovery(at: now) }
    try server.start()
    loop.start()
    notifier.ready("serving on \(server.path)", at: now)
    log.info("version \(forcedVersion) serves on \(server.path)")
    if let problem = access.problem { log.warning(problem) }
  }

  /// Takes SIGHUP as "reload" and the others as "end". Before `start`.
  func obey(_ signals: consuming SignalDescriptor) throws(SystemError) {
    let watch = SignalWatch(signals) { [unowned self] signal, now in handle(signal, at: now) }
    try watch.start(on: loop)
    self.signals = watch
  }

  private func startDiscovery(at now: Instant) {
    do {
      let discovery = try Discovery(pipeline: pipeline, loop: loop, log: log)
      loop.add(discovery)
      try discovery.start(at: now)
      self.discovery = discovery
    } catch {
      log.error("the machine's own devices are left out: \(error)")
    }
  }

  private func handle(_ signal: Signal, at now: Instant) {
    switch signal {
    case .hangUp: reload { _, _ in }
    default: shutDown(at: now)
    }
  }

  // MARK: Settings

  /// Reads the configuration again, off the loop. A bad one changes nothing.
  ///
  /// - Parameter done: called on the loop with the problems; none when the new one is in force.
  func reload(_ done: @escaping ([String], Instant) -> Void) {
    notifier.reloading(at: Loop.now())
    let (sources, mailbox) = (sources, mailbox)
    let (this, done) = (Confined(self), Confined(done))
    files.run {
      let result: Result<LoadedConfiguration, ConfigurationProblems>
      do throws(ConfigurationProblems) { result = .success(try sources.load()) } catch {
        result = .failure(error)
      }
      mailbox.post { now in
        done.value(this.value.finishReload(result, at: now), now)
      }
    }
  }

  private func finishReload(
    _ result: Result<LoadedConfiguration, ConfigurationProblems>, at now: Instant
  ) -> [String] {
    defer { notifier.ready("serving on \(server.path)", at: now) }
    switch result {
    case .success(let loaded):
      self.loaded = loaded
      pipeline.stopHaptics(at: now)
      pipeline.apply(loaded.configuration.engine, at: now)
      pipeline.useProfiles(loaded.profiles, at: now)
      server.settings = loaded.configuration.server
      log.notice("the configuration was read again")
      if let problem = access.problem { log.warning(problem) }
      let keys = loaded.configuration.keysForRestart(of: initial)
      if !keys.isEmpty {
        let names = keys.joined(separator: ", ")
        log.notice(
          "not in force before a restart, and then as far as the units leave it to the daemon: "
            + names)
      }
      return []
    case .failure(let problems):
      for line in problems.lines { log.error(line) }
      log.error("the configuration has errors and the old one stays in force")
      return problems.lines
    }
  }

  /// Saves calibrations off the loop, then puts them in force.
  ///
  /// - Parameter done: called on the loop with the reply.
  func save(
    _ plan: CalibrationPlan,
    _ done: @escaping (Result<JSONObject, VarlinkError>, Instant) -> Void
  ) {
    let (store, calibrations, mailbox) = (plan.store, plan.calibrations, mailbox)
    let key = plan.entry.identity.key
    let (this, plan, done) = (Confined(self), Confined(plan), Confined(done))
    files.run {
      let problem: String?
      do throws(SystemError) {
        try store.save(key, calibrations)
        problem = nil
      } catch { problem = "it could not be saved: \(error)" }
      mailbox.post { now in
        done.value(this.value.finishSaving(plan.value, problem: problem, at: now), now)
      }
    }
  }

  private func finishSaving(
    _ plan: CalibrationPlan, problem: String?, at now: Instant
  ) -> Result<JSONObject, VarlinkError> {
    if let problem {
      log.error("\(plan.entry.id): \(problem)")
      return .failure(.calibrationRefused(device: plan.entry.id, reason: problem))
    }
    pipeline.use(plan.calibrations, of: plan.entry, at: now)
    log.notice("\(plan.entry.id): \(plan.result == nil ? "calibration removed" : "calibrated")")
    return .success(plan.reply)
  }

  /// Changes the smoothing until the next reload; returns what is in force.
  func setSmoothing(_ record: SmoothingRecord, at now: Instant) -> SmoothingRecord {
    let smoothing = record.applied(to: pipeline.engine.settings.smoothing)
    pipeline.apply(smoothing, at: now)
    return SmoothingRecord(smoothing)
  }

  // MARK: End

  /// How long the motors may take to give up our effects before the daemon ends without: 2 s. The
  /// kernel erases what is left when the descriptors close: once the driver has let go of the upload.
  private static let patience = DispatchTimeInterval.seconds(2)

  /// Stops every motor, takes the socket away and lets `waitUntilEnded` return.
  private func shutDown(at now: Instant) {
    notifier.stopping()
    // Before anything else that takes time, such as closing many connections.
    let motors = pipeline.haptics.shutDown(at: now)
    server.stop()
    discovery?.stop()
    if motors.wait(timeout: .now() + Self.patience) != .success {
      log.warning(
        "a motor's driver did not answer in time; what plays there ends by its length at the latest"
      )
    }
    pipeline.keepRanges()
    _ = writes.wait(timeout: .now() + Self.patience)
    log.info("ends")
    ended.signal()
  }

  /// Looks at the daemon from another thread, in the loop's own turn.
  func onLoop<Value>(_ look: (Daemon) -> Value) -> Value { loop.queue.sync { look(self) } }

  /// Asks the daemon to end, from any thread.
  func end() {
    let this = Confined(self)
    mailbox.post { now in this.value.shutDown(at: now) }
  }

  /// Blocks the calling thread until the daemon has ended.
  ///
  /// Not `dispatchMain()`: on Linux that parks the main thread with every signal unblocked, and the
  /// kernel would hand it SIGTERM to die of.
  func waitUntilEnded() { ended.wait() }

  // MARK: Status

  func status(at now: Instant) -> StatusRecord {
    let devices = pipeline.records
    var counters = DaemonCounters()
    for device in devices {
      counters.events += device.counters.events
      counters.frames += device.counters.frames
      counters.drops += device.counters.drops
    }
    counters.wakeups = loop.wakeups
    counters.readings = pipeline.publisher.readings
    counters.replaced = pipeline.publisher.replaced
    counters.requests = server.requests
    counters.errors = server.errors
    let motors = pipeline.haptics.counters
    counters.hapticsPlayed = motors.played
    counters.hapticsFailed = motors.undone
    counters.hapticsCoalesced = motors.coalesced
    counters.uploadsSlow = motors.slow
    counters.uploadsFull = motors.full
    counters.uploadsRefused = motors.refused
    counters.motorsGone = motors.gone
    counters.nodesDenied = discovery?.denials ?? 0
    counters.hotplugLost = discovery?.losses ?? 0
    return StatusRecord(
      version: forcedVersion, pid: CurrentProcess.id, uptimeSeconds: (now - started).seconds,
      config: loaded.paths, socket: FileSystem.absolute(server.path),
      subscribers: pipeline.publisher.watcherCount,
      connections: server.connectionCount, bufferedBytes: server.bufferedBytes,
      counters: counters, realtime: realtime,
      motors: devices.filter { $0.connected && $0.measure == "force" }.map(MotorRecord.init),
      smoothing: SmoothingRecord(pipeline.engine.settings.smoothing))
  }
}
