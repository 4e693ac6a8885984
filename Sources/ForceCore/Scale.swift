/// How one contact's raw values become per cent and grams.
public struct Scale: Equatable, Sendable {
  /// The raw value of 0 %.
  public var offset: Int32
  /// The raw value of 100 %; above `offset`.
  public var maximum: Int32
  /// Grams at 100 %.
  public var spanGrams: Double
  public var source: GramsSource

  public init(offset: Int32, maximum: Int32, spanGrams: Double, source: GramsSource) {
    self.offset = offset
    self.maximum = maximum
    self.spanGrams = spanGrams
    self.source = source
  }

  /// Per cent of the range, held within 0…100 where the raw value lies outside of it.
  public func percent(of raw: Int32) -> Double {
    let width = Int64(maximum) - Int64(offset)
    guard width > 0 else { return 0 }
    let part = Double(Int64(raw) - Int64(offset)) / Double(width)
    return min(max(part * 100, 0), 100)
  }

  public func grams(at percent: Double) -> Double { spanGrams * (percent / 100) }
}

extension Capability {
  /// The scale of one contact; nil unless the device measures force.
  ///
  /// An axis resolution above 0 is units per gram (`Documentation/input/event-codes.rst`), which
  /// makes the grams the device's own. Otherwise 100 % is the nominal span.
  /// - Parameter contact: matters for triggers, each of which has a range of its own, and for a balance
  ///   board, where contact 4 is the sum of the cells.
  public func scale(ofContact contact: Int32 = 0, _ settings: ScaleSettings) -> Scale? {
    guard let axis = axes.indices.contains(Int(contact)) ? axes[Int(contact)] : axes.first else {
      return nil
    }
    if layout == .balanceBoard {
      let maximum = contact == BalanceBoard.sum ? axis.maximum * 4 : axis.maximum
      return Scale(
        offset: axis.minimum, maximum: maximum,
        spanGrams: Double(maximum) * BalanceBoard.gramsPerUnit, source: .device)
    }
    let measuresGrams: Bool
    switch layout {
    case .single, .slots, .protocolA: measuresGrams = axis.resolution > 0
    // A trigger's resolution is an angle or a length.
    case .triggers, .balanceBoard, nil: measuresGrams = false
    }
    return Scale(
      offset: axis.minimum, maximum: axis.maximum,
      spanGrams: measuresGrams
        ? Double(axis.width) / Double(axis.resolution) : settings.nominalGrams,
      source: measuresGrams ? .device : .nominal)
  }
}
