/// What the input layer said of a device, in numbers.
public struct DeviceCounters: Equatable, Sendable {
  /// Events of every type, `SYN_REPORT` included.
  public var events: UInt64 = 0
  /// Complete frames; those that a drop spoiled don't count.
  public var frames: UInt64 = 0
  /// How often the kernel's buffer ran over (`SYN_DROPPED`).
  public var drops: UInt64 = 0
  public init() {}
}

/// A device that is attached to the engine.
final class TrackedDevice {
  let handle: DeviceHandle
  let capability: Capability
  /// nil where there is no force to follow.
  let tracker: ContactTracker?
  let contacts: Places<Contact>
  /// nil unless positions are published, so that they cost nothing where they aren't.
  let positions: PositionTracker?
  /// For each of the capability's axes.
  let ranges: Places<ObservedRange>
  /// A range has grown since a contact last ended.
  @exclusivity(unchecked) var hasLearned = false
  var tuning: DeviceTuning
  /// The noise of the last press that was held still, in per cent.
  var noise: Double?
  @exclusivity(unchecked) var counters = DeviceCounters()
  @exclusivity(unchecked) var sequence: UInt64 = 0
  /// The latest time of anything that happened here. Kernel time stamps and timers come from one
  /// clock, but not in order: a timer may be read before an older event.
  @exclusivity(unchecked) private(set) var time: Instant
  /// Within the frame that a drop spoiled.
  @exclusivity(unchecked) var isDiscarding = false
  @exclusivity(unchecked) var deadline: Instant?
  @exclusivity(unchecked) var haptics = HapticPlayback()

  init(
    _ device: DeviceDescription, as handle: DeviceHandle, _ capability: Capability,
    _ settings: EngineSettings, _ tuning: DeviceTuning, at now: Instant
  ) {
    self.handle = handle
    self.capability = capability
    time = now
    tracker = capability.layout.map { ContactTracker.make(for: $0, device) }
    positions = tracker.flatMap { PositionTracker(capability, $0) }
    self.tuning = tuning
    contacts = Places(Self.startingContacts(of: tracker, capability, settings))
    ranges = Places(
      capability.axes.enumerated().map { index, axis in
        tuning.ranges.indices.contains(index)
          ? ObservedRange(tuning.ranges[index], of: axis) : ObservedRange()
      })
    rescale(settings)
  }

  deinit {
    contacts.deallocate()
    ranges.deallocate()
  }

  private static func startingContacts(
    of tracker: ContactTracker?, _ capability: Capability, _ settings: EngineSettings
  ) -> [Contact] {
    guard let tracker else { return [] }
    return tracker.contacts.indices.compactMap { place in
      let number = tracker.contacts[place].number
      return capability.scale(ofContact: number, settings.scale)
        .map { Contact(number: number, scale: $0, settings.smoothing) }
    }
  }

  /// Times far beyond any clock would wrap around once an interval is added.
  private static let latest = Instant(microseconds: 1 << 62)

  func moveTime(to now: Instant) -> Instant {
    time = max(time, min(now, Self.latest))
    return time
  }

  /// Takes changed settings. Presses under way go on from where they are, and those at rest get one
  /// more reading, because the same force may read differently now.
  func use(_ settings: EngineSettings) {
    for place in contacts.indices {
      contacts[place].isSteady = false
      contacts[place].smoother.use(settings.smoothing)
    }
    rescale(settings)
    updateDeadline(settings.smoothing)
  }

  /// Which axis a contact's values come from.
  func rangeIndex(ofContact number: Int32) -> Int {
    if case .triggers = capability.layout {
      return ranges.indices.contains(Int(number)) ? Int(number) : 0
    }
    return 0
  }

  func mostBelievable(onAxis axis: Int) -> Int64 {
    var range = capability.axes[axis]
    range.minimum = tuning.minimum ?? range.minimum
    range.maximum = tuning.maximum ?? range.maximum
    return range.mostBelievable
  }

  /// The raw value of 100 % as the device has shown it; nil: as it is declared.
  func observedMaximum(ofContact number: Int32, _ settings: EngineSettings) -> Int32? {
    // A board's cells and their sum share a range that is not the device's word.
    guard capability.layout != .balanceBoard, ranges.count > 0 else { return nil }
    let axis = rangeIndex(ofContact: number)
    return ranges[axis].maximum(
      above: tuning.minimum ?? capability.axes[axis].minimum,
      follows: tuning.observesRange ?? settings.scale.observesRange)
  }

  /// Works out anew what the raw values of every contact mean.
  func rescale(_ settings: EngineSettings) {
    for place in contacts.indices {
      let number = contacts[place].number
      guard
        let scale = capability.scale(
          ofContact: number, settings.scale, tuning: tuning,
          observed: observedMaximum(ofContact: number, settings))
      else { continue }
      contacts[place].use(scale, tuning.contact ?? settings.contact)
      if !(tuning.detectsPenOffset ?? settings.pen.detectsOffset) {
        contacts[place].setOffset(nil)
      }
      guard contacts[place].isDown else { continue }
      contacts[place].remeasure()
    }
  }

  func updateDeadline(_ settings: SmoothingSettings) {
    var next: Instant?
    for place in 0..<(tracker?.usedCount ?? 0) {
      next = earlier(next, contacts[place].deadline(settings))
    }
    deadline = next
  }
}
