import ForceConfig
import ForceCore
import ForceProtocol
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

/// Calibrating and taring over the socket.
@Suite struct MeasuringTests {
  /// A pad on which something lies from the start: raw 50 of 100.
  private func loadedPad() -> ScriptedInput {
    ScriptedInput(
      DeviceDescription.forcePad().pressed(KeyCode.touch)
        .axis(AbsoluteCode.pressure, 0...100, value: 50),
      [(after: .seconds(3_600), events: [])])
  }

  private let watch = #"{"method":"org.forced.Force.Watch","more":true}"#

  private func call(_ method: String, _ parameters: String = "{}") -> String {
    #"{"method":"org.forced.Force.\#(method)","parameters":\#(parameters)}"#
  }

  private let points =
    #"{"points":[{"raw":0,"grams":-500},{"raw":100,"grams":2500},{"raw":60,"grams":1300}]}"#

  @Test func aCalibrationIsInForceAtOnceAndAfterARestart() throws {
    let folder = try TemporaryFolder()
    let state = folder.path + "/state"
    do {
      let daemon = try RunningDaemon([loadedPad()], state: state)
      let watcher = try daemon.client()
      try watcher.send(watch)
      _ = try watcher.line { $0.contains(#""grams":192.5,"#) && $0.contains("nominal") }
      let reply = try daemon.client().call(call("Calibrate", points))
      #expect(reply.contains(#""method":"line""#) && reply.contains(#""residual_grams":"#))
      _ = try watcher.line { $0.contains(#""grams":1000,"#) && $0.contains("calibrated") }
      let devices = try daemon.client().call(call("ListDevices"))
      #expect(devices.contains(#""calibration_residual_grams":0"#))
      #expect(devices.contains(#""resolution_grams":30"#))
    }
    let again = try RunningDaemon([loadedPad()], state: state)
    let watcher = try again.client()
    try watcher.send(watch)
    _ = try watcher.line { $0.contains(#""grams":1000,"#) && $0.contains("calibrated") }
    let removed = try again.client().call(call("Calibrate", #"{"points":[]}"#))
    #expect(removed == #"{"parameters":{}}"#)
    _ = try watcher.line { $0.contains(#""grams":192.5,"#) && $0.contains("nominal") }
  }

  @Test func aNewCalibrationEndsATareInGramsOfTheOldOne() throws {
    let folder = try TemporaryFolder()
    let daemon = try RunningDaemon([loadedPad()], state: folder.path)
    let (watcher, client) = (try daemon.client(), try daemon.client())
    try watcher.send(watch)
    _ = try watcher.line { $0.contains(#""grams":192.5,"#) }
    _ = try client.call(call("Tare"))
    _ = try client.call(call("Calibrate", points))
    _ = try watcher.line { $0.contains(#""grams":1000,"#) && $0.contains("calibrated") }
    #expect(daemon.log.contains("the tare is gone"))
  }

  @Test func aTrialSaysWhetherItWouldBeDoneAndChangesNothing() throws {
    let folder = try TemporaryFolder()
    let daemon = try RunningDaemon([loadedPad()], state: folder.path + "/state")
    let (watcher, client) = (try daemon.client(), try daemon.client())
    try watcher.send(watch)
    _ = try watcher.line { $0.contains(#""grams":192.5,"#) }
    _ = try client.call(call("Tare"))
    let trial = points.dropLast() + #","trial":true}"#
    let reply = try client.call(call("Calibrate", String(trial)))
    #expect(reply.contains(#""residual_grams":"#))
    let devices = try client.call(call("ListDevices"))
    #expect(
      devices.contains(#""tare_grams":192.5"#) && devices.contains(#""grams_source":"nominal""#),
      "\(devices)")
    #expect(!FileSystem.exists(folder.path + "/state"))
    let refused = try client.call(
      call("Calibrate", #"{"points":[{"raw":1,"grams":5}],"trial":true}"#))
    #expect(refused.contains("CalibrationRefused"))
  }

  @Test func ofTwoDevicesThatNothingTellsApartNeitherIsCalibrated() throws {
    let folder = try TemporaryFolder()
    let daemon = try RunningDaemon([loadedPad(), loadedPad()], state: folder.path)
    let asked = points.dropFirst().description
    for (id, other) in [("force-pad", "force-pad-2"), ("force-pad-2", "force-pad")] {
      let reply = try daemon.client().call(
        call("Calibrate", #"{"device":"\#(id)",\#(asked)"#))
      #expect(reply.contains("CalibrationRefused") && reply.contains("unplug \(other) meanwhile"))
    }
  }

  /// Presses a pad harder than it declares; returns what is told of it then.
  private func pressTooHard(
    _ pad: DeviceDescription, state: String, _ raw: [Int32]
  ) throws -> String {
    let daemon = try RunningDaemon([ScriptedInput.press(pad, raw)], state: state)
    let watcher = try daemon.client()
    try watcher.send(watch)
    _ = try watcher.line { $0.contains("released") }
    return try daemon.client().call(call("ListDevices"))
  }

  @Test func aMaximumThatWasLearnedIsRememberedAfterARestart() throws {
    let folder = try TemporaryFolder()
    let state = folder.path + "/state"
    let pad = DeviceDescription.forcePad().at(phys: "usb-1/input0")
    let first = try pressTooHard(pad, state: state, [100, 120, 125, 60, -1])
    #expect(first.contains(#""observed_maximum":120"#))
    let second = try pressTooHard(pad, state: state, [60, -1])
    #expect(second.contains(#""observed_maximum":120"#))
    // Another place may be another pad.
    let other = try pressTooHard(pad.at(phys: "usb-2/input0"), state: state, [60, -1])
    #expect(!other.contains("observed_maximum"))
  }

  @Test func whatNothingTellsFromItsLikeTeachesNothingForAnotherDay() throws {
    let folder = try TemporaryFolder()
    let state = folder.path + "/state"
    let first = try pressTooHard(.forcePad(), state: state, [100, 120, 125, 60, -1])
    #expect(first.contains(#""observed_maximum":120"#))
    #expect(try !pressTooHard(.forcePad(), state: state, [60, -1]).contains("observed_maximum"))
  }

  @Test func whatIsNotMonotonicIsRefusedAndSaysWhy() throws {
    let folder = try TemporaryFolder()
    let daemon = try RunningDaemon([loadedPad()], state: folder.path + "/state")
    let reply = try daemon.client().call(
      call("Calibrate", #"{"points":[{"raw":9,"grams":0},{"raw":3,"grams":100}]}"#))
    #expect(reply.contains("CalibrationRefused") && reply.contains("has to read higher"))
    let unknown = try daemon.client().call(
      call("Calibrate", #"{"points":[{"raw":9,"gram":0}]}"#))
    #expect(unknown.contains("InvalidParameter"))
  }

  @Test func withoutAPlaceForStateNothingIsCalibrated() throws {
    let daemon = try RunningDaemon([loadedPad()])
    let reply = try daemon.client().call(call("Calibrate", points))
    #expect(reply.contains("CalibrationRefused") && reply.contains("no folder"))
  }

  @Test func aTareTakesOffWhatLiesThereUntilItIsTakenAway() throws {
    let daemon = try RunningDaemon([loadedPad()])
    let watcher = try daemon.client()
    try watcher.send(watch)
    _ = try watcher.line { $0.contains(#""grams":192.5,"#) }
    let tared = try daemon.client().call(call("Tare"))
    #expect(tared == #"{"parameters":{"tares":[{"contact":0,"grams":192.5}]}}"#)
    _ = try watcher.line { $0.contains(#""percent":50,"grams":0,"#) && !$0.contains("released") }
    let devices = try daemon.client().call(call("ListDevices"))
    #expect(devices.contains(#""tare_grams":192.5"#))
    #expect(try daemon.client().call(call("Untare")) == #"{"parameters":{"tares":[]}}"#)
    _ = try watcher.line { $0.contains(#""grams":192.5,"#) }
  }

  @Test func anEmptyPadCannotBeTared() throws {
    let pad = ScriptedInput(.forcePad(), [(after: .seconds(3_600), events: [])])
    let daemon = try RunningDaemon([pad])
    let reply = try daemon.client().call(call("Tare"))
    #expect(reply.contains("NotMeasurable") && reply.contains("nothing lies on it"))
    let none = try RunningDaemon()
    #expect(try none.client().call(call("Tare")).contains("no device measures force"))
  }

  @Test func profilesAreFoundInTheFoldersAndTheirErrorsAreErrorsOfTheConfiguration() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "/usr/lib/forced/devices.d/pad.conf", "[Match]\nVendor=1234\n[Scale]\nUnitsPerGram=2\n")
    let sources = ConfigurationSources(root: folder.path)
    let loaded = try sources.load()
    #expect(loaded.profiles.count == 1 && loaded.paths.count == 1)
    let tunings = Tunings(profiles: loaded.profiles, log: Log(write: { _ in }))
    #expect(tunings.tuning(for: DeviceDescription.forcePad().identity).gramsPerUnit == 0.5)
    try folder.write("/etc/forced/devices.d/pad.conf", "[Match]\n")
    let problems = thrown(ConfigurationProblems.self) { try sources.load() }
    #expect(problems?.lines.first?.contains("/etc/forced/devices.d/pad.conf") == true)
  }
}
