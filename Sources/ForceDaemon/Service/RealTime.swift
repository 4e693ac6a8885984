import ForceConfig
import ForceProtocol
import LinuxSystem

/// Takes what real time the system allows. None of it is needed to run: what is refused is said once
/// and told in the status.
enum RealTime {
  /// Timer slack of the daemon's threads: 1 µs instead of the kernel's 50.
  static let timerSlack: UInt64 = 1_000
  /// How long a real-time thread may run without waiting for anything: 5 s, well above a start
  /// on a slow machine. Then the kernel ends the process, and its motors with it; a bug must not hold
  /// the machine.
  static let longestRun: Int64 = 5_000_000

  /// Asks for it all. Has to come before the first other thread, which inherits it.
  static func take(_ settings: RealtimeSettings, log: Log) -> [RealtimeRecord] {
    let scheduler = takeScheduler(Int32(settings.priority), log)
    return [
      scheduler,
      attempt("run_time_limit", wanted: scheduler.state == "got", log) { () throws(SystemError) in
        try RealTimeScheduling.limitRunTime(microseconds: longestRun)
      },
      attempt("memory_lock", wanted: settings.lockMemory, log) { () throws(SystemError) in
        try RealTimeScheduling.lockMemory()
      },
      attempt("timer_slack", wanted: true, log) { () throws(SystemError) in
        try RealTimeScheduling.setTimerSlack(nanoseconds: timerSlack)
      },
    ]
  }

  /// A service manager can have given real time already, and then may not let us change it.
  private static func takeScheduler(_ priority: Int32, _ log: Log) -> RealtimeRecord {
    let given = RealTimeScheduling.currentPriority
    guard given > 0 else {
      return attempt("scheduler", wanted: priority > 0, log) { () throws(SystemError) in
        try RealTimeScheduling.useFIFO(priority: priority)
      }
    }
    if given == priority { return RealtimeRecord(name: "scheduler", state: "got") }
    do throws(SystemError) {
      guard priority > 0 else {
        try RealTimeScheduling.useOrdinary()
        return RealtimeRecord(name: "scheduler", state: "off")
      }
      try RealTimeScheduling.useFIFO(priority: priority)
      return RealtimeRecord(name: "scheduler", state: "got")
    } catch {
      let reason = "priority \(given) is the service manager's: \(error)"
      log.notice(
        "keeps \(reason); set CPUSchedulingPriority= in a drop-in of the unit instead of Priority=")
      return RealtimeRecord(name: "scheduler", state: "got", reason: reason)
    }
  }

  private static func attempt(
    _ name: String, wanted: Bool, _ log: Log, _ body: () throws(SystemError) -> Void
  ) -> RealtimeRecord {
    guard wanted else { return RealtimeRecord(name: name, state: "off") }
    do throws(SystemError) {
      try body()
      return RealtimeRecord(name: name, state: "got")
    } catch {
      log.notice("goes on without \(name), which was refused: \(error)")
      return RealtimeRecord(name: name, state: "refused", reason: "\(error)")
    }
  }
}
