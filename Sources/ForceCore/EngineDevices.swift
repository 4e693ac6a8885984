extension Engine {
  /// Takes a device in. A contact that is down already begins now. A handle that was detached before
  /// goes on with its sequence, its counters and what was learned of its range.
  /// - Parameter tuning: what is known of it beyond its node.
  @discardableResult
  public func attach(
    _ description: DeviceDescription, as handle: DeviceHandle,
    tuning: DeviceTuning = DeviceTuning(), at now: Instant
  ) -> Capability {
    detach(handle, at: now)
    let capability = Capability.classify(description, withPositions: publishesPositions)
    let device = TrackedDevice(description, as: handle, capability, current, tuning, at: now)
    if let before = departed.removeValue(forKey: handle) {
      device.sequence = before.sequence
      device.counters = before.counters
      device.noise = before.noise
      for axis in device.ranges.indices where before.ranges.count == device.ranges.count {
        device.ranges[axis] = before.ranges[axis]
      }
      device.rescale(current)
    }
    devices.append(device)
    byHandle[handle] = device
    lossy.reserveCapacity(devices.count)
    if let tracker = device.tracker {
      tracker.restore(description)
      device.positions?.restore(description)
      follow(device, tracker, at: now)
    }
    return capability
  }

  /// Lets a device go: its contacts are released, its effect is stopped.
  public func detach(_ handle: DeviceHandle, at now: Instant) {
    guard let device = byHandle.removeValue(forKey: handle) else { return }
    let time = device.moveTime(to: now)
    stopHaptics(of: device, at: time)
    for place in device.contacts.indices where device.contacts[place].isDown {
      release(
        device, place, TrackedContact(number: 0, raw: device.contacts[place].raw), at: time,
        isLeaving: true)
    }
    departed[handle] = DepartedDevice(
      sequence: device.sequence, counters: device.counters,
      ranges: device.ranges.indices.map { device.ranges[$0] }, noise: device.noise)
    devices.removeAll { $0 === device }
    lossy.removeAll { $0 == handle }
    if recent === device { recent = nil }
    isDeadlineStale = true
  }

  /// Takes the state that a device has now, after events were lost.
  public func resynchronize(
    _ description: DeviceDescription, for handle: DeviceHandle, at now: Instant
  ) {
    lossy.removeAll { $0 == handle }
    guard let device = byHandle[handle], let tracker = device.tracker else { return }
    tracker.restore(description)
    device.positions?.restore(description)
    follow(device, tracker, at: now)
  }

  /// What an attached device can do; nil for a device that isn't attached.
  public func capability(of handle: DeviceHandle) -> Capability? { byHandle[handle]?.capability }

  /// Counts since the handle was first attached; they survive its absence.
  public func counters(of handle: DeviceHandle) -> DeviceCounters {
    byHandle[handle]?.counters ?? departed[handle]?.counters ?? DeviceCounters()
  }

  /// The current state: the last reading of each contact that is down; for a device without one, the
  /// last reading of the contact that was released last, if there was any.
  /// - Parameter handle: one device, or nil for all of them in the order in which they came.
  public func forEachCurrent(of handle: DeviceHandle?, _ body: (Reading) -> Void) {
    for device in devices where handle == nil || device.handle == handle {
      var released: Reading?
      var isAnyDown = false
      for place in device.contacts.indices {
        let contact = device.contacts[place]
        guard let last = contact.last else { continue }
        if contact.isDown {
          isAnyDown = true
          body(last)
        } else if released.map({ $0.sequence < last.sequence }) ?? true {
          released = last
        }
      }
      if !isAnyDown, let released { body(released) }
    }
  }

  /// Lets changed settings reach the presses under way.
  func applySettings() {
    effects = OccasionEffects(current.haptics)
    for device in devices {
      if !current.haptics.enabled { stopHaptics(of: device, at: device.time) }
      device.use(current)
    }
    isDeadlineStale = true
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
