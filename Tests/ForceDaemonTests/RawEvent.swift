import ForceCore

/// `struct input_event` of 64-bit Linux.
struct RawEvent {
  var seconds: Int64
  var microseconds: Int64
  var type: UInt16
  var code: UInt16
  var value: Int32

  init(_ time: Int64, _ type: UInt16, _ code: UInt16, _ value: Int32) {
    seconds = time / 1_000_000
    microseconds = time % 1_000_000
    self.type = type
    self.code = code
    self.value = value
  }

  /// A frame of a pad: its touch, its pressure and the end of the frame.
  static func frame(at time: Int64, pressure: Int32) -> [RawEvent] {
    [
      RawEvent(time, EventType.key, KeyCode.touch, 1),
      RawEvent(time, EventType.absolute, AbsoluteCode.pressure, pressure),
      RawEvent(time, EventType.synchronization, SynchronizationCode.report, 0),
    ]
  }
}
