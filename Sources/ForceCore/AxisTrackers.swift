/// Triggers and pedals: each axis is a contact while it is away from its rest.
final class TriggerTracker: ContactTracker {
  private let codes: [UInt16]
  private let rests: [Int64]

  init(_ device: DeviceDescription, codes: [UInt16]) {
    self.codes = codes
    rests = device.restLevels(of: codes)
    super.init(contacts: Self.places(codes, device), usedCount: codes.count)
  }

  private static func places(_ codes: [UInt16], _ device: DeviceDescription) -> [TrackedContact] {
    codes.enumerated().map { index, code in
      TrackedContact(number: Int32(index), raw: device.axes[code]?.minimum ?? 0)
    }
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
    rests = device.restLevels(of: BalanceBoard.cells)
    super.init(contacts: Self.places, usedCount: Self.places.count)
  }

  private static let places = (0...BalanceBoard.sum).map { TrackedContact(number: $0, raw: 0) }

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
  /// The highest value of each axis at which it counts as released: `flat` is how far it strays at
  /// rest.
  fileprivate func restLevels(of codes: [UInt16]) -> [Int64] {
    codes.map { code in
      guard let axis = axes[code] else { return Int64(Int32.max) }
      return Int64(axis.minimum) + Int64(max(axis.flat, 0))
    }
  }
}
