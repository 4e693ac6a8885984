/// When a contact counts, beyond what the device says of touching.
public struct ContactSettings: Equatable, Sendable {
  /// Force from which a contact begins, in per cent; 0: wherever the device says so.
  public var pressAt = 0.0
  /// Force below which it ends, in per cent; at most `pressAt`.
  public var releaseAt = 0.0
  /// The same in grams, for devices whose units are known; 0: the per cent hold there too.
  public var pressGrams = 0.0
  public var releaseGrams = 0.0
  public init() {}
}

/// What is known of one device beyond what its node says. What is nil is as the device has it, or as
/// the configuration has it for all.
public struct DeviceTuning: Equatable, Sendable {
  /// The profile that it comes from, for people.
  public var profile: String?
  /// Raw values of 0 and of 100 %.
  public var minimum: Int32?
  public var maximum: Int32?
  /// Grams of one unit.
  public var gramsPerUnit: Double?
  public var contact: ContactSettings?
  public var detectsPenOffset: Bool?
  public var observesRange: Bool?
  /// The user's calibrations: by contact for triggers and load cells, under 0 for a surface.
  public var calibrations: [Int32: Calibration] = [:]
  /// Grams that are taken off each contact.
  public var tare: [Int32: Double] = [:]
  /// What was learned of its range on another day: an entry for each of its axes, or empty. Counts
  /// when the device comes for the first time; after that the engine knows better.
  public var ranges: [RememberedRange] = []

  public init() {}
}

extension Capability {
  /// Under which number a contact's sensor is calibrated: a surface has one sensor for all contacts.
  public func calibrationKey(ofContact contact: Int32) -> Int32 {
    switch layout {
    case .triggers, .balanceBoard: contact
    case .single, .slots, .protocolA, nil: 0
    }
  }
}
