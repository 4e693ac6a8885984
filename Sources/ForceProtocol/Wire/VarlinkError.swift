/// An error as it travels in a reply: those that Varlink itself names and those of
/// `org.forced.Force`.
public enum VarlinkError: Error, Equatable, Sendable {
  // org.varlink.service
  case interfaceNotFound(interface: String)
  case methodNotFound(method: String)
  case methodNotImplemented(method: String)
  /// A parameter that the method does not have, that is missing, or that has the wrong type.
  case invalidParameter(String)
  /// The method streams and was called without `more`.
  case expectedMore

  // org.forced.Force
  case noSuchDevice(String)
  /// `needed`: who may do what was asked.
  case permissionDenied(needed: String)
  /// A parameter of the right type outside what is allowed.
  case invalidValue(parameter: String, found: String, allowed: String)
  /// No motor can play for this device.
  case noMotor(device: String, reason: String)
  /// The motor refuses: this effect, or the last one that it was given.
  case hapticFailed(device: String, reason: String)
  /// There is nothing to measure with, or nothing on it.
  case notMeasurable(device: String, reason: String)
  /// The points make no calibration, or it could not be saved.
  case calibrationRefused(device: String, reason: String)
  /// The configuration could not be loaded; the old one is still in force.
  case configurationRejected(problems: [String])
  case malformedMessage(offset: Int, reason: String)
  /// In bytes.
  case messageTooLarge(limit: Int)
  /// `user`: the limit for one user's connections was reached, not the one for all together.
  case tooManyConnections(limit: Int, user: Bool)
  case tooManyRequests(limit: Int)

  /// Any error that this version does not know.
  case other(name: String, parameters: JSONObject)
}

extension VarlinkError {
  public init(_ error: MalformedMessage) {
    self = .malformedMessage(offset: error.offset, reason: error.reason)
  }

  public init(_ error: MessageTooLarge) {
    self = .messageTooLarge(limit: error.limit)
  }

  /// The full name, as `error` carries it.
  public var name: String {
    switch self {
    case .interfaceNotFound: ServiceInterface.name + ".InterfaceNotFound"
    case .methodNotFound: ServiceInterface.name + ".MethodNotFound"
    case .methodNotImplemented: ServiceInterface.name + ".MethodNotImplemented"
    case .invalidParameter: ServiceInterface.name + ".InvalidParameter"
    case .expectedMore: ServiceInterface.name + ".ExpectedMore"
    case .noSuchDevice: ForceInterface.name + ".NoSuchDevice"
    case .permissionDenied: ForceInterface.name + ".PermissionDenied"
    case .invalidValue: ForceInterface.name + ".InvalidValue"
    case .noMotor: ForceInterface.name + ".NoMotor"
    case .hapticFailed: ForceInterface.name + ".HapticFailed"
    case .notMeasurable: ForceInterface.name + ".NotMeasurable"
    case .calibrationRefused: ForceInterface.name + ".CalibrationRefused"
    case .configurationRejected: ForceInterface.name + ".ConfigurationRejected"
    case .malformedMessage: ForceInterface.name + ".MalformedMessage"
    case .messageTooLarge: ForceInterface.name + ".MessageTooLarge"
    case .tooManyConnections: ForceInterface.name + ".TooManyConnections"
    case .tooManyRequests: ForceInterface.name + ".TooManyRequests"
    case .other(let name, _): name
    }
  }

  /// The parameters, as the interface definition declares them.
  public var parameters: JSONObject {
    switch self {
    case .interfaceNotFound(let interface): ["interface": .string(interface)]
    case .methodNotFound(let method), .methodNotImplemented(let method):
      ["method": .string(method)]
    case .invalidParameter(let parameter): ["parameter": .string(parameter)]
    case .expectedMore: [:]
    case .noSuchDevice(let device): ["device": .string(device)]
    case .permissionDenied(let needed): ["needed": .string(needed)]
    case .invalidValue(let parameter, let found, let allowed):
      ["parameter": .string(parameter), "found": .string(found), "allowed": .string(allowed)]
    case .noMotor(let device, let reason), .hapticFailed(let device, let reason),
      .notMeasurable(let device, let reason), .calibrationRefused(let device, let reason):
      ["device": .string(device), "reason": .string(reason)]
    case .configurationRejected(let problems):
      ["problems": .array(problems.map { .string($0) })]
    case .malformedMessage(let offset, let reason):
      ["offset": JSONValue(offset), "reason": .string(reason)]
    case .messageTooLarge(let limit), .tooManyRequests(let limit): ["limit": JSONValue(limit)]
    case .tooManyConnections(let limit, let user):
      ["limit": JSONValue(limit), "user": .bool(user)]
    case .other(_, let parameters): parameters
    }
  }
}

extension VarlinkError {
  /// The error that a reply tells of; `other` where this version does not know it or a parameter is
  /// missing.
  public init(name: String, parameters: JSONObject) {
    self =
      Self.serviceError(name, parameters) ?? Self.forceError(name, parameters)
      ?? .other(name: name, parameters: parameters)
  }

  private static func serviceError(_ name: String, _ parameters: JSONObject) -> VarlinkError? {
    func text(_ key: String) -> String? { parameters[key]?.stringValue }
    return switch name {
    case "org.varlink.service.InterfaceNotFound":
      text("interface").map { .interfaceNotFound(interface: $0) }
    case "org.varlink.service.MethodNotFound": text("method").map { .methodNotFound(method: $0) }
    case "org.varlink.service.MethodNotImplemented":
      text("method").map { .methodNotImplemented(method: $0) }
    case "org.varlink.service.InvalidParameter": text("parameter").map { .invalidParameter($0) }
    case "org.varlink.service.ExpectedMore": .expectedMore
    default: nil
    }
  }

  private static func forceError(_ name: String, _ parameters: JSONObject) -> VarlinkError? {
    func text(_ key: String) -> String { parameters[key]?.stringValue ?? "" }
    func number(_ key: String) -> Int {
      parameters[key]?.integerValue.map { Int(clamping: $0) } ?? 0
    }
    return switch name {
    case "org.forced.Force.NoSuchDevice": .noSuchDevice(text("device"))
    case "org.forced.Force.PermissionDenied": .permissionDenied(needed: text("needed"))
    case "org.forced.Force.InvalidValue":
      .invalidValue(
        parameter: text("parameter"), found: text("found"), allowed: text("allowed"))
    case "org.forced.Force.NoMotor": .noMotor(device: text("device"), reason: text("reason"))
    case "org.forced.Force.HapticFailed":
      .hapticFailed(device: text("device"), reason: text("reason"))
    case "org.forced.Force.NotMeasurable":
      .notMeasurable(device: text("device"), reason: text("reason"))
    case "org.forced.Force.CalibrationRefused":
      .calibrationRefused(device: text("device"), reason: text("reason"))
    case "org.forced.Force.ConfigurationRejected":
      .configurationRejected(
        problems: parameters["problems"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    case "org.forced.Force.MalformedMessage":
      .malformedMessage(offset: number("offset"), reason: text("reason"))
    case "org.forced.Force.MessageTooLarge": .messageTooLarge(limit: number("limit"))
    case "org.forced.Force.TooManyConnections":
      .tooManyConnections(
        limit: number("limit"), user: parameters["user"]?.boolValue ?? false)
    case "org.forced.Force.TooManyRequests": .tooManyRequests(limit: number("limit"))
    default: nil
    }
  }
}

extension VarlinkError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .interfaceNotFound(let interface): "the daemon has no interface \"\(interface)\""
    case .methodNotFound(let method): "the daemon has no method \"\(method)\""
    case .methodNotImplemented(let method):
      "this version of the daemon does not carry out \"\(method)\""
    case .invalidParameter(let parameter):
      "the parameter \"\(parameter)\" is missing, unknown or of the wrong type"
    case .expectedMore:
      "this method streams its replies: call it with \"more\" (forcectl call --more)"
    case .noSuchDevice(let device):
      "there is no device \"\(device)\"; `forcectl devices` lists those that there are"
    case .permissionDenied(let needed): "permission denied: only \(needed) may do that"
    case .invalidValue(let parameter, let found, let allowed):
      "\(parameter) is \(found); allowed: \(allowed)"
    case .noMotor(let device, let reason): "no motor plays for \"\(device)\": \(reason)"
    case .hapticFailed(let device, let reason): "the motor of \"\(device)\" refused: \(reason)"
    case .notMeasurable(let device, let reason):
      device.isEmpty ? reason : "\"\(device)\" cannot be weighed with: \(reason)"
    case .calibrationRefused(let device, let reason):
      "no calibration of \"\(device)\": \(reason)"
    case .configurationRejected(let problems):
      "the configuration has errors, the old one stays in force: "
        + problems.joined(separator: "; ")
    case .malformedMessage(let offset, let reason):
      "the message cannot be understood, at byte \(offset): \(reason)"
    case .messageTooLarge(let limit): "the message is longer than \(limit) bytes"
    case .tooManyConnections(let limit, let user):
      user
        ? "this user already has \(limit) connections, the most that one user may have"
        : "the daemon already has \(limit) connections, the most that it takes"
    case .tooManyRequests(let limit):
      "more than \(limit) calls are waiting on this connection: read the replies first"
    case .other(let name, let parameters):
      parameters.isEmpty ? name : "\(name) \(parameters)"
    }
  }
}
