import CUinput
import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

extension DevicesOnKernel {
  /// What a node says of itself and sends, asserted on a real kernel.
  @Suite struct Nodes {
    private func press(_ device: VirtualDevice, _ pressure: Int32) throws {
      try device.send((EventType.absolute, AbsoluteCode.pressure, pressure))
    }

    @Test func describesTheDeviceAsItIs() throws {
      let pad = DeviceDescription.pad(maximum: 2_000, slots: 5, resolution: 3)
        .forceFeedback(ForceFeedbackCode.rumble, ForceFeedbackCode.gain, slots: 7)
        .at(phys: "test/input0", bus: 0x18)
      let device = try VirtualDevice(pad)
      let node = try EvdevNode(NodePlace(path: device.path, parent: "/sys/p", seat: "seat1"))
      let description = node.description
      var expected = pad
      // uinput has no uniq, and the kernel itself adds a core event or two.
      #expect(description.identity == expected.identity)
      #expect(description.properties == expected.properties)
      #expect(description.keys == expected.keys)
      for (code, axis) in expected.axes where code != AbsoluteCode.slot {
        expected.axes[code]?.value = description.axes[code]?.value ?? 0
        #expect(description.axes[code] == expected.axes[code], "axis \(code), \(axis)")
      }
      #expect(description.axes.keys == expected.axes.keys)
      #expect(description.forceFeedback.isSuperset(of: pad.forceFeedback))
      #expect(description.effectSlots == 7)
      #expect(description.slots == Array(repeating: SlotState(), count: 5))
      #expect(description.pressedKeys == [])
      #expect(description.parent == "/sys/p")
      #expect(description.seat == "seat1")
      #expect(description.node == device.path)
      #expect(node.isReadOnly == false)
    }

    @Test func tellsOfAContactThatWasThereBeforeUs() throws {
      let device = try VirtualDevice(.pad(slots: 3))
      try device.send(
        (EventType.absolute, AbsoluteCode.slot, 1),
        (EventType.absolute, AbsoluteCode.trackingID, 42),
        (EventType.absolute, AbsoluteCode.touchPressure, 321),
        (EventType.key, KeyCode.touch, 1))
      let description = try EvdevNode(NodePlace(path: device.path)).description
      #expect(description.pressedKeys == [KeyCode.touch])
      #expect(description.axes[AbsoluteCode.slot]?.value == 1)
      #expect(
        description.slots == [SlotState(), SlotState(trackingID: 42, pressure: 321), SlotState()])
    }

    @Test func eventsArriveWithMonotonicTimes() throws {
      let device = try VirtualDevice(.pen())
      let node = try EvdevNode(NodePlace(path: device.path))
      let reader = EventReader(node)
      #expect(reader.events() == [])
      let before = monotonicNow()
      try press(device, 700)
      let events = reader.events()
      #expect(events.map(\.value) == [700, 0])
      #expect(events.map(\.type) == [EventType.absolute, EventType.synchronization])
      #expect(events.allSatisfy { before...monotonicNow() ~= $0.time.microseconds })
    }

    @Test func onlyTheCodesAskedForArrive() throws {
      let device = try VirtualDevice(.pen())
      let node = try EvdevNode(NodePlace(path: device.path))
      let reader = EventReader(node)
      try node.limitEvents(to: [EventType.absolute: [AbsoluteCode.pressure]])
      try device.send(
        (EventType.key, KeyCode.toolPen, 1), (EventType.absolute, AbsoluteCode.x, 5),
        (EventType.absolute, AbsoluteCode.pressure, 1))
      // A frame without anything that we want is no reason to wake up.
      try device.send((EventType.absolute, AbsoluteCode.x, 6))
      try device.send((EventType.key, KeyCode.touch, 1), (EventType.absolute, AbsoluteCode.y, 6))
      #expect(reader.events().map(\.code) == [AbsoluteCode.pressure, SynchronizationCode.report])
      try node.limitEvents(
        to: [EventType.absolute: [AbsoluteCode.pressure], EventType.key: [KeyCode.touch]])
      try device.send((EventType.key, KeyCode.touch, 0), (EventType.key, KeyCode.stylus, 1))
      #expect(reader.events().map(\.code) == [KeyCode.touch, SynchronizationCode.report])
    }

    @Test func theSerialNumberOfAPenArrives() throws {
      var pen = DeviceDescription.pen()
      pen.miscellaneous = [MiscellaneousCode.serial]
      let device = try VirtualDevice(pen)
      let node = try EvdevNode(NodePlace(path: device.path))
      #expect(node.description.miscellaneous == [MiscellaneousCode.serial])
      let reader = EventReader(node)
      try node.limitEvents(to: Capability.classify(node.description).neededCodes)
      for serial in [71, 71, 72] as [Int32] {
        try device.send(
          (EventType.miscellaneous, MiscellaneousCode.serial, serial),
          (EventType.absolute, AbsoluteCode.x, serial))
      }
      // The kernel drops no serial number for being the same as the last.
      #expect(
        reader.events().filter { $0.type == EventType.miscellaneous }.map(\.value) == [71, 71, 72])
    }

    @Test func aTrackingIDThatChangesWithinASlotArrives() throws {
      let device = try VirtualDevice(.pad())
      let reader = EventReader(try EvdevNode(NodePlace(path: device.path)))
      try device.send((EventType.absolute, AbsoluteCode.trackingID, 7))
      try device.send((EventType.absolute, AbsoluteCode.trackingID, 8))
      #expect(
        reader.events().filter { $0.code == AbsoluteCode.trackingID }.map(\.value) == [7, 8])
    }

    @Test func anOverflowSaysDroppedAndASnapshotGivesTheFreshState() throws {
      let device = try VirtualDevice(.pad(slots: 2))
      let node = try EvdevNode(NodePlace(path: device.path))
      let reader = EventReader(node)
      try device.send(
        (EventType.absolute, AbsoluteCode.trackingID, 1), (EventType.key, KeyCode.touch, 1))
      for pressure in 1...900 {
        try device.send((EventType.absolute, AbsoluteCode.touchPressure, Int32(pressure)))
      }
      #expect(reader.events().contains { $0.type == 0 && $0.code == SynchronizationCode.dropped })
      try device.send(
        (EventType.absolute, AbsoluteCode.slot, 1),
        (EventType.absolute, AbsoluteCode.trackingID, 2),
        (EventType.absolute, AbsoluteCode.touchPressure, 77))
      let fresh = try node.snapshot()
      #expect(fresh.pressedKeys == [KeyCode.touch])
      #expect(
        fresh.slots == [
          SlotState(trackingID: 1, pressure: 900), SlotState(trackingID: 2, pressure: 77),
        ])
      #expect(fresh.axes[AbsoluteCode.slot]?.value == 1)
      #expect(reader.events() == [], "what is older than the snapshot must not come again")
    }

    @Test func anUnpluggedDeviceIsGone() throws {
      let device = try VirtualDevice(.pen())
      let node = try EvdevNode(NodePlace(path: device.path))
      let reader = EventReader(node)
      let poll = try EventPoll()
      try poll.add(raw: reader.rawDescriptor, token: 1)
      try press(device, 5)
      try device.destroy()
      #expect(try poll.wait(microseconds: 5_000_000) == 1)
      guard case .gone = reader.read() else {
        Issue.record("not gone")
        return
      }
      #expect(throws: DeviceError.gone(path: device.path)) { try node.snapshot() }
      #expect(throws: DeviceError.self) { try EvdevNode(NodePlace(path: device.path)) }
    }

    /// The group that Debian gives this number, and root's own, which nobody can join.
    @Test(arguments: zip([44, 0] as [UInt32], ["video", nil]))
    func withoutPermissionItSaysWhichGroupIsLetIn(group: UInt32, advised: String?) throws {
      let device = try VirtualDevice(.gamepad())
      let node = try OwnNode(of: device, group: group, permissions: 0o660)
      // The kernel checks the calling thread's user, which nothing else shares.
      let user = Accounts.userName(CurrentProcess.effectiveUser)
      let result = asStranger { Result { try EvdevNode(NodePlace(path: node.path)) } }
      let error = thrown(DeviceError.self) { try result.get() }
      #expect(error == .denied(path: node.path, group: advised, user: user))
    }

    @Test func withReadPermissionOnlyItReadsAndHasNoMotor() throws {
      let device = try VirtualDevice(.gamepad())
      let own = try OwnNode(of: device, group: 0, permissions: 0o644)
      let node = try asStranger { Result { try EvdevNode(NodePlace(path: own.path)) } }.get()
      #expect(node.isReadOnly)
      try device.send((EventType.absolute, AbsoluteCode.z, 9))
      #expect(EventReader(node).events().map(\.value) == [9, 0])
      let motor = try #require(EvdevMotor(node))
      #expect(throws: MotorError.readOnly) {
        try motor.upload(HapticEffect(strength: 1, length: .milliseconds(5)), replacing: nil)
      }
      #expect(throws: MotorError.readOnly) { try motor.play(EffectID(0)) }
      #expect(device.requests() == [])
    }

    private func asStranger<Value>(_ body: () -> Value) -> Value {
      test_set_file_user(65_534, 65_534)
      defer { test_set_file_user(0, 0) }
      return body()
    }
  }
}

/// A node for a test alone, whose owner and permissions stay as the test made them.
private struct OwnNode: ~Copyable {
  let path = "/dev/forced-test-node"

  init(of device: VirtualDevice, group: UInt32, permissions: UInt32) throws {
    try device.addNode(at: path)
    try FileSystem.setGroup(of: path, to: group)
    try FileSystem.setPermissions(of: path, to: permissions)
  }

  deinit { try? FileSystem.unlink(path) }
}
