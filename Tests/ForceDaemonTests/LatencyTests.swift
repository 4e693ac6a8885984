import ForceProtocol
import ForceTestSupport
import Testing

@testable import ForceDaemon

/// What the daemon tells of its own latency.
@Suite struct LatencyTests {
  @Test func everyPublishedReadingOfAnEventIsCounted() throws {
    let moving = (Int32(0)..<40).map { (index: Int32) -> Int32 in index % 2 * 50 + 25 }
    let values = moving + [Int32](repeating: 100, count: 20) + [Int32(-1)]
    let daemon = try RunningDaemon([ScriptedInput.press(.forcePad(), values)])
    let before = try daemon.latency()
    #expect(before.publish.count == 0 && before.publish.p50 == nil && before.publish.buckets == [])
    let watcher = try daemon.client()
    try watcher.send(#"{"method":"org.forced.Force.Watch","more":true}"#)
    _ = try watcher.line { $0.contains("\"released\"") }
    let after = try daemon.latency()
    // At the least every change of the raw value was one.
    #expect(after.publish.count >= 40)
    #expect(after.publish.buckets.reduce(0) { $0 + $1.count } == after.publish.count)
    #expect(try #require(after.publish.maximum) >= #require(after.publish.p50))
  }
}
