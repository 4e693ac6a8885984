import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceClient

@Suite("Where the daemon is looked for")
struct SocketAddressTests {
  @Test("The option, the variable, the user's own daemon, the system's: in this order")
  func order() {
    func paths(_ address: SocketAddress, _ variables: [String: String]) -> [String] {
      address.paths { variables[$0] }
    }
    let all = ["FORCED_SOCKET": "/a.sock", "XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(paths(.path("/x.sock"), all) == ["/x.sock"])
    #expect(paths(.standard, all) == ["/a.sock"])
    #expect(
      paths(.standard, ["XDG_RUNTIME_DIR": "/run/user/1", "FORCED_SOCKET": ""])
        == ["/run/user/1/forced/forced.sock", "/run/forced/forced.sock"])
    #expect(paths(.standard, [:]) == ["/run/forced/forced.sock"])
  }
}

@Suite("What a client that cannot connect is told")
struct UnreachableTests {
  private func text(_ attempts: UnreachableDaemon.Attempt...) -> String {
    ForceClientError.unreachable(UnreachableDaemon(attempts: attempts, user: "ada")).description
  }

  @Test("No socket: where it was looked for and how to start the daemon")
  func noSocket() {
    let text = text(
      .init(path: "/run/user/1/forced/forced.sock", errno: .noEntry),
      .init(path: "/run/forced/forced.sock", errno: .connectionRefused))
    #expect(text.contains("/run/user/1/forced/forced.sock (no socket there)"))
    #expect(text.contains("/run/forced/forced.sock (nobody listens there)"))
    #expect(text.contains("systemctl start forced"))
  }

  @Test("No permission: the group and how to join it")
  func noPermission() {
    let text = text(
      .init(path: "/run/forced/forced.sock", errno: .accessDenied, group: "input"))
    #expect(text.contains("members of the group 'input'"))
    #expect(text.contains("sudo usermod -aG input ada"))
    #expect(text.contains("log in again"))
  }

  @Test("No permission and no group that would have it")
  func noGroup() {
    #expect(text(.init(path: "/x.sock", errno: .accessDenied)).contains("SocketGroup"))
  }

  @Test("Connecting names every path that was tried")
  func attempts() {
    #expect(throws: ForceClientError.self) {
      _ = try SocketAddress.path("/nonexistent/forced.sock").connect()
    }
  }

  private func failure(at path: String) -> String {
    do throws(ForceClientError) {
      _ = try SocketAddress.path(path).connect()
      return ""
    } catch { return error.description }
  }

  @Test("A path that is too long for a socket: how long it is, and what to name instead")
  func tooLong() {
    let text = failure(at: "/tmp/" + String(repeating: "x", count: 200))
    #expect(text.contains("205 bytes long, and the path of a socket has at most 107"))
    #expect(text.contains("--socket") && !text.contains("is it running"))
  }

  @Test("A file that is no socket is said to be none")
  func otherFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("notes.txt", "")
    let text = failure(at: "\(folder.path)/notes.txt")
    #expect(text.contains("notes.txt (no socket, but something else)"))
    #expect(text.contains("--socket") && !text.contains("is it running"))
    #expect(failure(at: folder.path).contains("no socket, but something else"))
  }
}
