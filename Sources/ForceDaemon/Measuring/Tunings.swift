import ForceConfig
import ForceCore

/// What is known of devices beyond their nodes, put together: profiles, calibrations, tares and ranges.
final class Tunings {
  /// In the order of their names.
  var profiles: [DeviceProfile]
  private var calibrations: [String: [Int32: Calibration]]
  private var ranges: [String: [RememberedRange]]
  /// nil where there is no place for state.
  let store: CalibrationStore?

  init(profiles: [DeviceProfile] = [], store: CalibrationStore? = nil, log: Log) {
    self.profiles = profiles
    self.store = store
    calibrations = store?.load { log.warning($0) } ?? [:]
    ranges = store?.ranges.load { log.warning($0) } ?? [:]
  }

  /// - Parameter before: what was known of the device, of which the tare stays.
  func tuning(
    for identity: DeviceIdentity, before: DeviceTuning = DeviceTuning()
  ) -> DeviceTuning {
    var tuning = DeviceProfile.find(for: identity, among: profiles)?.tuning ?? DeviceTuning()
    tuning.calibrations = calibrations[identity.key] ?? [:]
    tuning.tare = before.tare
    tuning.ranges = ranges(of: identity)
    return tuning
  }

  func ranges(of identity: DeviceIdentity) -> [RememberedRange] {
    ranges[identity.key] ?? []
  }

  func set(_ ranges: [RememberedRange], of identity: DeviceIdentity) {
    self.ranges[identity.key] = ranges
  }

  func calibrations(of identity: DeviceIdentity) -> [Int32: Calibration] {
    calibrations[identity.key] ?? [:]
  }

  func set(_ calibrations: [Int32: Calibration], of identity: DeviceIdentity) {
    self.calibrations[identity.key] = calibrations
  }
}
