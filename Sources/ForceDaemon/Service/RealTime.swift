import ForceConfig
import ForceProtocol
import LinuxSystem

/// Takes what real time the system allows. None of it is needed to run: what is refused is said once
/// and told in the status.
enum RealTime {
  /// Timer slack of the daemon's threads: 1 µs instead of the kernel's 50.
  static let timerSlack: UInt64 = 1_000

  /// Asks for it all. Has to come before the first other thread, which inherits it.
  static func take(_ settings: RealtimeSettings, log: Log) -> [RealtimeRecord] {
    [
      attempt("scheduler", wanted: settings.priority > 0, log) { () throws(SystemError) in
        try RealTimeScheduling.useFIFO(priority: Int32(settings.priority))
      },
      attempt("memory_lock", wanted: settings.lockMemory, log) { () throws(SystemError) in
        try RealTimeScheduling.lockMemory()
      },
      attempt("timer_slack", wanted: true, log) { () throws(SystemError) in
        try RealTimeScheduling.setTimerSlack(nanoseconds: timerSlack)
      },
    ]
  }

  private static func attempt(
    _ name: String, wanted: Bool, _ log: Log, _ body: () throws(SystemError) -> Void
  ) -> RealtimeRecord {
    guard wanted else { return RealtimeRecord(name: name, state: "off") }
    do throws(SystemError) {
      try body()
      return RealtimeRecord(name: name, state: "got")
    } catch {
      log.notice("goes on without real time: \(error)")
      return RealtimeRecord(name: name, state: "refused", reason: "\(error)")
    }
  }
}
