import Dispatch
import ForceClient
import LinuxSystem

@testable import ForceControl

func reading(
  _ device: String = "pad", contact: Int32 = 0, sequence: UInt64 = 1, percent: Double = 42.3,
  grams: Double = 162.86, atMaximum: Bool = false, state: ContactState = .touching
) -> ReadingRecord {
  ReadingRecord(
    device: device, contact: contact, sequence: sequence, time: Instant(microseconds: 1),
    raw: 1_732, percent: percent, grams: grams, gramsSource: .nominal,
    unsmoothedPercent: percent, atMaximum: atMaximum, state: state)
}

func device(
  _ id: String = "pad", name: String = "Test pad", measure: String = "force",
  reason: String? = nil, connected: Bool = true
) -> DeviceRecord {
  DeviceRecord(
    id: id, name: name, kind: "pressurepad", measure: measure, reason: reason,
    connected: connected, minimum: 0, maximum: 4_095, spanGrams: 385, gramsSource: "nominal",
    haptics: "FF_RUMBLE", motor: id)
}

func time(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }

/// Takes what a command writes.
final class Capture: @unchecked Sendable {
  private let queue = DispatchQueue(label: "capture")
  private var written = ""
  private var limit: Int

  /// - Parameter limit: the reader goes away after so many writes.
  init(limit: Int = .max) { self.limit = limit }

  var text: String { queue.sync { written } }
  var lines: [Substring] { text.split(separator: "\n") }

  var output: Output {
    Output { text in
      self.queue.sync {
        guard self.limit > 0 else { return .closed }
        self.limit -= 1
        self.written += text
        return .written
      }
    }
  }
}

/// Runs forcectl without its process.
struct Session {
  var output = Capture()
  var errors = Capture()
  var hasTerminal = false

  func run(_ arguments: String...) async -> ExitStatus {
    var environment = Environment(
      hasTerminal: hasTerminal, hasColour: false,
      terminalSize: { TerminalSize(columns: 60, rows: 10) })
    environment.output = output.output
    environment.errors = errors.output
    return await ForceControl.run(arguments, in: environment)
  }
}
