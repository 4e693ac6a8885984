import ForceCore

/// A key of the configuration: its name, what it may be and where its value goes.
public struct ConfigurationKey: Sendable {
  public let section: String
  public let name: String
  /// What is allowed, for people.
  public let allowed: String
  /// The default as it would be written in a file; empty where the default is not to have one.
  public let defaultText: String
  /// Sets the value; nil brings the default back.
  let set: @Sendable (String?, inout Configuration) throws(ValueProblem) -> Void

  func isNamed(_ name: String, in section: String) -> Bool {
    self.name == name && self.section == section
  }

  private init<Value>(
    _ section: String, _ name: String, _ allowed: String, default defaultText: String,
    _ place: WritableKeyPath<Configuration, Value> & Sendable,
    _ parse: @escaping @Sendable (String) throws(ValueProblem) -> Value
  ) {
    self.section = section
    self.name = name
    self.allowed = allowed
    self.defaultText = defaultText
    set = { (text, configuration) throws(ValueProblem) in
      guard let text else {
        configuration[keyPath: place] = Configuration()[keyPath: place]
        return
      }
      configuration[keyPath: place] = try parse(text)
    }
  }

  /// The sections in the order in which they are documented.
  public static let sections = [
    "Smoothing", "Maximum", "Scale", "Contact", "Pen", "Haptics", "Server", "Realtime",
  ]

  /// Every key that there is.
  public static let all: [ConfigurationKey] =
    smoothing + maximum + scale + contact + pen + haptics + server + realtime

  private static let smoothing = [
    ConfigurationKey(
      "Smoothing", "Filter", "none, exponential or one-euro", default: "exponential",
      \.engine.smoothing.filter, parseFilter),
    ConfigurationKey(
      "Smoothing", "TimeConstant", "0 to 10s; a bare number is in ms; 0: no low-pass",
      default: "6ms", \.engine.smoothing.timeConstant
    ) { text throws(ValueProblem) in try parseDuration(text, .zero ... .seconds(10)) },
    ConfigurationKey(
      "Smoothing", "MinimumCutoff", "0.05 to 1000Hz; a bare number is in Hz", default: "5Hz",
      \.engine.smoothing.minimumCutoff
    ) { text throws(ValueProblem) in try parseFrequency(text, 0.05...1_000) },
    ConfigurationKey(
      "Smoothing", "Beta", "0 to 100", default: "0.02", \.engine.smoothing.beta
    ) { text throws(ValueProblem) in try parseNumber(text, 0...100) },
    ConfigurationKey(
      "Smoothing", "DerivativeCutoff", "0.05 to 1000Hz; a bare number is in Hz", default: "1Hz",
      \.engine.smoothing.derivativeCutoff
    ) { text throws(ValueProblem) in try parseFrequency(text, 0.05...1_000) },
    ConfigurationKey(
      "Smoothing", "MedianOf3", "yes or no", default: "no", \.engine.smoothing.medianOf3,
      parseBool),
    ConfigurationKey(
      "Smoothing", "RiseRate", "0.01 to 1000000 per cent per second", default: "2000%/s",
      \.engine.smoothing.riseRate
    ) { text throws(ValueProblem) in try parseRate(text, 0.01...1_000_000) },
    ConfigurationKey(
      "Smoothing", "FallRate", "0.01 to 1000000 per cent per second", default: "4000%/s",
      \.engine.smoothing.fallRate
    ) { text throws(ValueProblem) in try parseRate(text, 0.01...1_000_000) },
    ConfigurationKey(
      "Smoothing", "Interval", "1ms to 1s; a bare number is in ms", default: "4ms",
      \.engine.smoothing.interval
    ) { text throws(ValueProblem) in try parseDuration(text, .milliseconds(1) ... .seconds(1)) },
    ConfigurationKey(
      "Smoothing", "SteadyAfter", "10ms to 1h; a bare number is in ms", default: "250ms",
      \.engine.smoothing.steadyAfter
    ) { text throws(ValueProblem) in
      try parseDuration(text, .milliseconds(10) ... .seconds(3_600))
    },
  ]

  private static let maximum = [
    ConfigurationKey(
      "Maximum", "ReachedAt", "above ReleaseAt to 100%", default: "99.5%",
      \.engine.maximum.reachedAt
    ) { text throws(ValueProblem) in try parsePercent(text, 0...100) },
    ConfigurationKey(
      "Maximum", "ReleaseAt", "0 to below ReachedAt, in per cent", default: "95%",
      \.engine.maximum.releaseAt
    ) { text throws(ValueProblem) in try parsePercent(text, 0...100) },
  ]

  private static let scale = [
    ConfigurationKey(
      "Scale", "NominalGrams", "1g to 100kg; a bare number is in g", default: "385g",
      \.engine.scale.nominalGrams
    ) { text throws(ValueProblem) in try parseGrams(text, 1...100_000) },
    ConfigurationKey(
      "Scale", "Range", "declared or observed", default: "declared",
      \.engine.scale.observesRange
    ) { text throws(ValueProblem) in try parseRange(text) },
  ]

  private static let contact = [
    ConfigurationKey(
      "Contact", "PressAt", "0 to 100%", default: "0%", \.engine.contact.pressAt
    ) { text throws(ValueProblem) in try parsePercent(text, 0...100) },
    ConfigurationKey(
      "Contact", "ReleaseAt", "0 to PressAt, in per cent", default: "0%",
      \.engine.contact.releaseAt
    ) { text throws(ValueProblem) in try parsePercent(text, 0...100) },
    ConfigurationKey(
      "Contact", "PressGrams", "0 to 100kg; a bare number is in g", default: "0g",
      \.engine.contact.pressGrams
    ) { text throws(ValueProblem) in try parseGrams(text, 0...100_000) },
    ConfigurationKey(
      "Contact", "ReleaseGrams", "0 to PressGrams; a bare number is in g", default: "0g",
      \.engine.contact.releaseGrams
    ) { text throws(ValueProblem) in try parseGrams(text, 0...100_000) },
  ]

  private static let pen = [
    ConfigurationKey(
      "Pen", "DetectOffset", "yes or no", default: "yes", \.engine.pen.detectsOffset, parseBool)
  ]

  private static let haptics = [
    ConfigurationKey(
      "Haptics", "Enabled", "yes or no", default: "yes", \.engine.haptics.enabled, parseBool),
    ConfigurationKey(
      "Haptics", "Strength", "0 to 100%", default: "100%", \.engine.haptics.strength
    ) { text throws(ValueProblem) in try parsePercent(text, 0...100) / 100 },
    ConfigurationKey(
      "Haptics", "OnMaximum", "the name of an effect, or none", default: "click",
      \.engine.haptics.onMaximum, parseEffectName),
    ConfigurationKey(
      "Haptics", "OnPress", "the name of an effect, or none", default: "none",
      \.engine.haptics.onPress, parseEffectName),
    ConfigurationKey(
      "Haptics", "OnRelease", "the name of an effect, or none", default: "none",
      \.engine.haptics.onRelease, parseEffectName),
    ConfigurationKey(
      "Haptics", "MinimumInterval", "0 to 60s; a bare number is in ms", default: "120ms",
      \.engine.haptics.minimumInterval
    ) { text throws(ValueProblem) in try parseDuration(text, .zero ... .seconds(60)) },
    ConfigurationKey(
      "Haptics", "CommandInterval", "0 to 1s; a bare number is in ms", default: "10ms",
      \.engine.haptics.commandInterval
    ) { text throws(ValueProblem) in try parseDuration(text, .zero ... .seconds(1)) },
    ConfigurationKey(
      "Haptics", "BluetoothInterval", "0 to 1s; a bare number is in ms", default: "50ms",
      \.engine.haptics.bluetoothInterval
    ) { text throws(ValueProblem) in try parseDuration(text, .zero ... .seconds(1)) },
    ConfigurationKey(
      "Haptics", "Motor", "the id or name of a device, up to 256 bytes, or none", default: "",
      \.engine.haptics.motor
    ) { text throws(ValueProblem) in try parseDevice(text) },
  ]

  private static let server = [
    ConfigurationKey(
      "Server", "SocketMode", "0000 to 0777, in octal", default: "0660", \.server.socketMode,
      parseMode),
    ConfigurationKey(
      "Server", "SocketGroup", "the name or number of a group, or none", default: "input",
      \.server.socketGroup, parseGroup),
    ConfigurationKey(
      "Server", "ControlGroup", "the name or number of a group, or none", default: "none",
      \.server.controlGroup, parseGroup),
    ConfigurationKey(
      "Server", "PublishPositions", "yes or no", default: "no", \.server.publishPositions,
      parseBool),
    ConfigurationKey(
      "Server", "MaxConnections", "1 to 65536", default: "1024", \.server.maxConnections
    ) { text throws(ValueProblem) in try parseInteger(text, 1...65_536) },
    ConfigurationKey(
      "Server", "MaxConnectionsPerUser", "1 to 65536", default: "64",
      \.server.maxConnectionsPerUser
    ) { text throws(ValueProblem) in try parseInteger(text, 1...65_536) },
    ConfigurationKey(
      "Server", "MaxMessageSize", "1K to 16M, in bytes", default: "64K", \.server.maxMessageSize
    ) { text throws(ValueProblem) in try parseSize(text, 1_024...16_777_216) },
    ConfigurationKey(
      "Server", "MaxRequestsInFlight", "1 to 65536", default: "64", \.server.maxRequestsInFlight
    ) { text throws(ValueProblem) in try parseInteger(text, 1...65_536) },
  ]

  private static let realtime = [
    ConfigurationKey(
      "Realtime", "Priority", "0 to 99; 0: ordinary scheduling", default: "10",
      \.realtime.priority
    ) { text throws(ValueProblem) in try parseInteger(text, 0...99) },
    ConfigurationKey(
      "Realtime", "LockMemory", "yes or no", default: "yes", \.realtime.lockMemory, parseBool),
  ]
}
