import Dispatch
import ForceCore

/// Brings haptic commands to the motors that serve the pressed devices.
final class HapticRouter {
  private let log: Log
  private let loop: LoopMailbox
  /// The motors in service.
  @exclusivity(unchecked) private var channels: [MotorChannel] = []
  /// The motor of each pressed device, by the device's index: no search when it has to be quick.
  @exclusivity(unchecked) private var routes: [MotorChannel?] = []
  /// Until when something plays for each pressed device, as far as was asked for.
  @exclusivity(unchecked) private var playsUntil: [Instant?] = []
  private var pairings: [MotorPairing] = []
  private var retired = MotorCounters()
  private(set) var settings: HapticSettings

  init(settings: HapticSettings, loop: LoopMailbox, log: Log) {
    self.settings = settings
    self.loop = loop
    self.log = log
  }

  /// Of all motors, those that have gone too.
  var counters: MotorCounters { channels.reduce(retired) { $0 + $1.state.counters } }

  func channel(of device: DeviceHandle) -> MotorChannel? {
    channels.first { $0.device == device }
  }

  /// The device whose motor serves presses of `device`.
  func motor(for device: DeviceHandle) -> DeviceHandle? { route(of: device)?.device }

  private func route(of device: DeviceHandle) -> MotorChannel? {
    device.index < routes.count ? routes[device.index] : nil
  }

  func add(_ motor: any Motor, of entry: DeviceEntry, worker: WorkerQueue, at now: Instant) {
    let channel = MotorChannel(
      device: entry.handle, name: entry.id, description: entry.description, motor: motor,
      worker: worker, loop: loop, log: log)
    channels.append(channel)
    channel.apply(settings, gain: gain(of: entry), at: now)
  }

  func remove(_ device: DeviceHandle, at now: Instant) {
    guard let index = channels.firstIndex(where: { $0.device == device }) else { return }
    let channel = channels.remove(at: index)
    channel.retire(at: now)
    retired = retired + channel.state.counters
  }

  private func gain(of entry: DeviceEntry) -> Double {
    settings.gains[entry.id] ?? settings.gains[entry.identity.name] ?? 1
  }

  /// Pairs every device with its motor again; after a device came or went, or after a reload.
  func pair(_ devices: DeviceTable, at now: Instant) {
    let candidates = devices.connected.map {
      MotorCandidate(handle: $0.handle, id: $0.id, description: $0.description)
    }
    pairings = devices.entries.map { entry in
      guard settings.enabled else { return .none("haptics are switched off in the configuration") }
      return MotorPairing.find(for: entry.handle, among: candidates, named: settings.motor)
    }
    let new = pairings.map { $0.motor.flatMap { channel(of: $0) } }
    // Whoever is served by another motor from now on cannot stop the old one any more.
    for index in routes.indices where routes[index] !== (index < new.count ? new[index] : nil) {
      release(DeviceHandle(index), at: now)
    }
    routes = new
    while playsUntil.count < new.count { playsUntil.append(nil) }
  }

  /// Stops what plays for a device that goes, or that is served by another motor from now on.
  func release(_ device: DeviceHandle, at now: Instant) {
    guard let channel = route(of: device), let end = playsUntil[device.index], now < end else {
      return
    }
    playsUntil[device.index] = nil
    channel.stop(for: device, at: now)
  }

  /// Which motor serves a device, and why.
  func pairing(of device: DeviceHandle) -> MotorPairing {
    device.index < pairings.count ? pairings[device.index] : .none("the device is gone")
  }

  /// Takes changed settings. What plays goes on, unless it plays by an effect that is no more.
  func apply(_ settings: HapticSettings, devices: DeviceTable, at now: Instant) {
    self.settings = settings
    for channel in channels {
      channel.apply(settings, gain: gain(of: devices[channel.device]), at: now)
    }
    pair(devices, at: now)
  }

  // MARK: Commands

  /// - Returns: whether a motor was told to play by it.
  @discardableResult
  func execute(_ command: HapticCommand, at now: Instant) -> Bool {
    guard let channel = route(of: command.device) else { return false }
    let played = channel.state.counters.played
    switch command.action {
    case .play(let pattern): play(pattern, for: command.device, at: now)
    case .follow(let strength): channel.follow(strength, for: command.device, at: now)
    case .stop:
      playsUntil[command.device.index] = nil
      channel.stop(for: command.device, at: now)
    }
    return channel.state.counters.played > played
  }

  /// - Returns: why the motor did not take the effect; nil when it did, or when it is about to.
  @discardableResult
  func play(
    _ pattern: HapticPattern, for device: DeviceHandle, at now: Instant
  ) -> MotorError? {
    guard let channel = route(of: device) else { return nil }
    let end =
      pattern.followsForce
      ? Instant(microseconds: .max / 2) : now + pattern.duration + MotorState.patience
    playsUntil[device.index] = max(playsUntil[device.index] ?? end, end)
    return channel.play(pattern, for: device, at: now)
  }

  func stop(_ device: DeviceHandle, at now: Instant) { route(of: device)?.stop(at: now) }

  func stopAll(at now: Instant) {
    for channel in channels { channel.stop(at: now) }
  }

  // MARK: Time

  /// When a motor wants something at the latest.
  var deadline: Instant? {
    var next: Instant?
    for index in channels.indices { next = earlier(next, channels[index].deadline) }
    return next
  }

  /// Does what is due: pulses, renewals, repeated stops.
  func advance(to now: Instant) {
    for index in channels.indices {
      if let due = channels[index].deadline, due <= now { channels[index].advance(to: now) }
    }
  }

  /// Stops everything that can be stopped at once, and begins to erase.
  /// - Returns: ends when no motor has anything of ours any more, which a driver can hold up.
  func shutDown(at now: Instant) -> DispatchGroup {
    let done = DispatchGroup()
    // A motor whose driver hangs must not keep the others running: a stop would wait for it.
    let left = channels.map { $0.isAtWork ? nil : $0.stopForGood(at: now) }
    for (channel, orders) in zip(channels, left) { channel.shutDown(orders, done) }
    return done
  }
}
