internal import CLinux

/// Real time for the calling thread, and for every thread that it starts from then on.
public enum RealTimeScheduling {
  /// Runs ahead of everything that has no real-time priority (SCHED_FIFO).
  ///
  /// - Parameter priority: 1…99.
  public static func useFIFO(priority: Int32) throws(SystemError) {
    try checked(clinux_fifo_priority(priority), "run at real-time priority \(priority)")
  }

  /// Runs like everything else again.
  public static func useOrdinary() throws(SystemError) {
    try checked(clinux_normal_priority(), "run without real time")
  }

  /// The priority that the thread has already, such as by a service manager; 0 without real time.
  public static var currentPriority: Int32 { max(clinux_current_fifo_priority(), 0) }

  /// The kernel signals and then ends a real-time thread that runs for so long without ever
  /// blocking (RLIMIT_RTTIME), so that a bug cannot freeze the machine.
  public static func limitRunTime(microseconds: Int64) throws(SystemError) {
    try checked(clinux_limit_realtime(microseconds), "limit real-time running")
  }

  /// Keeps all memory of the process, present and future, from being paged out.
  public static func lockMemory() throws(SystemError) {
    try checked(clinux_lock_memory(), "lock memory")
  }

  /// How much later than asked a timer may fire; the kernel's own value is 50,000 ns.
  public static func setTimerSlack(nanoseconds: UInt64) throws(SystemError) {
    try checked(clinux_timer_slack(nanoseconds), "set the timer slack")
  }
}
