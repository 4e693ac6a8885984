import ForceClient

extension Command {
  static let latency = Command(
    name: "latency",
    summary: "show how long the daemon takes from an event to the socket and to the motor",
    details:
      "Since the daemon started, from the kernel's time stamp: \"publish\" until the reading "
      + "was sent to every subscriber, \"haptic\" until the motor was told.",
    options: [json]
  ) { (invocation) async throws(CommandFailure) in
    try invocation.refuseOperands()
    let report = try await asking { () async throws(ForceClientError) in
      try await invocation.client.latency()
    }
    let output = invocation.environment.output
    if invocation.wantsJSON {
      try output.line(report.parameters.description)
    } else {
      try output.write(latencyText(report))
    }
  }
}

/// What `latency` prints.
func latencyText(_ report: LatencyReport) -> String {
  histogramText("event → publish", report.publish, none: "no reading was published yet")
    + "\n" + histogramText("event → haptic", report.haptic, none: "no haptic was played yet")
}

private func histogramText(_ title: String, _ latency: LatencyRecord, none: String) -> String {
  guard latency.count > 0 else { return "\(title): \(none)\n" }
  let percentiles: [(String, Int64?)] = [
    ("half within", latency.p50), ("90 %", latency.p90), ("99 %", latency.p99),
    ("99.9 %", latency.p999), ("longest", latency.maximum),
  ]
  let summary = percentiles.compactMap { name, value in value.map { "\(name) \(microseconds($0))" }
  }
  let widest = latency.buckets.map(\.count).max() ?? 1
  let bounds = latency.buckets.map { microseconds($0.upTo) }
  let width = bounds.map(\.count).max() ?? 0
  let digits = latency.buckets.map { grouped($0.count).count }.max() ?? 0
  var text = "\(title): \(grouped(latency.count)), \(summary.joined(separator: ", "))\n"
  for (bucket, bound) in zip(latency.buckets, bounds) {
    // A bucket with anything in it shows.
    let length = max(Int(Double(bucket.count) / Double(widest) * 40), 1)
    let left = String(repeating: " ", count: width - bound.count)
    let middle = String(repeating: " ", count: digits - grouped(bucket.count).count)
    text += "  to \(left)\(bound)  \(middle)\(grouped(bucket.count))  "
    text += String(repeating: "█", count: length) + "\n"
  }
  return text
}

private func microseconds(_ value: Int64) -> String {
  "\(grouped(UInt64(clamping: value))) µs"
}
