import ForceCore
import ForceProtocol
import Testing

private func fieldError(_ body: () throws(FieldError) -> Void) -> FieldError? {
  do throws(FieldError) {
    try body()
    return nil
  } catch {
    return error
  }
}

private let impossibleWatches: [(JSONObject, VarlinkError)] = [
  (["devices": "pad"], .invalidParameter("devices")),
  (["devices": ["a", 3]], .invalidParameter("devices[1]")),
  (["contacts": [1.5]], .invalidParameter("contacts[0]")),
  (["contacts": [4_294_967_296]], .invalidParameter("contacts[0]")),
  (["device": "pad"], .invalidParameter("device")),
  (["max_hz": "60"], .invalidParameter("max_hz")),
  (["heartbeat_ms": 10.5], .invalidParameter("heartbeat_ms")),
  (
    ["max_hz": 0],
    .invalidValue(
      parameter: "max_hz", found: "0", allowed: "above 0 to 10000 readings a second")
  ),
  (
    ["max_hz": -1],
    .invalidValue(
      parameter: "max_hz", found: "-1", allowed: "above 0 to 10000 readings a second")
  ),
  (
    ["on_change": 100.5],
    .invalidValue(parameter: "on_change", found: "100.5", allowed: "0 to 100 per cent")
  ),
  (
    ["heartbeat_ms": 9],
    .invalidValue(parameter: "heartbeat_ms", found: "9", allowed: "10 to 3600000 ms")
  ),
  (
    ["events": ["reading", "press"]],
    .invalidValue(
      parameter: "events", found: "press",
      allowed: "reading, device_added, device_removed, heartbeat")
  ),
]

@Suite struct RecordTests {
  @Test func recordsReadBackAsTheyWereWritten() throws {
    #expect(try ReadingRecord(Sample.reading.object) == Sample.reading)
    #expect(try DeviceRecord(Sample.device.object) == Sample.device)
    #expect(try DeviceRecord(Sample.plainDevice.object) == Sample.plainDevice)
    #expect(try StatusRecord(Sample.status.object) == Sample.status)
    #expect(try WatchRequest(parameters: Sample.watch.parameters) == Sample.watch)
    #expect(try WatchRequest(parameters: [:]) == WatchRequest())
    #expect(try SmoothingRecord(parameters: Sample.smoothing.parameters) == Sample.smoothing)
    for event in Sample.events { #expect(try WatchEvent(parameters: event.parameters) == event) }
    let info = ServiceInfo(vendor: "v", product: "p", version: "1", url: "u")
    #expect(try ServiceInfo(parameters: info.parameters) == info)
  }

  @Test func nullIsNeverSentAndMeansAbsentWhenItComes() throws {
    for object in [
      Sample.plainDevice.object, Sample.status.object, WatchRequest().parameters,
      WatchEvent(.heartbeat).parameters,
    ] {
      #expect(!object.description.contains("null"))
    }
    let nulls: JSONObject = ["devices": .null, "max_hz": .null, "events": .null]
    #expect(try WatchRequest(parameters: nulls) == WatchRequest())
  }

  @Test func fieldsAndEventsOfANewerDaemonDoNoHarm() throws {
    var reading = Sample.reading.object
    reading["tilt"] = [1, 2]
    reading["grams_source"] = "oracle"
    var expected = Sample.reading
    expected.gramsSource = nil
    #expect(try ReadingRecord(reading) == expected)
    #expect(
      try WatchEvent(parameters: ["event": "moon", "phase": 1])
        == WatchEvent(.unknown(name: "moon")))
    var status = Sample.status.object
    status["counters"] = ["events": 5]
    #expect(try StatusRecord(status).counters.events == 5)
    // What is in force, not what is asked for: a newer daemon may have more.
    status["smoothing"] = ["filter": "none", "strength": 3]
    #expect(try StatusRecord(status).smoothing?.filter == "none")
  }

  @Test func aRecordThatLacksAFieldSaysWhich() {
    var reading = Sample.reading.object
    reading["percent"] = nil
    let event: JSONObject = ["event": "reading", "reading": .object(reading)]
    #expect(
      fieldError { () throws(FieldError) in _ = try WatchEvent(parameters: event) }?.description
        == "\"reading.percent\" is missing: expected a number")
    var status = Sample.status.object
    status["motors"] = [["device": "a", "haptics": 3]]
    #expect(
      fieldError { () throws(FieldError) in _ = try StatusRecord(status) }?.description
        == "\"motors[0].haptics\" has to be a string, found a whole number")
  }

  @Test(arguments: impossibleWatches)
  func aWatchThatAsksForTheImpossibleIsToldWhat(_ parameters: JSONObject, _ error: VarlinkError) {
    let found = fieldError { () throws(FieldError) in _ = try WatchRequest(parameters: parameters) }
    #expect(found.map { VarlinkError($0) } == error)
  }

  @Test func callsRefuseParametersThatTheyDoNotHave() {
    let parameters: JSONObject = ["nonsense": 1]
    let refusals: [FieldError?] = [
      fieldError { () throws(FieldError) in _ = try WatchRequest(parameters: parameters) },
      fieldError { () throws(FieldError) in _ = try ContactSelection(parameters: parameters) },
      fieldError { () throws(FieldError) in _ = try HapticRequest(parameters: parameters) },
      fieldError { () throws(FieldError) in _ = try StopHapticsRequest(parameters: parameters) },
      fieldError { () throws(FieldError) in _ = try SmoothingRecord(parameters: parameters) },
      fieldError { () throws(FieldError) in try NoParameters.check(parameters) },
    ]
    for refusal in refusals {
      #expect(refusal.map { VarlinkError($0) } == .invalidParameter("nonsense"))
    }
    #expect(
      fieldError { () throws(FieldError) in
        _ = try InterfaceDescriptionRequest(parameters: [:])
      }.map { VarlinkError($0) } == .invalidParameter("interface"))
  }

  @Test(
    arguments: [
      ["strength": -1], ["strength": 100.1], ["length_ms": 0], ["length_ms": 32_768],
    ] as [JSONObject])
  func anEffectIsBounded(_ parameters: JSONObject) {
    let found = fieldError { () throws(FieldError) in _ = try HapticRequest(parameters: parameters)
    }
    #expect(found.map { VarlinkError($0).name } == "org.forced.Force.InvalidValue")
  }

  @Test func smoothingChangesOnlyWhatIsNamed() throws {
    var expected = SmoothingSettings()
    expected.riseRate = 500
    expected.timeConstant = Microseconds(2_500)
    let change = try SmoothingRecord(parameters: ["rise_rate": 500, "time_constant_ms": 2.5])
    #expect(change.applied(to: SmoothingSettings()) == expected)
    for bad: JSONObject in [
      ["rise_rate": 0], ["fall_rate": 1e7], ["time_constant_ms": -1], ["interval_ms": 0.5],
      ["steady_after_ms": 1],
    ] {
      #expect(
        fieldError { () throws(FieldError) in _ = try SmoothingRecord(parameters: bad) } != nil)
    }
  }

  @Test func smoothingThatIsNoNumberDoesNotTrap() {
    var change = SmoothingRecord()
    for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      change.timeConstantMilliseconds = value
      change.intervalMilliseconds = value
      let applied = change.applied(to: SmoothingSettings())
      #expect(applied.timeConstant >= .zero && applied.timeConstant <= .seconds(3_600))
    }
  }

  @Test func countsBeyondWhatJSONCarriesAreCapped() {
    var reading = Sample.reading
    reading.sequence = .max
    #expect(reading.object["sequence"] == .integer(.max))
  }
}
