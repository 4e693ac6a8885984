import ForceCore
import LinuxSystem

/// Signals, taken by the loop like any other input.
final class SignalWatch: DescriptorHandler {
  private let signals: SignalDescriptor
  private let handle: (Signal, Instant) -> Void

  init(_ signals: consuming SignalDescriptor, _ handle: @escaping (Signal, Instant) -> Void) {
    self.signals = signals
    self.handle = handle
  }

  func start(on loop: Loop) throws(SystemError) {
    _ = try loop.add(signals.descriptor.rawValue, handler: self)
  }

  func descriptorReady(_ readiness: Readiness, at now: Instant) {
    while let signal = signals.next() { handle(signal, now) }
  }
}
