/// Multitouch protocol A: each frame lists every contact anew, each closed by `SYN_MT_REPORT`.
///
/// A frame without any packet says nothing about contacts, unless `BTN_TOUCH` is up; an empty packet
/// says that nothing touches. Contacts are told apart by tracking ID where the device has one that
/// can differ, otherwise by their order.
final class ProtocolATracker: ContactTracker {
  private struct Packet {
    var number: Int32
    var pressure: Int32?
    var distance: Int32
    var isEmpty = true
  }

  /// More contacts than this at once are not followed.
  static let mostContacts = 32

  private let minimum: Int32
  private let minimumDistance: Int32
  private let hasTrackingIDs: Bool
  private let hasTouch: Bool
  private var touch = false
  private var packet: Packet
  private let packets: Places<Packet>
  private var packetCount = 0
  private var sawReport = false

  init(_ device: DeviceDescription) {
    minimum = device.axes[AbsoluteCode.touchPressure]?.minimum ?? 0
    minimumDistance = device.axes[AbsoluteCode.touchDistance]?.minimum ?? 0
    hasTrackingIDs = (device.axes[AbsoluteCode.trackingID]?.width ?? 0) > 0
    hasTouch = device.keys.contains(KeyCode.touch)
    packet = Packet(number: 0, pressure: nil, distance: minimumDistance)
    packets = Places(Array(repeating: packet, count: Self.mostContacts))
    let places = Array(
      repeating: TrackedContact(number: 0, raw: minimum), count: Self.mostContacts)
    super.init(contacts: places, usedCount: 0)
  }

  deinit { packets.deallocate() }

  static func neededCodes(_ device: DeviceDescription) -> [UInt16: [UInt16]] {
    // Positions are not needed themselves, but a packet can hold nothing else.
    let axes = [
      AbsoluteCode.touchMajor, AbsoluteCode.positionX, AbsoluteCode.positionY,
      AbsoluteCode.trackingID, AbsoluteCode.touchPressure, AbsoluteCode.touchDistance,
    ]
    var codes = [EventType.absolute: axes.filter { device.axes[$0] != nil }]
    if device.keys.contains(KeyCode.touch) { codes[EventType.key] = [KeyCode.touch] }
    return codes
  }

  override func ingest(_ event: InputEvent) {
    switch (event.type, event.code) {
    case (EventType.synchronization, SynchronizationCode.multitouchReport):
      sawReport = true
      closePacket()
    case (EventType.key, KeyCode.touch): touch = event.value != 0
    case (EventType.absolute, AbsoluteCode.touchPressure): packet.pressure = event.value
    case (EventType.absolute, AbsoluteCode.touchDistance): packet.distance = event.value
    case (EventType.absolute, AbsoluteCode.trackingID): packet.number = event.value
    default: break
    }
    if event.type == EventType.absolute && AbsoluteCode.perContact.contains(event.code) {
      packet.isEmpty = false
    }
  }

  private func closePacket() {
    if !packet.isEmpty && packetCount < packets.count {
      if !hasTrackingIDs { packet.number = Int32(packetCount) }
      packets[packetCount] = packet
      packetCount += 1
    }
    packet = Packet(number: 0, pressure: nil, distance: minimumDistance)
  }

  override func endFrame() {
    // Some drivers leave the last SYN_MT_REPORT out.
    closePacket()
    if packetCount > 0 || sawReport {
      liftMissing()
      for index in 0..<packetCount { place(packets[index]) }
    }
    if hasTouch && !touch && !sawReport && packetCount == 0 { liftAll() }
    packetCount = 0
    sawReport = false
  }

  private func liftMissing() {
    for place in 0..<usedCount where contacts[place].isDown {
      let number = contacts[place].number
      var isPresent = false
      for index in 0..<packetCount where packets[index].number == number { isPresent = true }
      if !isPresent { contacts[place].isDown = false }
    }
  }

  private func place(_ packet: Packet) {
    let isDown = packet.distance <= minimumDistance
    var free: Int?
    for place in 0..<usedCount {
      if contacts[place].isDown {
        guard contacts[place].number == packet.number else { continue }
        // Protocol A resends everything, but a driver may leave an equal pressure out.
        set(place, isDown: isDown, raw: packet.pressure ?? contacts[place].raw)
        return
      }
      if free == nil { free = place }
    }
    guard isDown, let place = free ?? (usedCount < contacts.count ? usedCount : nil) else { return }
    usedCount = max(usedCount, place + 1)
    contacts[place].number = packet.number
    contacts[place].generation &+= 1
    set(place, isDown: true, raw: packet.pressure ?? minimum)
  }

  private func liftAll() {
    for place in 0..<usedCount { contacts[place].isDown = false }
  }

  /// The kernel keeps no state of a protocol A device: what isn't in the next frame is gone.
  override func restore(_ device: DeviceDescription) {
    touch = device.pressedKeys.contains(KeyCode.touch)
    packet = Packet(number: 0, pressure: nil, distance: minimumDistance)
    packetCount = 0
    sawReport = false
    if hasTouch && !touch { liftAll() }
  }
}
