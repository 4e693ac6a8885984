import ForceCore
import ForceDevices

/// Recordings and the simulator, in service: plays each at its own speed, and takes the device away
/// when its script ends.
final class ScheduledDevices: TimedWork {
  /// How long after the start the first frame is due: time for a watcher to connect. 1 s.
  static let lead = Microseconds.seconds(1)

  private struct Player {
    let input: any ScheduledInput
    let entry: DeviceEntry
  }

  private var players: [Player] = []
  private let pipeline: Pipeline
  private let loop: Loop
  private let log: Log

  init(pipeline: Pipeline, loop: Loop, log: Log) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
  }

  /// Plugs a scripted device in.
  func add(_ input: any ScheduledInput, at now: Instant) {
    let entry = pipeline.attach(input.description, at: now)
    if input.description.hapticBackend != nil {
      let (log, id) = (log, entry.id)
      let motor = SimulatedMotor { log.info("\(id): motor \($0)") }
      pipeline.addMotor(motor, of: entry, worker: WorkerQueue(), at: now)
    }
    pipeline.settle(entry, at: now)
    input.begin(at: now + Self.lead)
    players.append(Player(input: input, entry: entry))
    updateDeadline()
  }

  /// Kept, because the loop asks at every frame of every device.
  private(set) var deadline: Instant?

  private func updateDeadline() {
    var next: Instant?
    for player in players {
      next = earlier(next, player.input.nextTime ?? Instant(microseconds: .min))
    }
    deadline = next
  }

  func run(at now: Instant) {
    var finished = false
    for player in players {
      let engine = pipeline.engine
      player.input.deliver(until: now) { engine.ingest($0, from: player.entry.handle) }
      if player.input.nextTime == nil { finished = true }
    }
    loop.noteInput(at: now)
    pipeline.flushEvents(at: now)
    if finished { removeFinished(at: now) }
    updateDeadline()
  }

  private func removeFinished(at now: Instant) {
    for player in players where player.input.nextTime == nil {
      pipeline.detach(player.entry, at: now)
    }
    players.removeAll { $0.input.nextTime == nil }
  }
}
