import ForceClient
import LinuxSystem

extension Command {
  static let weigh = Command(
    name: "weigh",
    summary: "wait until what lies on a device is steady, and tell its weight",
    details: """
      The sum of all contacts counts: an object with feet is one object. Steady is what stays within
      the tolerance for the time. Each result is a line; what lies there has to move before the next.
      """,
    options: [
      .init("device", value: .required("ID"), summary: "this device, by its id or name"),
      .init("unit", value: .required("UNIT"), summary: "g (the default), oz, N or lb"),
      .init("time", value: .required("TIME"), summary: "how long it has to be steady: 1s"),
      .init("tolerance", value: .required("GRAMS"), summary: "how much it may move: 2"),
      .init("count", value: .required("N"), summary: "end after so many results: 1"),
    ]
  ) { (invocation) async throws(CommandFailure) in
    try invocation.refuseOperands()
    let options = try WeighOptions(invocation.line)
    let device = try await measuringDevice(options.device, invocation)
    var scale = try Weighing(
      device, invocation,
      SteadyLoad(
        time: options.time, tolerance: options.tolerance, of: .grams,
        contact: sumContact(of: device)))
    let (output, errors) = (invocation.environment.output, invocation.environment.errors)
    if device.gramsSource == "nominal" {
      try errors.line(
        "forcectl: the grams of \(printable(device.id)) are nominal and no measurement; "
          + "`forcectl calibrate` makes them one")
    }
    for index in 0..<options.count {
      let grams: Double
      do throws(CommandFailure) {
        if index > 0 { try await scale.untilItMoves() }
        try await scale.untilItIsLoaded {
          guard index == 0, invocation.environment.errorsHaveTerminal else { return }
          try? errors.line(options.expectation(of: device))
        }
        grams = try await scale.steady()
      } catch {
        // Ctrl-C is how to end it once it has told something.
        if Task.isCancelled && index > 0 { return }
        throw error
      }
      let over = scale.load.isOverMaximum ? "  over the maximum: it may be more" : ""
      try output.line(options.unit.text(grams) + over)
    }
  }
}

private struct WeighOptions {
  var device: String?
  var unit = WeightUnit.grams
  var time = Microseconds.seconds(1)
  var tolerance = 2.0
  var count = 1

  /// What it waits for while nothing lies there.
  func expectation(of device: DeviceRecord) -> String {
    "forcectl: nothing lies on \(printable(device.name)); waiting for something that stays within "
      + "\(brief(tolerance)) g for \(brief(time.seconds)) s"
  }

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    for option in line.options {
      let value = option.value ?? ""
      switch option.name {
      case "device": device = value
      case "unit":
        guard let known = WeightUnit(rawValue: value) else {
          throw .usage("--unit is g, oz, N or lb, not '\(printable(value))'")
        }
        unit = known
      case "time": time = try steadyTime(value)
      case "tolerance":
        guard let grams = Double(value), grams >= 0, grams.isFinite else {
          throw .usage("--tolerance takes grams, such as 2")
        }
        tolerance = grams
      case "count":
        guard let number = Int(value), number > 0 else {
          throw .usage("--count takes a whole number above 0")
        }
        count = number
      default: break
      }
    }
  }
}
