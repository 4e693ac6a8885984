/// How one contact's raw values become per cent and grams.
public struct Scale: Equatable, Sendable {
  /// The raw value of 0 %.
  public var offset: Int32
  /// The raw value of 100 %; above `offset`.
  public var maximum: Int32
  /// Grams at 100 %, before the tare.
  public var spanGrams: Double
  public var source: GramsSource
  /// Grams that are taken off.
  public var tareGrams = 0.0
  /// The user's calibration; empty without one.
  var knots: [CalibrationPoint] = []

  public init(offset: Int32, maximum: Int32, spanGrams: Double, source: GramsSource) {
    self.offset = offset
    self.maximum = maximum
    self.spanGrams = spanGrams
    self.source = source
  }

  private var width: Int64 { Int64(maximum) - Int64(offset) }

  /// Per cent of the range, held within 0…100 where the raw value lies outside of it.
  public func percent(of raw: Int32) -> Double {
    guard width > 0 else { return 0 }
    let part = Double(Int64(raw) - Int64(offset)) / Double(width)
    return min(max(part * 100, 0), 100)
  }

  /// Grams, less the tare: below 0 where less lies there than when it was tared.
  public func grams(at percent: Double) -> Double {
    if knots.isEmpty { return spanGrams * (percent / 100) - tareGrams }
    return Calibration.grams(at: raw(at: percent), on: knots) - tareGrams
  }

  func raw(at percent: Double) -> Double {
    Double(offset) + Double(width) * (percent / 100)
  }

  /// Grams of one unit; with a calibration, on the average of its curve.
  public var gramsPerUnit: Double {
    guard width > 0 else { return 0 }
    if let first = knots.first, let last = knots.last, last.raw > first.raw {
      return (last.grams - first.grams) / (last.raw - first.raw)
    }
    return spanGrams / Double(width)
  }

  /// The same sensor with another raw value of 0 %: where grams are measured a unit stays as heavy
  /// as it was.
  func from(_ offset: Int32) -> Scale {
    var scale = self
    scale.offset = offset
    guard source != .nominal else { return scale }
    scale.spanGrams =
      knots.isEmpty ? gramsPerUnit * Double(scale.width) : spanGrams
    return scale
  }
}

extension Capability {
  /// The scale of one contact; nil unless the device measures force.
  ///
  /// Grams come, in this order, from the user's calibration, a profile, the device's own units and
  /// the nominal span. The units are those of the HID report descriptor, or the axis resolution,
  /// which is units per gram (`Documentation/input/event-codes.rst`).
  /// - Parameters:
  ///   - contact: matters for triggers, each of which has a range of its own, and for a balance
  ///     board, where contact 4 is the sum of the cells.
  ///   - observed: a maximum that the device has reached and that counts as 100 %.
  public func scale(
    ofContact contact: Int32 = 0, _ settings: ScaleSettings,
    tuning: DeviceTuning = DeviceTuning(), observed: Int32? = nil
  ) -> Scale? {
    guard let axis = axes.indices.contains(Int(contact)) ? axes[Int(contact)] : axes.first else {
      return nil
    }
    let offset = tuning.minimum ?? axis.minimum
    var maximum = tuning.maximum ?? axis.maximum
    if layout == .balanceBoard && contact == BalanceBoard.sum {
      maximum = Int32(clamping: Int64(maximum) * Int64(BalanceBoard.cells.count))
    }
    maximum = observed ?? maximum
    let width = Double(max(Int64(maximum) - Int64(offset), 0))
    var scale = Scale(
      offset: offset, maximum: maximum, spanGrams: settings.nominalGrams, source: .nominal)
    if let gramsPerUnit = tuning.gramsPerUnit {
      (scale.spanGrams, scale.source) = (gramsPerUnit * width, .profile)
    } else if let unitsPerGram = unitsPerGram(of: axis) {
      (scale.spanGrams, scale.source) = (width / unitsPerGram, .device)
    }
    if let calibration = tuning.calibrations[calibrationKey(ofContact: contact)] {
      scale.knots = calibration.knots
      scale.spanGrams = calibration.grams(at: Double(maximum))
      scale.source = .calibrated
    }
    scale.tareGrams = tuning.tare[contact] ?? 0
    return scale
  }

  /// What the device itself says of its units; nil where it says nothing.
  private func unitsPerGram(of axis: AbsoluteAxis) -> Double? {
    switch layout {
    case .balanceBoard: return isBoardCalibrated ? 1 / BalanceBoard.gramsPerUnit : nil
    // A trigger's resolution is an angle or a length.
    case .triggers, nil: return nil
    case .single, .slots, .protocolA: break
    }
    let resolution = Double(axis.resolution)
    guard let declared = declaredUnitsPerGram else { return resolution > 0 ? resolution : nil }
    // The kernel rounds. A resolution that rounding doesn't explain has been set by hand, in udev's
    // hardware database.
    return resolution > 0 && (resolution - declared).magnitude > 1 ? resolution : declared
  }
}
