import ForceClient

/// A setting of the smoothing that `tune` shows beside others.
struct TuneCandidate: Equatable, Sendable {
  enum Role: Equatable, Sendable {
    /// What the daemon does now.
    case inForce
    /// What the user named.
    case asked
    /// One to compare with.
    case other
  }

  var settings: SmoothingSettings
  var role: Role

  /// What to show side by side: the setting in force, the one that was asked for, none, and a few of
  /// each filter. Those that are the same are there once.
  static func all(inForce: SmoothingSettings, asked: SmoothingSettings?) -> [TuneCandidate] {
    var candidates = [TuneCandidate(settings: inForce, role: .inForce)]
    func add(_ settings: SmoothingSettings, _ role: Role = .other) {
      guard !candidates.contains(where: { $0.settings.name == settings.name }) else { return }
      candidates.append(TuneCandidate(settings: settings, role: role))
    }
    if let asked { add(asked, .asked) }
    var settings = inForce
    settings.medianOf3 = false
    settings.filter = .none
    add(settings)
    settings.filter = .exponential
    for constant in [3, 6, 12, 25] as [Int64] {
      settings.timeConstant = .milliseconds(constant)
      add(settings)
    }
    settings.filter = .oneEuro
    settings.derivativeCutoff = SmoothingSettings().derivativeCutoff
    let oneEuro: [(cutoff: Double, beta: Double)] = [(1, 0.05), (5, 0.02), (5, 0.1)]
    for (cutoff, beta) in oneEuro {
      (settings.minimumCutoff, settings.beta) = (cutoff, beta)
      add(settings)
    }
    return candidates
  }
}

extension SmoothingSettings {
  /// "exponential 6 ms", "one-euro 5 Hz 0.02", "none, median": what tells one setting from another.
  var name: String {
    var name = filter.rawValue
    switch filter {
    case .none: break
    case .exponential: name += " \(brief(timeConstant.milliseconds)) ms"
    case .oneEuro:
      name += " \(brief(minimumCutoff)) Hz \(brief(beta))"
      if derivativeCutoff != SmoothingSettings().derivativeCutoff {
        name += " \(brief(derivativeCutoff)) Hz"
      }
    }
    return medianOf3 ? name + ", median" : name
  }

  /// The lines of forced.conf that set it; the limits of rise and fall stay as they are.
  var configurationLines: [String] {
    var lines = ["[Smoothing]", "Filter=\(filter.rawValue)"]
    switch filter {
    case .none: break
    case .exponential: lines.append("TimeConstant=\(brief(timeConstant.milliseconds))ms")
    case .oneEuro:
      lines += [
        "MinimumCutoff=\(brief(minimumCutoff))Hz", "Beta=\(brief(beta))",
        "DerivativeCutoff=\(brief(derivativeCutoff))Hz",
      ]
    }
    return lines + ["MedianOf3=\(medianOf3 ? "yes" : "no")"]
  }

  /// The parameters of `SetSmoothing` that do the same.
  var call: JSONObject {
    var record = SmoothingRecord(self)
    (record.riseRate, record.fallRate) = (nil, nil)
    (record.intervalMilliseconds, record.steadyAfterMilliseconds) = (nil, nil)
    if filter != .exponential { record.timeConstantMilliseconds = nil }
    if filter != .oneEuro {
      (record.minimumCutoff, record.beta, record.derivativeCutoff) = (nil, nil, nil)
    }
    return record.parameters
  }
}

/// A number without zeros at its end: 6, 0.02, 12.5.
func brief(_ value: Double) -> String {
  var text = fixed(value, places: 6)
  guard text.contains(".") else { return text }
  while text.last == "0" { text.removeLast() }
  if text.last == "." { text.removeLast() }
  return text
}
