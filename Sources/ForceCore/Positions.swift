/// Where a contact is, in the device's own units.
public struct Position: Equatable, Sendable {
  public var x: Int32
  public var y: Int32

  public init(x: Int32, y: Int32) {
    self.x = x
    self.y = y
  }
}

/// The two axes that tell where the contacts of a device are.
public struct PositionAxes: Equatable, Sendable {
  public var x: AbsoluteAxis
  public var y: AbsoluteAxis

  public init(x: AbsoluteAxis, y: AbsoluteAxis) {
    self.x = x
    self.y = y
  }
}

extension SensorLayout {
  /// The axes that tell where its contacts are; nil where none belong to a contact.
  var positionCodes: (x: UInt16, y: UInt16)? {
    switch self {
    case .single: (AbsoluteCode.x, AbsoluteCode.y)
    case .slots, .protocolA: (AbsoluteCode.positionX, AbsoluteCode.positionY)
    case .triggers, .balanceBoard: nil
    }
  }
}

extension Capability {
  /// `classify(_:)`, and the codes of positions are needed too where they are to be followed: what is
  /// typed on a screen can be told from positions, so nobody gets them unasked, this process included.
  public static func classify(
    _ device: DeviceDescription, withPositions: Bool
  ) -> Capability {
    var capability = classify(device)
    guard withPositions, let (x, y) = capability.layout?.positionCodes,
      let xAxis = device.axes[x], let yAxis = device.axes[y]
    else { return capability }
    capability.positions = PositionAxes(x: xAxis, y: yAxis)
    let codes = capability.neededCodes[EventType.absolute] ?? []
    capability.neededCodes[EventType.absolute] = Set(codes + [x, y]).sorted()
    return capability
  }
}

/// Remembers where each contact of a device is. There is one only where positions are published.
final class PositionTracker {
  private let codes: (x: UInt16, y: UInt16)
  private let places: Places<Position>
  /// The place that events are about; nil where the device names a slot that it doesn't have.
  private var current: Int? = 0
  /// Protocol A's packets hold the positions too, and only their tracker knows whose they are.
  private let packets: ProtocolATracker?

  /// nil where the device's positions are not to be followed.
  init?(_ capability: Capability, _ tracker: ContactTracker) {
    guard capability.positions != nil, let codes = capability.layout?.positionCodes else {
      return nil
    }
    self.codes = codes
    packets = tracker as? ProtocolATracker
    let count = max(tracker.contacts.count, 1)
    places = Places(Array(repeating: Position(x: 0, y: 0), count: count))
  }

  deinit { places.deallocate() }

  func ingest(_ event: InputEvent) {
    guard packets == nil, event.type == EventType.absolute else { return }
    if event.code == AbsoluteCode.slot && codes.x == AbsoluteCode.positionX {
      select(event.value)
    } else if let place = current {
      if event.code == codes.x { places[place].x = event.value }
      if event.code == codes.y { places[place].y = event.value }
    }
  }

  private func select(_ slot: Int32) {
    current = places.indices.contains(Int(slot)) ? Int(slot) : nil
  }

  func position(at place: Int) -> Position { packets?.position(at: place) ?? places[place] }

  /// Takes over the state that was read from the device itself.
  func restore(_ device: DeviceDescription) {
    guard codes.x == AbsoluteCode.positionX else {
      places[0] = Position(
        x: device.axes[codes.x]?.value ?? 0, y: device.axes[codes.y]?.value ?? 0)
      return
    }
    for slot in places.indices where slot < device.slots.count {
      places[slot] = device.slots[slot].position
    }
    if let slot = device.axes[AbsoluteCode.slot]?.value { select(slot) }
  }
}
