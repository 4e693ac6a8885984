import ForceCore
import ForceTestSupport
import Testing

@Suite("Which motor serves a press")
struct MotorPairingTests {
  private let rumble = DeviceDescription.named("Pad").keys(KeyCode.gamepad)
    .forceFeedback(ForceFeedbackCode.rumble)
  private let vibrator = DeviceDescription.named("vibrator")
    .forceFeedback(ForceFeedbackCode.rumble)
  private let touchpad = DeviceDescription.pad()

  private func pair(
    _ devices: DeviceDescription..., named name: String? = nil
  ) -> MotorPairing {
    let candidates = devices.enumerated().map { index, device in
      MotorCandidate(handle: DeviceHandle(index), id: "id\(index)", description: device)
    }
    return .find(for: DeviceHandle(0), among: candidates, named: name)
  }

  @Test("Its own motor first")
  func own() {
    #expect(
      pair(.gamepad().at(uniq: "a"), rumble.at(uniq: "a")) == .own(DeviceHandle(0)))
  }

  @Test("Else that of a node with the same serial number")
  func sameUniq() {
    #expect(
      pair(touchpad.at(uniq: "a"), rumble.at(uniq: "b"), rumble.at(uniq: "a"))
        == .sibling(DeviceHandle(2)))
  }

  @Test("Else that of a node with the same parent, or at the same place of the bus")
  func sameParentOrPlace() {
    #expect(
      pair(touchpad.at(parent: "/sys/1"), rumble.at(parent: "/sys/1"))
        == .sibling(DeviceHandle(1)))
    #expect(
      pair(touchpad.at(phys: "usb-1-2/input1"), rumble.at(phys: "usb-1-2/input0"))
        == .sibling(DeviceHandle(1)))
    #expect(
      pair(touchpad.at(phys: "usb-1-2/input1"), rumble.at(phys: "usb-1-21/input0")).motor == nil)
  }

  @Test("Over Bluetooth phys is the host's adapter, and no proof")
  func bluetooth() {
    #expect(
      pair(
        touchpad.at(phys: "aa:bb", bus: Bus.bluetooth), rumble.at(phys: "aa:bb", bus: Bus.bluetooth)
      ).motor == nil)
  }

  @Test("Different serial numbers are different devices, wherever they are plugged in")
  func differentUniq() {
    #expect(
      pair(touchpad.at(uniq: "a", parent: "/sys/1"), rumble.at(uniq: "b", parent: "/sys/1")).motor
        == nil)
  }

  @Test("Empty places are no places")
  func empty() {
    #expect(pair(touchpad, rumble).motor == nil)
  }

  @Test("What the configuration names comes before all")
  func named() {
    #expect(pair(.gamepad(), rumble, named: "id1") == .named(DeviceHandle(1)))
    #expect(pair(.gamepad(), rumble, named: "Pad") == .named(DeviceHandle(1)))
    #expect(pair(.gamepad(), rumble, named: "x") == .none("no device with the id or name \"x\""))
    #expect(
      pair(.gamepad(), touchpad, named: "id1") == .none("the device \"id1\" has no motor"))
  }

  @Test("A name that a pad's nodes share means the one with the motor")
  func sharedName() {
    #expect(
      pair(touchpad, .named("Pad"), rumble, named: "Pad") == .named(DeviceHandle(2)))
  }

  @Test("Else a node of the same seat that is nothing but a motor, never one that is more")
  func seat() {
    #expect(pair(touchpad, rumble, vibrator) == .seat(DeviceHandle(2)))
    #expect(pair(touchpad.at(uniq: "a"), vibrator, rumble.at(uniq: "a")).motor == DeviceHandle(2))
    var elsewhere = vibrator
    elsewhere.seat = "seat1"
    #expect(pair(touchpad, elsewhere).motor == nil)
  }

  @Test("Motor=none switches off, whatever there is")
  func off() {
    #expect(
      pair(.gamepad(), rumble, vibrator, named: "none")
        == .none("switched off in the configuration (Motor=none)"))
  }

  @Test("Whoever has no motor hears why")
  func none() {
    #expect(
      pair(touchpad)
        == .none("it has no motor, no other node belongs to it, and its seat has no vibrator"))
    #expect(
      pair(touchpad.at(uniq: "a"), .named("x").at(uniq: "a"))
        == .none(
          "neither it nor the other nodes that belong to it have a motor, "
            + "nor has its seat a vibrator"))
    #expect(MotorPairing.find(for: DeviceHandle(0), among: []) == .none("the device is gone"))
  }

  @Test("The ways to drive a motor, best first, and slots alone are none")
  func backends() {
    let all = [
      ForceFeedbackCode.haptic, ForceFeedbackCode.rumble, ForceFeedbackCode.periodic,
      ForceFeedbackCode.sine,
    ]
    let expected: [HapticBackend?] = [.haptic, .rumble, .periodic, nil, nil]
    for (index, backend) in expected.enumerated() {
      var device = DeviceDescription.named("Motor")
      device.forceFeedback = Set(all.dropFirst(index))
      device.effectSlots = 16
      #expect(device.hapticBackend == backend)
    }
  }
}
