import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDevices

@Suite struct NodePromiseTests {
  @Test func aMaskIsReadFromItsLastWordOn() throws {
    let bits = try #require(CapabilityBits("400000000000000 1000000000003\n"))
    #expect(bits.contains(0) && bits.contains(1) && bits.contains(48))
    #expect(bits.contains(UInt16(UInt.bitWidth + 58)))
    #expect(!bits.contains(2) && !bits.contains(0x2ff))
    #expect(CapabilityBits("0\n")?.isEmpty == true)
    #expect(CapabilityBits("")?.isEmpty == true)
    #expect(CapabilityBits("12 x") == nil)
    #expect(CapabilityBits("11112222333344445") == nil)
  }

  @Test(
    arguments: [
      // A keyboard, a pen, a touchscreen, a vibrator, a gamepad without a motor.
      ("0", "0", "402000000 3803078f800d001 feffffdfffefffff fffffffffffffffe", false),
      // A keyboard with pressure and a motor, and a mouse with 20 buttons.
      ("1000000", "107030000 0", "fffffffffffffffe", false),
      ("0", "0", "fffff0000 0 0 0 0", false),
      ("1000003", "0", "1c03 0 0 0 0 0", true),
      ("660800001000003", "0", "400 0 0 0 0 0", true),
      ("0", "107030000 0", "0", true),
      ("3001b", "0", "7cdb000000000000 0 0 0 0", true),
    ] as [(String, String, String, Bool)])
  func whatSysfsSaysDecides(axes: String, effects: String, keys: String, promises: Bool) throws {
    let folder = try TemporaryFolder()
    try FileSystem.createDirectory(folder.path + "/device")
    try FileSystem.createDirectory(folder.path + "/device/capabilities")
    for (name, text) in [("abs", axes), ("ff", effects), ("key", keys)] {
      try folder.write("device/capabilities/\(name)", text + "\n")
    }
    let place = NodePlace(path: "/dev/input/event1", syspath: folder.path)
    #expect(place.promisesForceOrMotor == promises)
  }

  @Test func whereSysfsSaysNothingNothingIsPromisedNorDenied() {
    #expect(NodePlace(path: "/dev/input/event1").promisesForceOrMotor == nil)
    #expect(
      NodePlace(path: "/dev/input/event1", syspath: "/nonexistent").promisesForceOrMotor == nil)
  }
}
