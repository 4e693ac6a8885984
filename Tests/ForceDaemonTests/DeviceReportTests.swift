import ForceCore
import ForceProtocol
import ForceTestSupport
import Testing

@testable import ForceDaemon

/// What people reported about finding devices and their nodes, as the daemon tells of them.
@Suite("Field reports: which node, and whose motor")
struct DeviceReportTests {
  private let devices = #"{"method":"org.forced.Force.ListDevices"}"#

  @Test("10: values are the event node's own, and the node that delivers them is told")
  func nodeThatDelivers() throws {
    var pad = DeviceDescription.forcePad(maximum: 2_047)
    pad.node = "/dev/input/event7"
    let daemon = try RunningDaemon([ScriptedInput.press(pad, [3, 700, 2_047, -1])])
    let watcher = try daemon.client()
    try watcher.send(#"{"method":"org.forced.Force.Watch","more":true}"#)
    for raw in [3, 700, 2_047] { _ = try watcher.line { $0.contains("\"raw\":\(raw),") } }
    let told = try daemon.client().call(devices)
    #expect(told.contains(#""node":"/dev/input/event7""#))
  }

  /// The three nodes of one pad: buttons, triggers and motors; a touchpad; a motion sensor, whose Z and
  /// RZ are rotation. The touchpad has pressure, so that it can be pressed.
  private func nodes(uniq: String, parent: String) -> [DeviceDescription] {
    let touchpad = DeviceDescription.forcePad()
    var motion = DeviceDescription.named("Pad Motion Sensors")
      .properties(InputProperty.accelerometer)
      .axis(AbsoluteCode.z, -32_768...32_767).axis(AbsoluteCode.rz, -32_768...32_767)
    motion.keys = []
    var buttons = DeviceDescription.gamepad()
    var surface = touchpad
    surface.forceFeedback = []
    surface.effectSlots = 0
    buttons.identity.name = "Pad"
    surface.identity.name = "Pad Touchpad"
    return [surface, motion, buttons].map { $0.at(uniq: uniq, parent: parent) }
  }

  @Test(
    "45: a pad of three nodes rumbles by the one with a motor, found by serial number or by parent",
    arguments: [("a0:b1", ""), ("", "/sys/devices/1")])
  func threeNodes(uniq: String, parent: String) throws {
    let other = nodes(uniq: uniq.isEmpty ? "" : "c2:d3", parent: parent.isEmpty ? "" : "/sys/2")
    let inputs = (other + nodes(uniq: uniq, parent: parent)).map {
      ScriptedInput($0, [(after: .seconds(3_600), events: [])])
    }
    let daemon = try RunningDaemon(inputs)
    let records = daemon.daemon.onLoop { $0.pipeline.records }
    #expect(records.map(\.measure) == ["force", "none", "force", "force", "none", "force"])
    // Each surface has the motor of its own pad, and each pad has its own.
    for (index, pad) in [(0, 2), (2, 2), (3, 5), (5, 5)] {
      #expect(records[index].motor == records[pad].id)
    }
    #expect(
      records[3].hapticsReason?.hasPrefix("the motor of another node of the same device") == true)
    #expect(records[5].hapticsReason?.hasPrefix("its own motor") == true)
    #expect(records[4].reason?.contains("motion sensor") == true)
    #expect(Set(records.map(\.id)).count == 6)
  }

  @Test("48: a board that has sent nothing yet is told as one, to whoever asks")
  func silentBoard() throws {
    let board = ScriptedInput(.balanceBoard(), [(after: .seconds(3_600), events: [])])
    let daemon = try RunningDaemon([board])
    #expect(try daemon.client().call(devices).contains("it has not sent any weight yet"))
  }
}
