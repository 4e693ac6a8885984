import CSystemd
import ForceCore
import LinuxSystem

/// Tells the service manager how the daemon is, and feeds its watchdog from the loop itself: a loop
/// that hangs stops feeding.
final class ServiceNotifier: TimedWork {
  /// Half the watchdog's time; nil without a watchdog.
  private let interval: Microseconds?
  private(set) var deadline: Instant?
  /// Makes room for the socket that each message needs: without it clients who take every descriptor
  /// would have the watchdog end the daemon.
  private var spare: FileDescriptor?

  init() {
    var limit: UInt64 = 0
    // 0: leave the environment as it is.
    let enabled = sd_watchdog_enabled(0, &limit) > 0
    interval = enabled ? Microseconds(Int64(limit / 2)) : nil
    reserve()
  }

  private func reserve() { spare = try? FileDescriptor.open("/dev/null") }

  private func send(_ message: String) {
    spare = nil
    sd_notify(0, message)
    reserve()
  }

  /// From now on the watchdog is fed.
  func ready(_ status: String, at now: Instant) {
    send("READY=1\nSTATUS=\(status)")
    deadline = interval.map { now + $0 }
  }

  func reloading(at now: Instant) {
    send("RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)")
  }

  func stopping() { send("STOPPING=1") }

  func run(at now: Instant) {
    send("WATCHDOG=1")
    deadline = interval.map { now + $0 }
  }
}
