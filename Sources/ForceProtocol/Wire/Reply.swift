/// What the daemon answers to a call.
public struct Reply: Equatable, Sendable {
  public var parameters: JSONObject
  /// The full name of an error; nil where the call succeeded.
  public var error: String?
  /// More replies to the same call will follow.
  public var continues: Bool

  public init(parameters: JSONObject = [:], error: String? = nil, continues: Bool = false) {
    self.parameters = parameters
    self.error = error
    self.continues = continues
  }

  /// The reply that tells of an error.
  public init(_ error: VarlinkError) {
    self.init(parameters: error.parameters, error: error.name)
  }
}

extension Reply {
  /// Reads a reply from a message.
  public static func decode(_ message: UnsafeRawBufferPointer) throws(MalformedMessage) -> Reply {
    let object = try messageObject(message)
    var reply = Reply(parameters: try messageParameters(of: object))
    switch object["error"] {
    case nil, .null: break
    case .string(let name): reply.error = name
    case .some(let other):
      throw MalformedMessage(reason: "\"error\" has to be a string, found \(other.kind)")
    }
    switch object["continues"] {
    case nil, .null: break
    case .bool(let value): reply.continues = value
    case .some(let other):
      throw MalformedMessage(reason: "\"continues\" has to be true or false, found \(other.kind)")
    }
    return reply
  }

  /// The parameters of a reply that succeeded; throws what the daemon reported otherwise.
  public func result() throws(VarlinkError) -> JSONObject {
    if let error { throw VarlinkError(name: error, parameters: parameters) }
    return parameters
  }

  /// Writes the reply, without a delimiter. `parameters` is always there: some clients need it.
  public func encode(into buffer: inout ByteBuffer) {
    var object = JSONObject()
    if let error { object["error"] = .string(error) }
    object["parameters"] = .object(parameters)
    if continues { object["continues"] = true }
    buffer.append(json: object)
  }
}
