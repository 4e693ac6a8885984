/// Triggers and pedals: each axis is a contact while it is away from its rest.
///
/// The pedals of some wheels rest at their maximum and go down when they are pressed. Theirs is turned
/// around, so that the raw value is 0 % at rest like any other's. They are known by where all of them are
/// when the device comes; or, as the kernel says 0 until the first report, by a first report that finds
/// one at the far end. No foot gets there in one step, and a thumb on a gamepad might: only what is no
/// gamepad is turned around.
final class TriggerTracker: ContactTracker {
  private struct Axis {
    let code: UInt16
    let range: AbsoluteAxis
    /// It has said where it is.
    var hasReported = false
    var isTurned = false
  }

  private let axes: Places<Axis>
  private let rests: [Int64]
  private let isGamepad: Bool

  init(_ device: DeviceDescription, codes: [UInt16]) {
    axes = Places(
      codes.map { Axis(code: $0, range: device.axes[$0] ?? AbsoluteAxis(minimum: 0, maximum: 0)) })
    rests = device.restLevels(of: codes)
    isGamepad = KeyCode.gamepadButtons.contains { device.keys.contains($0) }
    super.init(contacts: Self.places(codes, device), usedCount: codes.count)
  }

  deinit { axes.deallocate() }

  private static func places(_ codes: [UInt16], _ device: DeviceDescription) -> [TrackedContact] {
    codes.enumerated().map { index, code in
      TrackedContact(number: Int32(index), raw: device.axes[code]?.minimum ?? 0)
    }
  }

  override func ingest(_ event: InputEvent) {
    guard event.type == EventType.absolute else { return }
    for index in axes.indices where axes[index].code == event.code { take(event.value, index) }
  }

  private func take(_ value: Int32, _ index: Int) {
    if !axes[index].hasReported {
      axes[index].hasReported = true
      axes[index].isTurned = !isGamepad && isFarEnd(value, axes[index].range)
    }
    contacts[index].raw = axes[index].isTurned ? axes[index].range.mirrored(value) : value
  }

  private func isFarEnd(_ value: Int32, _ range: AbsoluteAxis) -> Bool {
    (Int64(value) - Int64(range.minimum)) * 16 >= range.width * 15
  }

  override func endFrame() {
    for index in axes.indices {
      contacts[index].isDown = Int64(contacts[index].raw) > rests[index]
    }
  }

  override func restore(_ device: DeviceDescription) {
    let values = axes.indices.map { device.axes[axes[$0].code]?.value ?? contacts[$0].raw }
    let restAtFarEnd =
      !isGamepad && values.indices.allSatisfy { isFarEnd(values[$0], axes[$0].range) }
    for (index, value) in values.enumerated() {
      // 0 may mean that it has not said anything yet.
      if !axes[index].hasReported && value != 0 && value != axes[index].range.minimum {
        axes[index].hasReported = true
        axes[index].isTurned = restAtFarEnd
      }
      contacts[index].raw = axes[index].isTurned ? axes[index].range.mirrored(value) : value
    }
    endFrame()
  }
}

extension AbsoluteAxis {
  fileprivate func mirrored(_ value: Int32) -> Int32 {
    Int32(clamping: Int64(minimum) + Int64(maximum) - Int64(value))
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
  /// rest. More than a quarter of the range is no such thing, and would leave nothing to press.
  fileprivate func restLevels(of codes: [UInt16]) -> [Int64] {
    codes.map { code in
      guard let axis = axes[code] else { return Int64(Int32.max) }
      let flat = Int64(max(axis.flat, 0))
      return Int64(axis.minimum) + (flat * 4 <= axis.width ? flat : 0)
    }
  }
}
