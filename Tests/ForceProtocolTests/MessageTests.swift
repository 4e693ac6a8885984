import ForceProtocol
import ForceTestSupport
import Testing

func decodeRequest(_ text: String) throws -> Request {
  try Array(text.utf8).withUnsafeBytes { try Request.decode($0) }
}

func decodeReply(_ text: String) throws -> Reply {
  try Array(text.utf8).withUnsafeBytes { try Reply.decode($0) }
}

private func encoded(_ request: Request) -> String {
  var buffer = ByteBuffer()
  request.encode(into: &buffer)
  return buffer.text
}

private func encoded(_ reply: Reply) -> String {
  var buffer = ByteBuffer()
  reply.encode(into: &buffer)
  return buffer.text
}

@Suite struct MessageTests {
  @Test func aCallIsReadWithItsFlags() throws {
    let request = try decodeRequest(
      "{\"method\":\"org.forced.Force.Watch\",\"parameters\":{\"max_hz\":60},\"more\":true}")
    #expect(
      request
        == Request(
          method: "org.forced.Force.Watch", parameters: ["max_hz": 60], more: true))
    #expect(request.interface == "org.forced.Force")
  }

  @Test func absentNullAndUnknownMembersOfACallAreLeftAlone() throws {
    let plain = Request(method: "a.B")
    for text in [
      "{\"method\":\"a.B\"}", "{\"method\":\"a.B\",\"parameters\":null,\"more\":null}",
      "{\"future\":[1],\"oneway\":false,\"method\":\"a.B\",\"parameters\":{},\"upgrade\":false}",
    ] {
      #expect(try decodeRequest(text) == plain)
    }
  }

  @Test(arguments: [
    ("", "not JSON"), ("[]", "a message has to be an object, found an array"), ("{}", "missing"),
    ("3", "found a whole number"), ("{\"method\":3}", "\"method\" has to be a string"),
    ("{\"method\":\"\"}", "\"method\" is empty"),
    ("{\"method\":null}", "found null"),
    ("{\"method\":\"a.B\",\"parameters\":[]}", "\"parameters\" has to be an object"),
    ("{\"method\":\"a.B\",\"more\":1}", "\"more\" has to be true or false"),
    ("{\"method\":\"a.B\",\"oneway\":\"yes\"}", "\"oneway\""),
    ("{\"method\":\"a.B\",\"upgrade\":{}}", "\"upgrade\""),
    ("{\"method\":\"a.B\"", "not JSON"), ("GET / HTTP/1.1\r", "not JSON"),
    ("{\"method\":\"a.B\",\"method\":\"a.C\"}", "there twice"),
  ])
  func whatIsNoCallIsMalformedAndSaysWhy(_ text: String, _ reason: String) {
    do throws(MalformedMessage) {
      _ = try Array(text.utf8).withUnsafeBytesTyped { bytes throws(MalformedMessage) in
        try Request.decode(bytes)
      }
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.reason.contains(reason), "\(error.reason)")
    }
  }

  @Test func callsAndRepliesReadBackAsTheyWereWritten() throws {
    for flags in 0..<8 {
      let request = Request(
        method: "org.forced.Force.GetReading", parameters: flags > 3 ? ["device": "é\n\0"] : [:],
        more: flags & 1 != 0, oneway: flags & 2 != 0, upgrade: flags & 4 != 0)
      #expect(try decodeRequest(encoded(request)) == request)
      let reply = Reply(
        parameters: flags > 3 ? ["a": [1, 2.5]] : [:], error: flags & 1 != 0 ? "a.b.C" : nil,
        continues: flags & 2 != 0)
      #expect(try decodeReply(encoded(reply)) == reply)
    }
  }

  @Test func aReplyAlwaysHasParametersAndOnlyTheFlagsThatAreSet() {
    #expect(encoded(Reply()) == "{\"parameters\":{}}")
    #expect(
      encoded(Reply(VarlinkError.noSuchDevice("x")))
        == "{\"error\":\"org.forced.Force.NoSuchDevice\",\"parameters\":{\"device\":\"x\"}}")
  }

  @Test(arguments: [
    "[]", "{\"error\":3}", "{\"continues\":0}", "{\"parameters\":\"x\"}", "{\"parameters\":{}",
  ])
  func whatIsNoReplyIsMalformed(_ text: String) {
    #expect(throws: MalformedMessage.self) { _ = try decodeReply(text) }
  }

  @Test(arguments: allErrors)
  func everyErrorReadsBackFromItsReply(_ error: VarlinkError) throws {
    let reply = try decodeReply(encoded(Reply(error)))
    #expect(throws: error) { _ = try reply.result() }
    #expect(!error.description.isEmpty)
  }

  @Test func anUnknownErrorKeepsItsNameAndParameters() throws {
    let reply = try decodeReply("{\"error\":\"a.b.C\",\"parameters\":{\"x\":1}}")
    #expect(throws: VarlinkError.other(name: "a.b.C", parameters: ["x": 1])) {
      _ = try reply.result()
    }
    #expect(VarlinkError(name: "a.b.C", parameters: [:]).description == "a.b.C")
  }

  @Test func anErrorOfVarlinkWithoutItsParameterIsKeptAsItIs() {
    let error = VarlinkError(name: "org.varlink.service.MethodNotFound", parameters: [:])
    #expect(error == .other(name: "org.varlink.service.MethodNotFound", parameters: [:]))
  }
}

/// One of each, to be held against the interface definition.
let allErrors: [VarlinkError] = [
  .interfaceNotFound(interface: "a.b"), .methodNotFound(method: "C"),
  .methodNotImplemented(method: "C"), .invalidParameter("x"), .expectedMore, .noSuchDevice("pad"),
  .permissionDenied(needed: "root"),
  .invalidValue(parameter: "max_hz", found: "-1", allowed: "above 0"),
  .noMotor(device: "pad", reason: "it has none"), .hapticFailed(device: "pad", reason: "gone"),
  .notMeasurable(device: "pad", reason: "nothing lies on it"),
  .calibrationRefused(device: "pad", reason: "one weight only"),
  .configurationRejected(problems: ["a:1: x", "b:2: y"]),
  .malformedMessage(offset: 3, reason: "not JSON"), .messageTooLarge(limit: 65_536),
  .tooManyConnections(limit: 64, user: true), .tooManyConnections(limit: 1_024, user: false),
  .tooManyRequests(limit: 64),
]

extension Array where Element == UInt8 {
  /// `withUnsafeBytes` that keeps the type of the error.
  func withUnsafeBytesTyped<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let result: Result<R, E> = withUnsafeBytes { bytes in
      do throws(E) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
