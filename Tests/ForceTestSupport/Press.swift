import ForceCore

/// Plays scripts to an engine by a clock of its own, and keeps what comes out.
///
/// Between two frames it calls the engine at each of its deadlines, as the daemon does.
public final class Press {
  public let engine: Engine
  public let handle: DeviceHandle
  public private(set) var readings: [Reading] = []
  public private(set) var haptics: [HapticCommand] = []
  public private(set) var now: Instant

  /// Attaches the device at time 0.
  public init(
    on device: DeviceDescription, _ settings: EngineSettings = EngineSettings(),
    handle: DeviceHandle = DeviceHandle(1), at start: Instant = Instant(microseconds: 0)
  ) {
    engine = Engine(settings: settings)
    self.handle = handle
    now = start
    engine.attach(device, as: handle, at: start)
    collect()
  }

  /// Plays a script, then lets `rest` pass.
  @discardableResult
  public func play(
    _ script: String, rest: Microseconds = .zero
  ) throws(PressScript.Mistake) -> Press {
    for frame in try PressScript(script).frames {
      advance(to: frame.time)
      for event in frame.events { engine.ingest(event, from: handle) }
      collect()
    }
    advance(to: now + rest)
    return self
  }

  /// Lets time pass, step by step.
  public func advance(to time: Instant) {
    while let deadline = engine.deadline, deadline < time {
      engine.advance(to: deadline)
      collect()
    }
    now = max(now, time)
  }

  public func detach() {
    engine.detach(handle, at: now)
    collect()
  }

  public func resynchronize(_ device: DeviceDescription) {
    engine.resynchronize(device, for: handle, at: now)
    collect()
  }

  public func collect() {
    readings += engine.readings
    haptics += engine.haptics
    engine.clearActions()
  }

  /// What a contact did, without the steps in between: each change of its state with the raw value.
  public func story(of contact: Int32? = nil) -> [String] {
    var story: [String] = []
    var states: [Int32: ContactState] = [:]
    for reading in readings where contact == nil || reading.contact == contact {
      guard states.updateValue(reading.state, forKey: reading.contact) != reading.state else {
        continue
      }
      story.append(
        "\(reading.time.microseconds / 1_000)ms \(reading.contact) \(reading.state) \(reading.raw)")
    }
    return story
  }
}

extension EngineSettings {
  /// Readings follow the device at once, as far as the limits of the settings allow.
  public static var unsmoothed: EngineSettings {
    var settings = EngineSettings()
    settings.smoothing.timeConstant = .zero
    settings.smoothing.riseRate = 1_000_000
    settings.smoothing.fallRate = 1_000_000
    settings.smoothing.interval = .milliseconds(1)
    return settings
  }
}
