/// Everything about a press that the configuration decides. The defaults here are the defaults.
public struct EngineSettings: Equatable, Sendable {
  public var smoothing = SmoothingSettings()
  public var maximum = MaximumSettings()
  public var scale = ScaleSettings()
  public var contact = ContactSettings()
  public var pen = PenSettings()
  public var haptics = HapticSettings()
  public init() {}
}

/// Which filter takes the noise out of a press.
public enum SmoothingFilter: String, Sendable, CaseIterable {
  case none
  /// A low-pass of first order: always as slow as its time constant.
  case exponential
  /// The 1€ filter (Casiez, Roussel and Vogel, CHI 2012): a low-pass that gets faster the faster the
  /// force changes, so that it is calm at rest and quick in a press.
  case oneEuro = "one-euro"
}

/// A median against spikes where it is wanted, a filter, then a slew-rate limit.
public struct SmoothingSettings: Equatable, Sendable {
  public var filter = SmoothingFilter.exponential
  /// Time constant of the exponential filter; 0 switches it off. 0…10 s.
  public var timeConstant = Microseconds.milliseconds(6)
  /// The 1€ filter's cutoff for a force that rests, 0.05…1,000 Hz: lower is calmer.
  public var minimumCutoff = 5.0
  /// How much the 1€ filter's cutoff rises with the speed of the force, in Hz for each per cent per
  /// second, 0…100: higher lags less.
  public var beta = 0.02
  /// The cutoff at which the 1€ filter smooths the speed itself, 0.05…1,000 Hz.
  public var derivativeCutoff = 1.0
  /// Whether each value is the median of the last three, which takes out spikes of one report at the
  /// price of one report's delay.
  public var medianOf3 = false
  /// Fastest rise in per cent per second; above 0, up to 1,000,000.
  public var riseRate = 2_000.0
  /// Fastest fall in per cent per second; above 0, up to 1,000,000.
  public var fallRate = 4_000.0
  /// How often the smoothing goes on when the device is silent. 1…1,000 ms.
  public var interval = Microseconds.milliseconds(4)
  /// After how long without a change a reading says `steady`. 10 ms…1 h.
  public var steadyAfter = Microseconds.milliseconds(250)
  public init() {}
}

/// When a force counts as the maximum, for the haptics and for `at_maximum` alike.
public struct MaximumSettings: Equatable, Sendable {
  /// Smoothed per cent at which the maximum is reached; above `releaseAt`, up to 100.
  public var reachedAt = 99.5
  /// Smoothed per cent below which the maximum is left and armed again. 0 to below `reachedAt`.
  public var releaseAt = 95.0
  public init() {}
}

/// How raw values become per cent and grams.
public struct ScaleSettings: Equatable, Sendable {
  /// Grams at 100 % where nothing better is known. 385 g: the full scale of phones that measured
  /// force.
  public var nominalGrams = 385.0
  /// Whether the hardest press so far counts as 100 %, instead of the declared maximum: for devices of
  /// whose range a finger uses a small part.
  public var observesRange = false
  public init() {}
}

/// What is special about pens.
public struct PenSettings: Equatable, Sendable {
  /// Whether a worn pen's offset is found and taken off.
  public var detectsOffset = true
  public init() {}
}

/// Which effects play, when, and how motors are treated.
public struct HapticSettings: Equatable, Sendable {
  public var enabled = true
  /// The share of its own strength at which every effect plays, 0…1.
  public var strength = 1.0
  /// Shortest time from one effect to the next for the same occasion on the same device. 0…60 s.
  public var minimumInterval = Microseconds.milliseconds(120)
  /// Every effect that there is, by name.
  public var effects = HapticPattern.builtIn
  /// The effect at the maximum, by name; nil: none.
  public var onMaximum: String? = "click"
  /// The effect when a contact begins, by name; nil: none.
  public var onPress: String?
  /// The effect when a contact ends, by name; nil: none.
  public var onRelease: String?
  /// The device (id or name) whose motor plays for all; "none": no motor; nil: the pressed device's,
  /// its sibling's or its seat's.
  public var motor: String?
  /// Shortest time between two commands to one motor. 0…1 s.
  public var commandInterval = Microseconds.milliseconds(10)
  /// The same over Bluetooth, where pads choke on more. 0…1 s.
  public var bluetoothInterval = Microseconds.milliseconds(50)
  /// The share of the full strength that a motor is driven with, 0…1, by the id or name of its device.
  public var gains: [String: Double] = [:]
  public init() {}

  /// A named effect at the strength that the settings give it.
  public func effect(named name: String) -> HapticPattern? {
    effects[name]?.scaled(by: strength)
  }

  /// The effect for an occasion at the strength that the settings give it; nil: none.
  public func effect(on occasion: HapticOccasion) -> HapticPattern? {
    let name =
      switch occasion {
      case .maximum: onMaximum
      case .press: onPress
      case .release: onRelease
      }
    return name.flatMap { effect(named: $0) }
  }
}
