/// What a contact does, as its readings tell it.
public enum ContactState: String, Sendable, CaseIterable {
  /// Something touches and the value is moving.
  case touching
  /// Something touches; nothing has changed for a while and the value still holds.
  case steady
  /// The contact has ended: percent and grams are 0. The last reading of a contact.
  case released
}

/// Where the grams of a reading come from, best first.
public enum GramsSource: String, Sendable, CaseIterable {
  /// The user's own calibration.
  case calibrated
  /// A device profile.
  case profile
  /// The device's own units: the axis resolution, or its HID report descriptor.
  case device
  /// 100 % = 385 g: an illustration, not a measurement.
  case nominal
}

/// One measurement of one contact.
public struct Reading: Equatable, Sendable {
  public var device: DeviceHandle
  /// Which contact of the device: slot, trigger or load cell. 0 for a device with one contact.
  public var contact: Int32
  /// Counts this device's readings from 1; a gap shows loss.
  public var sequence: UInt64
  /// When the kernel stamped the event, or the time of the smoothing step.
  public var time: Instant
  /// The device's own value, unscaled; of pedals that rest at their maximum, how far they are from it.
  public var raw: Int32
  /// Smoothed force in per cent of the device's range, 0…100.
  public var percent: Double
  /// Smoothed force in grams.
  public var grams: Double
  /// Force in per cent before smoothing, 0…100.
  public var unsmoothedPercent: Double
  /// The force has reached the maximum and not yet fallen below the re-arm level.
  public var atMaximum: Bool
  public var state: ContactState
  public var gramsSource: GramsSource
  /// Where the contact is; nil unless the configuration has positions published.
  public var position: Position?

  public init(
    device: DeviceHandle, contact: Int32, sequence: UInt64, time: Instant, raw: Int32,
    percent: Double, grams: Double, unsmoothedPercent: Double, atMaximum: Bool,
    state: ContactState, gramsSource: GramsSource, position: Position? = nil
  ) {
    self.device = device
    self.contact = contact
    self.sequence = sequence
    self.time = time
    self.raw = raw
    self.percent = percent
    self.grams = grams
    self.unsmoothedPercent = unsmoothedPercent
    self.atMaximum = atMaximum
    self.state = state
    self.gramsSource = gramsSource
    self.position = position
  }
}
