import ForceClient
import LinuxSystem

extension Command {
  static let devices = Command(
    name: "devices",
    summary: "list the devices, what each can measure and what plays its haptics",
    options: [json]
  ) { (invocation) async throws(CommandFailure) in
    try invocation.refuseOperands()
    let devices = try await asking { () async throws(ForceClientError) in
      try await invocation.client.devices()
    }
    let output = invocation.environment.output
    if invocation.wantsJSON {
      for device in devices { try output.line(device.object.description) }
    } else {
      try output.write(deviceTable(devices))
    }
  }
}

/// What `devices` prints.
func deviceTable(_ devices: [DeviceRecord]) -> String {
  if devices.isEmpty { return "The daemon knows no input device. \(adviceWithoutDevice)\n" }
  var table = Table(["ID", "NAME", "KIND", "MEASURES", "RANGE", "100 %", "HAPTICS"])
  for device in devices {
    table.add(
      [
        printable(device.id), printable(device.name), printable(device.kind),
        printable(device.measure), range(of: device), span(of: device), printable(device.haptics),
      ], notes: notes(on: device))
  }
  return table.text
}

let adviceWithoutDevice =
  "Connect a device that measures pressure, or try `forced --simulate`, a built-in pad"

private func range(of device: DeviceRecord) -> String {
  guard let minimum = device.minimum, let maximum = device.maximum else { return "" }
  return "\(minimum)…\(maximum)"
}

private func span(of device: DeviceRecord) -> String {
  guard let span = device.spanGrams else { return "" }
  let grams = "\(fixed(span, places: span == span.rounded() ? 0 : 1)) g"
  return device.gramsSource.map { "\(grams) (\(printable($0)))" } ?? grams
}

private func notes(on device: DeviceRecord) -> [String] {
  var notes: [String] = []
  if !device.connected { notes.append("not connected") }
  if let reason = device.reason { notes.append("no force: \(printable(reason))") }
  // Its own motor needs no explanation while it plays.
  guard device.motor != device.id || device.haptics == "none" else { return notes }
  let reason = device.hapticsReason.map { ": \(printable($0))" } ?? ""
  if let motor = device.motor, device.haptics != "none" {
    notes.append("haptics play on \(printable(motor))\(reason)")
  } else if device.measure == "force" || device.motor != nil {
    notes.append("no haptics\(reason)")
  }
  return notes
}
