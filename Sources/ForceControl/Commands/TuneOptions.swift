import ForceClient
import LinuxSystem

/// What `tune` was asked for.
struct TuneOptions {
  var device: String?
  /// Presses after which to end.
  var count: Int?
  var time: Microseconds?
  /// What the user names of a setting; nil: nothing.
  private(set) var asked: Asked?

  /// The named parts of a setting; the rest is as it is in force.
  struct Asked: Equatable {
    var filter: SmoothingFilter?
    var timeConstant: Microseconds?
    var minimumCutoff: Double?
    var beta: Double?
    var derivativeCutoff: Double?
    var median = false

    func applied(to settings: SmoothingSettings) -> SmoothingSettings {
      var settings = settings
      settings.filter = filter ?? settings.filter
      settings.timeConstant = timeConstant ?? settings.timeConstant
      settings.minimumCutoff = minimumCutoff ?? settings.minimumCutoff
      settings.beta = beta ?? settings.beta
      settings.derivativeCutoff = derivativeCutoff ?? settings.derivativeCutoff
      settings.medianOf3 = median
      return settings
    }
  }

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    device = line.value(of: "device")
    count = try countOption("count", line)
    time = try durationOption(line)
    var asked = Asked()
    let filters = SmoothingFilter.allCases.map(\.rawValue).joined(separator: ", ")
    asked.filter = try read("filter", line, filters) { SmoothingFilter(rawValue: $0) }
    asked.timeConstant = try read("time-constant", line, "above 0 to 10s with a unit, such as 12ms")
    {
      // A bare number would count seconds here and milliseconds in forced.conf.
      plainNumber($0) == nil ? duration($0).flatMap { $0 <= .seconds(10) ? $0 : nil } : nil
    }
    asked.minimumCutoff = try cutoff("minimum-cutoff", line)
    asked.derivativeCutoff = try cutoff("derivative-cutoff", line)
    asked.beta = try read("beta", line, "0 to 100") {
      plainNumber($0).flatMap { $0 <= 100 ? $0 : nil }
    }
    asked.median = line.has("median")
    if asked.timeConstant != nil { try asked.belongs("time-constant", to: .exponential) }
    if asked.minimumCutoff != nil { try asked.belongs("minimum-cutoff", to: .oneEuro) }
    if asked.derivativeCutoff != nil { try asked.belongs("derivative-cutoff", to: .oneEuro) }
    if asked.beta != nil { try asked.belongs("beta", to: .oneEuro) }
    self.asked = asked == Asked() ? nil : asked
  }
}

/// `--minimum-cutoff HZ` and the like.
private func cutoff(_ name: String, _ line: ParsedCommandLine) throws(CommandFailure) -> Double? {
  try read(name, line, "0.05 to 1000 Hz") {
    plainNumber($0).flatMap { (0.05...1_000).contains($0) ? $0 : nil }
  }
}

extension TuneOptions.Asked {
  /// An option of one filter chooses it, and makes no sense beside another.
  fileprivate mutating func belongs(
    _ option: String, to wanted: SmoothingFilter
  ) throws(CommandFailure) {
    guard filter == nil || filter == wanted else {
      throw .usage("--\(option) belongs to the filter \(wanted.rawValue)")
    }
    filter = wanted
  }
}
