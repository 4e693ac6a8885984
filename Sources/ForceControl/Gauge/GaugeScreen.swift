import ForceClient
import LinuxSystem

/// What the gauges show: one line for each contact, or a sentence while there is none.
struct GaugeScreen: LiveScreen {
  /// How long the line of a contact that ended stays, unless it is its device's only one.
  static let released = Microseconds.milliseconds(1_500)

  private struct Contact: Hashable {
    var device: String
    var number: Int32
  }

  private struct Line {
    var reading: ReadingRecord
    var endedAt: Instant?
  }

  private let wanted: String?
  private var devices: [DeviceRecord]
  /// The daemon has come back, and which devices it has is not known yet.
  private var isNew = false
  private var order: [Contact] = []
  private var lines: [Contact: Line] = [:]
  private var trouble: String?

  /// - Parameters:
  ///   - wanted: the device that the user asked for, by id or name; nil: any.
  ///   - devices: those that are there already.
  init(wanted: String? = nil, devices: [DeviceRecord] = []) {
    self.wanted = wanted
    self.devices = devices
  }

  mutating func apply(_ event: WatchEvent, at now: Instant) {
    isNew = false
    switch event.kind {
    case .reading(let reading): apply(reading, at: now)
    case .deviceAdded(let device):
      devices.removeAll { $0.id == device.id }
      devices.append(device)
    case .deviceRemoved(let device):
      devices.removeAll { $0.id == device.id }
      remove { $0.device == device.id }
    case .heartbeat, .unknown: break
    }
  }

  private mutating func apply(_ reading: ReadingRecord, at now: Instant) {
    let contact = Contact(device: reading.device, number: reading.contact)
    if lines[contact] == nil {
      // A contact that ended before anybody watched is nothing to show.
      if reading.state == .released { return }
      let place = order.firstIndex {
        $0.device > contact.device || ($0.device == contact.device && $0.number > contact.number)
      }
      order.insert(contact, at: place ?? order.endIndex)
    }
    lines[contact] = Line(reading: reading, endedAt: reading.state == .released ? now : nil)
  }

  mutating func apply(_ change: ConnectionChange) {
    switch change {
    case .connected:
      isNew = trouble != nil
      trouble = nil
    case .disconnected:
      trouble = "the daemon has gone; waiting for it to come back…"
      devices = []
      remove { _ in true }
    }
  }

  private mutating func remove(_ isGone: (Contact) -> Bool) {
    for contact in order where isGone(contact) { lines[contact] = nil }
    order.removeAll(where: isGone)
  }

  /// When the next line goes; nil when all stay.
  var nextExpiry: Instant? {
    order.filter(canGo).compactMap { lines[$0]?.endedAt }.min().map { $0 + Self.released }
  }

  /// Takes away the lines of contacts that ended long enough ago.
  mutating func expire(at now: Instant) {
    while let contact = order.first(where: { contact in
      guard canGo(contact), let end = lines[contact]?.endedAt else { return false }
      return end + Self.released <= now
    }) {
      remove { $0 == contact }
    }
  }

  /// A device keeps one line, so that a single gauge does not come and go with every press.
  private func canGo(_ contact: Contact) -> Bool {
    order.contains { $0.device == contact.device && $0 != contact }
  }

  /// The lines to show, at least one and at most `rows`.
  func text(style: GaugeStyle, rows: Int) -> [String] {
    guard trouble == nil, !order.isEmpty else {
      return Array(wrapped(trouble ?? waitingSentence, to: style.width).prefix(max(rows, 1)))
    }
    let labels = order.map(label)
    let width = labels.map(\.count).max() ?? 0
    var text = zip(order, labels).compactMap { contact, label in
      lines[contact].map {
        gaugeLine($0.reading, label: padded(label, to: width), style: style)
      }
    }
    if text.count > max(rows, 1) {
      let shown = max(rows, 2) - 1
      text = text.prefix(shown) + ["and \(text.count - shown) more"]
    }
    return text
  }

  private func label(_ contact: Contact) -> String {
    let several = Set(order.map(\.device)).count > 1 || forceDevices.count > 1
    let numbered = order.contains { $0.device == contact.device && $0.number != contact.number }
    var parts: [String] = []
    if several { parts.append(name(of: contact.device)) }
    if numbered || contact.number != 0 { parts.append("contact \(contact.number)") }
    return parts.joined(separator: " ")
  }

  /// The name, or the id where two devices share the name.
  private func name(of id: String) -> String {
    guard let device = devices.first(where: { $0.id == id }),
      !devices.contains(where: { $0.name == device.name && $0.id != id })
    else { return printable(id) }
    return printable(device.name)
  }

  private var forceDevices: [DeviceRecord] {
    devices.filter { $0.measure == "force" && $0.connected }
  }

  private var waitingSentence: String {
    if isNew { return "waiting for a press…" }
    if let wanted, devices.isEmpty { return "waiting for \(printable(wanted)) to be connected…" }
    let names = forceDevices.map { name(of: $0.id) }
    switch names.count {
    case 0: return "no device here measures force. \(adviceWithoutDevice)"
    case 1: return "waiting for a press on \(names[0])…"
    default: return "waiting for a press on one of \(names.count) devices…"
    }
  }
}
