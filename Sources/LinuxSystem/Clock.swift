internal import CLinux

/// Now on `CLOCK_MONOTONIC`, in microseconds.
public func monotonicNow() -> Int64 { clinux_monotonic_microseconds() }

/// Now on `CLOCK_MONOTONIC`, in nanoseconds.
public func monotonicNanoseconds() -> Int64 { clinux_monotonic_nanoseconds() }

/// Blocks the calling thread for so many microseconds, however many signals come.
public func sleepThread(microseconds: Int64) { clinux_sleep(microseconds) }
