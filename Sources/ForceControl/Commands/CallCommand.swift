import ForceClient
import LinuxSystem

extension Command {
  static let call = Command(
    name: "call",
    operands: "METHOD [JSON]",
    summary: "call a method of the daemon and print what it answers",
    details: """
      METHOD is a full name such as org.varlink.service.GetInfo; without a dot it belongs to
      org.forced.Force. JSON is an object with the parameters. The parameters of every reply are
      printed as one line of JSON.
      """,
    options: [.init("more", summary: "take any number of replies, as Watch gives them")]
  ) { (invocation) async throws(CommandFailure) in
    let call = try methodCall(invocation.line.operands)
    let output = invocation.environment.output
    if invocation.line.has("more") {
      let connection = try connect(invocation)
      var replies = connection.stream(call.method, call.parameters).makeAsyncIterator()
      while let reply = try await next(&replies) { try output.line(reply.description) }
    } else {
      let reply = try await asking { () async throws(ForceClientError) in
        try await invocation.client.call(call.method, call.parameters)
      }
      try output.line(reply.description)
    }
  }

  static let monitor = Command(
    name: "monitor",
    operands: "[METHOD [JSON]]",
    summary: "show every message between forcectl and the daemon",
    details: """
      Calls METHOD, or watches everything, and prints each message as it is on the wire: '>' is
      what forcectl sends, '<' what the daemon answers, after the seconds since the first message.
      """
  ) { (invocation) async throws(CommandFailure) in
    let everything = WatchRequest(heartbeatMilliseconds: 1_000).parameters
    let call =
      invocation.line.operands.isEmpty
      ? (method: ForceInterface.Method.watch, parameters: everything)
      : try methodCall(invocation.line.operands)
    let log = TrafficLog(invocation.environment)
    let connection = try connect(invocation) { log.write($0, $1) }
    var replies = connection.stream(call.method, call.parameters).makeAsyncIterator()
    while try await next(&replies) != nil { try log.check() }
    try log.check()
  }
}

/// A method's full name and its parameters, from operands.
private func methodCall(
  _ operands: [String]
) throws(CommandFailure) -> (method: String, parameters: JSONObject) {
  guard let name = operands.first, !name.isEmpty else {
    throw .usage("the method is missing", hint: "such as `forcectl call GetStatus`")
  }
  guard operands.count <= 2 else {
    throw .usage("'\(printable(operands[2]))' is one word too many", hint: "quote the JSON")
  }
  let method = name.contains(".") ? name : "\(ForceInterface.name).\(name)"
  guard operands.count == 2 else { return (method, [:]) }
  let hint = #"such as '{"max_hz":4}'"#
  let value: JSONValue
  do throws(JSONError) {
    value = try JSONValue.parse(operands[1])
  } catch {
    throw .usage("the parameters are no JSON: \(error)", hint: hint)
  }
  guard let parameters = value.objectValue else {
    throw .usage("the parameters are \(value.kind) and no object", hint: hint)
  }
  return (method, parameters)
}

private func connect(
  _ invocation: Invocation,
  traffic: (@Sendable (MessageDirection, [UInt8]) -> Void)? = nil
) throws(CommandFailure) -> ForceConnection {
  do throws(ForceClientError) {
    return try ForceConnection(to: invocation.client.address, traffic: traffic)
  } catch {
    throw .daemon(error)
  }
}

private func next(
  _ replies: inout ReplyStream.Iterator
) async throws(CommandFailure) -> JSONObject? {
  do throws(ForceClientError) {
    return try await replies.next()
  } catch {
    throw .daemon(error)
  }
}
