internal import CSystemd
import LinuxSystem

/// Event nodes as udev knows them.
final class UdevSource: NodeSource {
  private let event: OpaquePointer
  private let monitor: OpaquePointer
  /// Nodes that were told of, by path, with their place in /sys.
  private var known: [String: String] = [:]
  private var pending: [NodeChange] = []
  private var isFirst = true

  init() throws(DeviceError) {
    var event: OpaquePointer?
    try checkedDevice(sd_event_new(&event), "make a loop for", "udev")
    guard let event else { throw .system(SystemError("make a loop for", "udev", .noSuchCall)) }
    var monitor: OpaquePointer?
    do throws(DeviceError) {
      try checkedDevice(sd_device_monitor_new(&monitor), "listen to", "udev")
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
      "filter the events of", "udev")
    try checkedDevice(sd_device_monitor_attach_event(monitor, event), "listen to", "udev")
    try checkedDevice(
      sd_device_monitor_start(
        monitor,
        { _, device, source in
          guard let device, let source else { return 0 }
          Unmanaged<UdevSource>.fromOpaque(source).takeUnretainedValue().heard(device)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque()), "listen to", "udev")
  }

  deinit {
    sd_device_monitor_unref(monitor)
    sd_event_unref(event)
  }

  var rawDescriptor: Int32 { sd_event_get_fd(event) }

  func changes() -> [NodeChange] {
    // The monitor listens already, so that a node between the two is seen twice and not missed.
    if isFirst {
      isFirst = false
      enumerate()
    }
    while sd_event_run(event, 0) > 0 {}
    defer { pending.removeAll() }
    return pending
  }

  private func heard(_ device: OpaquePointer) {
    guard let place = NodePlace(device) else { return }
    var action = SD_DEVICE_ADD
    guard sd_device_get_action(device, &action) >= 0 else { return }
    if action == SD_DEVICE_REMOVE {
      if known.removeValue(forKey: place.path) != nil { pending.append(.removed(path: place.path)) }
    } else {
      present(place)
    }
  }

  private func present(_ place: NodePlace) {
    let before = known.updateValue(place.syspath, forKey: place.path)
    // Another device under a number that was given away again, whose removal we have not heard of.
    if let before, before != place.syspath { pending.append(.removed(path: place.path)) }
    pending.append(before == place.syspath ? .changed(place) : .added(place))
  }

  private func enumerate() {
    var created: OpaquePointer?
    guard sd_device_enumerator_new(&created) >= 0, let enumerator = created else { return }
    defer { sd_device_enumerator_unref(enumerator) }
    // Without the permission to see nodes that udev has not initialised yet: it tells of those.
    guard sd_device_enumerator_add_match_subsystem(enumerator, "input", 1) >= 0,
      sd_device_enumerator_add_match_sysname(enumerator, "event*") >= 0
    else { return }
    var next = sd_device_enumerator_get_device_first(enumerator)
    while let device = next {
      if let place = NodePlace(device), known[place.path] == nil { present(place) }
      next = sd_device_enumerator_get_device_next(enumerator)
    }
  }
}

/// Passes on what libsystemd returned, -errno when it failed.
private func checkedDevice(
  _ result: Int32, _ operation: String, _ object: String
) throws(DeviceError) {
  guard result < 0 else { return }
  throw .system(SystemError(operation, object, Errno(rawValue: -result)))
}
