import ForceCore
import ForceProtocol

extension DeviceEntry {
  /// What the device can do, for people.
  var sentence: String {
    let kind = capability.kind.rawValue
    return capability.reason.map { "\(kind), \($0)" } ?? "\(kind), measures force"
  }
}

extension Pipeline {
  /// Every device, as `ListDevices` tells it.
  var records: [DeviceRecord] { table.entries.map { DeviceRecord($0, in: self) } }

  /// Why this motor plays for a device, or why none does.
  func motorReason(of entry: DeviceEntry) -> String {
    let pairing = haptics.pairing(of: entry.handle)
    if let motor = pairing.motor, haptics.channel(of: motor) == nil {
      return table[motor].motorNote ?? "its motor cannot be used"
    }
    switch pairing {
    case .own: return "its own motor"
    case .sibling: return "the motor of another node of the same device"
    case .named: return "the motor that the configuration names"
    case .none(let reason): return reason
    }
  }
}

extension DeviceRecord {
  init(_ entry: DeviceEntry, in pipeline: Pipeline) {
    let (description, capability) = (entry.description, entry.capability)
    self.init(
      id: entry.id, name: entry.identity.name, kind: capability.kind.rawValue,
      measure: capability.measure.rawValue, reason: capability.reason, connected: entry.connected,
      bus: entry.identity.bus, vendor: entry.identity.vendor, product: entry.identity.product)
    node = description.node.isEmpty ? nil : description.node
    let scale = capability.scale(pipeline.engine.settings.scale)
    minimum = scale?.offset
    maximum = scale?.maximum
    resolution = capability.axis.flatMap { $0.resolution > 0 ? $0.resolution : nil }
    spanGrams = scale?.spanGrams
    gramsSource = scale?.source.rawValue
    counters = EventCounters(pipeline.engine.counters(of: entry.handle))
    fillHaptics(entry, in: pipeline)
  }

  private mutating func fillHaptics(_ entry: DeviceEntry, in pipeline: Pipeline) {
    hapticsReason = pipeline.motorReason(of: entry)
    guard let handle = pipeline.haptics.motor(for: entry.handle) else { return }
    let motor = pipeline.table[handle]
    self.motor = motor.id
    haptics = motor.description.hapticBackend?.rawValue ?? "none"
  }
}

extension EventCounters {
  init(_ counters: DeviceCounters) {
    self.init(events: counters.events, frames: counters.frames, drops: counters.drops)
  }
}

extension MotorRecord {
  init(_ device: DeviceRecord) {
    self.init(
      device: device.id, motor: device.motor, haptics: device.haptics,
      reason: device.hapticsReason)
  }
}
