import ForceCore

/// The parameters of `Calibrate`.
public struct CalibrateRequest: Equatable, Sendable {
  /// By id or name; nil: the only device that measures force.
  public var device: String?
  /// Which trigger or load cell; nil: contact 0, which stands for a whole surface.
  public var contact: Int32?
  public var method: CalibrationMethod
  /// Empty: take the calibration away.
  public var points: [CalibrationPoint]
  /// Only asks whether it would be done, and changes nothing.
  public var isTrial: Bool

  public init(
    device: String? = nil, contact: Int32? = nil, method: CalibrationMethod = .line,
    points: [CalibrationPoint], isTrial: Bool = false
  ) {
    self.device = device
    self.contact = contact
    self.method = method
    self.points = points
    self.isTrial = isTrial
  }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    device = try fields.optionalString("device")
    contact = try fields.optionalInteger("contact")
    let name = try fields.optionalString("method")
    guard let method = name.map({ CalibrationMethod(rawValue: $0) }) ?? .line else {
      throw fields.notAllowed("method", found: name ?? "", allowed: "line, piecewise")
    }
    self.method = method
    points = try fields.records("points") { object, path throws(FieldError) in
      var fields = FieldReader(object, at: path)
      let point = CalibrationPoint(
        raw: try fields.number("raw"), grams: try fields.number("grams"))
      _ = try fields.optionalNumber("residual")
      try fields.refuseUnknown()
      return point
    }
    isTrial = try fields.optionalBool("trial") ?? false
    try fields.refuseUnknown()
  }

  public var parameters: JSONObject {
    var object = JSONObject()
    object.set("device", device)
    object.set("contact", contact)
    object["method"] = .string(method.rawValue)
    object["points"] = .array(
      points.map { .object(["raw": .number($0.raw), "grams": .number($0.grams)]) })
    if isTrial { object["trial"] = .bool(true) }
    return object
  }
}

/// A calibration as `Calibrate` returns it.
public struct CalibrationRecord: Equatable, Sendable {
  public var method: String
  public var points: [CalibrationPoint]
  /// For each point what the curve says minus what lay there, in grams.
  public var residuals: [Double]
  /// Their root mean square.
  public var residualGrams: Double

  public init(_ calibration: Calibration) {
    method = calibration.method.rawValue
    points = calibration.points
    residuals = calibration.residuals
    residualGrams = calibration.residual
  }

  public init(_ object: JSONObject) throws(FieldError) {
    var fields = FieldReader(object, at: "calibration.")
    method = try fields.string("method")
    residualGrams = try fields.number("residual_grams")
    let rows = try fields.records("points") { object, path throws(FieldError) in
      var fields = FieldReader(object, at: path)
      return (
        point: CalibrationPoint(raw: try fields.number("raw"), grams: try fields.number("grams")),
        residual: try fields.number("residual")
      )
    }
    points = rows.map(\.point)
    residuals = rows.map(\.residual)
  }

  public var object: JSONObject {
    let rows = zip(points, residuals).map { point, residual in
      JSONValue.object([
        "raw": .number(point.raw), "grams": .number(point.grams), "residual": .number(residual),
      ])
    }
    return [
      "method": .string(method), "points": .array(rows), "residual_grams": .number(residualGrams),
    ]
  }
}
