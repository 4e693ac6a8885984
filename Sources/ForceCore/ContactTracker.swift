/// What a tracker knows of one contact at the end of a frame.
struct TrackedContact {
  /// The contact's number in readings: slot, tracking ID, trigger or load cell.
  var number: Int32
  /// Changes when another contact takes this place, even within one frame.
  var generation: UInt32 = 0
  var isDown = false
  var raw: Int32
  /// The raw value of no force, where it isn't the axis minimum: a worn pen's.
  var offset: Int32?
}

/// Turns a device's events into contacts, one subclass for each layout.
///
/// Events only change what is remembered; contacts are decided in `endFrame`, because within a frame
/// the order of events means nothing. A contact keeps its place in `contacts` while it lasts. Nothing
/// here allocates after `init`.
class ContactTracker {
  /// All places, taken or not. Only `endFrame` and `restore` may change `isDown`.
  final let contacts: Places<TrackedContact>
  /// Places from here on have never been taken.
  @exclusivity(unchecked) final var usedCount: Int

  init(contacts: [TrackedContact], usedCount: Int) {
    self.contacts = Places(contacts)
    self.usedCount = usedCount
  }

  deinit { contacts.deallocate() }

  func ingest(_ event: InputEvent) {}

  /// Decides which contacts are down, and with what raw value.
  func endFrame() {}

  /// Takes over the state that was read from the device itself, and ends a frame with it.
  func restore(_ device: DeviceDescription) {}

  final func set(_ place: Int, isDown: Bool, raw: Int32) {
    contacts[place].isDown = isDown
    contacts[place].raw = raw
  }

  static func make(for layout: SensorLayout, _ device: DeviceDescription) -> ContactTracker {
    switch layout {
    case .single: SingleContactTracker(device)
    case .slots(let count): SlotTracker(device, slots: count)
    case .protocolA: ProtocolATracker(device)
    case .triggers(let codes): TriggerTracker(device, codes: codes)
    case .balanceBoard: BalanceBoardTracker(device)
    }
  }
}
