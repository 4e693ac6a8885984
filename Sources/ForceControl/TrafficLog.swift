import Dispatch
import ForceClient
import LinuxSystem

/// Writes messages as they come, each with its direction and the time since the first.
final class TrafficLog: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.forced.traffic")
  private let environment: Environment
  private var start: Instant?
  private var failure: CommandFailure?

  init(_ environment: Environment) { self.environment = environment }

  func write(_ direction: MessageDirection, _ message: [UInt8]) {
    queue.sync {
      guard failure == nil else { return }
      let now = environment.now()
      let time = now - (start ?? now)
      start = start ?? now
      do throws(CommandFailure) {
        try environment.output.line(trafficLine(direction, message, after: time))
      } catch {
        failure = error
      }
    }
  }

  /// Throws what went wrong while writing.
  func check() throws(CommandFailure) {
    if let failure = queue.sync(execute: { failure }) { throw failure }
  }
}

/// A message's line: `  0.001204 < {"parameters":{}}`.
func trafficLine(
  _ direction: MessageDirection, _ message: [UInt8], after time: Microseconds
) -> String {
  let mark = direction == .toDaemon ? ">" : "<"
  let text = printable(String(decoding: message, as: UTF8.self))
  return "\(aligned(fixed(time.seconds, places: 6), to: 10)) \(mark) \(text)"
}
