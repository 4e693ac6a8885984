/// How a motor is driven, in the order in which it is preferred.
public enum HapticBackend: String, Sendable, CaseIterable {
  /// A pad whose own feedback the host drives (Linux 6.18 and later).
  case haptic = "FF_HAPTIC"
  case rumble = "FF_RUMBLE"
  /// A sine wave.
  case periodic = "FF_PERIODIC"
}

extension DeviceDescription {
  /// How this device could play an effect; nil when it has no motor. What it announces is no proof:
  /// only an upload is.
  public var hapticBackend: HapticBackend? {
    if forceFeedback.contains(ForceFeedbackCode.haptic) { return .haptic }
    if forceFeedback.contains(ForceFeedbackCode.rumble) { return .rumble }
    let hasSine =
      forceFeedback.contains(ForceFeedbackCode.periodic)
      && forceFeedback.contains(ForceFeedbackCode.sine)
    return hasSine ? .periodic : nil
  }
}

/// A device that may have the motor for a press.
public struct MotorCandidate: Sendable {
  public var handle: DeviceHandle
  /// The id under which the daemon publishes the device.
  public var id: String
  public var description: DeviceDescription

  public init(handle: DeviceHandle, id: String, description: DeviceDescription) {
    self.handle = handle
    self.id = id
    self.description = description
  }
}

/// Which motor serves a pressed device.
public enum MotorPairing: Equatable, Sendable {
  /// The device has a motor itself.
  case own(DeviceHandle)
  /// Another node of the same physical device has it.
  case sibling(DeviceHandle)
  /// A node of the same seat that is nothing but a motor, such as a phone's vibrator.
  case seat(DeviceHandle)
  /// The configuration names it.
  case named(DeviceHandle)
  /// None does; the sentence says why.
  case none(String)

  public var motor: DeviceHandle? {
    switch self {
    case .own(let handle), .sibling(let handle), .seat(let handle), .named(let handle): handle
    case .none: nil
    }
  }

  /// What the configuration says instead of a name to switch every motor off.
  public static let off = "none"

  /// Finds the motor for a pressed device: what the configuration names, else its own, else that of
  /// the sibling that came first, else a node of its seat that is nothing but a motor.
  /// - Parameters:
  ///   - candidates: every device that is present, the pressed one too.
  ///   - name: the id or the name of the device that the configuration wants (`Motor=`), or `off`.
  public static func find(
    for pressed: DeviceHandle, among candidates: [MotorCandidate], named name: String? = nil
  ) -> MotorPairing {
    if name == off { return .none("switched off in the configuration (Motor=none)") }
    if let name { return find(named: name, among: candidates) }
    guard let device = candidates.first(where: { $0.handle == pressed })?.description else {
      return .none("the device is gone")
    }
    if device.hapticBackend != nil { return .own(pressed) }
    let siblings =
      candidates
      .filter { $0.handle != pressed && device.isSibling(of: $0.description) }
      .sorted { $0.handle < $1.handle }
    if let sibling = siblings.first(where: { $0.description.hapticBackend != nil }) {
      return .sibling(sibling.handle)
    }
    let alone =
      candidates
      .filter { $0.description.isMotorAlone && $0.description.seat == device.seat }
      .min { $0.handle < $1.handle }
    if let alone { return .seat(alone.handle) }
    return .none(
      siblings.isEmpty
        ? "it has no motor, no other node belongs to it, and its seat has no vibrator"
        : "neither it nor the other nodes that belong to it have a motor, "
          + "nor has its seat a vibrator")
  }

  private static func find(
    named name: String, among candidates: [MotorCandidate]
  ) -> MotorPairing {
    let matches =
      candidates
      .filter { $0.id == name || $0.description.identity.name == name }
      .sorted { $0.handle < $1.handle }
    guard !matches.isEmpty else { return .none("no device with the id or name \"\(name)\"") }
    guard let motor = matches.first(where: { $0.description.hapticBackend != nil }) else {
      return .none("the device \"\(name)\" has no motor")
    }
    return .named(motor.handle)
  }
}

extension DeviceDescription {
  /// A motor and nothing else: how phones show their vibrator. It has no name to pair it by.
  var isMotorAlone: Bool { hapticBackend != nil && keys.isEmpty && axes.isEmpty }

  /// Whether both are nodes of one physical device.
  ///
  /// A serial number decides where both have one. `phys` is the place in the bus, but over Bluetooth
  /// it is the host's own adapter, which all devices share.
  func isSibling(of other: DeviceDescription) -> Bool {
    if !identity.uniq.isEmpty && !other.identity.uniq.isEmpty {
      return identity.uniq == other.identity.uniq
    }
    if !parent.isEmpty && parent == other.parent { return true }
    guard identity.bus == other.identity.bus, identity.bus != Bus.bluetooth else { return false }
    let place = identity.place
    return !place.isEmpty && place == other.identity.place
  }
}

extension DeviceIdentity {
  /// `phys` without the number of the node: "usb-0000:00:14.0-2" of "usb-0000:00:14.0-2/input1".
  var place: Substring {
    guard let slash = phys.lastIndex(of: "/"), phys[slash...].hasPrefix("/input") else {
      return phys[...]
    }
    return phys[..<slash]
  }
}
