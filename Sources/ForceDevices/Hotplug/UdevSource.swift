internal import CLinux
internal import CSystemd
import LinuxSystem

/// Event nodes as udev knows them.
///
/// When more is plugged at once than the socket holds, the kernel drops messages, and libsystemd passes
/// over the error that says so. The socket's own count of drops tells: after one every node is looked at
/// again.
final class UdevSource: NodeSource {
  private let event: OpaquePointer
  private let monitor: OpaquePointer
  private var known = KnownNodes()
  private var pending: [NodeChange] = []
  private var isFirst = true
  private var drops: UInt32 = 0
  private(set) var losses: UInt64 = 0
  private(set) var trouble: SystemError?

  init() throws(DeviceError) {
    var event: OpaquePointer?
    try checkedDevice(sd_event_new(&event), "make a loop for")
    guard let event else { throw .system(SystemError("make a loop for", "udev", .noSuchCall)) }
    var monitor: OpaquePointer?
    do throws(DeviceError) {
      try checkedDevice(sd_device_monitor_new(&monitor), "listen to")
    } catch {
      sd_event_unref(event)
      throw error
    }
    guard let monitor else { throw .system(SystemError("listen to", "udev", .noSuchCall)) }
    self.event = event
    self.monitor = monitor
    // More than fits by default: plugging a hub sends many at once. Less is no reason to stop.
    _ = sd_device_monitor_set_receive_buffer_size(monitor, 1 << 20)
    try checkedDevice(
      sd_device_monitor_filter_add_match_subsystem_devtype(monitor, "input", nil),
      "filter the events of")
    try checkedDevice(sd_device_monitor_attach_event(monitor, event), "listen to")
    try checkedDevice(
      sd_device_monitor_start(
        monitor,
        { _, device, source in
          guard let device, let source else { return 0 }
          Unmanaged<UdevSource>.fromOpaque(source).takeUnretainedValue().heard(device)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque()), "listen to")
  }

  deinit {
    sd_device_monitor_unref(monitor)
    sd_event_unref(event)
  }

  var rawDescriptor: Int32 { sd_event_get_fd(event) }

  func changes() -> [NodeChange] {
    // The monitor listens already, so that a node between the two is seen twice and not missed.
    if isFirst {
      enumerate()
      isFirst = trouble != nil
    }
    while sd_event_run(event, 0) > 0 {}
    noteDrops()
    defer { pending.removeAll() }
    return pending
  }

  /// After what was there has been read: what is dropped from now on comes with a message to read.
  private func noteDrops() {
    guard let source = sd_device_monitor_get_event_source(monitor) else { return }
    var now: UInt32 = 0
    guard clinux_socket_drops(sd_event_source_get_io_fd(source), &now) >= 0, now != drops else {
      return
    }
    enumerate()
    guard trouble == nil else { return }
    losses += UInt64(now &- drops)
    drops = now
  }

  private func heard(_ device: OpaquePointer) {
    guard let place = NodePlace(device) else { return }
    var action = SD_DEVICE_ADD
    guard sd_device_get_action(device, &action) >= 0 else { return }
    if action == SD_DEVICE_REMOVE {
      pending += known.removed(place.path)
    } else {
      pending += known.present(place)
    }
  }

  /// Looks at every node. Where it cannot, what is known stays and `trouble` says why.
  private func enumerate() {
    do throws(SystemError) {
      pending += known.reconcile(try everyNode())
      trouble = nil
    } catch { trouble = error }
  }

  private func everyNode() throws(SystemError) -> [NodePlace] {
    let looking = "look at the devices of"
    var created: OpaquePointer?
    try checked(sd_device_enumerator_new(&created), looking)
    guard let enumerator = created else { return [] }
    defer { sd_device_enumerator_unref(enumerator) }
    // Without the permission to see nodes that udev has not initialised yet: it tells of those.
    try checked(sd_device_enumerator_add_match_subsystem(enumerator, "input", 1), looking)
    try checked(sd_device_enumerator_add_match_sysname(enumerator, "event*"), looking)
    var there: [NodePlace] = []
    var next = sd_device_enumerator_get_device_first(enumerator)
    while let device = next {
      if let place = NodePlace(device) { there.append(place) }
      next = sd_device_enumerator_get_device_next(enumerator)
    }
    // An error looks the same as a machine without devices: only one that can be looked at has none.
    if there.isEmpty { _ = try FileSystem.list("/sys/class") }
    return there
  }
}

/// Passes on what libsystemd returned, -errno when it failed.
private func checked(_ result: Int32, _ operation: String) throws(SystemError) {
  guard result < 0 else { return }
  throw SystemError(operation, "udev", Errno(rawValue: -result))
}

private func checkedDevice(_ result: Int32, _ operation: String) throws(DeviceError) {
  do throws(SystemError) { try checked(result, operation) } catch { throw .system(error) }
}
