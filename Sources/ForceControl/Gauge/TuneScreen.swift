import ForceClient
import LinuxSystem

/// The live table of `tune`: what to do, every setting's figures, and what the marks mean.
struct TuneScreen: LiveScreen {
  private(set) var device: DeviceRecord
  private(set) var session: TuneSession
  private var trouble: String?

  init(_ device: DeviceRecord, _ session: TuneSession) {
    self.device = device
    self.session = session
  }

  mutating func apply(_ event: WatchEvent, at now: Instant) {
    switch event.kind {
    case .reading(let reading): _ = session.take(reading, dropped: event.dropped, at: now)
    case .heartbeat: session.pass(to: now)
    case .deviceRemoved(let gone) where gone.id == device.id:
      session.interrupt()
      trouble = "\(printable(device.name)) has gone; waiting for it to come back…"
    case .deviceAdded(let here) where here.id == device.id:
      // It comes anew with every connection, after which nobody knows what has ended meanwhile.
      session.join()
      device = here
      trouble = nil
    case .deviceAdded, .deviceRemoved, .unknown: break
    }
  }

  mutating func apply(_ change: ConnectionChange) {
    switch change {
    case .connected: trouble = nil
    case .disconnected:
      session.interrupt()
      trouble = "the daemon has gone; waiting for it to come back…"
    }
  }

  var nextExpiry: Instant? { nil }
  mutating func expire(at now: Instant) {}

  func text(style: GaugeStyle, rows: Int) -> [String] {
    let text = TuneText(device: device, session: session)
    let sentence = trouble ?? (session.isTouching ? "\(now)  " : "") + session.advice
    let table = text.table(width: style.width)
    var lines = wrapped(sentence, to: style.width) + table + text.legend(width: style.width)
    // Where there is no room for all, the table comes first.
    if lines.count > rows { lines = Array(table.prefix(max(rows, 1))) }
    return lines
  }

  private var now: String { session.isResting ? "[holds]" : "[moves]" }
}
