import CSystemd
import ForceCore

/// Tells the service manager how the daemon is, and feeds its watchdog from the loop itself: a loop
/// that hangs stops feeding.
final class ServiceNotifier: TimedWork {
  /// Half the watchdog's time; nil without a watchdog.
  private let interval: Microseconds?
  private(set) var deadline: Instant?

  init() {
    var limit: UInt64 = 0
    // 0: leave the environment as it is.
    let enabled = sd_watchdog_enabled(0, &limit) > 0
    interval = enabled ? Microseconds(Int64(limit / 2)) : nil
  }

  /// From now on the watchdog is fed.
  func ready(_ status: String, at now: Instant) {
    sd_notify(0, "READY=1\nSTATUS=\(status)")
    deadline = interval.map { now + $0 }
  }

  func reloading(at now: Instant) {
    sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)")
  }

  func stopping() { sd_notify(0, "STOPPING=1") }

  func run(at now: Instant) {
    sd_notify(0, "WATCHDOG=1")
    deadline = interval.map { now + $0 }
  }
}
