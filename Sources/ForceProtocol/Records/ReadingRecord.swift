import ForceCore

/// A reading as it travels: the device by its id.
public struct ReadingRecord: Equatable, Sendable {
  /// The device's id, as `ListDevices` tells it.
  public var device: String
  /// Which contact of the device: slot, trigger or load cell.
  public var contact: Int32
  /// Counts this device's readings; a gap shows loss.
  public var sequence: UInt64
  /// On the monotonic clock of the daemon's machine.
  public var time: Instant
  /// The device's own value, unscaled.
  public var raw: Int32
  /// Smoothed, 0…100, in steps of 0.01.
  public var percent: Double
  /// Smoothed, in steps of 0.01 g.
  public var grams: Double
  /// Where the grams come from; nil where this version does not know the source.
  public var gramsSource: GramsSource?
  /// Before smoothing, 0…100, in steps of 0.01.
  public var unsmoothedPercent: Double
  public var atMaximum: Bool
  public var state: ContactState
  /// Where the contact is, in the device's own units; nil unless the daemon publishes positions.
  public var position: Position?

  public init(
    device: String, contact: Int32, sequence: UInt64, time: Instant, raw: Int32,
    percent: Double, grams: Double, gramsSource: GramsSource?, unsmoothedPercent: Double,
    atMaximum: Bool, state: ContactState, position: Position? = nil
  ) {
    self.device = device
    self.contact = contact
    self.sequence = sequence
    self.time = time
    self.raw = raw
    self.percent = percent
    self.grams = grams
    self.gramsSource = gramsSource
    self.unsmoothedPercent = unsmoothedPercent
    self.atMaximum = atMaximum
    self.state = state
    self.position = position
  }

  /// The record of an engine's reading.
  public init(_ reading: Reading, device: String) {
    self.init(
      device: device, contact: reading.contact, sequence: reading.sequence, time: reading.time,
      raw: reading.raw, percent: toHundredths(reading.percent),
      grams: toHundredths(reading.grams), gramsSource: reading.gramsSource,
      unsmoothedPercent: toHundredths(reading.unsmoothedPercent), atMaximum: reading.atMaximum,
      state: reading.state, position: reading.position)
  }
}

/// Rounds as `ReadingEncoder` does, so that a record and an encoded reading say the same.
func toHundredths(_ value: Double) -> Double {
  value.isFinite ? (value * 100).rounded(.toNearestOrAwayFromZero) / 100 : 0
}

extension ReadingRecord {
  public init(_ object: JSONObject) throws(FieldError) { try self.init(object, at: "") }

  init(_ object: JSONObject, at path: String) throws(FieldError) {
    var fields = FieldReader(object, at: path)
    device = try fields.string("device")
    contact = try fields.integer("contact")
    sequence = try fields.integer("sequence")
    time = Instant(microseconds: try fields.integer("time"))
    raw = try fields.integer("raw")
    percent = try fields.number("percent")
    grams = try fields.number("grams")
    gramsSource = try fields.optionalString("grams_source").flatMap(GramsSource.init(rawValue:))
    unsmoothedPercent = try fields.number("unsmoothed_percent")
    atMaximum = try fields.bool("at_maximum")
    let name = try fields.string("state")
    guard let state = ContactState(rawValue: name) else {
      throw fields.notAllowed("state", found: name, allowed: "touching, steady or released")
    }
    self.state = state
    let x: Int32? = try fields.optionalInteger("x")
    let y: Int32? = try fields.optionalInteger("y")
    if let x, let y { position = Position(x: x, y: y) }
  }

  public var object: JSONObject {
    var object: JSONObject = [
      "device": .string(device), "contact": .integer(Int64(contact)),
      "sequence": JSONValue(sequence), "time": .integer(time.microseconds),
      "raw": .integer(Int64(raw)), "percent": .number(percent), "grams": .number(grams),
    ]
    if let gramsSource { object["grams_source"] = .string(gramsSource.rawValue) }
    object["unsmoothed_percent"] = .number(unsmoothedPercent)
    object["at_maximum"] = .bool(atMaximum)
    object["state"] = .string(state.rawValue)
    object.set("x", position?.x)
    object.set("y", position?.y)
    return object
  }
}
