import ForceCore

/// A press as text: one frame a line, its time first.
///
///     0ms     touch 1  pressure 300
///     12.5ms  pressure 600        # a comment
///     300ms   touch 0
///
/// Every line ends its frame with `SYN_REPORT`, except one that says `silence`: then time passes and
/// nothing comes. Times are µs, ms or s since the start.
public struct PressScript: Sendable {
  public struct Frame: Sendable {
    public var time: Instant
    public var events: [InputEvent]
  }

  public struct Mistake: Error, CustomStringConvertible {
    public var line: Int
    public var description: String
  }

  public var frames: [Frame] = []

  public init(_ text: String) throws(Mistake) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      guard let time = Self.time(first) else {
        throw Mistake(line: index + 1, description: "\(first) is no time")
      }
      frames.append(
        Frame(
          time: time, events: try Self.events(words.dropFirst(), at: time, line: index + 1)))
    }
  }

  private static func time(_ word: Substring) -> Instant? {
    for (unit, factor) in [("us", 1.0), ("ms", 1_000), ("s", 1_000_000)] where word.hasSuffix(unit)
    {
      return Double(word.dropLast(unit.count))
        .map { Instant(microseconds: Int64(($0 * factor).rounded())) }
    }
    return nil
  }

  private static func events(
    _ words: ArraySlice<Substring>, at time: Instant, line: Int
  ) throws(Mistake) -> [InputEvent] {
    var events: [InputEvent] = []
    var rest = words
    while let name = rest.popFirst() {
      if name == "silence" { return [] }
      if let code = synchronizations[String(name)] {
        events.append(
          InputEvent(time: time, type: EventType.synchronization, code: code, value: 0))
        continue
      }
      guard let value = rest.popFirst().flatMap({ Int32($0) }) else {
        throw Mistake(line: line, description: "\(name) needs a number")
      }
      if let code = keys[String(name)] {
        events.append(InputEvent(time: time, type: EventType.key, code: code, value: value))
      } else if let code = axes[String(name)] {
        events.append(InputEvent(time: time, type: EventType.absolute, code: code, value: value))
      } else if let code = miscellaneous[String(name)] {
        events.append(
          InputEvent(time: time, type: EventType.miscellaneous, code: code, value: value))
      } else {
        throw Mistake(line: line, description: "\(name) is no event")
      }
    }
    let report = SynchronizationCode.report
    return events
      + [InputEvent(time: time, type: EventType.synchronization, code: report, value: 0)]
  }

  private static let synchronizations: [String: UInt16] = [
    "report": SynchronizationCode.report, "packet": SynchronizationCode.multitouchReport,
    "dropped": SynchronizationCode.dropped,
  ]

  private static let keys: [String: UInt16] = [
    "touch": KeyCode.touch, "pen": KeyCode.toolPen, "rubber": KeyCode.toolRubber,
    "finger": KeyCode.toolFinger, "doubletap": KeyCode.toolDoubleTap,
  ]

  private static let miscellaneous: [String: UInt16] = [
    "serial": MiscellaneousCode.serial, "timestamp": 0x05,
  ]

  private static let axes: [String: UInt16] = [
    "x": AbsoluteCode.x, "y": AbsoluteCode.y, "z": AbsoluteCode.z, "rz": AbsoluteCode.rz,
    "gas": AbsoluteCode.gas, "brake": AbsoluteCode.brake, "pressure": AbsoluteCode.pressure,
    "distance": AbsoluteCode.distance, "tool": AbsoluteCode.miscellaneous,
    "slot": AbsoluteCode.slot, "id": AbsoluteCode.trackingID,
    "mt-pressure": AbsoluteCode.touchPressure, "mt-distance": AbsoluteCode.touchDistance,
    "mt-x": AbsoluteCode.positionX, "mt-y": AbsoluteCode.positionY,
    "major": AbsoluteCode.touchMajor,
    "hat0x": AbsoluteCode.hat0X, "hat0y": AbsoluteCode.hat0Y,
    "hat1x": AbsoluteCode.hat1X, "hat1y": AbsoluteCode.hat1Y,
  ]
}
