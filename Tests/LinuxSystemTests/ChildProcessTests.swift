import LinuxSystem
import Testing

@Suite("Child processes")
struct ChildProcessTests {
  private func end(
    _ words: String..., variables: [(name: String, value: String)] = []
  ) throws -> ChildProcess.End {
    try ChildProcess.start(words, variables: variables).wait()
  }

  @Test("A program's status, or the signal that ended it, comes back")
  func ends() throws {
    #expect(try end("true") == .exited(0))
    #expect(try end("sh", "-c", "exit 7") == .exited(7))
    #expect(try end("sh", "-c", "kill -TERM $$") == .killed(.terminate))
  }

  @Test("Words reach it as they are, variables replace those of the environment")
  func wordsAndVariables() throws {
    let script = #"[ "$1" = 'a b; $x' ] && [ "$GREETING" = "hello you" ] && [ -n "$PATH" ]"#
    #expect(
      try end("sh", "-c", script, "sh", "a b; $x", variables: [("GREETING", "hello you")])
        == .exited(0))
    #expect(
      try end("/usr/bin/env", "sh", "-c", "[ \"$PATH\" = x ]", variables: [("PATH", "x")])
        != .exited(0))
    #expect(
      try end("/bin/sh", "-c", "[ \"$PATH\" = x ]", variables: [("PATH", "x")]) == .exited(0))
  }

  @Test("It has no input and a default SIGPIPE")
  func surroundings() throws {
    try Signal.pipe.ignore()
    #expect(try end("sh", "-c", "read line") == .exited(1))
    #expect(try end("sh", "-c", "kill -PIPE $$") == .killed(.pipe))
  }

  @Test("What cannot be run is an error with its name")
  func cannotRun() {
    #expect(throws: SystemError("run", "/nonexistent/program", .noEntry)) {
      try ChildProcess.start(["/nonexistent/program"])
    }
    #expect(throws: SystemError("run", "/", .accessDenied)) { try ChildProcess.start(["/"]) }
    #expect(throws: SystemError.self) { try ChildProcess.start([]) }
  }

  @Test("A signal ends it, and may come after it has ended")
  func signals() throws {
    let child = try ChildProcess.start(["sleep", "1000"])
    try child.send(.terminate)
    child.waitUntilEnded()
    try child.send(.terminate)
    #expect(try child.wait() == .killed(.terminate))
  }
}
