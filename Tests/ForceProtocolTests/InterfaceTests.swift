import ForceCore
import ForceProtocol
import LinuxSystem
import Testing

private func force() throws -> InterfaceDefinition {
  try InterfaceDefinition(ForceInterface.definition)
}

private func service() throws -> InterfaceDefinition {
  try InterfaceDefinition(ServiceInterface.definition)
}

/// What a message has that the definition does not, or lacks.
private func mismatches(_ object: JSONObject, parametersOf method: String) throws -> [String] {
  let definition = try force()
  return definition.mismatches(object, try #require(definition.methods[method]).parameters)
}

private func mismatches(_ object: JSONObject, resultsOf method: String) throws -> [String] {
  let definition = try force()
  return definition.mismatches(object, try #require(definition.methods[method]).results)
}

@Suite struct InterfaceTests {
  /// The definitions are files of their own; what is served was written from them.
  @Test func theServedTextIsThatOfTheFiles() throws {
    let folder =
      #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
      + "/Sources/ForceProtocol/"
    for name in [ServiceInterface.name, ForceInterface.name] {
      let file = try FileSystem.read(folder + name + ".varlink")
      #expect(
        interfaceDefinition(of: name) == String(decoding: file, as: UTF8.self),
        "run scripts/embed-interface")
    }
    #expect(interfaceDefinition(of: "org.forced.Other") == nil)
  }

  @Test func theDefinitionsNameTheirInterfacesAndOnlyKnownTypes() throws {
    #expect(try force().name == ForceInterface.name)
    #expect(try service().name == ServiceInterface.name)
    // Each type is used by something, and each that is used is there.
    let definition = try force()
    let text = ForceInterface.definition
    for type in definition.types.keys {
      #expect(text.contains(": \(type)") || text.contains("[]\(type)") || text.contains("?\(type)"))
    }
  }

  @Test func theMethodsAreTheOnesThatTheCodeNames() throws {
    let names = [
      ForceInterface.Method.watch, ForceInterface.Method.getReading,
      ForceInterface.Method.listDevices, ForceInterface.Method.getStatus,
      ForceInterface.Method.getLatency,
      ForceInterface.Method.playHaptic, ForceInterface.Method.stopHaptics,
      ForceInterface.Method.reload, ForceInterface.Method.setSmoothing,
      ForceInterface.Method.calibrate, ForceInterface.Method.tare, ForceInterface.Method.untare,
    ]
    let declared = try force().methods.keys.map { "\(ForceInterface.name).\($0)" }
    #expect(Set(names) == Set(declared))
    let declaredByService = try service().methods.keys.map { "\(ServiceInterface.name).\($0)" }
    #expect(
      Set([ServiceInterface.Method.getInfo, ServiceInterface.Method.getInterfaceDescription])
        == Set(declaredByService))
  }

  @Test func theErrorsAreDeclaredWithTheParametersThatTheyCarry() throws {
    var declared: [String: [String]] = [:]
    for definition in [try force(), try service()] {
      for (name, fields) in definition.errors {
        declared["\(definition.name).\(name)"] = fields.map(\.name)
      }
    }
    for error in allErrors {
      let definition = error.name.hasPrefix(ForceInterface.name + ".") ? try force() : try service()
      let short = String(error.name.dropFirst(definition.name.count + 1))
      let fields = try #require(definition.errors[short], "\(error.name) is not declared")
      #expect(definition.mismatches(error.parameters, fields) == [])
      declared[error.name] = nil
    }
    // Varlink's own, which this daemon never sends: its PermissionDenied says who may.
    #expect(Set(declared.keys) == ["org.varlink.service.PermissionDenied"])
  }

  @Test func callsCarryWhatIsDeclared() throws {
    #expect(try mismatches(Sample.watch.parameters, parametersOf: "Watch") == [])
    #expect(try mismatches(WatchRequest().parameters, parametersOf: "Watch") == [])
    #expect(
      try mismatches(
        ContactSelection(device: "a", contact: 1).parameters, parametersOf: "GetReading") == [])
    #expect(
      try mismatches(
        HapticRequest(device: "a", effect: "buzz", strength: 50, lengthMilliseconds: 60).parameters,
        parametersOf: "PlayHaptic") == [])
    #expect(
      try mismatches(StopHapticsRequest(device: "a").parameters, parametersOf: "StopHaptics") == [])
    #expect(try mismatches(Sample.smoothing.parameters, parametersOf: "SetSmoothing") == [])
  }

  @Test func everyDeclaredParameterIsOneThatTheCodeSends() throws {
    let sent: [String: JSONObject] = [
      "Watch": Sample.watch.parameters,
      "GetReading": ContactSelection(device: "a", contact: 1).parameters,
      "PlayHaptic": HapticRequest(device: "a", effect: "b", strength: 1, lengthMilliseconds: 1)
        .parameters,
      "StopHaptics": StopHapticsRequest(device: "a").parameters,
      "SetSmoothing": Sample.smoothing.parameters, "ListDevices": [:], "GetStatus": [:],
      "GetLatency": [:],
      "Reload": [:],
      "Calibrate": CalibrateRequest(
        device: "a", contact: 1, points: [CalibrationPoint(raw: 1, grams: 2)], isTrial: true
      ).parameters,
      "Tare": ContactSelection(device: "a", contact: 1).parameters,
      "Untare": ContactSelection(device: "a", contact: 1).parameters,
    ]
    for (name, method) in try force().methods {
      #expect(method.parameters.map(\.name) == sent[name]?.members.map(\.key), "\(name)")
    }
  }

  @Test func repliesCarryWhatIsDeclared() throws {
    for event in Sample.events {
      #expect(try mismatches(event.parameters, resultsOf: "Watch") == [])
    }
    #expect(
      try mismatches(
        ["readings": [.object(Sample.reading.object)]], resultsOf: "GetReading") == [])
    #expect(
      try mismatches(
        ["devices": [.object(Sample.device.object), .object(Sample.plainDevice.object)]],
        resultsOf: "ListDevices") == [])
    #expect(try mismatches(["status": .object(Sample.status.object)], resultsOf: "GetStatus") == [])
    #expect(try mismatches(Sample.latency.parameters, resultsOf: "GetLatency") == [])
    #expect(
      try mismatches(
        ["smoothing": .object(Sample.smoothing.parameters)], resultsOf: "SetSmoothing") == [])
    let info = ServiceInfo(vendor: "v", product: "p", version: "1", url: "u")
    let definition = try service()
    #expect(
      definition.mismatches(
        info.parameters, try #require(definition.methods["GetInfo"]).results) == [])
  }

  @Test func everyDeclaredFieldOfARecordIsOneThatTheCodeSends() throws {
    let full: [String: JSONObject] = [
      "Reading": Sample.reading.object, "Device": Sample.device.object,
      "DeviceCounters": try #require(Sample.device.object["counters"]?.objectValue),
      "Status": Sample.status.object,
      "Counters": try #require(Sample.status.object["counters"]?.objectValue),
      "Realtime": try #require(
        Sample.status.object["realtime"]?.arrayValue?.first?.objectValue),
      "Motor": try #require(Sample.status.object["motors"]?.arrayValue?.first?.objectValue),
      "Smoothing": Sample.smoothing.parameters,
      "Latency": Sample.latency.publish.object,
      "LatencyBucket": try #require(
        Sample.latency.publish.object["buckets"]?.arrayValue?.first?.objectValue),
      "Calibration": Sample.calibration,
      "CalibrationPoint": try #require(
        Sample.calibration["points"]?.arrayValue?.first?.objectValue),
      "ContactTare": ["contact": 0, "grams": 1.5],
      "Accuracy": try #require(Sample.device.object["accuracy"]?.objectValue),
    ]
    for (name, type) in try force().types {
      guard case .structure(let fields) = type else { continue }
      #expect(fields.map(\.name) == full[name]?.members.map(\.key), "\(name)")
    }
  }

  @Test func theEnumerationsAreThoseOfTheCode() throws {
    let types = try force().types
    #expect(types["Kind"] == .enumeration(DeviceKind.allCases.map(\.rawValue)))
    #expect(types["Measure"] == .enumeration(Measure.allCases.map(\.rawValue)))
    #expect(types["State"] == .enumeration(ContactState.allCases.map(\.rawValue)))
    #expect(types["GramsSource"] == .enumeration(GramsSource.allCases.map(\.rawValue)))
    #expect(types["EventKind"] == .enumeration(WatchRequest.Kind.allCases.map(\.rawValue)))
  }

  @Test func anEncodedReadingIsWhatWatchDeclares() throws {
    let reading = Reading(
      device: DeviceHandle(0), contact: 0, sequence: 1, time: Instant(microseconds: 1), raw: 1,
      percent: 1, grams: 1, unsmoothedPercent: 1, atMaximum: true, state: .steady,
      gramsSource: .device)
    var buffer = ByteBuffer()
    ReadingEncoder.appendEvent(
      reading, device: QuotedText("a"), dropped: 1, delimiter: .nul, to: &buffer)
    buffer.truncate(to: buffer.count - 1)
    let reply = try buffer.bytes.withUnsafeBytes { try Reply.decode($0) }
    #expect(try mismatches(reply.parameters, resultsOf: "Watch") == [])
  }
}
