import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

extension DevicesOnKernel {
  /// What a motor is told, asserted from the motor's side on a real kernel.
  @Suite struct Motors {
    private let half = HapticEffect(strength: 0.5, length: .milliseconds(60))

    private func motor(of device: VirtualDevice) throws -> EvdevMotor {
      try #require(EvdevMotor(try EvdevNode(NodePlace(path: device.path))))
    }

    @Test func rumbleIsUploadedPlayedStoppedAndErased() throws {
      let device = try VirtualDevice(.gamepad())
      let motor = try motor(of: device)
      #expect(motor.drive == .rumble)
      let id = try motor.upload(half, replacing: nil)
      try motor.play(id)
      try motor.stop(id)
      try motor.erase(id)
      #expect(
        device.requests(atLeast: 4).filter { $0 != .stop(id: id.value) } == [
          .upload(id: id.value, .rumble(strong: 0x8000, weak: 0x8000, milliseconds: 60)),
          .play(id: id.value), .erase(id: id.value),
        ])
      #expect(device.requests().contains(.stop(id: id.value)))
    }

    @Test(arguments: [
      (0.0, 0, 0, 1), (1.0, 60_000, 0xffff, 60), (1.0, 1, 0xffff, 1), (1.0, 1_001, 0xffff, 2),
      (7.0, 99_000_000, 0xffff, 32_767), (-1.0, -5, 0, 1), (.nan, 5_000, 0, 5),
    ])
    func strengthAndLengthStayInWhatTheKernelSpecifies(
      strength: Double, microseconds: Int64, magnitude: UInt16, milliseconds: UInt16
    ) throws {
      let device = try VirtualDevice(.gamepad())
      let effect = HapticEffect(strength: strength, length: Microseconds(microseconds))
      let id = try motor(of: device).upload(effect, replacing: nil)
      #expect(
        device.requests(atLeast: 1).first
          == .upload(
            id: id.value,
            .rumble(strong: magnitude, weak: magnitude, milliseconds: milliseconds)))
    }

    @Test func aChangedEffectKeepsItsSlot() throws {
      let device = try VirtualDevice(.gamepad())
      let motor = try motor(of: device)
      let first = try motor.upload(half, replacing: nil)
      for length in 1...40 {
        let next = HapticEffect(strength: 1, length: .milliseconds(Int64(length)))
        #expect(try motor.upload(next, replacing: first) == first)
      }
      #expect(
        device.requests(atLeast: 41).last
          == .upload(
            id: first.value, .rumble(strong: 0xffff, weak: 0xffff, milliseconds: 40)))
    }

    @Test func aFullDeviceSaysNoFreeSlot() throws {
      let device = try VirtualDevice(
        DeviceDescription.pen().forceFeedback(ForceFeedbackCode.rumble, slots: 2))
      let motor = try motor(of: device)
      let first = try motor.upload(half, replacing: nil)
      _ = try motor.upload(half, replacing: nil)
      #expect(throws: MotorError.noFreeSlot) { try motor.upload(half, replacing: nil) }
      try motor.erase(first)
      #expect(try motor.upload(half, replacing: nil) == first)
    }

    /// The kernel adds the rumble bit to such devices and converts (`compat_effect` in
    /// drivers/input/ff-core.c).
    @Test func aDeviceWithPeriodicEffectsOnlyStillRumbles() throws {
      let device = try VirtualDevice(
        DeviceDescription.pen()
          .forceFeedback(ForceFeedbackCode.periodic, ForceFeedbackCode.sine, slots: 4))
      let motor = try motor(of: device)
      let id = try motor.upload(half, replacing: nil)
      guard
        case .upload(id.value, .periodic(ForceFeedbackCode.sine, 16_383, _, 60)) =
          device.requests(atLeast: 1).first
      else {
        Issue.record("\(device.requests())")
        return
      }
    }

    /// Kernels before 6.18 show the haptic bit and refuse the effect themselves.
    @Test func aHapticBitIsOnlyBelievedWhenAnUploadProvesIt() throws {
      let device = try VirtualDevice(
        DeviceDescription.pad()
          .forceFeedback(ForceFeedbackCode.haptic, ForceFeedbackCode.rumble, slots: 4))
      let motor = try motor(of: device)
      #expect(motor.drive == .hapticClick)
      let id = try motor.upload(half, replacing: nil)
      switch motor.drive {
      case .hapticClick:
        #expect(
          device.requests(atLeast: 1).first
            == .upload(id: id.value, .haptic(usage: 0x1003, percent: 50, milliseconds: 60)))
      case .rumble:
        #expect(
          device.requests(atLeast: 1).first
            == .upload(id: id.value, .rumble(strong: 0x8000, weak: 0x8000, milliseconds: 60)))
      default: Issue.record("\(motor.drive)")
      }
    }

    @Test func aRefusedFirstUploadTriesTheNextDrive() throws {
      let device = try VirtualDevice(
        DeviceDescription.pen().forceFeedback(
          ForceFeedbackCode.rumble, ForceFeedbackCode.periodic, ForceFeedbackCode.sine, slots: 4),
        answering: { effect in if case .rumble = effect { 22 } else { 0 } })
      let motor = try motor(of: device)
      let id = try motor.upload(half, replacing: nil)
      #expect(motor.drive == .periodic)
      #expect(
        device.requests(atLeast: 2).last
          == .upload(
            id: id.value,
            .periodic(
              waveform: ForceFeedbackCode.sine, magnitude: 16_384, period: EvdevMotor.sinePeriod,
              milliseconds: 60)))
    }

    @Test func aRefusalOfEveryDriveIsTold() throws {
      let device = try VirtualDevice(.gamepad(), answering: { _ in 5 })
      let motor = try motor(of: device)
      #expect(
        throws: MotorError.failed("uploading an effect to \(device.path)", errno: 5)
      ) { try motor.upload(half, replacing: nil) }
    }

    @Test func effectsGoWhenTheNodeCloses() throws {
      let device = try VirtualDevice(.gamepad())
      let id = try { () throws in
        let motor = try motor(of: device)
        let id = try motor.upload(half, replacing: nil)
        try motor.play(id)
        return id
      }()
      let requests = device.requests(atLeast: 4)
      #expect(requests.suffix(2) == [.stop(id: id.value), .erase(id: id.value)])
    }

    @Test func aVanishedDeviceIsGoneToo() throws {
      let device = try VirtualDevice(.gamepad())
      let motor = try motor(of: device)
      let id = try motor.upload(half, replacing: nil)
      try device.destroy()
      #expect(throws: MotorError.gone) { try motor.play(id) }
      #expect(throws: MotorError.gone) { try motor.stop(id) }
      #expect(throws: MotorError.gone) { try motor.erase(id) }
      #expect(throws: MotorError.gone) { try motor.upload(half, replacing: nil) }
    }

    @Test func someoneElsesEffectIsNotOurs() throws {
      let device = try VirtualDevice(.gamepad())
      let first = try motor(of: device)
      let second = try motor(of: device)
      let id = try first.upload(half, replacing: nil)
      #expect(throws: MotorError.failed("erasing an effect of \(device.path)", errno: 13)) {
        try second.erase(id)
      }
    }

    @Test func readingGoesOnWhileAnUploadWaits() async throws {
      let device = try VirtualDevice(
        .gamepad(),
        answering: { _ in
          sleepThread(microseconds: 300_000)
          return 0
        })
      let node = try EvdevNode(NodePlace(path: device.path))
      let motor = try #require(EvdevMotor(node))
      let half = half
      let upload = Task.detached { try motor.upload(half, replacing: nil) }
      let reader = EventReader(node)
      for value in Int32(1)...50 {
        try device.send((EventType.absolute, AbsoluteCode.z, value))
        #expect(reader.events().map(\.value) == [value, 0])
      }
      _ = try await upload.value
    }
  }
}
