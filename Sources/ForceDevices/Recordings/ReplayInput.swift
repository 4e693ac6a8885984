import ForceCore

/// A recording as a device: plays its frames at the distances in which they were recorded, then
/// leaves.
///
/// A contact that is still under way when the recording ends is released by whoever detaches the
/// device, as with any device that is unplugged in mid-press.
public final class ReplayInput: ScheduledInput {
  public let recording: EvemuRecording
  private var nextFrame = 0
  /// What `begin(at:)` adds to the recorded times.
  private var shift = Microseconds.zero

  public init(_ recording: EvemuRecording) {
    self.recording = recording
  }

  public var description: DeviceDescription { recording.description }

  /// When the first frame was recorded; nil for a recording without frames. `begin(at: firstTime)`
  /// keeps the recording's own times.
  public var firstTime: Instant? { recording.firstTime }

  public var nextTime: Instant? {
    guard nextFrame < recording.frameEnds.count else { return nil }
    return time(ofFrame: nextFrame)
  }

  public func begin(at start: Instant) {
    nextFrame = 0
    shift = firstTime.map { start - $0 } ?? .zero
  }

  public func deliver(until now: Instant, to sink: (InputEvent) -> Void) {
    while let due = nextTime, due <= now {
      let start = nextFrame == 0 ? 0 : recording.frameEnds[nextFrame - 1]
      for index in start..<recording.frameEnds[nextFrame] {
        var event = recording.events[index]
        event.time = event.time + shift
        sink(event)
      }
      nextFrame += 1
    }
  }

  private func time(ofFrame frame: Int) -> Instant {
    recording.events[recording.frameEnds[frame] - 1].time + shift
  }
}
