/// The interface that every Varlink service has.
public enum ServiceInterface {
  public static let name = "org.varlink.service"
  /// The definition, as `GetInterfaceDescription` returns it.
  public static let definition = InterfaceText.service

  /// Methods by their full names.
  public enum Method {
    public static let getInfo = "org.varlink.service.GetInfo"
    public static let getInterfaceDescription = "org.varlink.service.GetInterfaceDescription"
  }
}

/// The interface that this project defines.
public enum ForceInterface {
  public static let name = "org.forced.Force"
  /// The definition, as `GetInterfaceDescription` returns it.
  public static let definition = InterfaceText.force

  /// Methods by their full names.
  public enum Method {
    public static let watch = "org.forced.Force.Watch"
    public static let getReading = "org.forced.Force.GetReading"
    public static let listDevices = "org.forced.Force.ListDevices"
    public static let getStatus = "org.forced.Force.GetStatus"
    public static let getLatency = "org.forced.Force.GetLatency"
    public static let playHaptic = "org.forced.Force.PlayHaptic"
    public static let stopHaptics = "org.forced.Force.StopHaptics"
    public static let reload = "org.forced.Force.Reload"
    public static let setSmoothing = "org.forced.Force.SetSmoothing"
    public static let calibrate = "org.forced.Force.Calibrate"
    public static let tare = "org.forced.Force.Tare"
    public static let untare = "org.forced.Force.Untare"
  }
}

/// The answer to `org.varlink.service.GetInfo`.
public struct ServiceInfo: Equatable, Sendable {
  public var vendor: String
  public var product: String
  public var version: String
  public var url: String
  public var interfaces: [String]

  public init(
    vendor: String, product: String, version: String, url: String,
    interfaces: [String] = [ServiceInterface.name, ForceInterface.name]
  ) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.interfaces = interfaces
  }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    vendor = try fields.string("vendor")
    product = try fields.string("product")
    version = try fields.string("version")
    url = try fields.string("url")
    interfaces =
      try fields.optionalArray("interfaces", of: "a string") { $0.stringValue } ?? []
  }

  public var parameters: JSONObject {
    [
      "vendor": .string(vendor), "product": .string(product), "version": .string(version),
      "url": .string(url), "interfaces": .array(interfaces.map { .string($0) }),
    ]
  }
}

/// The definition of an interface that this daemon has; nil for any other.
public func interfaceDefinition(of name: String) -> String? {
  switch name {
  case ServiceInterface.name: ServiceInterface.definition
  case ForceInterface.name: ForceInterface.definition
  default: nil
  }
}
