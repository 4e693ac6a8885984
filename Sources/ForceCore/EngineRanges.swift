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
