import CLinux
import LinuxSystem
import Testing

@Suite struct FileDescriptorTests {
  private func isOpen(_ number: Int32) -> Bool {
    FileSystem.exists("/proc/self/fd/\(number)")
  }

  @Test func closesWhenItsOwnerGoes() throws {
    let reading = try FileDescriptor.pipe().takeFirst()
    var byte: UInt8 = 0
    #expect(withUnsafeMutableBytes(of: &byte) { reading.read(into: $0) } == .endOfFile)
  }

  @Test func aReleasedDescriptorStaysOpenUntilItsNewOwnerGoes() throws {
    let file = try FileDescriptor.open("/dev/zero")
    let number = file.release()
    #expect(isOpen(number))
    _ = FileDescriptor(owning: number)
  }

  @Test func readSaysWouldBlockThenBytes() throws {
    let pipe = try FileDescriptor.pipe()
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(bytes.withUnsafeMutableBytes { pipe.first.read(into: $0) } == .wouldBlock)
    #expect(pipe.second.write(text: "abc") == .bytes(3))
    #expect(bytes.withUnsafeMutableBytes { pipe.first.read(into: $0) } == .bytes(3))
  }

  @Test func aFailedReadTellsWhy() throws {
    let directory = try FileDescriptor.open("/", .directory)
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(
      bytes.withUnsafeMutableBytes { directory.read(into: $0) } == .failed(.isADirectory))
  }

  @Test func openNamesThePathThatFailed() {
    #expect {
      _ = try FileDescriptor.open("/no/such/file").rawValue
    } throws: { error in
      let error = error as? SystemError
      return error == SystemError("open", "/no/such/file", .noEntry)
        && error?.description == "cannot open /no/such/file: No such file or directory"
    }
  }

  @Test func duplicatesShareTheFile() throws {
    let pipe = try FileDescriptor.pipe()
    let second = try pipe.second.duplicate()
    #expect(second.rawValue != pipe.second.rawValue)
    _ = second.write(text: "x")
    #expect(pipe.first.readText() == "x")
  }

  @Test func writeAllRefusesAFullNonblockingPipe() throws {
    let pipe = try FileDescriptor.pipe()
    let much = [UInt8](repeating: 1, count: 1 << 20)
    #expect(throws: SystemError("write", "", .wouldBlock)) {
      try much.withUnsafeBytes { try pipe.second.writeAll($0) }
    }
  }
}
