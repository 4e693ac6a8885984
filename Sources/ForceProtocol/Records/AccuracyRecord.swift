/// How far a device's readings can be trusted. nil means unknown, or that there is nothing to tell.
public struct AccuracyRecord: Equatable, Sendable {
  /// Grams of one unit of the device: nothing finer can be told apart.
  public var resolutionGrams: Double?
  /// Root mean square of the last press that was held still, in per cent of the range.
  public var noisePercent: Double?
  /// The same in grams.
  public var noiseGrams: Double?
  /// Root mean square of what the user's calibration leaves at its points.
  public var calibrationResidualGrams: Double?
  /// What a tare takes off.
  public var tareGrams: Double?
  /// The raw value that counts as 100 % because the device reached it.
  public var observedMaximum: Int32?
  /// The raw value that a worn pen reports without being pressed.
  public var penOffset: Int32?
  /// From which force a contact counts, and below which it ends, in per cent.
  public var pressAt: Double?
  public var releaseAt: Double?
  /// The device profile in force.
  public var profile: String?
  /// Why the force should not be believed.
  public var doubt: String?

  public init() {}
}

extension AccuracyRecord {
  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    resolutionGrams = try fields.optionalNumber("resolution_grams")
    noisePercent = try fields.optionalNumber("noise_percent")
    noiseGrams = try fields.optionalNumber("noise_grams")
    calibrationResidualGrams = try fields.optionalNumber("calibration_residual_grams")
    tareGrams = try fields.optionalNumber("tare_grams")
    observedMaximum = try fields.optionalInteger("observed_maximum")
    penOffset = try fields.optionalInteger("pen_offset")
    pressAt = try fields.optionalNumber("press_at")
    releaseAt = try fields.optionalNumber("release_at")
    profile = try fields.optionalString("profile")
    doubt = try fields.optionalString("doubt")
  }

  var object: JSONObject {
    var object = JSONObject()
    object["resolution_grams"] = resolutionGrams.map { .number(toMillionths($0)) }
    object["noise_percent"] = noisePercent.map { .number(toMillionths($0)) }
    object["noise_grams"] = noiseGrams.map { .number(toMillionths($0)) }
    object["calibration_residual_grams"] = calibrationResidualGrams.map {
      .number(toMillionths($0))
    }
    object["tare_grams"] = tareGrams.map { .number(toHundredths($0)) }
    object.set("observed_maximum", observedMaximum)
    object.set("pen_offset", penOffset)
    object["press_at"] = pressAt.map { .number(toHundredths($0)) }
    object["release_at"] = releaseAt.map { .number(toHundredths($0)) }
    object.set("profile", profile)
    object.set("doubt", doubt)
    return object
  }
}

/// Hundredths are too coarse for grams of one unit: a pad of 16 bits has units of milligrams.
private func toMillionths(_ value: Double) -> Double {
  guard value.isFinite else { return 0 }
  return (value * 1_000_000).rounded() / 1_000_000
}
