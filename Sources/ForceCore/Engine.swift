/// From the events of every device to readings and haptic commands.
///
/// The engine opens nothing, never sleeps and asks no clock: time comes in with the events and with
/// `advance(to:)`. What is to be done collects until `clearActions()`. After the first frames of a
/// device nothing here allocates.
///
/// One owner, on one queue:
///
///     engine.ingest(event, from: device)        for each event; SYN_REPORT closes a frame
///     engine.advance(to: now)                   no later than engine.deadline
///     engine.forEachHaptic { … }
///     engine.forEachReading { … }
///     engine.clearActions()
public final class Engine {
  // The public properties are computed: a stored one would be checked for overlapping access each time
  // that the hot path touches it, because other modules could touch it too.
  private let newReadings = ActionBuffer<Reading>(capacity: 256)
  let newHaptics = ActionBuffer<HapticCommand>(capacity: 64)
  // Unchecked, because nothing is called out of the engine while one of the two is at hand.
  @exclusivity(unchecked) var lossy: [DeviceHandle] = []
  @exclusivity(unchecked) var devices: [TrackedDevice] = []
  @exclusivity(unchecked) var current: EngineSettings
  /// The effects of `current`, found by name once and not at every press.
  var effects: OccasionEffects
  var byHandle: [DeviceHandle: TrackedDevice] = [:]
  /// What goes on counting when a device comes back under its old handle.
  var departed: [DeviceHandle: DepartedDevice] = [:]
  /// The device of the last event, because the next one mostly comes from it too.
  @exclusivity(unchecked) var recent: TrackedDevice?
  @exclusivity(unchecked) private var earliestDeadline: Instant?
  @exclusivity(unchecked) var isDeadlineStale = false
  /// Contacts that taught something of a range.
  var learnings: UInt64 = 0

  /// Whether readings say where the contact is.
  public let publishesPositions: Bool

  public init(settings: EngineSettings = EngineSettings(), publishesPositions: Bool = false) {
    current = settings
    self.publishesPositions = publishesPositions
    effects = OccasionEffects(settings.haptics)
  }

  /// Whether events of a device were lost: the caller should read its state afresh and hand it to
  /// `resynchronize(_:for:at:)`. A recording has no state to read; it goes on without.
  public func lostEvents(of handle: DeviceHandle) -> Bool {
    !lossy.isEmpty && lossy.contains(handle)
  }

  /// Changing them changes presses under way, which go on from the value that they have.
  public var settings: EngineSettings {
    get { current }
    set {
      current = newValue
      applySettings()
    }
  }

  /// When `advance(to:)` wants to be called at the latest; nil when everything rests.
  public var deadline: Instant? {
    if isDeadlineStale {
      earliestDeadline = nil
      for index in devices.indices {
        earliestDeadline = earlier(earliestDeadline, devices[index].deadline)
      }
      isDeadlineStale = false
    }
    return earliestDeadline
  }
}

// MARK: - Actions

extension Engine {
  /// A copy of the readings since the last `clearActions()`, in order. On the hot path
  /// `forEachReading(_:)` does without the copy.
  public var readings: [Reading] { newReadings.array }

  /// A copy of the haptic commands since the last `clearActions()`, in order.
  public var haptics: [HapticCommand] { newHaptics.array }

  /// Hands over each reading since the last `clearActions()`, in order.
  public func forEachReading(_ body: (Reading) -> Void) {
    for index in 0..<newReadings.count { body(newReadings[index]) }
  }

  /// Hands over each haptic command since the last `clearActions()`, in order.
  public func forEachHaptic(_ body: (HapticCommand) -> Void) {
    for index in 0..<newHaptics.count { body(newHaptics[index]) }
  }

  /// Forgets the actions that are done, and keeps their memory.
  public func clearActions() {
    newReadings.removeAll()
    newHaptics.removeAll()
  }
}

// MARK: - The hot path

extension Engine {
  /// Takes one event. Events only count once `SYN_REPORT` closes their frame.
  public func ingest(_ event: InputEvent, from handle: DeviceHandle) {
    guard let device = device(handle) else { return }
    device.counters.events &+= 1
    guard let tracker = device.tracker else { return }
    guard event.type == EventType.synchronization else {
      if !device.isDiscarding {
        tracker.ingest(event)
        device.positions?.ingest(event)
      }
      return
    }
    switch event.code {
    case SynchronizationCode.report: closeFrame(device, tracker, at: event.time)
    case SynchronizationCode.dropped: drop(device)
    default: if !device.isDiscarding { tracker.ingest(event) }
    }
  }

  /// Lets every press go on until `now`, where its device is silent. A press takes one step, however
  /// long the time: whoever wants each step calls at each deadline.
  public func advance(to now: Instant) {
    for index in devices.indices {
      let device = devices[index]
      guard let deadline = device.deadline, deadline <= now, let tracker = device.tracker else {
        continue
      }
      let time = device.moveTime(to: now)
      for place in 0..<tracker.usedCount {
        guard let due = device.contacts[place].deadline(current.smoothing), due <= time else {
          continue
        }
        step(device, place, at: time)
      }
      updateDeadline(of: device)
    }
  }

  private func device(_ handle: DeviceHandle) -> TrackedDevice? {
    if let recent, recent.handle == handle { return recent }
    recent = byHandle[handle]
    return recent
  }

  private func closeFrame(_ device: TrackedDevice, _ tracker: ContactTracker, at time: Instant) {
    if device.isDiscarding {
      device.isDiscarding = false
      return
    }
    device.counters.frames &+= 1
    tracker.endFrame()
    follow(device, tracker, at: time)
  }

  private func drop(_ device: TrackedDevice) {
    device.counters.drops &+= 1
    device.isDiscarding = true
    if !lossy.contains(device.handle) {
      lossy.append(device.handle)
    }
  }

  /// Compares the contacts as they are now with those that have been published.
  func follow(_ device: TrackedDevice, _ tracker: ContactTracker, at now: Instant) {
    let time = device.moveTime(to: now)
    for place in 0..<tracker.usedCount {
      let tracked = tracker.contacts[place]
      if let offset = tracked.offset { takeOffset(offset, device, place) }
      if device.contacts[place].isDown
        && !(tracked.isDown && tracked.generation == device.contacts[place].generation
          && tracked.raw >= device.contacts[place].releaseRaw)
      {
        release(device, place, tracked, at: time)
      }
      guard tracked.isDown else { continue }
      if !device.contacts[place].isDown {
        guard tracked.raw >= device.contacts[place].pressRaw else { continue }
        begin(device, place, tracked, at: time)
        playHaptics(.press, of: device, place, at: time)
      } else if device.contacts[place].raw != tracked.raw {
        move(device, place, to: tracked.raw, at: time)
      } else {
        continue
      }
      publish(device, place, at: time)
    }
    updateDeadline(of: device)
  }

  private func step(_ device: TrackedDevice, _ place: Int, at time: Instant) {
    if device.contacts[place].smoother.isSettled {
      device.contacts[place].isSteady = true
      publish(device, place, at: time)
      return
    }
    device.contacts[place].smoother.advance(to: time)
    guard device.contacts[place].differsFromLast(current.maximum) else { return }
    device.contacts[place].lastChange = time
    publish(device, place, at: time)
  }

  /// - Parameter isLeaving: the whole device goes, and its motor may go with it.
  func release(
    _ device: TrackedDevice, _ place: Int, _ tracked: TrackedContact, at time: Instant,
    isLeaving: Bool = false
  ) {
    noteEnd(of: device, place, at: time)
    device.contacts[place].release(tracked, at: time)
    endHaptics(of: device, place, at: time)
    if !isLeaving { playHaptics(.release, of: device, place, at: time) }
    appendReading(device, place, at: time)
  }

  /// Decides about the maximum, then publishes, so that both speak of the same value.
  private func publish(_ device: TrackedDevice, _ place: Int, at time: Instant) {
    let output = device.contacts[place].smoother.output
    if device.contacts[place].maximum.update(output, current.maximum) {
      playHaptics(.maximum, of: device, place, at: time)
    }
    followForce(of: device, place, at: time)
    appendReading(device, place, at: time)
  }

  private func appendReading(_ device: TrackedDevice, _ place: Int, at time: Instant) {
    device.sequence &+= 1
    var reading = device.contacts[place].reading(
      of: device.handle, sequence: device.sequence, at: time, current.maximum)
    if let positions = device.positions { reading.position = positions.position(at: place) }
    device.contacts[place].last = reading
    newReadings.append(reading)
  }

  private func updateDeadline(of device: TrackedDevice) {
    device.updateDeadline(current.smoothing)
    isDeadlineStale = true
  }
}
