import CLinux
import ForceCore
import ForceDevices
import LinuxSystem
import Testing

/// Reading the kernel's events off descriptors that are no device.
@Suite struct EventReaderTests {
  private final class End: Sendable {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    func send(_ bytes: some Collection<UInt8>) {
      let sent = Array(bytes).withUnsafeBytes { descriptor.send($0) }
      #expect(sent == .bytes(bytes.count))
    }
  }

  private let writer: End
  private let reader: EventReader

  init() throws {
    var ends: (End, EventReader)?
    try UnixSocket.pair().take {
      (first: consuming FileDescriptor, second: consuming FileDescriptor) in
      ends = (End(first), EventReader(second))
    }
    (writer, reader) = try #require(ends)
  }

  private func bytes(_ values: some Sequence<Int32>) -> [UInt8] {
    values.flatMap { value in
      var event = input_event()
      event.time.tv_sec = 3
      event.time.tv_usec = 4
      event.type = EventType.absolute
      event.code = AbsoluteCode.pressure
      event.value = value
      return withUnsafeBytes(of: event) { Array($0) }
    }
  }

  @Test func readsEventsWithTheirTimes() {
    writer.send(bytes([-7]))
    #expect(
      reader.events() == [
        InputEvent(
          time: Instant(microseconds: 3_000_004), type: EventType.absolute,
          code: AbsoluteCode.pressure, value: -7)
      ])
  }

  @Test func nothingToReadIsEmpty() {
    guard case .empty = reader.read() else {
      Issue.record("not empty")
      return
    }
  }

  @Test func whatDoesNotFitTheBufferComesWithTheNextRead() {
    writer.send(bytes(0..<100))
    var batches: [[Int32]] = []
    while case .events(let events) = reader.read() { batches.append(events.map(\.value)) }
    #expect(batches == [Array(0..<64), Array(64..<100)])
  }

  @Test(arguments: [1, 5, 23, 24, 25, 47, 100])
  func eventsThatAreCutAnywhereArriveWhole(piece: Int) {
    let all = bytes(0..<70)
    var values: [Int32] = []
    for start in stride(from: 0, to: all.count, by: piece) {
      writer.send(all[start..<min(start + piece, all.count)])
      while case .events(let events) = reader.read() { values += events.map(\.value) }
    }
    #expect(values == Array(0..<70))
  }

  @Test func aClosedWriterIsGone() throws {
    let reader = EventReader(try FileDescriptor.pipe().takeFirst())
    guard case .gone = reader.read() else {
      Issue.record("not gone")
      return
    }
  }

  @Test func whatCannotBeReadFailsWithItsReason() throws {
    let reader = EventReader(try FileDescriptor.open("/", .directory))
    guard case .failed(.isADirectory) = reader.read() else {
      Issue.record("not failed")
      return
    }
  }
}
