import ForceClient
import LinuxSystem

extension Command {
  static let calibrate = Command(
    name: "calibrate",
    operands: "GRAMS...",
    summary: "make a device's grams right, with known weights",
    details: """
      Put each weight on the device when it is asked for, in any order that you name them: 2 to
      \(Calibration.mostPoints) of them, in plain digits, from \(brief(lightest)) g. 0 is the empty device, or one on which a tray
      lies that stays there. What heavier weights read has to be higher. With --remove the calibration
      is taken away. Nothing is changed before the last weight was read. Steering the daemon takes the
      permission that forced.conf(5) describes under ControlGroup.
      """,
    options: [
      .init("device", value: .required("ID"), summary: "this device, by its id or name"),
      .init(
        "contact", value: .required("N"),
        summary: "this trigger or load cell; surfaces are calibrated as a whole"),
      .init(
        "method", value: .required("METHOD"),
        summary: "line (the default), or piecewise: straight from point to point"),
      .init("time", value: .required("TIME"), summary: "how long a weight has to be steady: 1s"),
      .init("remove", summary: "take the calibration away"),
    ],
    negativeOperand: "no weight can be negative"
  ) { (invocation) async throws(CommandFailure) in
    let options = try CalibrateOptions(invocation.line)
    let device = try await measuringDevice(options.device, invocation)
    guard options.contact == nil || hasSensors(device) else {
      throw .usage(
        "\(printable(device.name)) is calibrated as a whole", hint: "leave out --contact")
    }
    var request = CalibrateRequest(
      device: device.id, contact: options.contact ?? sumContact(of: device), method: options.method,
      points: [])
    if !options.removes {
      // Whatever stands in the way is said before anybody weighs.
      request.isTrial = true
      _ = try await send(request, invocation)
      request.isTrial = false
      request.points = try await measure(options, device, invocation)
    }
    let reply = try await send(request, invocation)
    try invocation.environment.output.write(try calibrationText(reply))
  }
}

private func send(
  _ request: CalibrateRequest, _ invocation: Invocation
) async throws(CommandFailure) -> JSONObject {
  let parameters = request.parameters
  return try await asking { () async throws(ForceClientError) in
    try await invocation.client.call(ForceInterface.Method.calibrate, parameters)
  }
}

/// The least that is told from the empty device, in grams.
private let lightest = 0.1

/// Whether each contact of the device has a sensor of its own.
private func hasSensors(_ device: DeviceRecord) -> Bool {
  device.kind == "gamepad" || device.kind == "balance_board"
}

/// Asks for each weight in turn, and waits until it lies still.
private func measure(
  _ options: CalibrateOptions, _ device: DeviceRecord, _ invocation: Invocation
) async throws(CommandFailure) -> [CalibrationPoint] {
  let range = Double(device.maximum ?? 0) - Double(device.minimum ?? 0)
  var weighing = try Weighing(
    device, invocation,
    SteadyLoad(
      time: options.time, tolerance: max(range / 100, 2), of: .raw,
      contact: options.contact ?? sumContact(of: device) ?? (device.kind == "gamepad" ? 0 : nil)),
    outcome: "; nothing was changed")
  let output = invocation.environment.output
  var points: [CalibrationPoint] = []
  for (index, grams) in options.weights.enumerated() {
    let what = grams == 0 ? "Take everything off" : "Put \(fixed(grams, places: 1)) g on it"
    try output.line("\(what) and keep it still (\(index + 1) of \(options.weights.count)).")
    if index > 0 {
      try await weighing.untilItMoves()
    } else if grams == 0 && !hasSensors(device) {
      try await clear(&weighing, output)
    }
    let raw = try await steadyRaw(&weighing, isEmpty: grams == 0, device)
    try output.line("  it reads \(fixed(raw, places: 1))")
    points.append(CalibrationPoint(raw: raw, grams: grams))
  }
  return points
}

/// What lies on a surface already might have been forgotten there. Only what was lifted and put back
/// counts as empty.
private func clear(_ weighing: inout Weighing, _ output: Output) async throws(CommandFailure) {
  let raw = try await weighing.steady(expectingNothing: true)
  guard weighing.load.isLoaded else { return }
  try output.line(
    "  \(fixed(raw, places: 1)) is read now: lift what lies there; only a tray that is to stay goes "
      + "back")
  try await weighing.untilItMoves()
}

/// An empty device has no contact, except for a scale on which its own weight lies: the value of no
/// force is then what it reads.
private func steadyRaw(
  _ weighing: inout Weighing, isEmpty: Bool, _ device: DeviceRecord
) async throws(CommandFailure) -> Double {
  while true {
    let raw = try await weighing.steady(expectingNothing: isEmpty)
    if weighing.load.isLoaded {
      if weighing.load.isOverMaximum {
        throw .failed("that is over the maximum of the device: calibrate with lighter weights")
      }
      return raw
    }
    if isEmpty { return Double(device.minimum ?? 0) }
  }
}

private struct CalibrateOptions {
  var device: String?
  var contact: Int32?
  var method = CalibrationMethod.line
  var time = Microseconds.seconds(1)
  var removes = false
  var weights: [Double] = []

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    for option in line.options {
      let value = option.value ?? ""
      switch option.name {
      case "device": device = value
      case "contact":
        guard let number = Int32(value) else { throw .usage("--contact takes a whole number") }
        contact = number
      case "method":
        guard let known = CalibrationMethod(rawValue: value) else {
          throw .usage("--method is line or piecewise, not '\(printable(value))'")
        }
        method = known
      case "time": time = try steadyTime(value)
      case "remove": removes = true
      default: break
      }
    }
    for operand in line.operands {
      guard let grams = plainNumber(operand), grams == 0 || grams >= lightest, grams < 1e9 else {
        throw .usage(
          "'\(printable(operand))' is no weight in grams",
          hint: "allowed: 0, or \(brief(lightest)) to 999999999 in plain digits")
      }
      weights.append(grams)
    }
    guard weights.count <= Calibration.mostPoints else {
      throw .usage(
        "\(weights.count) weights are more than \(Calibration.mostPoints), the most that make a "
          + "calibration")
    }
    if removes && !weights.isEmpty { throw .usage("--remove takes no weights") }
    if !removes && Set(weights).count < 2 {
      throw .usage(
        "it takes at least two different weights", hint: "such as `forcectl calibrate 0 100 500`")
    }
  }
}

/// What `calibrate` prints at its end: each point with what the calibration leaves there.
func calibrationText(_ reply: JSONObject) throws(CommandFailure) -> String {
  guard let object = reply["calibration"]?.objectValue else {
    return "The device has no calibration any more.\n"
  }
  let calibration: CalibrationRecord
  do throws(FieldError) { calibration = try CalibrationRecord(object) } catch {
    throw .failed("the daemon's answer cannot be read: \(error)")
  }
  var table = Table(["GRAMS", "RAW", "ERROR"])
  for (point, residual) in zip(calibration.points, calibration.residuals) {
    table.add([
      fixed(point.grams, places: 1), fixed(point.raw, places: 1),
      "\(fixed(residual, places: 2)) g",
    ])
  }
  return table.text
    + "Calibrated (\(printable(calibration.method))); on average the points are off by "
    + "\(fixed(calibration.residualGrams, places: 2)) g.\n"
}
