import ForceCore
import ForceTestSupport
import Testing

@Suite("Triggers among sticks")
struct TriggerAxesTests {
  private func stick(
    _ codes: UInt16..., on device: DeviceDescription, value: Int32 = 128
  ) -> DeviceDescription {
    codes.reduce(device) { $0.axis($1, 0...255, value: value) }
  }

  private var bare: DeviceDescription { .named("Pad").keys(KeyCode.gamepad) }

  @Test("Z and RZ are the triggers where the right stick is RX and RY")
  func xpad() {
    let capability = Capability.classify(.gamepad(maximum: 1_023))
    #expect(capability.kind == .gamepad)
    #expect(capability.layout == .triggers([AbsoluteCode.z, AbsoluteCode.rz]))
    #expect(capability.axis?.maximum == 1_023)
  }

  @Test("A PlayStation pad before its first report has every axis at 0")
  func beforeFirstReport() {
    let pad = stick(
      AbsoluteCode.x, AbsoluteCode.y, AbsoluteCode.rx, AbsoluteCode.ry, AbsoluteCode.z,
      AbsoluteCode.rz, on: bare, value: 0)
    #expect(Capability.classify(pad).layout == .triggers([AbsoluteCode.z, AbsoluteCode.rz]))
  }

  @Test("One trigger that is held while the pad is plugged in stays a trigger")
  func heldTrigger() {
    let pad = DeviceDescription.gamepad().axis(AbsoluteCode.z, 0...255, value: 140)
    #expect(Capability.classify(pad).layout == .triggers([AbsoluteCode.z, AbsoluteCode.rz]))
  }

  @Test("A right stick on Z and RZ is no trigger, wherever it rests", arguments: [0, 128])
  func rightStick(value: Int32) {
    let pad = stick(
      AbsoluteCode.x, AbsoluteCode.y, AbsoluteCode.z, AbsoluteCode.rz, on: bare, value: value)
    let capability = Capability.classify(pad)
    #expect(capability.kind == .gamepad)
    #expect(capability.measure == .none)
    #expect(capability.reason?.contains("stick") == true)
  }

  @Test("BRAKE and GAS are the triggers beside a right stick on Z and RZ")
  func simulationControls() {
    let pad = stick(AbsoluteCode.x, AbsoluteCode.y, AbsoluteCode.z, AbsoluteCode.rz, on: bare)
      .axis(AbsoluteCode.brake, 0...1_023).axis(AbsoluteCode.gas, 0...1_023)
    #expect(Capability.classify(pad).layout == .triggers([AbsoluteCode.brake, AbsoluteCode.gas]))
  }

  @Test("RX and RY are the triggers where Z and RZ rest in the middle")
  func hidGeneric() {
    let pad = stick(
      AbsoluteCode.x, AbsoluteCode.y, AbsoluteCode.z, AbsoluteCode.rz, on: bare
    ).axis(AbsoluteCode.rx, 0...255).axis(AbsoluteCode.ry, 0...255)
    #expect(Capability.classify(pad).layout == .triggers([AbsoluteCode.rx, AbsoluteCode.ry]))
  }

  @Test("HAT2Y and HAT2X are the triggers where they start at 0")
  func hats() {
    let pad = stick(AbsoluteCode.x, AbsoluteCode.y, on: bare)
      .axis(AbsoluteCode.hat2X, 0...255).axis(AbsoluteCode.hat2Y, 0...255)
    #expect(Capability.classify(pad).layout == .triggers([AbsoluteCode.hat2Y, AbsoluteCode.hat2X]))
    let digital = stick(AbsoluteCode.x, AbsoluteCode.y, on: bare)
      .axis(AbsoluteCode.hat2X, -1...1, value: 0).axis(AbsoluteCode.hat2Y, -1...1, value: 0)
    #expect(Capability.classify(digital).measure == .none)
  }

  @Test("A throttle and a twist are no triggers")
  func joystick() {
    let device = DeviceDescription.named("Joystick").keys(KeyCode.joystick)
      .axis(AbsoluteCode.x, 0...1_023, value: 512).axis(AbsoluteCode.y, 0...1_023, value: 512)
      .axis(AbsoluteCode.rz, 0...255, value: 0)
    let capability = Capability.classify(device)
    #expect(capability.kind == .gamepad)
    #expect(capability.measure == .none)
    #expect(capability.reason?.contains("twist and throttle") == true)
  }

  @Test("The pedals of a wheel measure force")
  func wheel() {
    let device = DeviceDescription.named("Wheel").keys(KeyCode.joystick)
      .axis(AbsoluteCode.x, 0...16_383, value: 8_192)
      .axis(AbsoluteCode.brake, 0...255).axis(AbsoluteCode.gas, 0...255)
    #expect(
      Capability.classify(device).layout == .triggers([AbsoluteCode.brake, AbsoluteCode.gas]))
  }

  @Test("A pad without analogue triggers says so")
  func digitalTriggers() {
    let pad = DeviceDescription.named("Pro Controller").keys(KeyCode.gamepad)
      .axis(AbsoluteCode.x, -32_767...32_767, value: 0)
      .axis(AbsoluteCode.y, -32_767...32_767, value: 0)
      .axis(AbsoluteCode.rx, -32_767...32_767, value: 0)
      .axis(AbsoluteCode.ry, -32_767...32_767, value: 0)
    let capability = Capability.classify(pad)
    #expect(capability.measure == .none)
    #expect(capability.reason?.contains("no analogue triggers") == true)
  }

  @Test("A signed axis that rests at 0 is no trigger")
  func signed() {
    let pad = DeviceDescription.gamepad()
      .axis(AbsoluteCode.z, -32_768...32_767, value: 0)
      .axis(AbsoluteCode.rz, -32_768...32_767, value: 0)
    #expect(Capability.classify(pad).measure == .none)
  }

  @Test("Triggers of no width are named")
  func zeroWidth() {
    let empty = AbsoluteAxis(minimum: 0, maximum: 0)
    let pad = DeviceDescription.gamepad().axis(AbsoluteCode.z, empty).axis(AbsoluteCode.rz, empty)
    #expect(Capability.classify(pad).reason?.contains("no width") == true)
  }

  @Test("A pad with triggers and a touchpad in one node has triggers")
  func padWithTouchpad() {
    let pad = DeviceDescription.gamepad().axis(AbsoluteCode.slot, 0...1)
      .axis(AbsoluteCode.positionX, 0...1_919).axis(AbsoluteCode.trackingID, 0...65_535)
    #expect(Capability.classify(pad).layout == .triggers([AbsoluteCode.z, AbsoluteCode.rz]))
  }

  @Test("Four load cells on hats are a balance board")
  func balanceBoard() {
    let capability = Capability.classify(.balanceBoard())
    #expect(capability.kind == .balanceBoard)
    #expect(capability.layout == .balanceBoard)
    #expect(capability.axis?.maximum == 3_400)
  }
}
