import ForceCore
import ForceDevices
import ForceTestSupport
import Glibc
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

  @Test func aDenialNeverAdvisesAGroupThatDoesNotHelp() {
    let error = DeviceError.denied(path: "/dev/input/event3", group: nil, user: "ann")
    #expect(!error.description.contains("usermod"))
    #expect(error.description.contains("a udev rule has to give the node one"))
    for group in ["input", nil] {
      let service = DeviceError.denied(path: "/dev/input/event3", group: group, user: "forced")
      #expect(!service.description.contains("usermod"))
      #expect(service.description.contains("65-forced.rules"))
      #expect(service.description.contains("udevadm test /sys/class/input/event3"))
    }
  }

  @Test("What has run out is worth another try", arguments: [EMFILE, ENFILE, ENOMEM])
  func shortages(errno: Int32) {
    let error = DeviceError.system(
      SystemError("open", "/dev/input/event3", Errno(rawValue: errno)))
    #expect(error.isShortage)
    #expect(error.isWorthRetrying)
  }

  @Test func hapticComesBeforeRumbleAndRumbleBeforePeriodic() {
    let all = DeviceDescription.pen().forceFeedback(
      ForceFeedbackCode.haptic, ForceFeedbackCode.rumble, ForceFeedbackCode.periodic,
      ForceFeedbackCode.sine)
    #expect(
      EvdevMotor.drives(for: all) == [
        .hapticClick, .hapticBuzz, .hapticRumble, .rumble, .periodic,
      ])
  }

  @Test(
    "A row of clicks is as long as its effect",
    arguments: [
      (Int64(60), UInt16(0), UInt16(0)), (100, 4, 20), (200, 9, 20), (5_120, 255, 20),
      (5_121, 242, 21), (32_767, 254, 128),
    ])
  func rowsOfClicks(milliseconds: Int64, repeats: UInt16, period: UInt16) {
    let row = EvdevMotor.clicks(for: .milliseconds(milliseconds))
    #expect(row.repeats == repeats)
    #expect(row.period == period)
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
