/// Triggers and pedals: each axis is a contact while it is away from its rest.
final class TriggerTracker: ContactTracker {
  private let codes: [UInt16]
  private let rests: [Int64]

  init(_ device: DeviceDescription, codes: [UInt16]) {
    self.codes = codes
    rests = codes.map { device.restLevel(of: $0) }
    let contacts = codes.enumerated().map { index, code in
      TrackedContact(number: Int32(index), raw: device.axes[code]?.minimum ?? 0)
    }
    super.init(contacts: contacts, usedCount: contacts.count)
  }

  override func ingest(_ event: InputEvent) {
    guard event.type == EventType.absolute else { return }
    for index in 0..<codes.count where codes[index] == event.code {
      contacts[index].raw = event.value
    }
  }

  override func endFrame() {
    for index in 0..<codes.count {
      contacts[index].isDown = Int64(contacts[index].raw) > rests[index]
    }
  }

  override func restore(_ device: DeviceDescription) {
    for index in 0..<codes.count {
      contacts[index].raw = device.axes[codes[index]]?.value ?? contacts[index].raw
    }
    endFrame()
  }
}

/// The four cells of a balance board, and their sum as a fifth contact.
final class BalanceBoardTracker: ContactTracker {
  private let rests: [Int64]
  private let sumPlace = BalanceBoard.cells.count

  init(_ device: DeviceDescription) {
    rests = BalanceBoard.cells.map { device.restLevel(of: $0) }
    let numbers = 0...BalanceBoard.sum
    let contacts = numbers.map { TrackedContact(number: $0, raw: 0) }
    super.init(contacts: contacts, usedCount: contacts.count)
  }

  override func ingest(_ event: InputEvent) {
    guard event.type == EventType.absolute else { return }
    // HAT0X, HAT0Y, HAT1X and HAT1Y follow each other.
    let cell = Int(event.code) - Int(AbsoluteCode.hat0X)
    guard cell >= 0 && cell < sumPlace else { return }
    contacts[cell].raw = event.value
  }

  override func endFrame() {
    var sum: Int64 = 0
    var anyIsDown = false
    for cell in 0..<sumPlace {
      contacts[cell].isDown = Int64(contacts[cell].raw) > rests[cell]
      anyIsDown = anyIsDown || contacts[cell].isDown
      sum += Int64(contacts[cell].raw)
    }
    set(sumPlace, isDown: anyIsDown, raw: Int32(clamping: sum))
  }

  override func restore(_ device: DeviceDescription) {
    for cell in 0..<sumPlace {
      contacts[cell].raw = device.axes[BalanceBoard.cells[cell]]?.value ?? contacts[cell].raw
    }
    endFrame()
  }
}

extension DeviceDescription {
  /// The highest value at which an axis counts as released: `flat` is how far it strays at rest.
  fileprivate func restLevel(of code: UInt16) -> Int64 {
    guard let axis = axes[code] else { return Int64(Int32.max) }
    return Int64(axis.minimum) + Int64(max(axis.flat, 0))
  }
}
