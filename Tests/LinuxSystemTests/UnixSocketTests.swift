import Glibc
import LinuxSystem
import Testing

@Suite struct UnixSocketTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("s")
  }

  private func receive(_ socket: borrowing FileDescriptor) -> Transfer {
    var bytes = [UInt8](repeating: 0, count: 64)
    return bytes.withUnsafeMutableBytes { socket.receive(into: $0) }
  }

  @Test func carriesBytesBothWays() throws {
    let listener = try UnixListener(at: path, permissions: 0o600)
    #expect(try listener.accept() == nil)
    let client = try UnixSocket.connect(to: path)
    guard let server = try listener.accept() else {
      Issue.record("no connection")
      return
    }
    #expect([1, 2].withUnsafeBytes { client.send($0) } == .bytes(16))
    #expect(receive(server) == .bytes(16))
    #expect(receive(server) == .wouldBlock)
    #expect([UInt8](repeating: 0, count: 3).withUnsafeBytes { server.send($0, $0) } == .bytes(6))
    #expect(receive(client) == .bytes(6))
    #expect(shutdown(client.rawValue, Int32(SHUT_WR)) == 0)
    #expect(receive(server) == .endOfFile)
  }

  @Test func aSocketThatIsTakenOverKnowsItsPathAndLeavesItsFile() throws {
    let owner = try UnixListener(at: path, permissions: 0o600)
    let copy = try UnixListener(adopting: try owner.descriptor.duplicate())
    #expect(copy.path == path)
    let client = try UnixSocket.connect(to: path)
    guard let server = try copy.accept() else {
      Issue.record("no connection")
      return
    }
    #expect(server.rawValue >= 0)
    let (clientListens, copyListens) = (
      client.isListeningUnixSocket(), copy.descriptor.isListeningUnixSocket()
    )
    #expect(!clientListens && copyListens)
    copy.removeFile()
    #expect(FileSystem.exists(path))
  }

  @Test func namesTheProcessUserAndGroupOfThePeer() throws {
    let pair = try UnixSocket.pair()
    let peer = try pair.first.peerCredentials()
    #expect(peer.process == CurrentProcess.id)
    #expect(peer.user == CurrentProcess.effectiveUser)
    #expect(peer.group == CurrentProcess.effectiveGroup)
    let groups = (peer: try pair.first.peerGroups(), own: try CurrentProcess.groups())
    #expect(groups.peer.sorted() == groups.own.sorted())
  }

  @Test func aClosedPeerIsAnErrorAndNoSignal() throws {
    let first = try UnixSocket.pair().takeFirst()
    #expect([UInt8(1)].withUnsafeBytes { first.send($0) } == .failed(.brokenPipe))
  }

  @Test func aFullSocketSaysWouldBlock() throws {
    let pair = try UnixSocket.pair()
    try pair.first.setSendBuffer(1)
    let much = [UInt8](repeating: 0, count: 1 << 16)
    var sent = 0
    while case .bytes(let count) = much.withUnsafeBytes({ pair.first.send($0) }) { sent += count }
    #expect(much.withUnsafeBytes { pair.first.send($0) } == .wouldBlock)
    #expect(sent < 1 << 20)
  }

  @Test func theFileHasTheModeAskedForWhateverTheUmask() throws {
    let listener = try UnixListener(
      at: path, permissions: 0o666, group: CurrentProcess.effectiveGroup)
    let status = try FileSystem.status(of: path)
    #expect(status.kind == .socket)
    #expect(status.permissions == 0o666)
    #expect(status.group == CurrentProcess.effectiveGroup)
    #expect(listener.descriptor.isListeningUnixSocket() == true)
  }

  @Test func aSecondListenerIsRefusedAndToldThePidOfTheFirst() throws {
    let first = try UnixListener(at: path, permissions: 0o600)
    #expect(throws: ListenError.inUse(path: path, process: CurrentProcess.id)) {
      try UnixListener(at: path, permissions: 0o600)
    }
    _ = try UnixSocket.connect(to: path)
    #expect(try first.accept() != nil)
  }

  @Test func aListenerWithAFullQueueIsStillInUse() throws {
    let first = try UnixListener(at: path, permissions: 0o600, backlog: 0)
    let waiting = try UnixSocket.connect(to: path)
    #expect(throws: ListenError.inUse(path: path, process: nil)) {
      try UnixListener(at: path, permissions: 0o600)
    }
    #expect(waiting.rawValue >= 0 && first.descriptor.rawValue >= 0)
  }

  @Test func aStaleSocketFileIsReplaced() throws {
    _ = try UnixListener(at: path, permissions: 0o600)
    #expect(FileSystem.exists(path))
    let second = try UnixListener(at: path, permissions: 0o600)
    _ = try UnixSocket.connect(to: path)
    #expect(try second.accept() != nil)
  }

  @Test func aFileThatIsNoSocketIsLeftAlone() throws {
    try directory.write("s", "precious")
    #expect(throws: ListenError.notASocket(path: path)) {
      try UnixListener(at: path, permissions: 0o600)
    }
    #expect(try FileSystem.read(path) == Array("precious".utf8))
  }

  @Test func removesItsOwnFileOnly() throws {
    let first = try UnixListener(at: path, permissions: 0o600)
    try FileSystem.unlink(path)
    let second = try UnixListener(at: path, permissions: 0o600)
    first.removeFile()
    #expect(FileSystem.exists(path))
    second.removeFile()
    #expect(!FileSystem.exists(path))
  }

  @Test func connectingToNothingSaysSo() throws {
    #expect(throws: SystemError("connect to", path, .noEntry)) {
      _ = try UnixSocket.connect(to: path).rawValue
    }
    _ = try UnixListener(at: path, permissions: 0o600)
    #expect(throws: SystemError("connect to", path, .connectionRefused)) {
      _ = try UnixSocket.connect(to: path).rawValue
    }
  }

  @Test func aPathThatDoesNotFitAnAddressIsRefused() {
    let long = "/tmp/" + String(repeating: "x", count: UnixSocket.longestPath - 4)
    #expect(throws: ListenError.pathTooLong(path: long)) {
      try UnixListener(at: long, permissions: 0o600)
    }
  }
}
