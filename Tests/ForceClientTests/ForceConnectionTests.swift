import ForceClient
import ForceTestSupport
import Testing

@Suite("Calls")
struct ForceConnectionTests {
  @Test("A call brings the parameters of its reply")
  func call() async throws {
    let server = try ScriptedServer { request, peer in
      #expect(request == #"{"method":"org.example.Echo","parameters":{"text":"a\nb"}}"#)
      peer.send(#"{"parameters":{"text":"hello"}}"#)
    }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    let reply = try await connection.call("org.example.Echo", ["text": "a\nb"])
    #expect(reply == ["text": "hello"])
  }

  @Test("Overlapping calls get their replies in order, however the bytes are split")
  func pipelining() async throws {
    let server = try ScriptedServer { request, peer in
      let number = request.filter(\.isNumber)
      for byte in #"{"parameters":{"n":"#.utf8 { peer.sendBytes([byte]) }
      peer.sendBytes(Array("\(number)}}".utf8) + [0])
    }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask {
          let reply = try? await connection.call("org.example.N", ["n": JSONValue(number)])
          return reply?["n"]?.integerValue == Int64(number)
        }
      }
      for await right in group { #expect(right) }
    }
  }

  @Test("An error reply is thrown as what it is")
  func errorReply() async throws {
    let server = try ScriptedServer { _, peer in
      peer.send(
        #"{"error":"org.forced.Force.NoSuchDevice","parameters":{"device":"pad"}}"#)
    }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    await #expect(throws: ForceClientError.refused(.noSuchDevice("pad"))) {
      try await connection.call("org.example.X")
    }
  }

  @Test("A daemon that closes, talks nonsense or says nothing gives an error each")
  func badDaemons() async throws {
    let server = try ScriptedServer { request, peer in
      if request.contains("Close") { peer.close() }
      if request.contains("Nonsense") { peer.send("hello") }
    }
    defer { server.stop() }
    func failure(
      _ method: String, within limit: Microseconds = .seconds(60)
    ) async throws -> ForceClientError? {
      let connection = try ForceConnection(to: .path(server.path))
      do throws(ForceClientError) {
        _ = try await connection.call(method, timeLimit: limit)
        return nil
      } catch { return error }
    }
    #expect(try await failure("Close") == .connectionLost("the daemon closed it"))
    guard case .connectionLost(let reason)? = try await failure("Nonsense") else {
      Issue.record("nonsense was taken for a reply")
      return
    }
    #expect(reason.contains("no reply"))
    #expect(
      try await failure("Silence", within: .milliseconds(30))
        == .noAnswer(method: "Silence", after: .milliseconds(30)))
  }

  @Test("A late answer does not become the answer to the next call")
  func lateAnswer() async throws {
    let server = try ScriptedServer { request, peer in
      guard request.contains("Second") else { return }
      peer.send(#"{"parameters":{"n":1}}"#, #"{"parameters":{"n":2}}"#)
    }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    await #expect(throws: ForceClientError.self) {
      try await connection.call("First", timeLimit: .milliseconds(20))
    }
    #expect(try await connection.call("Second")["n"] == 2)
  }

  @Test("Cancelling a call ends it")
  func cancellation() async throws {
    let server = try ScriptedServer { _, _ in }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    let task = Task { try await connection.call("Silence") }
    task.cancel()
    await #expect(throws: ForceClientError.cancelled) { try await task.value }
  }

  @Test("A closed connection fails whoever waits and whoever comes later")
  func close() async throws {
    let server = try ScriptedServer { _, _ in }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    let task = Task { try await connection.call("Silence") }
    connection.close()
    await #expect(throws: ForceClientError.self) { try await task.value }
    await #expect(throws: ForceClientError.connectionLost("closed by this program")) {
      try await connection.call("Silence")
    }
  }

  @Test("A stream brings reply after reply and ends after the last")
  func stream() async throws {
    let server = try ScriptedServer { request, peer in
      #expect(request == #"{"method":"Count","more":true}"#)
      peer.send(
        #"{"parameters":{"n":1},"continues":true}"#, #"{"parameters":{"n":2},"continues":true}"#,
        #"{"parameters":{"n":3}}"#)
    }
    defer { server.stop() }
    var numbers: [Int64?] = []
    for try await reply in try ForceConnection(to: .path(server.path)).stream("Count") {
      numbers.append(reply["n"]?.integerValue)
    }
    #expect(numbers == [1, 2, 3])
  }

  @Test("Traffic is seen in both directions")
  func traffic() async throws {
    let server = try ScriptedServer { _, peer in peer.send(#"{"parameters":{}}"#) }
    defer { server.stop() }
    let (seen, log) = AsyncStream.makeStream(of: String.self)
    let connection = try ForceConnection(to: .path(server.path)) { direction, bytes in
      log.yield("\(direction) \(String(decoding: bytes, as: UTF8.self))")
    }
    _ = try await connection.call("X")
    log.finish()
    var lines: [String] = []
    for await line in seen { lines.append(line) }
    #expect(lines == [#"toDaemon {"method":"X"}"#, #"fromDaemon {"parameters":{}}"#])
  }

  @Test("A large call is sent whole to a daemon that reads slowly")
  func largeCall() async throws {
    let server = try ScriptedServer { request, peer in
      peer.send(#"{"parameters":{"n":\#(request.utf8.count)}}"#)
    }
    defer { server.stop() }
    let connection = try ForceConnection(to: .path(server.path))
    let text = String(repeating: "x", count: 500_000)
    let reply = try await connection.call("X", ["text": .string(text)])
    #expect(reply["n"]?.integerValue ?? 0 > 500_000)
  }
}
