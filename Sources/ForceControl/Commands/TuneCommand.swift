import ForceClient
import LinuxSystem

extension Command {
  static let tune = Command(
    name: "tune",
    summary: "show live what settings of the smoothing do to your presses",
    details: """
      Every setting gets the same presses: the one in force, none, a few of each filter, and the one
      that you name with --filter and the options below it. For each it shows the noise at rest (root
      mean square about the mean, in per cent of the range and in grams), the lag while the force moves
      slowly, and how long after a quick press has come to rest the reading is within 2 % of it. What
      has not been measured yet is a dash; the line above says how to press. Nothing in the daemon is
      changed: the lines for forced.conf are printed at the end.

      On a terminal the table is redrawn until Ctrl-C; elsewhere it is printed after every press.
      """,
    options: [
      device,
      .init(
        "filter", value: .required("NAME"),
        summary: "show this one too: none, exponential or one-euro"),
      .init("time-constant", value: .required("TIME"), summary: "of exponential: 12ms"),
      .init("minimum-cutoff", value: .required("HZ"), summary: "of one-euro: 1"),
      .init("beta", value: .required("NUMBER"), summary: "of one-euro: 0.05"),
      .init("derivative-cutoff", value: .required("HZ"), summary: "of one-euro: 1"),
      .init("median", summary: "behind a median of three"),
      .init("plain", summary: "no live table on a terminal"),
      .init("json", summary: "a JSON object for each setting, after every press"),
      .init("count", value: .required("N"), summary: "end after so many presses"),
      duration,
    ]
  ) { (invocation) async throws(CommandFailure) in
    try invocation.refuseOperands()
    let options = try TuneOptions(invocation.line)
    if invocation.wantsJSON && invocation.line.has("plain") {
      throw .usage("--json and --plain exclude each other")
    }
    let device = try await measuringDevice(options.device, invocation)
    let status = try await asking { () async throws(ForceClientError) in
      try await invocation.client.status()
    }
    let defaults = SmoothingSettings()
    guard let inForce = status.smoothing?.applied(to: defaults) else {
      throw .failed(
        "forced \(printable(status.version)) does not say which smoothing is in force; "
          + "restart it in this forcectl's version, \(forcedVersion)")
    }
    let candidates = TuneCandidate.all(
      inForce: inForce, asked: options.asked?.applied(to: inForce))
    let screen = TuneScreen(device, TuneSession(candidates, contact: sumContact(of: device)))
    if invocation.environment.hasTerminal && !invocation.wantsJSON && !invocation.line.has("plain")
    {
      try await tuneLive(options, screen, invocation)
    } else {
      try await tuneLines(options, screen, invocation)
    }
  }
}

private func watch(
  _ screen: TuneScreen, _ invocation: Invocation,
  onConnection: @escaping @Sendable (ConnectionChange) -> Void
) -> Watch {
  var client = invocation.client
  client.reconnection = patience
  // A force that is held still sends nothing; heartbeats make the time pass.
  let request = WatchRequest(
    devices: [screen.device.id], events: [.reading, .deviceAdded, .deviceRemoved],
    heartbeatMilliseconds: 50)
  return client.watch(request, onConnection: onConnection)
}

private func tuneLive(
  _ options: TuneOptions, _ screen: TuneScreen, _ invocation: Invocation
) async throws(CommandFailure) {
  let view = ScreenView(environment: invocation.environment, screen: screen)
  Interruptions.shared.present(view)
  defer {
    Interruptions.shared.present(nil)
    view.finish()
  }
  let watch = watch(screen, invocation) { view.show($0) }
  try await limited(to: options.time) { () async throws(CommandFailure) in
    var events = watch.makeAsyncIterator()
    while view.look({ $0.session.presses }) < options.count ?? .max,
      let event = try await next(&events)
    {
      try view.show(event)
    }
  }
  Interruptions.shared.present(nil)
  view.finish()
  let conclusion = view.look { TuneText(device: $0.device, session: $0.session).conclusion }
  let width = invocation.environment.terminalSize().columns
  for line in conclusion {
    // What is to be copied stays whole.
    let lines = line.hasPrefix(" ") ? [line] : wrapped(line, to: width)
    for line in lines { try invocation.environment.output.line(line) }
  }
}

private func tuneLines(
  _ options: TuneOptions, _ screen: TuneScreen, _ invocation: Invocation
) async throws(CommandFailure) {
  let (output, errors) = (invocation.environment.output, invocation.environment.errors)
  let wantsJSON = invocation.wantsJSON
  @Sendable func write(_ screen: TuneScreen) throws(CommandFailure) {
    let text = TuneText(device: screen.device, session: screen.session)
    let lines = wantsJSON ? text.json : text.table() + text.legend() + [""]
    try output.write(lines.map { $0 + "\n" }.joined())
  }
  if !wantsJSON { try output.line(screen.session.advice) }
  let watch = watch(screen, invocation) { change in
    guard case .disconnected(.connectionLost) = change else { return }
    try? errors.line("forcectl: the daemon has gone; waiting for it to come back")
  }
  let now = invocation.environment.now
  try await limited(to: options.time) { () async throws(CommandFailure) in
    var screen = screen
    var events = watch.makeAsyncIterator()
    var shown: [SmoothingFigures] = []
    while screen.session.presses < options.count ?? .max, let event = try await next(&events) {
      let presses = screen.session.presses
      screen.apply(event, at: now())
      guard screen.session.presses > presses else { continue }
      shown = screen.session.figures
      try write(screen)
    }
    if screen.session.figures != shown { try write(screen) }
    guard !wantsJSON else { return }
    let text = TuneText(device: screen.device, session: screen.session)
    try output.write(text.conclusion.map { $0 + "\n" }.joined())
  }
}
