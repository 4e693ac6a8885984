import ForceCore
import ForceDevices
import Testing

@testable import ForceDaemon

/// Contacts in the text of a recording, counted without any of the code that is to find them.
@Suite(.enabled(if: Recordings.folder != nil, "there is no folder of recordings here"))
struct RecordedContactTests {
  @Test(arguments: Recordings.all)
  func contactsFoundAreTheContactsInTheRecording(file: String) throws {
    let recording = try Recordings.load(file)
    let capability = Capability.classify(recording.description)
    let found = try Recordings.dump(file).readings.filter { $0.state == .released }.count
    let counted = try #require(count(recording, capability.layout), "nothing counts its contacts")
    #expect(found == counted)
  }

  /// nil where this simple counting doesn't know how.
  private func count(_ recording: EvemuRecording, _ layout: SensorLayout?) -> Int? {
    if recording.frameEnds.isEmpty { return 0 }
    return countEvents(recording, layout)
  }

  private func countEvents(_ recording: EvemuRecording, _ layout: SensorLayout?) -> Int? {
    switch layout {
    case nil: 0
    case .slots: countSlots(recording)
    case .single: countTouches(recording)
    case .triggers(let codes): countTriggers(recording, codes)
    case .protocolA, .balanceBoard: nil
    }
  }

  private func frames(_ recording: EvemuRecording) -> [[InputEvent]] {
    var frames: [[InputEvent]] = []
    var frame: [InputEvent] = []
    let replay = ReplayInput(recording)
    replay.begin(at: Instant(microseconds: 0))
    replay.deliver(until: Instant(microseconds: .max / 4)) { event in
      if event.type == EventType.synchronization && event.code == SynchronizationCode.report {
        frames.append(frame)
        frame = []
      } else {
        frame.append(event)
      }
    }
    return frames
  }

  private func countSlots(_ recording: EvemuRecording) -> Int {
    var slot: Int32 = 0
    var ids: [Int32: Int32] = [:]
    var distances: [Int32: Int32] = [:]
    var down: [Int32: Int32] = [:]
    var begun = 0
    for frame in frames(recording) {
      for event in frame where event.type == EventType.absolute {
        switch event.code {
        case AbsoluteCode.slot: slot = event.value
        case AbsoluteCode.trackingID: ids[slot] = event.value
        case AbsoluteCode.touchDistance: distances[slot] = event.value
        default: break
        }
      }
      for (slot, id) in ids {
        let touches = id >= 0 && (distances[slot] ?? 0) == 0
        if touches && down[slot] != id { begun += 1 }
        down[slot] = touches ? id : nil
      }
    }
    return begun
  }

  private func countTouches(_ recording: EvemuRecording) -> Int? {
    let touches = { (event: InputEvent) in
      event.type == EventType.key && event.code == KeyCode.touch && event.value != 0
    }
    // Some pads announce it and never send it: their contacts are those of the slots, all as one.
    guard recording.events.contains(where: touches) else { return countAnySlot(recording) }
    var touch = recording.description.pressedKeys.contains(KeyCode.touch)
    var begun = touch ? 1 : 0
    for frame in frames(recording) {
      let before = touch
      for event in frame where event.type == EventType.key && event.code == KeyCode.touch {
        touch = event.value != 0
      }
      if touch && !before { begun += 1 }
    }
    return begun
  }

  private func countAnySlot(_ recording: EvemuRecording) -> Int? {
    var slot: Int32 = 0
    var live: Set<Int32> = []
    var wasLive = false
    var begun = 0
    for frame in frames(recording) {
      for event in frame where event.type == EventType.absolute {
        if event.code == AbsoluteCode.slot { slot = event.value }
        guard event.code == AbsoluteCode.trackingID else { continue }
        if event.value >= 0 { live.insert(slot) } else { live.remove(slot) }
      }
      if !live.isEmpty && !wasLive { begun += 1 }
      wasLive = !live.isEmpty
    }
    return begun
  }

  private func countTriggers(_ recording: EvemuRecording, _ codes: [UInt16]) -> Int {
    var values: [UInt16: Int32] = [:]
    var begun = 0
    for frame in frames(recording) {
      let before = values
      for event in frame where event.type == EventType.absolute && codes.contains(event.code) {
        values[event.code] = event.value
      }
      for code in codes {
        guard let axis = recording.description.axes[code] else { continue }
        let rest = axis.minimum + axis.flat
        if (values[code] ?? axis.value) > rest && (before[code] ?? axis.minimum) <= rest {
          begun += 1
        }
      }
    }
    return begun
  }
}
