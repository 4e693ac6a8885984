import ForceCore

/// The parameters of a method that has none.
public enum NoParameters {
  /// Refuses any parameter.
  public static func check(_ parameters: JSONObject) throws(FieldError) {
    try FieldReader(parameters).refuseUnknown()
  }
}

/// The parameters of `org.varlink.service.GetInterfaceDescription`.
public struct InterfaceDescriptionRequest: Equatable, Sendable {
  public var interface: String

  public init(interface: String) { self.interface = interface }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    interface = try fields.string("interface")
    try fields.refuseUnknown()
  }

  public var parameters: JSONObject { ["interface": .string(interface)] }
}

/// Which contacts a call is about: the parameters of `GetReading`, `Tare` and `Untare`.
public struct ContactSelection: Equatable, Sendable {
  /// By id or name; nil: every device for `GetReading`, the only one that measures force for the others.
  public var device: String?
  /// nil: every contact.
  public var contact: Int32?

  public init(device: String? = nil, contact: Int32? = nil) {
    self.device = device
    self.contact = contact
  }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    device = try fields.optionalString("device")
    contact = try fields.optionalInteger("contact")
    try fields.refuseUnknown()
  }

  public var parameters: JSONObject {
    var object = JSONObject()
    object.set("device", device)
    object.set("contact", contact)
    return object
  }
}

/// One effect to play now, the parameters of `PlayHaptic`. nil: as configured for the effect, and
/// for the effect itself: the one of the maximum.
public struct HapticRequest: Equatable, Sendable {
  /// The device for which to play; nil: the only one that has a motor.
  public var device: String?
  /// The name of the effect.
  public var effect: String?
  /// Per cent of the motor's full strength, 0…100.
  public var strength: Double?
  /// 1…32,767 ms.
  public var lengthMilliseconds: Int64?

  public init(
    device: String? = nil, effect: String? = nil, strength: Double? = nil,
    lengthMilliseconds: Int64? = nil
  ) {
    self.device = device
    self.effect = effect
    self.strength = strength
    self.lengthMilliseconds = lengthMilliseconds
  }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    device = try fields.optionalString("device")
    effect = try fields.optionalString("effect")
    strength = try fields.optionalNumber("strength", in: 0...100, allowed: "0 to 100 per cent")
    lengthMilliseconds = try fields.optionalInteger("length_ms")
    if let lengthMilliseconds, !(1...32_767).contains(lengthMilliseconds) {
      throw fields.notAllowed(
        "length_ms", found: String(lengthMilliseconds), allowed: "1 to 32767 ms")
    }
    try fields.refuseUnknown()
  }

  public var parameters: JSONObject {
    var object = JSONObject()
    object.set("device", device)
    object.set("effect", effect)
    object["strength"] = strength.map { .number($0) }
    object["length_ms"] = lengthMilliseconds.map { .integer($0) }
    return object
  }
}

/// Which motors `StopHaptics` stops. nil: all.
public struct StopHapticsRequest: Equatable, Sendable {
  public var device: String?

  public init(device: String? = nil) { self.device = device }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    device = try fields.optionalString("device")
    try fields.refuseUnknown()
  }

  public var parameters: JSONObject {
    var object = JSONObject()
    object.set("device", device)
    return object
  }
}

/// The smoothing as `SetSmoothing` changes and returns it. nil in a call: leave as it is.
public struct SmoothingRecord: Equatable, Sendable {
  /// `none`, `exponential` or `one_euro`.
  public var filter: String?
  /// The 1€ filter's cutoff at rest, 0.05…1,000 Hz.
  public var minimumCutoff: Double?
  /// Hz for each per cent per second, 0…100.
  public var beta: Double?
  /// The 1€ filter's cutoff for the speed, 0.05…1,000 Hz.
  public var derivativeCutoff: Double?
  public var medianOf3: Bool?
  /// Time constant of the exponential filter, 0…10,000 ms; 0 switches it off.
  public var timeConstantMilliseconds: Double?
  /// Fastest rise, above 0 to 1,000,000 per cent per second.
  public var riseRate: Double?
  /// Fastest fall, above 0 to 1,000,000 per cent per second.
  public var fallRate: Double?
  /// How often smoothing goes on while the device is silent, 1…1,000 ms.
  public var intervalMilliseconds: Double?
  /// After how long without a change a reading says `steady`, 10…3,600,000 ms.
  public var steadyAfterMilliseconds: Double?

  public init() {}

  /// What is in force.
  public init(_ settings: SmoothingSettings) {
    filter = Self.name(of: settings.filter)
    minimumCutoff = settings.minimumCutoff
    beta = settings.beta
    derivativeCutoff = settings.derivativeCutoff
    medianOf3 = settings.medianOf3
    timeConstantMilliseconds = settings.timeConstant.milliseconds
    riseRate = settings.riseRate
    fallRate = settings.fallRate
    intervalMilliseconds = settings.interval.milliseconds
    steadyAfterMilliseconds = settings.steadyAfter.milliseconds
  }

  /// Reads the parameters of a call, in which nothing unknown may stand.
  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    try self.init(&fields)
    try fields.refuseUnknown()
  }

  /// Reads what a daemon says is in force; a newer one may say more than is known here.
  public init(_ object: JSONObject, at path: String = "") throws(FieldError) {
    var fields = FieldReader(object, at: path)
    try self.init(&fields)
  }

  private init(_ fields: inout FieldReader) throws(FieldError) {
    filter = try fields.optionalString("filter")
    if let filter, Self.filter(named: filter) == nil {
      throw fields.notAllowed(
        "filter", found: filter,
        allowed: SmoothingFilter.allCases.map(Self.name).joined(separator: ", "))
    }
    minimumCutoff = try fields.optionalNumber(
      "minimum_cutoff_hz", in: 0.05...1_000, allowed: "0.05 to 1000 Hz")
    beta = try fields.optionalNumber("beta", in: 0...100, allowed: "0 to 100")
    derivativeCutoff = try fields.optionalNumber(
      "derivative_cutoff_hz", in: 0.05...1_000, allowed: "0.05 to 1000 Hz")
    medianOf3 = try fields.optionalBool("median_of_3")
    timeConstantMilliseconds = try fields.optionalNumber(
      "time_constant_ms", in: 0...10_000, allowed: "0 to 10000 ms")
    riseRate = try fields.optionalNumber(
      "rise_rate", in: 0.01...1_000_000, allowed: "0.01 to 1000000 per cent per second")
    fallRate = try fields.optionalNumber(
      "fall_rate", in: 0.01...1_000_000, allowed: "0.01 to 1000000 per cent per second")
    intervalMilliseconds = try fields.optionalNumber(
      "interval_ms", in: 1...1_000, allowed: "1 to 1000 ms")
    steadyAfterMilliseconds = try fields.optionalNumber(
      "steady_after_ms", in: 10...3_600_000, allowed: "10 to 3600000 ms")
  }

  public var parameters: JSONObject {
    var object = JSONObject()
    object["filter"] = filter.map { .string($0) }
    object["time_constant_ms"] = timeConstantMilliseconds.map { .number($0) }
    object["minimum_cutoff_hz"] = minimumCutoff.map { .number($0) }
    object["beta"] = beta.map { .number($0) }
    object["derivative_cutoff_hz"] = derivativeCutoff.map { .number($0) }
    object["median_of_3"] = medianOf3.map { .bool($0) }
    object["rise_rate"] = riseRate.map { .number($0) }
    object["fall_rate"] = fallRate.map { .number($0) }
    object["interval_ms"] = intervalMilliseconds.map { .number($0) }
    object["steady_after_ms"] = steadyAfterMilliseconds.map { .number($0) }
    return object
  }

  /// These settings with what is named here changed.
  public func applied(to settings: SmoothingSettings) -> SmoothingSettings {
    var settings = settings
    if let filter = filter.flatMap(Self.filter) { settings.filter = filter }
    if let minimumCutoff { settings.minimumCutoff = minimumCutoff }
    if let beta { settings.beta = beta }
    if let derivativeCutoff { settings.derivativeCutoff = derivativeCutoff }
    if let medianOf3 { settings.medianOf3 = medianOf3 }
    if let timeConstantMilliseconds {
      settings.timeConstant = microseconds(timeConstantMilliseconds)
    }
    if let riseRate { settings.riseRate = riseRate }
    if let fallRate { settings.fallRate = fallRate }
    if let intervalMilliseconds { settings.interval = microseconds(intervalMilliseconds) }
    if let steadyAfterMilliseconds {
      settings.steadyAfter = microseconds(steadyAfterMilliseconds)
    }
    return settings
  }

  /// Names in Varlink have no hyphen.
  private static func name(of filter: SmoothingFilter) -> String {
    filter == .oneEuro ? "one_euro" : filter.rawValue
  }

  private static func filter(named name: String) -> SmoothingFilter? {
    SmoothingFilter.allCases.first { Self.name(of: $0) == name }
  }

  private func microseconds(_ milliseconds: Double) -> Microseconds {
    guard milliseconds.isFinite else { return .zero }
    return Microseconds(Int64(min(max(milliseconds, 0), 3_600_000) * 1_000))
  }
}
