import ForceConfig
import ForceCore
import ForceDevices
import ForceProtocol

/// `forced --dump`: plays recordings on their own clock, as fast as the machine can, through the same
/// engine, and makes of every reading and every haptic command one line of JSON.
final class Dump {
  private struct Player {
    let input: ReplayInput
    let entry: DeviceEntry
    var isPresent = true
  }

  private let engine: Engine
  private let settings: EngineSettings
  private let profiles: [DeviceProfile]
  private var table = DeviceTable()
  private var players: [Player] = []
  private var names: [QuotedText] = []
  private var lines = ByteBuffer(capacity: 4_096)

  /// - Parameter profiles: in the order of their names.
  init(
    settings: EngineSettings, profiles: [DeviceProfile] = [], publishesPositions: Bool = false
  ) {
    self.settings = settings
    self.profiles = profiles
    engine = Engine(settings: settings, publishesPositions: publishesPositions)
  }

  /// Plays every recording to its end and until the last press has come to rest.
  ///
  /// Several start together, at the time of the first one.
  ///
  /// - Parameter write: takes whole lines; false ends the dump.
  func run(
    _ recordings: [EvemuRecording], write: (UnsafeRawBufferPointer) -> Bool
  ) {
    let start = recordings.lazy.compactMap(\.firstTime).first ?? Instant(microseconds: 0)
    for recording in recordings { attach(ReplayInput(recording), at: start) }
    appendActions()
    while let now = nextTime() {
      for index in players.indices where players[index].isPresent { play(index, until: now) }
      engine.advance(to: now)
      appendActions()
      if lines.isEmpty { continue }
      guard lines.withUnsafeBytes(write) else { return }
      lines.removeAll()
    }
  }

  private func attach(_ input: ReplayInput, at start: Instant) {
    let entry = table.arrive(
      input.description,
      Capability.classify(input.description, withPositions: engine.publishesPositions))
    let tuning = DeviceProfile.find(for: entry.identity, among: profiles)?.tuning ?? DeviceTuning()
    engine.attach(input.description, as: entry.handle, tuning: tuning, at: start)
    input.begin(at: start)
    names.append(QuotedText(entry.id))
    players.append(Player(input: input, entry: entry))
  }

  private func nextTime() -> Instant? {
    var next = engine.deadline
    for player in players where player.isPresent { next = earlier(next, player.input.nextTime) }
    return next
  }

  private func play(_ index: Int, until now: Instant) {
    let player = players[index]
    let engine = engine
    player.input.deliver(until: now) { engine.ingest($0, from: player.entry.handle) }
    guard player.input.nextTime == nil else { return }
    players[index].isPresent = false
    engine.detach(player.entry.handle, at: now)
    appendActions()
    table.leave(player.entry.handle)
  }

  private func appendActions() {
    for command in engine.haptics where hasMotor(command.device) {
      ReadingEncoder.appendHaptic(command, device: names[command.device.index], to: &lines)
      lines.append(Delimiter.newline)
    }
    for reading in engine.readings {
      ReadingEncoder.appendReading(reading, device: names[reading.device.index], to: &lines)
      lines.append(Delimiter.newline)
    }
    engine.clearActions()
  }

  private func hasMotor(_ device: DeviceHandle) -> Bool {
    let present = table.connected.map {
      MotorCandidate(handle: $0.handle, id: $0.id, description: $0.description)
    }
    return MotorPairing.find(for: device, among: present, named: settings.haptics.motor).motor
      != nil
  }
}
