import ForceClient

/// What a command can be run at.
enum HookEvent: String, CaseIterable, Sendable {
  case press
  case release
  case maximum
  case reading
  case deviceAdded = "device-added"
  case deviceRemoved = "device-removed"

  /// What to subscribe to. Changes of state come whatever the rate, so that a low one is enough for
  /// all but readings.
  func request(devices: [String]?, rate: Double?) -> WatchRequest {
    switch self {
    case .reading: WatchRequest(devices: devices, events: [.reading], maximumHertz: rate)
    case .press, .release, .maximum:
      WatchRequest(devices: devices, events: [.reading], maximumHertz: rate ?? 1)
    // Only a device that was heard to go can come again.
    case .deviceAdded: WatchRequest(devices: devices, events: [.deviceAdded, .deviceRemoved])
    case .deviceRemoved: WatchRequest(devices: devices, events: [.deviceRemoved])
    }
  }
}

/// Environment variables for a command.
typealias Variables = [(name: String, value: String)]

/// Picks the events that a command is to be run at.
struct HookTrigger {
  private struct Contact: Hashable {
    var device: String
    var number: Int32
  }

  let event: HookEvent
  private var down: Set<Contact> = []
  private var atMaximum: Set<Contact> = []
  private var devices: Set<String>
  /// Those that were there before the connection was made, until `settled`: the first word of one is
  /// no news.
  private var before: Set<String> = []
  private var settled = Instant(microseconds: .min)

  /// A daemon that starts opens its devices one after the other, and tries one whose permissions are
  /// not set yet for 5 s; what comes later than this has been plugged in. 10 s.
  static let settling = Microseconds.seconds(10)

  init(_ event: HookEvent, knownDevices: Set<String> = []) {
    self.event = event
    devices = knownDevices
  }

  /// A new connection: the state comes again from the start, and what was known of presses holds no
  /// more.
  mutating func connected(at now: Instant) {
    down = []
    atMaximum = []
    before.formUnion(devices)
    devices = []
    settled = now + Self.settling
  }

  /// The variables for the command; nil when it is not to be run.
  mutating func variables(for update: WatchEvent, at now: Instant) -> Variables? {
    if now >= settled { before = [] }
    switch update.kind {
    case .reading(let reading):
      return happens(reading) ? describe(reading) : nil
    case .deviceAdded(let device):
      let wasThere = before.remove(device.id) != nil
      let isNew = devices.insert(device.id).inserted && !wasThere
      return event == .deviceAdded && isNew ? describe(device) : nil
    case .deviceRemoved(let device):
      devices.remove(device.id)
      before.remove(device.id)
      return event == .deviceRemoved ? describe(device) : nil
    case .heartbeat, .unknown: return nil
    }
  }

  private mutating func happens(_ reading: ReadingRecord) -> Bool {
    let contact = Contact(device: reading.device, number: reading.contact)
    let isDown = reading.state != .released
    let wasDown = isDown ? !down.insert(contact).inserted : down.remove(contact) != nil
    let reaches = isDown && reading.atMaximum
    let wasAtMaximum =
      reaches ? !atMaximum.insert(contact).inserted : atMaximum.remove(contact) != nil
    switch event {
    case .press: return isDown && !wasDown
    case .release: return !isDown && wasDown
    case .maximum: return reaches && !wasAtMaximum
    case .reading: return true
    case .deviceAdded, .deviceRemoved: return false
    }
  }

  private func describe(_ reading: ReadingRecord) -> Variables {
    var variables: Variables = [
      ("FORCED_EVENT", event.rawValue), ("FORCED_DEVICE", reading.device),
      ("FORCED_CONTACT", String(reading.contact)), ("FORCED_SEQUENCE", String(reading.sequence)),
      ("FORCED_TIME", String(reading.time.microseconds)), ("FORCED_RAW", String(reading.raw)),
      ("FORCED_PERCENT", fixed(reading.percent, places: 2)),
      ("FORCED_GRAMS", fixed(reading.grams, places: 2)),
      ("FORCED_UNSMOOTHED_PERCENT", fixed(reading.unsmoothedPercent, places: 2)),
      ("FORCED_AT_MAXIMUM", reading.atMaximum ? "1" : "0"),
      ("FORCED_STATE", reading.state.rawValue),
    ]
    if let source = reading.gramsSource {
      variables.append(("FORCED_GRAMS_SOURCE", source.rawValue))
    }
    if let position = reading.position {
      variables += [("FORCED_X", String(position.x)), ("FORCED_Y", String(position.y))]
    }
    return variables
  }

  private func describe(_ device: DeviceRecord) -> Variables {
    [
      ("FORCED_EVENT", event.rawValue), ("FORCED_DEVICE", device.id),
      ("FORCED_NAME", device.name), ("FORCED_KIND", device.kind),
      ("FORCED_MEASURE", device.measure),
    ]
  }
}
