/// Multitouch protocol A: each frame lists every contact anew, each closed by `SYN_MT_REPORT`.
///
/// A frame without any packet says nothing about contacts, unless `BTN_TOUCH` is up; an empty packet
/// says that nothing touches. So does `BTN_TOUCH` once it is up, on a device that sends it; and a
/// packet with neither size nor pressure says so of its contact, which is how some drivers end one.
/// Contacts are told apart by tracking ID where the device has one that can differ, otherwise by their
/// order.
final class ProtocolATracker: ContactTracker {
  private struct Packet {
    var number: Int32
    var pressure: Int32?
    var distance: Int32
    var major: Int32?
    var x: Int32?
    var y: Int32?
    var isEmpty = true
  }

  /// More contacts than this at once are not followed.
  static let mostContacts = 32

  private let minimum: Int32
  private let minimumDistance: Int32
  private let hasTrackingIDs: Bool
  private let minimumMajor: Int32
  private var touch = false
  /// The device sends `BTN_TOUCH`, and doesn't only announce it.
  private var sendsTouch = false
  private var packet: Packet
  private let packets: Places<Packet>
  /// Where each contact is, by its place: nothing but the packets tells which position is whose.
  private let positions: Places<Position>
  private var packetCount = 0
  private var sawReport = false

  init(_ device: DeviceDescription) {
    minimum = device.axes[AbsoluteCode.touchPressure]?.minimum ?? 0
    minimumDistance = device.axes[AbsoluteCode.touchDistance]?.minimum ?? 0
    hasTrackingIDs = (device.axes[AbsoluteCode.trackingID]?.width ?? 0) > 0
    let major = device.axes[AbsoluteCode.touchMajor]
    // An axis of no width says nothing by being 0.
    minimumMajor = major.map { $0.width > 0 ? $0.minimum : .min } ?? .min
    packet = Packet(number: 0, pressure: nil, distance: minimumDistance)
    packets = Places(Array(repeating: packet, count: Self.mostContacts))
    let places = Array(
      repeating: TrackedContact(number: 0, raw: minimum), count: Self.mostContacts)
    positions = Places(Array(repeating: Position(x: 0, y: 0), count: Self.mostContacts))
    super.init(contacts: places, usedCount: 0)
  }

  deinit {
    packets.deallocate()
    positions.deallocate()
  }

  func position(at place: Int) -> Position { positions[place] }

  static func neededCodes(_ device: DeviceDescription) -> [UInt16: [UInt16]] {
    // A packet can hold nothing but a position, and is one all the same.
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
    case (EventType.key, KeyCode.touch): setTouch(event.value != 0)
    case (EventType.absolute, AbsoluteCode.touchPressure): packet.pressure = event.value
    case (EventType.absolute, AbsoluteCode.touchDistance): packet.distance = event.value
    case (EventType.absolute, AbsoluteCode.trackingID): packet.number = event.value
    case (EventType.absolute, AbsoluteCode.touchMajor): packet.major = event.value
    case (EventType.absolute, AbsoluteCode.positionX): packet.x = event.value
    case (EventType.absolute, AbsoluteCode.positionY): packet.y = event.value
    default: break
    }
    if event.type == EventType.absolute && AbsoluteCode.perContact.contains(event.code) {
      packet.isEmpty = false
    }
  }

  private func setTouch(_ isDown: Bool) {
    touch = isDown
    if isDown { sendsTouch = true }
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
    if sendsTouch && !touch { liftAll() }
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
    let isDown = touches(packet)
    var free: Int?
    for place in 0..<usedCount {
      if contacts[place].isDown {
        guard contacts[place].number == packet.number else { continue }
        // Protocol A resends everything, but a driver may leave an equal value out.
        set(place, isDown: isDown, raw: packet.pressure ?? contacts[place].raw)
        move(place, packet)
        return
      }
      if free == nil { free = place }
    }
    guard isDown, let place = free ?? (usedCount < contacts.count ? usedCount : nil) else { return }
    usedCount = max(usedCount, place + 1)
    contacts[place].number = packet.number
    contacts[place].generation &+= 1
    set(place, isDown: true, raw: packet.pressure ?? minimum)
    move(place, packet)
  }

  private func touches(_ packet: Packet) -> Bool {
    guard packet.distance <= minimumDistance else { return false }
    guard let major = packet.major, major <= minimumMajor else { return true }
    return (packet.pressure ?? minimum) > minimum
  }

  private func move(_ place: Int, _ packet: Packet) {
    if let x = packet.x { positions[place].x = x }
    if let y = packet.y { positions[place].y = y }
  }

  private func liftAll() {
    for place in 0..<usedCount { contacts[place].isDown = false }
  }

  /// The kernel keeps no state of a protocol A device: what isn't in the next frame is gone.
  override func restore(_ device: DeviceDescription) {
    setTouch(device.pressedKeys.contains(KeyCode.touch))
    packet = Packet(number: 0, pressure: nil, distance: minimumDistance)
    packetCount = 0
    sawReport = false
    if sendsTouch && !touch { liftAll() }
  }
}
