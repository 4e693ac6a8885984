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
  /// As the device has it, and as it is with the pen's offset.
  var ownScale: Scale
  var scale: Scale
  var penOffset: Int32?
  var contactSettings = ContactSettings()
  /// Raw values from which the contact counts, and below which it ends.
  var pressRaw = Int32.min
  var releaseRaw = Int32.min
  /// The highest raw value since it began.
  var peak = Int32.min
  var noise = NoiseWindow()
  var last: Reading?

  init(number: Int32, scale: Scale, _ settings: SmoothingSettings) {
    let start = Instant(microseconds: 0)
    self.number = number
    self.scale = scale
    ownScale = scale
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
    peak = .min
    noise.begin(scale.percent(of: tracked.raw), at: time)
    move(to: tracked.raw, at: time)
  }

  mutating func move(to raw: Int32, at time: Instant) {
    self.raw = raw
    peak = max(peak, raw)
    unsmoothed = scale.percent(of: raw)
    smoother.setInput(unsmoothed, at: time)
    isSteady = false
    lastChange = time
  }

  /// Takes a changed scale into the input; the output goes there as the smoothing lets it.
  mutating func remeasure() {
    unsmoothed = scale.percent(of: raw)
    smoother.setInput(unsmoothed, at: smoother.time)
    isSteady = false
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
      grams: isDown ? scale.grams(at: percent) : 0, unsmoothedPercent: unsmoothed,
      atMaximum: maximum.isAtMaximum,
      state: isDown ? (isSteady ? .steady : .touching) : .released, gramsSource: scale.source)
  }
}

// MARK: - What its raw values mean

extension Contact {
  /// A pen with an offset trembles around it, so it needs a little more to count. Per cent.
  private static let pressOverOffset = 1.0
  private static let releaseOverOffset = 0.5

  /// Takes the scale and the thresholds of its device.
  mutating func use(_ scale: Scale, _ settings: ContactSettings) {
    ownScale = scale
    contactSettings = settings
    setOffset(penOffset)
  }

  /// Takes the raw value of no force; nil: the device's own.
  mutating func setOffset(_ offset: Int32?) {
    penOffset = offset
    let offset = offset.map { max($0, ownScale.offset) } ?? ownScale.offset
    scale = offset == ownScale.offset ? ownScale : ownScale.from(offset)
    var (press, release) = (contactSettings.pressAt, contactSettings.releaseAt)
    if contactSettings.pressGrams > 0 && scale.source != .nominal && scale.gramsPerUnit > 0 {
      press = scale.percent(atGrams: contactSettings.pressGrams)
      release = scale.percent(atGrams: contactSettings.releaseGrams)
    } else if offset > ownScale.offset && press <= 0 {
      (press, release) = (Self.pressOverOffset, Self.releaseOverOffset)
    }
    pressRaw = press > 0 ? scale.lowestRaw(reaching: press) : .min
    releaseRaw = release > 0 ? scale.lowestRaw(reaching: min(release, press)) : .min
  }

  /// The thresholds in force, in per cent; 0 without.
  var thresholds: (press: Double, release: Double) {
    (
      pressRaw == .min ? 0 : scale.percent(of: pressRaw),
      releaseRaw == .min ? 0 : scale.percent(of: releaseRaw)
    )
  }
}

extension Scale {
  func percent(atGrams grams: Double) -> Double {
    guard knots.isEmpty else {
      // The curve rises: halving finds the place.
      var (low, high) = (0.0, 100.0)
      for _ in 0..<40 {
        let middle = (low + high) / 2
        if self.grams(at: middle) + tareGrams < grams { low = middle } else { high = middle }
      }
      return high
    }
    return spanGrams > 0 ? min(grams / spanGrams * 100, 100) : 0
  }

  func lowestRaw(reaching percent: Double) -> Int32 {
    Int32(clamping: Int64(min(max(raw(at: percent).rounded(.up), -3e9), 3e9)))
  }
}
