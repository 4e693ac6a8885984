import ForceCore
import ForceTestSupport
import Testing

@testable import ForceDaemon

/// Positions could tell what is typed on a screen: they leave the daemon only where that is configured.
@Suite struct PositionTests {
  /// A press at a place that nothing else here has in its numbers.
  private var press: ScriptedInput {
    var frames: [(after: Microseconds, events: [(UInt16, UInt16, Int32)])] = []
    for (index, force) in [Int32(10), 20, -1].enumerated() {
      let place = [
        (EventType.absolute, AbsoluteCode.x, Int32(987)), (EventType.absolute, AbsoluteCode.y, 543),
      ]
      let press = [
        (EventType.key, KeyCode.touch, Int32(force < 0 ? 0 : 1)),
        (EventType.absolute, AbsoluteCode.pressure, max(force, 0)),
      ]
      frames.append((.milliseconds(Int64(index) * 5), place + press))
    }
    return ScriptedInput(.forcePad(), frames)
  }

  /// Everything that the daemon says of the press and of its device.
  private func told(_ configuration: String) throws -> [String] {
    let daemon = try RunningDaemon([press], configuration: configuration)
    let watcher = try daemon.client()
    try watcher.send(#"{"method":"org.forced.Force.Watch","more":true}"#)
    var lines = [try watcher.line()]
    while lines.last?.contains("released") == false { lines.append(try watcher.line()) }
    let asker = try daemon.client()
    for method in ["GetReading", "ListDevices"] {
      lines.append(try asker.call(#"{"method":"org.forced.Force.\#(method)"}"#))
    }
    return lines
  }

  @Test func nothingOfAPositionLeavesTheDaemonByDefault() throws {
    let told = try told("")
    #expect(told.count > 3)
    for line in told {
      for part in [#""x"#, #""y"#, ":987", ":543"] { #expect(!line.contains(part), "\(line)") }
    }
  }

  @Test func positionsAndTheirRangesAreToldWhereThatIsConfigured() throws {
    let told = try told("[Server]\nPublishPositions=yes\n")
    let ranges = #""x_minimum":0,"x_maximum":1000,"y_minimum":0,"y_maximum":600"#
    #expect(told.filter { $0.contains(ranges) }.count == 2)
    for line in told where line.contains(#""raw""#) {
      #expect(line.contains(#""x":987,"y":543"#), "\(line)")
    }
  }
}
