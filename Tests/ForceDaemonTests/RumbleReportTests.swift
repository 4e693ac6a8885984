import ForceCore
import ForceDevices
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// What people reported about rumble on Linux, each as what must not happen here. The same on a real
/// kernel is in Tests/kernel/test_haptics.py.
@Suite("Reports about rumble")
struct RumbleReportTests {
  @Test("Quitting while the rumble is on: it is stopped and erased, and every effect is finite")
  func quittingInMidRumble() {
    var bench = MotorBench.ready()
    bench.play(clickPattern)
    #expect(bench.state.shutDown() == [.stop(EffectID(0)), .erase(EffectID(0))])
    for pattern in HapticPattern.builtIn.values {
      #expect(pattern.pulse.length > .zero && pattern.pulse.length <= .milliseconds(32_767))
    }
  }

  @Test("A lost stop: it is sent again, commands keep their distance, and one call stops all")
  func lostStop() throws {
    var bench = MotorBench.ready()
    bench.play(rampPattern)
    bench.pass(100)
    _ = bench.take()
    bench.stop()
    bench.pass(1_000)
    let stops = bench.take().filter { $0.hasSuffix("stop 1") }
    #expect(stops == ["100 stop 1", "130 stop 1"])
    #expect(HapticSettings().commandInterval >= .milliseconds(10))
    #expect(HapticSettings().bluetoothInterval >= .milliseconds(20))
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(), [])])
    let client = try daemon.client()
    #expect(
      try client.call(#"{"method":"org.forced.Force.StopHaptics"}"#) == "{\"parameters\":{}}")
  }

  @Test("Rumble gone after a reconnect: a new node gets its effects uploaded anew")
  func reconnect() throws {
    let bench = try RouterBench()
    let pad = DeviceDescription.gamepad().forceFeedback(ForceFeedbackCode.rumble)
    let click = HapticPattern.builtIn["click"] ?? clickPattern
    let (before, after) = (NotedMotor(), NotedMotor())
    let first = bench.plugIn(pad, before)
    bench.pass()
    bench.router.play(click, for: first.handle, at: bench.now)
    bench.pass()
    #expect(before.take().prefix(2) == ["upload", "play"])
    bench.pipeline.detach(first, at: bench.now)
    bench.pass()
    _ = before.take()
    let again = bench.plugIn(pad, after)
    #expect(again === first)
    bench.pass()
    bench.router.play(click, for: again.handle, at: bench.now)
    bench.pass()
    #expect(after.take() == ["upload", "play"])
    #expect(before.take() == [])
  }

  @Test("ENODEV of a flaky pad: the node is dropped, the device is the same when it comes back")
  func flakyPad() {
    var bench = MotorBench.ready()
    bench.carryOut(bench.state.finishPlay(.gone))
    let said = bench.take()
    #expect(bench.state.isGone && said == ["0 gone"])
    var table = DeviceTable()
    let pad = DeviceDescription.forcePad()
    let first = table.arrive(pad, Capability.classify(pad))
    table.leave(first.handle)
    #expect(table.arrive(pad, Capability.classify(pad)) === first)
  }

  @Test("ENOSPC after sixteen changes: an effect keeps the id that its upload wrote back")
  func idsAreKept() {
    var bench = MotorBench.ready()
    bench.play(rampPattern)
    for step in 1...40 {
      bench.pass(20)
      bench.follow(Double(step) / 50)
    }
    #expect(bench.state.slots.count == 2)
    let uploads = bench.take().filter { $0.contains("upload") }
    #expect(uploads.first == "0 upload 20%")
    #expect(uploads.dropFirst().allSatisfy { $0.hasSuffix("over 1") })
  }

  @Test(
    "Slots taken for rumble: the bits decide, FF_RUMBLE before a sine, gain only where its bit is")
  func bitsDecide() {
    var device = DeviceDescription.named("Wheel").keys(KeyCode.gamepad)
    device.effectSlots = 16
    #expect(device.hapticBackend == nil)
    device.forceFeedback = [ForceFeedbackCode.periodic]
    #expect(device.hapticBackend == nil)
    device.forceFeedback.insert(ForceFeedbackCode.sine)
    #expect(device.hapticBackend == .periodic)
    device.forceFeedback.insert(ForceFeedbackCode.rumble)
    #expect(device.hapticBackend == .rumble)
    #expect(EvdevMotor.drives(for: device) == [.rumble, .periodic])
  }

  @Test("A node opened for reading only: pressure comes, and the reason for no rumble is told")
  func readOnly() {
    #expect("\(MotorError.readOnly)".contains("reading only"))
    var bench = MotorBench()
    bench.answers = [.readOnly]
    bench.prepare(clickPattern.pulse)
    #expect(bench.take().last == "0 \(MotorTrouble.refused(.readOnly))")
  }

  @Test("js0 instead of the event node: only event nodes are ever opened")
  func eventNodesOnly() throws {
    let folder = try TemporaryFolder()
    for name in ["js0", "mouse0", "event7"] { try folder.write(name, "") }
    let monitor = try DeviceMonitor(directory: folder.path, udevControl: "/nonexistent")
    #expect(monitor.next() == .added(NodePlace(path: folder.path + "/event7")))
    #expect(monitor.next() == nil)
  }

  @Test(
    "An owner that never answers: the upload is off the loop, told after a second, and no play late"
  )
  func ownerNeverAnswers() {
    var bench = MotorBench()
    bench.uploadTime = .seconds(30)
    bench.prepare(clickPattern.pulse)
    bench.play(clickPattern)
    bench.pass(30_000)
    #expect(bench.take() == ["0 upload 100%", "1000 slow"])
    bench.finishUpload()
    bench.pump()
    #expect(bench.state.counters.played == 0 && bench.state.counters.failed == 1)
  }

  @Test("A phone's vibrator is a node of its own: paired by its seat, with no name needed")
  func vibratorNode() {
    let screen = DeviceDescription.pad()
    let vibrator = DeviceDescription.named("whatever").forceFeedback(ForceFeedbackCode.rumble)
    let candidates = [screen, vibrator].enumerated().map {
      MotorCandidate(handle: DeviceHandle($0), id: "\($0)", description: $1)
    }
    #expect(MotorPairing.find(for: DeviceHandle(0), among: candidates) == .seat(DeviceHandle(1)))
  }

  @Test("One pad, three nodes: the sibling with the motor plays, by serial number or parent")
  func threeNodes() {
    let nodes = [
      DeviceDescription.pad().at(uniq: "aa"),
      DeviceDescription.named("Motion").keys(KeyCode.gamepad).at(uniq: "aa"),
      DeviceDescription.gamepad().at(uniq: "aa"), DeviceDescription.gamepad().at(uniq: "bb"),
    ]
    let candidates = nodes.enumerated().map {
      MotorCandidate(handle: DeviceHandle($0), id: "\($0)", description: $1)
    }
    #expect(
      MotorPairing.find(for: DeviceHandle(0), among: candidates) == .sibling(DeviceHandle(2)))
  }

  @Test("A node that refuses to open is named, with its group and how to join it")
  func refusedNode() {
    let error = DeviceError.denied(path: "/dev/input/event3", group: "input", user: "ann")
    #expect(error.isWorthRetrying)
    #expect("\(error)".contains("usermod -aG input ann"))
  }
}
