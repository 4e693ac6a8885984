import Dispatch
import ForceCore

/// Brings haptic commands to the motors that serve the pressed devices.
final class HapticRouter {
  private let log: Log
  private let loop: LoopMailbox
  /// The motors in service, by the device that they are part of.
  private var channels: [DeviceHandle: MotorChannel] = [:]
  /// The motor of each pressed device, by the device's index: no search when it has to be quick.
  private var routes: [MotorChannel?] = []
  private var pairings: [MotorPairing] = []
  private(set) var settings: HapticSettings

  init(settings: HapticSettings, loop: LoopMailbox, log: Log) {
    self.settings = settings
    self.loop = loop
    self.log = log
  }

  /// Plays that reached a motor, and those that did not, since the start.
  var counts: (played: UInt64, failed: UInt64) {
    channels.values.reduce((retired.played, retired.failed)) {
      ($0.0 + $1.state.played, $0.1 + $1.state.failed)
    }
  }
  private var retired: (played: UInt64, failed: UInt64) = (0, 0)

  func channel(of device: DeviceHandle) -> MotorChannel? { channels[device] }

  /// The device whose motor serves presses of `device`.
  func motor(for device: DeviceHandle) -> DeviceHandle? {
    device.index < routes.count ? routes[device.index]?.device : nil
  }

  func add(_ motor: any Motor, of device: DeviceHandle, name: String, worker: WorkerQueue) {
    let channel = MotorChannel(
      device: device, name: name, motor: motor, worker: worker, loop: loop, log: log)
    channels[device] = channel
    if settings.enabled { channel.prepare(effect) }
  }

  func remove(_ device: DeviceHandle) {
    guard let channel = channels.removeValue(forKey: device) else { return }
    channel.retire()
    retired.played += channel.state.played
    retired.failed += channel.state.failed
  }

  /// Pairs every device with its motor again; after a device came or went, or after a reload.
  func pair(_ devices: DeviceTable) {
    let candidates = devices.connected.map {
      MotorCandidate(handle: $0.handle, id: $0.id, description: $0.description)
    }
    pairings = devices.entries.map { entry in
      guard settings.enabled else { return .none("haptics are switched off in the configuration") }
      return MotorPairing.find(for: entry.handle, among: candidates, named: settings.motor)
    }
    routes = pairings.map { $0.motor.flatMap { channels[$0] } }
  }

  /// Which motor serves a device, and why.
  func pairing(of device: DeviceHandle) -> MotorPairing {
    device.index < pairings.count ? pairings[device.index] : .none("the device is gone")
  }

  func apply(_ settings: HapticSettings, devices: DeviceTable) {
    self.settings = settings
    if settings.enabled { for channel in channels.values { channel.prepare(effect) } }
    pair(devices)
  }

  func execute(_ command: HapticCommand, at now: Instant) {
    switch command.action {
    case .play(let effect): play(effect, for: command.device, at: now)
    case .stop: stop(command.device, at: now)
    }
  }

  func play(_ effect: HapticEffect, for device: DeviceHandle, at now: Instant) {
    guard device.index < routes.count else { return }
    routes[device.index]?.play(effect, at: now)
  }

  func stop(_ device: DeviceHandle, at now: Instant) {
    guard device.index < routes.count else { return }
    routes[device.index]?.stop(at: now)
  }

  func stopAll(at now: Instant) {
    for channel in channels.values { channel.stop(at: now) }
  }

  /// Stops and erases everything; false when a motor did not answer within `limit`.
  func shutDown(limit: DispatchTimeInterval) -> Bool {
    let done = DispatchGroup()
    for channel in channels.values { channel.shutDown(done) }
    return done.wait(timeout: .now() + limit) == .success
  }

  /// The effect of the maximum, as configured.
  var effect: HapticEffect {
    HapticEffect(strength: settings.strength, length: settings.length)
  }
}
