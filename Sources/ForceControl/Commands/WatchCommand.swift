import ForceClient
import LinuxSystem

extension Command {
  static let watch = Command(
    name: "watch",
    summary: "show readings as they come",
    details: """
      On a terminal every contact has a gauge; elsewhere every reading is a line. It ends with
      Ctrl-C, and by itself only when told to. When the daemon restarts, it goes on.
      """,
    options: [
      .init("gauge", summary: "a gauge for each contact (the default on a terminal)"),
      .init("plain", summary: "a line for each reading (the default elsewhere)"),
      .init("json", summary: "a JSON object for each reading, one a line"),
      .init("device", value: .required("ID"), summary: "only this device, by its id or name"),
      .init(
        "rate", value: .required("HZ"), summary: "at most so many readings a second and contact"),
      .init("count", value: .required("N"), summary: "end after so many readings"),
      duration,
    ]
  ) { (invocation) async throws(CommandFailure) in
    let options = try WatchOptions(invocation)
    let devices = try await asking { () async throws(ForceClientError) in
      try await invocation.client.devices()
    }
    let ids = try options.device.map { (name) throws(CommandFailure) in
      try deviceIDs(name, among: devices)
    }
    let watched = devices.filter { ids?.contains($0.id) ?? true }
    switch options.view {
    case .gauge: try await watchGauges(options, ids, watched, invocation)
    case .plain, .json: try await watchLines(options, ids, watched, invocation)
    }
  }
}

/// A daemon that restarts is back within seconds; one that is not has been stopped.
let patience = Reconnection(giveUpAfter: .seconds(30))

/// Why nothing will come for now.
private func sentence(on devices: [DeviceRecord], _ options: WatchOptions) -> String {
  guard options.device != nil, let device = devices.first else {
    return "no device here measures force; waiting for one. \(adviceWithoutDevice)"
  }
  let name = printable(device.name)
  if !device.connected { return "\(name) is not connected; waiting for it" }
  return "\(name) does not measure force: "
    + printable(device.reason ?? "the daemon gives no reason")
}

// MARK: - Lines

private func watchLines(
  _ options: WatchOptions, _ ids: [String]?, _ devices: [DeviceRecord], _ invocation: Invocation
) async throws(CommandFailure) {
  var client = invocation.client
  client.reconnection = patience
  let errors = invocation.environment.errors
  if !devices.contains(where: { $0.measure == "force" && $0.connected }) {
    try errors.line("forcectl: \(sentence(on: devices, options))")
  }
  let request = WatchRequest(devices: ids, events: [.reading], maximumHertz: options.rate)
  let watch = client.watch(request) { change in
    if case .disconnected(let error) = change, case .connectionLost = error {
      try? errors.line("forcectl: the daemon has gone; waiting for it to come back")
    }
  }
  try await limited(to: options.time) { () async throws(CommandFailure) in
    var left = options.count ?? .max
    var events = watch.makeAsyncIterator()
    while left > 0, let event = try await next(&events) {
      guard case .reading(let reading) = event.kind else { continue }
      let line =
        options.view == .json
        ? jsonLine(reading, dropped: event.dropped)
        // Who asks for fewer readings misses none of those left out.
        : plainLine(reading, dropped: options.rate == nil ? event.dropped : 0)
      try invocation.environment.output.line(line)
      left -= 1
    }
  }
}

// MARK: - Gauges

private func watchGauges(
  _ options: WatchOptions, _ ids: [String]?, _ devices: [DeviceRecord], _ invocation: Invocation
) async throws(CommandFailure) {
  var client = invocation.client
  client.reconnection = patience
  let view = ScreenView(
    environment: invocation.environment,
    screen: GaugeScreen(wanted: options.device, devices: devices))
  Interruptions.shared.present(view)
  defer {
    Interruptions.shared.present(nil)
    view.finish()
  }
  // No eye follows more than the gauges draw.
  let request = WatchRequest(devices: ids, maximumHertz: min(options.rate ?? 30, 30))
  let watch = client.watch(request) { view.show($0) }
  try await limited(to: options.time) { () async throws(CommandFailure) in
    var left = options.count ?? .max
    var events = watch.makeAsyncIterator()
    while left > 0, let event = try await next(&events) {
      try view.show(event)
      if case .reading = event.kind { left -= 1 }
    }
  }
}

func next(
  _ events: inout Watch.AsyncIterator
) async throws(CommandFailure) -> WatchEvent? {
  do throws(ForceClientError) {
    return try await events.next()
  } catch {
    throw .daemon(error)
  }
}

/// Runs `body`, and cancels it when the time is over.
func limited(
  to time: Microseconds?, _ body: @escaping @Sendable () async throws(CommandFailure) -> Void
) async throws(CommandFailure) {
  guard let time else { return try await body() }
  let outcome = await withTaskGroup(
    of: Result<Void, CommandFailure>?.self, returning: Result<Void, CommandFailure>.self
  ) { group in
    group.addTask {
      do throws(CommandFailure) {
        try await body()
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    group.addTask {
      try? await Task.sleep(nanoseconds: UInt64(max(time.count, 0)) * 1_000)
      return nil
    }
    var outcome = Result<Void, CommandFailure>.success(())
    for await result in group {
      group.cancelAll()
      if let result { outcome = result }
    }
    return outcome
  }
  return try outcome.get()
}
