/// What stays of a device that has gone, for when it comes back under its old handle.
struct DepartedDevice {
  var sequence: UInt64
  var counters: DeviceCounters
  var ranges: [ObservedRange]
  var noise: Double?
}

// What a contact teaches about its device: the range that it really uses, and how much it trembles.
extension Engine {
  func begin(
    _ device: TrackedDevice, _ place: Int, _ tracked: TrackedContact, at time: Instant
  ) {
    // Protocol A gives a place to another contact, which may have another tare.
    if device.contacts[place].number != tracked.number && !device.tuning.tare.isEmpty {
      device.contacts[place].number = tracked.number
      device.rescale(current)
    }
    device.contacts[place].begin(tracked, at: time, current)
    device.ranges[device.rangeIndex(ofContact: tracked.number)].see(tracked.raw)
  }

  func move(_ device: TrackedDevice, _ place: Int, to raw: Int32, at time: Instant) {
    let axis = device.rangeIndex(ofContact: device.contacts[place].number)
    device.ranges[axis].see(raw)
    if raw > device.contacts[place].scale.maximum { learn(device, place, raw, axis) }
    device.contacts[place].move(to: raw, at: time)
    let noise = device.contacts[place].noise.move(
      to: device.contacts[place].unsmoothed, at: time, shortest: current.smoothing.steadyAfter)
    if let noise { device.noise = noise }
  }

  private func learn(_ device: TrackedDevice, _ place: Int, _ raw: Int32, _ axis: Int) {
    guard device.capability.layout != .balanceBoard,
      !(device.tuning.observesRange ?? current.scale.observesRange)
    else { return }
    let contact = device.contacts[place]
    let limit = device.mostBelievable(onAxis: axis)
    guard
      device.ranges[axis].learn(
        raw, after: contact.raw, maximum: contact.scale.maximum, limit: limit)
    else { return }
    device.hasLearned = true
    device.rescale(current)
  }

  func takeOffset(_ offset: Int32, _ device: TrackedDevice, _ place: Int) {
    guard offset != device.contacts[place].penOffset,
      device.tuning.detectsPenOffset ?? current.pen.detectsOffset
    else { return }
    device.contacts[place].setOffset(offset)
    if device.contacts[place].isDown { device.contacts[place].remeasure() }
  }

  func noteEnd(of device: TrackedDevice, _ place: Int, at time: Instant) {
    let contact = device.contacts[place]
    if let noise = contact.noise.noise(at: time, shortest: current.smoothing.steadyAfter) {
      device.noise = noise
    }
    guard device.ranges.count > 0 else { return }
    let axis = device.rangeIndex(ofContact: contact.number)
    if device.ranges[axis].end(peak: contact.peak, limit: device.mostBelievable(onAxis: axis)),
      device.tuning.observesRange ?? current.scale.observesRange
    {
      device.hasLearned = true
      device.rescale(current)
    }
    // Told once a contact has ended, so that a press which gets harder and harder is told once.
    if device.hasLearned {
      device.hasLearned = false
      learnings &+= 1
    }
  }
}

// MARK: - What is remembered of a device

extension Engine {
  /// Counts up whenever a contact has ended that taught something of its device's range: time to
  /// look at `rememberedRanges(of:)`.
  public var rangeLearnings: UInt64 { learnings }

  /// What to keep of an attached device's range, for `DeviceTuning.ranges` of another day: an entry
  /// for each of the capability's axes, empty where there is nothing to keep.
  public func rememberedRanges(of handle: DeviceHandle) -> [RememberedRange] {
    guard let device = byHandle[handle], device.capability.layout != .balanceBoard else {
      return []
    }
    let follows = device.tuning.observesRange ?? current.scale.observesRange
    let ranges = device.ranges.indices.map { axis in
      var range = device.ranges[axis].remembered
      // A peak means nothing where the declared maximum counts.
      if !follows { range.peak = nil }
      return range
    }
    return ranges.contains { $0 != RememberedRange() } ? ranges : []
  }
}

// MARK: - What is known of a device

/// How far a device's readings can be trusted.
public struct DeviceInsight: Equatable, Sendable {
  /// The scale of the contact that stands for the device.
  public var scale: Scale
  /// The maximum that the device reached above the declared one, or that counts instead of it.
  public var observedMaximum: Int32?
  /// The offset of the pen that was last near, in units.
  public var penOffset: Int32?
  /// From which force a contact counts and below which it ends, in per cent; 0: as the device says.
  public var pressAt = 0.0
  public var releaseAt = 0.0
  /// Root mean square of the last press that was held still, in per cent.
  public var noise: Double?
  /// Root mean square of what the user's calibration leaves at its points, in grams.
  public var calibrationResidual: Double?
  /// Why its force should not be believed, as a sentence without a full stop.
  public var doubt: String?
}

extension Engine {
  /// What an attached device has shown of itself; nil for one that measures no force.
  public func insight(of handle: DeviceHandle) -> DeviceInsight? {
    guard let device = byHandle[handle], device.contacts.count > 0 else { return nil }
    let sum = Int(BalanceBoard.sum)
    let contact = device.contacts[device.capability.layout == .balanceBoard ? sum : 0]
    var insight = DeviceInsight(scale: contact.scale)
    insight.observedMaximum = device.observedMaximum(ofContact: contact.number, current)
    let offset = contact.scale.offset
    insight.penOffset = offset > contact.ownScale.offset ? offset : nil
    (insight.pressAt, insight.releaseAt) = contact.thresholds
    insight.noise = device.noise
    let key = device.capability.calibrationKey(ofContact: contact.number)
    insight.calibrationResidual = device.tuning.calibrations[key]?.residual
    insight.doubt = doubt(about: device)
    return insight
  }

  private func doubt(about device: TrackedDevice) -> String? {
    let capability = device.capability
    if capability.layout == .balanceBoard {
      if !capability.isBoardCalibrated {
        return "its own calibration does not rise from 0 to 17 to 34 kg, so its units mean nothing"
      }
      if device.counters.events == 0 { return "it has not sent any weight yet" }
    }
    for axis in device.ranges.indices {
      guard let value = device.ranges[axis].stuckAt else { continue }
      return "its axis has said \(value) in each of \(device.ranges[axis].contacts) contacts: "
        + "it does not seem to measure force"
    }
    return nil
  }

  /// What is known of an attached device beyond its node.
  public func tuning(of handle: DeviceHandle) -> DeviceTuning? { byHandle[handle]?.tuning }

  /// Changes what is known of a device; presses under way go on, and those at rest get one more
  /// reading.
  public func setTuning(_ tuning: DeviceTuning, of handle: DeviceHandle) {
    guard let device = byHandle[handle] else { return }
    device.tuning = tuning
    device.use(current)
    isDeadlineStale = true
  }
}
