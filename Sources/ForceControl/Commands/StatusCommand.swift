import ForceClient
import LinuxSystem

extension Command {
  static let status = Command(
    name: "status",
    summary: "show how the daemon is and what it has counted",
    options: [json]
  ) { (invocation) async throws(CommandFailure) in
    try invocation.refuseOperands()
    let status = try await asking { () async throws(ForceClientError) in
      try await invocation.client.status()
    }
    let output = invocation.environment.output
    if invocation.wantsJSON {
      try output.line(status.object.description)
    } else {
      try output.write(statusText(status))
    }
  }
}

/// What `status` prints.
func statusText(_ status: StatusRecord) -> String {
  let counters = status.counters
  var rows: [(String, String)] = [
    ("socket", printable(status.socket)),
    ("conf files", status.config.isEmpty ? "none: defaults" : list(status.config)),
    (
      "clients",
      "\(count(UInt64(clamping: status.connections), "connection")), "
        + "\(count(UInt64(clamping: status.subscribers), "watch", "watches")), "
        + "\(count(UInt64(clamping: status.bufferedBytes), "byte")) waiting for them"
    ),
    (
      "events",
      "\(grouped(counters.events)) in \(count(counters.frames, "frame")), "
        + "\(count(counters.drops, "overflow")) of the kernel's queue"
    ),
    (
      "readings",
      "\(grouped(counters.readings)), \(grouped(counters.replaced)) replaced for slow clients"
    ),
    (
      "requests",
      "\(grouped(counters.requests)), \(grouped(counters.errors)) answered with an error"
    ),
    (
      "haptics",
      "\(grouped(counters.hapticsPlayed)) played, \(grouped(counters.hapticsFailed)) failed, "
        + "\(grouped(counters.hapticsCoalesced)) replaced by newer ones"
    ),
    (
      "uploads",
      "\(grouped(counters.uploadsSlow)) slow, \(grouped(counters.uploadsFull)) without a free slot, "
        + "\(grouped(counters.uploadsRefused)) refused"
    ),
    (
      "devices",
      "\(count(counters.nodesDenied, "time")) refused to open, "
        + "\(count(counters.motorsGone, "motor")) gone in the middle of an effect, "
        + "\(count(counters.hotplugLost, "message")) of plugging lost"
    ),
    ("wake-ups", grouped(counters.wakeups)),
  ]
  rows += status.realtime.map { measure in
    (
      printable(measure.name),
      printable(measure.state) + (measure.reason.map { ": \(printable($0))" } ?? "")
    )
  }
  rows += status.motors.map { ("motor", motorText($0)) }
  let width = rows.map(\.0.count).max() ?? 0
  return "forced \(printable(status.version)), process \(status.pid), "
    + "running for \(spoken(seconds: status.uptimeSeconds))\n"
    + rows.map { "  \(padded($0.0, to: width))  \($0.1)\n" }.joined()
}

private func motorText(_ motor: MotorRecord) -> String {
  let reason = motor.reason.map { ", \(printable($0))" } ?? ""
  guard let played = motor.motor else { return "none for \(printable(motor.device))\(reason)" }
  return
    "\(printable(played)) for \(printable(motor.device)) (\(printable(motor.haptics))\(reason))"
}

private func list(_ paths: [String]) -> String {
  paths.map(printable).joined(separator: ", ")
}

private func count(_ number: UInt64, _ one: String, _ many: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
}
