import ForceClient

/// What lies on a device, and whether it lies still: steady is what stays within a tolerance for a
/// time, however many readings that is.
struct SteadyLoad {
  /// What the daemon's readings are taken for.
  enum Measure { case grams, raw }

  /// For how long it has to stay.
  let time: Microseconds
  /// From the lowest to the highest value within that time.
  let tolerance: Double
  private let measure: Measure
  /// nil: the sum of all contacts.
  private let contact: Int32?
  private var values: [Int32: (value: Double, isOver: Bool)] = [:]
  /// The values since they came to lie within the tolerance, each from when it began.
  private var history: [(since: Instant, value: Double)] = []

  /// - Parameter contact: nil: the sum of all contacts.
  init(time: Microseconds, tolerance: Double, of measure: Measure, contact: Int32? = nil) {
    self.time = time
    self.tolerance = tolerance
    self.measure = measure
    self.contact = contact
  }

  /// Nothing lies there from now on, as far as is known.
  mutating func begin(at now: Instant) { history = [(now, 0)] }

  /// Something lies there.
  var isLoaded: Bool { !values.isEmpty }
  /// Any contact is at its maximum: there may be more than can be measured.
  var isOverMaximum: Bool { values.values.contains(where: \.isOver) }
  private var total: Double { values.values.reduce(0) { $0 + $1.value } }

  /// - Parameter now: when it came.
  mutating func take(_ reading: ReadingRecord, at now: Instant) {
    if let contact, reading.contact != contact { return }
    if reading.state == .released {
      values[reading.contact] = nil
    } else {
      let value = measure == .grams ? reading.grams : Double(reading.raw)
      values[reading.contact] = (value, reading.atMaximum)
    }
    note(total, at: now)
  }

  private mutating func note(_ value: Double, at now: Instant) {
    if history.last?.value != value { history.append((now, value)) }
    // What has lasted longer than the time is of no more interest, up to the value that held then.
    while history.count > 1 && now - history[1].since >= time { history.removeFirst() }
    while let extremes, extremes.high - extremes.low > tolerance { history.removeFirst() }
  }

  private var extremes: (low: Double, high: Double)? {
    guard let first = history.first else { return nil }
    return history.reduce((first.value, first.value)) {
      (min($0.0, $1.value), max($0.1, $1.value))
    }
  }

  /// The mean over the time, each value for as long as it held; nil while it moves.
  func steadyValue(at now: Instant) -> Double? {
    guard let first = history.first, now - first.since >= time else { return nil }
    var sum = 0.0
    for (index, entry) in history.enumerated() {
      let end = index + 1 < history.count ? history[index + 1].since : now
      sum += entry.value * (end - entry.since).seconds
    }
    return sum / (now - first.since).seconds
  }
}

/// A unit of weight, with the grams that it is.
enum WeightUnit: String, CaseIterable {
  case grams = "g"
  case ounces = "oz"
  case newtons = "N"
  case pounds = "lb"

  /// The pound is 453.59237 g by definition, and standard gravity 9.80665 m/s².
  var grams: Double {
    switch self {
    case .grams: 1
    case .ounces: 453.592_37 / 16
    case .newtons: 1_000 / 9.806_65
    case .pounds: 453.592_37
    }
  }

  /// With as many places as a pad can tell apart.
  func text(_ grams: Double) -> String {
    let places =
      switch self {
      case .grams: 1
      case .ounces: 2
      case .newtons, .pounds: 3
      }
    return "\(fixed(grams / self.grams, places: places)) \(rawValue)"
  }
}
