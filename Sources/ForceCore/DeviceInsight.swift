/// How far a device's readings can be trusted.
public struct DeviceInsight: Equatable, Sendable {
  /// The scale of the contact that stands for the device.
  public var scale: Scale
  /// The maximum that the device reached above the declared one, or that counts instead of it.
  public var observedMaximum: Int32?
  /// The offset of the pen that was last near, in units.
  public var penOffset: Int32?
  /// From which force a contact counts and below which it ends, in per cent; 0: as the device says.
  public var pressAt = 0.0
  public var releaseAt = 0.0
  /// Root mean square of the last press that was held still, in per cent.
  public var noise: Double?
  /// Root mean square of what the user's calibration leaves at its points, in grams.
  public var calibrationResidual: Double?
  /// Why its force should not be believed, as a sentence without a full stop.
  public var doubt: String?
}

extension Engine {
  /// What an attached device has shown of itself; nil for one that measures no force.
  public func insight(of handle: DeviceHandle) -> DeviceInsight? {
    guard let device = byHandle[handle], device.contacts.count > 0 else { return nil }
    let sum = Int(BalanceBoard.sum)
    let contact = device.contacts[device.capability.layout == .balanceBoard ? sum : 0]
    var insight = DeviceInsight(scale: contact.scale)
    insight.observedMaximum = device.observedMaximum(ofContact: contact.number, current)
    let offset = contact.scale.offset
    insight.penOffset = offset > contact.ownScale.offset ? offset : nil
    (insight.pressAt, insight.releaseAt) = contact.thresholds
    insight.noise = device.noise
    let key = device.capability.calibrationKey(ofContact: contact.number)
    insight.calibrationResidual = device.tuning.calibrations[key]?.residual
    insight.doubt = doubt(about: device)
    return insight
  }

  private func doubt(about device: TrackedDevice) -> String? {
    let capability = device.capability
    if capability.layout == .balanceBoard {
      if !capability.isBoardCalibrated {
        return "its own calibration does not rise from 0 to 17 to 34 kg, so its units mean nothing"
      }
      if device.counters.events == 0 { return "it has not sent any weight yet" }
    }
    for axis in device.ranges.indices {
      guard let value = device.ranges[axis].stuckAt else { continue }
      return "its axis has said \(value) in each of \(device.ranges[axis].contacts) contacts: "
        + "it does not seem to measure force"
    }
    return nil
  }
}
