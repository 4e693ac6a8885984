import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

extension DevicesOnKernel {
  /// Plugging and unplugging on a real kernel: through udev where it runs, and without.
  @Suite struct Monitor {
    /// Where udev is to be looked for: where it is, and where it isn't.
    static let udevControls = ["/run/udev/control", "/nonexistent"]

    /// Waits for a change of one node, passing over those of others.
    private func change(of path: String, in monitor: DeviceMonitor) throws -> NodeChange? {
      let poll = try EventPoll()
      try poll.add(raw: monitor.rawDescriptor, token: 1)
      let deadline = monotonicNow() + 10_000_000
      while monotonicNow() < deadline {
        while let change = monitor.next() {
          if change.path == path { return change }
        }
        _ = try poll.wait(microseconds: 1_000_000)
      }
      return nil
    }

    @Test(arguments: udevControls)
    func tellsWhatIsThereAndWhatComesAndGoes(udevControl: String) throws {
      let first = try VirtualDevice(.pen())
      // Until udev has heard of it.
      sleepThread(microseconds: 500_000)
      let monitor = try DeviceMonitor(udevControl: udevControl)
      #expect((monitor.warning == nil) == FileSystem.exists(udevControl))
      guard case .added(let place) = try change(of: first.path, in: monitor) else {
        Issue.record("the first device is missing")
        return
      }
      #expect(place.seat == "seat0")
      #expect(place.parent == "")
      #expect(place.syspath.hasPrefix("/sys/devices/virtual/input/input"))

      let second = try VirtualDevice(.gamepad())
      guard case .added(let added) = try change(of: second.path, in: monitor) else {
        Issue.record("the second device is missing")
        return
      }
      #expect(try EvdevNode(added).description.identity.name == "Test Gamepad")
      try second.destroy()
      // Permissions may be told of first.
      var last = try change(of: second.path, in: monitor)
      if case .changed = last { last = try change(of: second.path, in: monitor) }
      #expect(last == .removed(path: second.path))
    }

    @Test(arguments: udevControls)
    func aNumberThatIsUsedAgainIsAnotherDevice(udevControl: String) throws {
      let monitor = try DeviceMonitor(udevControl: udevControl)
      while monitor.next() != nil {}
      let device = try VirtualDevice(.pen())
      let path = device.path
      #expect(try change(of: path, in: monitor)?.isAdded == true)
      try device.destroy()
      let again = try VirtualDevice(.gamepad())
      #expect(again.path == path, "the kernel gives the lowest free number")
      var seen: [NodeChange] = []
      while seen.last?.isAdded != true, let change = try change(of: path, in: monitor) {
        if case .changed = change { continue }
        seen.append(change)
      }
      #expect(seen.count == 2 && seen.first == .removed(path: path))
    }

    @Test func permissionsThatChangeWithoutUdevAreTold() throws {
      let device = try VirtualDevice(.pen())
      sleepThread(microseconds: 500_000)
      let monitor = try DeviceMonitor(udevControl: "/nonexistent")
      #expect(try change(of: device.path, in: monitor)?.isAdded == true)
      try FileSystem.setPermissions(of: device.path, to: 0o600)
      guard case .changed = try change(of: device.path, in: monitor) else {
        Issue.record("no change was told")
        return
      }
    }
  }
}

extension NodeChange {
  fileprivate var path: String {
    switch self {
    case .added(let place), .changed(let place): place.path
    case .removed(let path): path
    }
  }
  fileprivate var isAdded: Bool {
    if case .added = self { true } else { false }
  }
}
