/// One contact of a device while the engine follows it. It outlives its own end, because the last
/// reading of a released contact is still "the current state".
struct Contact {
  var number: Int32
  var generation: UInt32 = 0
  var isDown = false
  var raw: Int32 = 0
  var unsmoothed = 0.0
  var isSteady = false
  /// When a reading last differed from the one before.
  var lastChange: Instant
  var smoother: Smoother
  var maximum = MaximumTrigger()
  var scale: Scale
  var last: Reading?

  init(number: Int32, scale: Scale, _ settings: SmoothingSettings) {
    let start = Instant(microseconds: 0)
    self.number = number
    self.scale = scale
    lastChange = start
    smoother = Smoother(settings, at: start)
  }

  /// Starts from 0 %: the force of a contact grows from nothing.
  mutating func begin(_ tracked: TrackedContact, at time: Instant, _ settings: EngineSettings) {
    number = tracked.number
    generation = tracked.generation
    isDown = true
    isSteady = false
    smoother = Smoother(settings.smoothing, at: time)
    maximum.reset()
    move(to: tracked.raw, at: time)
  }

  mutating func move(to raw: Int32, at time: Instant) {
    self.raw = raw
    unsmoothed = scale.percent(of: raw)
    smoother.setInput(unsmoothed, at: time)
    isSteady = false
    lastChange = time
  }

  mutating func release(_ tracked: TrackedContact, at time: Instant) {
    isDown = false
    // The value of a contact that another one has replaced is gone.
    if tracked.generation == generation { raw = tracked.raw }
    unsmoothed = 0
    isSteady = false
    maximum.reset()
    lastChange = time
  }

  /// When this contact wants to be called again, if no event comes before.
  func deadline(_ settings: SmoothingSettings) -> Instant? {
    guard isDown else { return nil }
    if !smoother.isSettled { return smoother.time + settings.interval }
    return isSteady ? nil : lastChange + settings.steadyAfter
  }

  /// Whether a reading made now would say anything new.
  func differsFromLast(_ settings: MaximumSettings) -> Bool {
    var trigger = maximum
    _ = trigger.update(smoother.output, settings)
    return trigger.published(smoother.output, settings) != last?.percent
      || trigger.isAtMaximum != last?.atMaximum
  }

  func reading(
    of device: DeviceHandle, sequence: UInt64, at time: Instant, _ settings: MaximumSettings
  ) -> Reading {
    let percent = isDown ? maximum.published(smoother.output, settings) : 0
    return Reading(
      device: device, contact: number, sequence: sequence, time: time, raw: raw, percent: percent,
      grams: scale.grams(at: percent), unsmoothedPercent: unsmoothed,
      atMaximum: maximum.isAtMaximum,
      state: isDown ? (isSteady ? .steady : .touching) : .released, gramsSource: scale.source)
  }
}
