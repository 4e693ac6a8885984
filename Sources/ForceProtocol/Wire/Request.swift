/// A message that is no Varlink call: the connection cannot go on after it.
public struct MalformedMessage: Error, Equatable, Sendable {
  /// Bytes from the start of the message to the trouble; 0 where it concerns the whole message.
  public var offset: Int
  public var reason: String

  public init(offset: Int = 0, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// A call from a client to the daemon.
public struct Request: Equatable, Sendable {
  /// The full name: interface, dot, method.
  public var method: String
  public var parameters: JSONObject
  /// The client takes several replies.
  public var more: Bool
  /// The client wants no reply at all, not even an error.
  public var oneway: Bool
  /// The client wants to leave Varlink after this call.
  public var upgrade: Bool

  public init(
    method: String, parameters: JSONObject = [:], more: Bool = false, oneway: Bool = false,
    upgrade: Bool = false
  ) {
    self.method = method
    self.parameters = parameters
    self.more = more
    self.oneway = oneway
    self.upgrade = upgrade
  }

  /// The part of the method's name before its last dot; the whole name where it has none.
  public var interface: String {
    guard let dot = method.lastIndex(of: ".") else { return method }
    return String(method[..<dot])
  }
}

extension Request {
  /// Reads a call from a message. Members that Varlink does not name are left alone, null means
  /// absent.
  public static func decode(
    _ message: UnsafeRawBufferPointer
  ) throws(MalformedMessage) -> Request {
    let object = try messageObject(message)
    guard let method = object["method"] else {
      throw MalformedMessage(reason: "\"method\" is missing")
    }
    guard case .string(let name) = method else {
      throw MalformedMessage(reason: "\"method\" has to be a string, found \(method.kind)")
    }
    guard !name.isEmpty else { throw MalformedMessage(reason: "\"method\" is empty") }
    return Request(
      method: name,
      parameters: try messageParameters(of: object),
      more: try flag("more", of: object),
      oneway: try flag("oneway", of: object),
      upgrade: try flag("upgrade", of: object))
  }

  private static func flag(
    _ name: String, of object: JSONObject
  ) throws(MalformedMessage) -> Bool {
    switch object[name] {
    case nil, .null: return false
    case .bool(let value): return value
    case .some(let other):
      throw MalformedMessage(reason: "\"\(name)\" has to be true or false, found \(other.kind)")
    }
  }

  /// Writes the call, without a delimiter.
  public func encode(into buffer: inout ByteBuffer) {
    var object: JSONObject = ["method": .string(method)]
    if !parameters.isEmpty { object["parameters"] = .object(parameters) }
    if more { object["more"] = true }
    if oneway { object["oneway"] = true }
    if upgrade { object["upgrade"] = true }
    buffer.append(json: object)
  }
}

/// The object that a message is.
func messageObject(_ message: UnsafeRawBufferPointer) throws(MalformedMessage) -> JSONObject {
  let value: JSONValue
  do throws(JSONError) {
    value = try JSONValue.parse(message)
  } catch {
    throw MalformedMessage(offset: error.offset, reason: "not JSON: \(error.reason)")
  }
  guard case .object(let object) = value else {
    throw MalformedMessage(reason: "a message has to be an object, found \(value.kind)")
  }
  return object
}

/// The `parameters` of a call or reply; empty where they are absent.
func messageParameters(of object: JSONObject) throws(MalformedMessage) -> JSONObject {
  switch object["parameters"] {
  case nil, .null: return [:]
  case .object(let parameters): return parameters
  case .some(let other):
    throw MalformedMessage(reason: "\"parameters\" has to be an object, found \(other.kind)")
  }
}
