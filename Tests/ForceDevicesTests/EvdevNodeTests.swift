import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

/// What can be said of nodes and motors without a kernel that has any.
@Suite struct EvdevNodeTests {
  @Test func aMissingNodeIsWorthAnotherTry() {
    #expect {
      try EvdevNode(NodePlace(path: "/dev/input/no-such-event"))
    } throws: { error in
      let error = error as? DeviceError
      return error == .system(SystemError("open", "/dev/input/no-such-event", .noEntry))
        && error?.isWorthRetrying == true
    }
  }

  @Test(arguments: ["/dev/null", "/proc/self/status"])
  func whatIsNoEventNodeIsRefused(path: String) {
    #expect(throws: DeviceError.notEvdev(path: path)) { try EvdevNode(NodePlace(path: path)) }
  }

  @Test func aDenialSaysHowToJoinTheGroup() {
    let error = DeviceError.denied(path: "/dev/input/event3", group: "input", user: "ann")
    #expect(
      error.description == """
        cannot open /dev/input/event3: permission denied for user ann; it belongs to group input: \
        join it with "usermod -aG input ann" and log in again
        """)
    #expect(error.isWorthRetrying)
    #expect(!DeviceError.gone(path: "/dev/input/event3").isWorthRetrying)
  }

  @Test func hapticComesBeforeRumbleAndRumbleBeforePeriodic() {
    let all = DeviceDescription.pen().forceFeedback(
      ForceFeedbackCode.haptic, ForceFeedbackCode.rumble, ForceFeedbackCode.periodic,
      ForceFeedbackCode.sine)
    #expect(EvdevMotor.drives(for: all) == [.hapticClick, .hapticBuzz, .rumble, .periodic])
  }

  @Test func periodicNeedsTheSine() {
    let periodic = DeviceDescription.pen().forceFeedback(ForceFeedbackCode.periodic)
    #expect(EvdevMotor.drives(for: periodic) == [])
    #expect(EvdevMotor.drives(for: periodic.forceFeedback(ForceFeedbackCode.sine)) == [.periodic])
  }

  @Test func effectSlotsAloneMakeNoMotor() {
    #expect(EvdevMotor.drives(for: .pen().forceFeedback(0x52, slots: 16)) == [])
    #expect(EvdevMotor.drives(for: .pen().forceFeedback(ForceFeedbackCode.rumble, slots: 0)) == [])
  }
}
