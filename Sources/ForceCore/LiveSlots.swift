/// How many slots hold a tracking ID, on pads whose slots say where the fingers are and only
/// `ABS_PRESSURE` says how hard they press.
///
/// Whoever makes one owns it and has to `deallocate()` it.
struct LiveSlots {
  private let isLive: Places<Bool>
  /// The slot that events are about; nil where the device names one that it doesn't have.
  private var current: Int? = 0
  private(set) var count = 0
  /// Whether any slot has ever held one.
  private(set) var wereUsed = false

  /// nil for a device without slots that tell their contacts apart.
  init?(_ device: DeviceDescription) {
    guard device.axes[AbsoluteCode.slot] != nil, device.axes[AbsoluteCode.trackingID] != nil else {
      return nil
    }
    isLive = Places(Array(repeating: false, count: device.slotCount))
  }

  func deallocate() { isLive.deallocate() }

  mutating func select(_ slot: Int32) {
    current = isLive.indices.contains(Int(slot)) ? Int(slot) : nil
  }

  mutating func hold(_ trackingID: Int32) {
    if let current { set(current, trackingID >= 0) }
  }

  private mutating func set(_ slot: Int, _ live: Bool) {
    guard isLive[slot] != live else { return }
    isLive[slot] = live
    count += live ? 1 : -1
    wereUsed = true
  }

  mutating func restore(_ device: DeviceDescription) {
    for slot in isLive.indices {
      set(slot, slot < device.slots.count && device.slots[slot].trackingID >= 0)
    }
    if let slot = device.axes[AbsoluteCode.slot]?.value { select(slot) }
  }
}
