import ForceCore

/// The pressed devices whose force one motor follows. The motor is as strong as the strongest wants it.
struct MotorFollowers {
  private var followers: [(device: DeviceHandle, pattern: HapticPattern)] = []

  init() { followers.reserveCapacity(8) }

  /// A device begins to be followed, or begins anew.
  mutating func add(_ pattern: HapticPattern, of device: DeviceHandle) {
    followers.removeAll { $0.device == device }
    followers.append((device, pattern))
  }

  /// - Returns: whether the device is followed.
  mutating func follow(_ strength: Double, of device: DeviceHandle) -> Bool {
    guard let index = followers.firstIndex(where: { $0.device == device }) else { return false }
    followers[index].pattern.pulse.strength = strength
    return true
  }

  mutating func remove(_ device: DeviceHandle) { followers.removeAll { $0.device == device } }

  mutating func removeAll() { followers.removeAll(keepingCapacity: true) }

  /// What the motor plays for all of them; nil when it follows none.
  var leading: HapticPattern? {
    guard var pattern = followers.last?.pattern else { return nil }
    for index in followers.indices {
      pattern.pulse.strength = max(pattern.pulse.strength, followers[index].pattern.pulse.strength)
    }
    return pattern
  }
}
