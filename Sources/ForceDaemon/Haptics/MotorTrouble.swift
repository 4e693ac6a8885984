import ForceCore
import LinuxSystem

/// What goes wrong with a motor, in words.
extension MotorChannel {
  func tell(_ trouble: MotorTrouble) {
    let counters = state.counters
    func about(_ name: String, _ value: UInt64, _ error: MotorError? = nil) -> Log.Fields {
      .about(self.name, errno: error?.errno, counter: (name, value))
    }
    switch trouble {
    case .slow:
      log.warning(
        "\(name): its driver has not taken an effect for \(MotorState.uploadLimit.seconds) s; "
          + "rumble waits, readings go on", about("uploads_slow", counters.slow))
    case .answered(let time):
      log.notice(
        "\(name): its driver took an effect after \(time.seconds) s", .about(name))
    case .full:
      log.warning(
        "\(name): no rumble, because other programs use all effect slots of the device; "
          + "tried again at the next effect", about("uploads_full", counters.full))
    case .refused(let error):
      log.warning(
        "\(name): no rumble, because it refuses the effects that it announces: \(error.words)",
        about("uploads_refused", counters.refused, error))
    case .gone:
      log.notice(
        "\(name): its motor went in the middle of an effect; the device stops by itself",
        about("motors_gone", counters.gone))
    case .failed(let error):
      log.warning(
        "\(name): its motor did not obey: \(error.words)",
        about("haptics_failed", counters.undone, error))
    }
  }
}

extension MotorError {
  /// With the C library's words for errno.
  var words: String {
    guard case .failed(let operation, let errno) = self else { return description }
    return "\(operation) failed: \(Errno(rawValue: errno))"
  }

  fileprivate var errno: Int32? {
    if case .failed(_, let errno) = self { return errno }
    return nil
  }
}
