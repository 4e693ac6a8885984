import ForceCore
import ForceProtocol

/// Brings readings and the coming and going of devices to the watchers.
final class Publisher: TimedWork {
  /// Readings that the engine made, and those that a newer one replaced because a watcher had no
  /// room. What a watcher's own rate or threshold leaves out does not count.
  @exclusivity(unchecked) private(set) var readings: UInt64 = 0
  @exclusivity(unchecked) private(set) var replaced: UInt64 = 0

  // Confined to the loop, and lent to nobody who could come back here: the checks for overlapping
  // access, which would cost more than the encoding, have nothing to find.
  @exclusivity(unchecked) private var watchers: [Connection] = []
  @exclusivity(unchecked) private var quotedIDs: [QuotedText] = []
  @exclusivity(unchecked) private var message = ByteBuffer(capacity: 1_024)
  @exclusivity(unchecked) private var nextWaiting: Instant?

  /// The ids of the devices, by index, ready to be copied into messages.
  func name(_ handle: DeviceHandle, _ id: String) {
    while quotedIDs.count <= handle.index { quotedIDs.append(QuotedText("")) }
    quotedIDs[handle.index] = QuotedText(id)
  }

  var watcherCount: Int { watchers.count }

  // MARK: Readings

  func publish(_ reading: Reading, at now: Instant) {
    readings &+= 1
    guard !watchers.isEmpty else { return }
    encode(reading, dropped: 0)
    var index = 0
    while index < watchers.count {
      let watcher = watchers[index]
      offer(reading, to: watcher, at: now)
      // A watcher that was closed by the sending has left the list.
      if index < watchers.count && watchers[index] === watcher { index += 1 }
    }
  }

  private func offer(_ reading: Reading, to watcher: Connection, at now: Instant) {
    guard watcher.wants(.reading) else { return }
    switch watcher.subscription?.take(reading, blocked: watcher.isBlocked, at: now) {
    case .send(dropped: 0): sendEncoded(to: watcher, at: now)
    case .send(let dropped):
      send(reading, dropped: dropped, to: watcher, at: now)
      encode(reading, dropped: 0)
    case .keep(let older):
      if older && watcher.isBlocked { replaced &+= 1 }
      sendWaiting(to: watcher, at: now)
    case .ignore, nil: break
    }
  }

  /// Sends what has waited for the watcher's rate or for room, oldest first, while there is room.
  func sendWaiting(to watcher: Connection, at now: Instant) {
    while watcher.isOpen, !watcher.isBlocked, let next = watcher.subscription?.nextDue(at: now) {
      send(next.reading, dropped: next.dropped, to: watcher, at: now)
    }
    guard watcher.isOpen, !watcher.isBlocked else { return }
    // While it was blocked no heartbeat was due.
    noteHeartbeat(of: watcher)
    nextWaiting = earlier(nextWaiting, watcher.subscription?.deadline)
  }

  private func send(
    _ reading: Reading, dropped: UInt64, to watcher: Connection, at now: Instant
  ) {
    encode(reading, dropped: dropped)
    sendEncoded(to: watcher, at: now)
  }

  private func encode(_ reading: Reading, dropped: UInt64) {
    message.removeAll()
    ReadingEncoder.appendEvent(
      reading, device: quotedIDs[reading.device.index], dropped: dropped, delimiter: .nul,
      to: &message)
  }

  private func sendEncoded(to watcher: Connection, at now: Instant) {
    message[message.count - 1] = watcher.delimiter.rawValue
    watcher.send(&message, at: now)
  }

  // MARK: Watchers

  /// Begins to serve a watcher: the devices that are there and the current readings come first.
  func add(
    _ watcher: Connection, devices: [DeviceRecord], current: [Reading], at now: Instant
  ) {
    watchers.append(watcher)
    if watcher.wants(.deviceAdded) {
      for device in devices { send(WatchEvent(.deviceAdded(device)), to: watcher, at: now) }
    }
    for reading in current where watcher.wants(.reading) {
      guard watcher.subscription?.filter.wants(reading) == true else { continue }
      watcher.subscription?.noteSnapshot(reading, at: now)
      send(reading, dropped: 0, to: watcher, at: now)
    }
    noteHeartbeat(of: watcher)
  }

  func remove(_ watcher: Connection) {
    watchers.removeAll { $0 === watcher }
  }

  // MARK: Devices

  /// Tells that a device has come (`deviceAdded`) or gone (`deviceRemoved`).
  func announce(
    _ event: WatchEvent, _ kind: WatchRequest.Kind, of handle: DeviceHandle, at now: Instant
  ) {
    for watcher in watchers where watcher.wants(kind) && watcher.watches(handle) {
      // What was said of the device before comes before, also where it has waited for room.
      while watcher.isOpen, let next = watcher.subscription?.nextWaiting(of: handle, at: now) {
        send(next.reading, dropped: next.dropped, to: watcher, at: now)
      }
      send(event, to: watcher, at: now)
    }
  }

  /// Resolves again which devices each watcher means, after one has come.
  func resolveFilters(_ table: DeviceTable) {
    for watcher in watchers { watcher.resolveFilter(table) }
  }

  private func send(_ event: WatchEvent, to watcher: Connection, at now: Instant) {
    watcher.send(Reply(parameters: event.parameters, continues: true), at: now)
  }

  // MARK: Time

  @exclusivity(unchecked) private var nextHeartbeat: Instant?

  var deadline: Instant? { earlier(nextWaiting, nextHeartbeat) }

  func run(at now: Instant) {
    nextWaiting = nil
    nextHeartbeat = nil
    // Sending can close a watcher, and closing takes it out of the list.
    for watcher in watchers {
      sendWaiting(to: watcher, at: now)
      if watcher.isOpen, let due = watcher.heartbeatDue, due <= now {
        send(WatchEvent(.heartbeat), to: watcher, at: now)
      }
      noteHeartbeat(of: watcher)
    }
  }

  private func noteHeartbeat(of watcher: Connection) {
    guard watcher.isOpen else { return }
    nextHeartbeat = earlier(nextHeartbeat, watcher.heartbeatDue)
  }
}
