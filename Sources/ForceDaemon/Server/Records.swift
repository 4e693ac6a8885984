import ForceCore
import ForceProtocol
import LinuxSystem

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
    guard entry.connected else { return closedReason(of: entry) ?? "it is not connected" }
    let pairing = haptics.pairing(of: entry.handle)
    if let motor = pairing.motor, haptics.channel(of: motor) == nil {
      return table[motor].motorNote ?? "its motor cannot be used"
    }
    let whose =
      switch pairing {
      case .own: "its own motor"
      case .sibling: "the motor of another node of the same device"
      case .seat: "the vibrator of its seat"
      case .named: "the motor that the configuration names"
      case .none(let reason): reason
      }
    guard let handle = pairing.motor, let channel = haptics.channel(of: handle) else {
      return whose
    }
    if let trouble = channel.trouble { return "\(whose), which plays nothing: \(trouble.words)" }
    return whose + howDriven(channel.motor, table[handle].description)
  }

  /// Why a device that seems to have gone is there and cannot be used: a node of its name is closed to
  /// us. Nil where there is none.
  func closedReason(of entry: DeviceEntry) -> String? {
    guard !entry.connected else { return nil }
    return closedNodes.values.filter { $0.name == entry.identity.name }.map(\.reason).min()
  }

  /// By which kind of effect a motor is driven, and why not by a better one.
  private func howDriven(_ motor: any Motor, _ description: DeviceDescription) -> String {
    let used = motor.backend
    let refused = motor.refused
    var others: [String] = []
    for backend in HapticBackend.allCases.prefix(while: { $0 != used }) {
      let refusal = refused[backend].map { "refused: \(Errno(rawValue: $0))" }
      others.append("\(backend.rawValue): \(refusal ?? "the device has none")")
    }
    let why = others.isEmpty ? "" : " (\(others.joined(separator: ", ")))"
    return ", by \(used.rawValue)\(why)"
  }
}

extension DeviceRecord {
  init(_ entry: DeviceEntry, in pipeline: Pipeline) {
    let (description, capability) = (entry.description, entry.capability)
    self.init(
      id: entry.id, name: entry.identity.name, kind: capability.kind.rawValue,
      measure: capability.measure.rawValue,
      reason: pipeline.closedReason(of: entry) ?? capability.reason, connected: entry.connected,
      bus: entry.identity.bus, vendor: entry.identity.vendor, product: entry.identity.product)
    node = description.node.isEmpty ? nil : description.node
    let insight = pipeline.engine.insight(of: entry.handle)
    let scale = insight?.scale ?? capability.scale(pipeline.engine.settings.scale)
    minimum = scale?.offset
    maximum = scale?.maximum
    resolution = capability.axis.flatMap { $0.resolution > 0 ? $0.resolution : nil }
    spanGrams = scale?.spanGrams
    gramsSource = scale?.source.rawValue
    xMinimum = capability.positions?.x.minimum
    xMaximum = capability.positions?.x.maximum
    yMinimum = capability.positions?.y.minimum
    yMaximum = capability.positions?.y.maximum
    counters = EventCounters(pipeline.engine.counters(of: entry.handle))
    accuracy = insight.map { AccuracyRecord($0, pipeline.engine.tuning(of: entry.handle)) }
    fillHaptics(entry, in: pipeline)
  }

  private mutating func fillHaptics(_ entry: DeviceEntry, in pipeline: Pipeline) {
    hapticsReason = pipeline.motorReason(of: entry)
    guard let handle = pipeline.haptics.motor(for: entry.handle) else { return }
    let motor = pipeline.table[handle]
    self.motor = motor.id
    // What refuses or has gone drives nothing.
    guard let channel = pipeline.haptics.channel(of: handle), channel.trouble == nil else { return }
    haptics = channel.motor.backend.rawValue
  }
}

extension AccuracyRecord {
  init(_ insight: DeviceInsight, _ tuning: DeviceTuning?) {
    self.init()
    resolutionGrams = insight.scale.gramsPerUnit
    noisePercent = insight.noise
    noiseGrams = insight.noise.map { $0 / 100 * insight.scale.spanGrams }
    calibrationResidualGrams = insight.calibrationResidual
    tareGrams = insight.scale.tareGrams == 0 ? nil : insight.scale.tareGrams
    observedMaximum = insight.observedMaximum
    penOffset = insight.penOffset
    pressAt = insight.pressAt > 0 ? insight.pressAt : nil
    releaseAt = insight.pressAt > 0 ? insight.releaseAt : nil
    profile = tuning?.profile
    doubt = insight.doubt
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
