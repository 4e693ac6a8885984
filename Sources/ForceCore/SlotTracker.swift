/// Multitouch protocol B: a slot is a contact while it holds a tracking ID and hovers no more.
///
/// The kernel sends what has changed in a slot and nothing else, even when another contact takes it:
/// so a slot keeps its pressure after the lift, and a new contact starts with it.
final class SlotTracker: ContactTracker {
  private struct Slot {
    var trackingID: Int32 = -1
    var pressure: Int32
    var distance: Int32
  }

  private let minimumDistance: Int32
  private let slots: Places<Slot>
  /// The slot that events are about; nil where the device names one that it doesn't have.
  @exclusivity(unchecked) private var current: Int? = 0

  init(_ device: DeviceDescription, slots count: Int) {
    let pressure = device.axes[AbsoluteCode.touchPressure]?.minimum ?? 0
    let distance = device.axes[AbsoluteCode.touchDistance]?.minimum ?? 0
    let count = max(count, 1)
    minimumDistance = distance
    slots = Places(Array(repeating: Slot(pressure: pressure, distance: distance), count: count))
    super.init(contacts: Self.places(count, raw: pressure), usedCount: 0)
  }

  deinit { slots.deallocate() }

  private static func places(_ count: Int, raw: Int32) -> [TrackedContact] {
    (0..<count).map { TrackedContact(number: Int32($0), raw: raw) }
  }

  static func neededCodes(_ device: DeviceDescription) -> [UInt16: [UInt16]] {
    let codes = [
      AbsoluteCode.slot, AbsoluteCode.trackingID, AbsoluteCode.touchPressure,
      AbsoluteCode.touchDistance,
    ]
    return [EventType.absolute: codes.filter { device.axes[$0] != nil }]
  }

  override func ingest(_ event: InputEvent) {
    guard event.type == EventType.absolute else { return }
    if event.code == AbsoluteCode.slot {
      let slot = Int(event.value)
      current = slots.indices.contains(slot) ? slot : nil
      return
    }
    guard let slot = current else { return }
    switch event.code {
    case AbsoluteCode.trackingID: hold(event.value, in: slot)
    case AbsoluteCode.touchPressure: slots[slot].pressure = event.value
    case AbsoluteCode.touchDistance: slots[slot].distance = event.value
    default: break
    }
  }

  private func hold(_ trackingID: Int32, in slot: Int) {
    if trackingID >= 0 && trackingID != slots[slot].trackingID {
      contacts[slot].generation &+= 1
      usedCount = max(usedCount, slot + 1)
    }
    slots[slot].trackingID = max(trackingID, -1)
  }

  override func endFrame() {
    for slot in 0..<usedCount {
      let state = slots[slot]
      set(
        slot, isDown: state.trackingID >= 0 && state.distance <= minimumDistance,
        raw: state.pressure)
    }
  }

  override func restore(_ device: DeviceDescription) {
    for slot in slots.indices {
      guard slot < device.slots.count else {
        hold(-1, in: slot)
        continue
      }
      let state = device.slots[slot]
      hold(state.trackingID, in: slot)
      slots[slot].pressure = state.pressure
      slots[slot].distance = state.distance
    }
    if let slot = device.axes[AbsoluteCode.slot].map({ Int($0.value) }) {
      current = slots.indices.contains(slot) ? slot : nil
    }
    endFrame()
  }
}
