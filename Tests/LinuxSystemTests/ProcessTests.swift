import CLinux
import Glibc
import LinuxSystem
import Testing

@Suite struct AccountTests {
  @Test func namesAndNumbersMatch() throws {
    #expect(try Accounts.group(named: "root") == 0)
    #expect(Accounts.userName(0) == "root")
    #expect(Accounts.groupName(0) == "root")
  }

  @Test func whatDoesNotExistHasNoNumber() throws {
    #expect(try Accounts.group(named: "no such group") == nil)
    #expect(try Accounts.group(named: "") == nil)
    #expect(try Accounts.group(nameOrNumber: "4294967295") == nil, "the kernel's -1")
    #expect(try Accounts.group(nameOrNumber: "4294967294") == 4_294_967_294)
  }

  @Test func whatHasNoNameIsNamedByItsNumber() {
    #expect(Accounts.userName(3_999_999_999) == "3999999999")
    #expect(Accounts.groupName(3_999_999_999) == "3999999999")
  }
}

@Suite struct ProcessTests {
  @Test func tellsWhoItIs() throws {
    #expect(CurrentProcess.id == getpid())
    #expect(CurrentProcess.effectiveUser == geteuid())
    #expect(CurrentProcess.isRoot == (geteuid() == 0))
    #expect(try CurrentProcess.groups().count == Int(getgroups(0, nil)))
  }

  @Test func anUnsetVariableIsNotAnEmptyOne() {
    setenv("FORCED_TEST_EMPTY", "", 1)
    #expect(CurrentProcess.environment("FORCED_TEST_EMPTY") == "")
    #expect(CurrentProcess.environment("FORCED_TEST_UNSET") == nil)
  }

  @Test func aPipeIsNoTerminal() throws {
    let pipe = try FileDescriptor.pipe()
    let number = pipe.first.rawValue
    #expect(!Terminal.isTerminal(number))
    #expect(Terminal.size(number) == nil)
  }
}

@Suite struct SignalTests {
  @Test func blockedSignalsComeThroughTheDescriptor() throws {
    let signals = try SignalDescriptor([.user1, .user2])
    let poll = try EventPoll()
    try poll.add(signals.descriptor, token: 1)
    #expect(signals.next() == nil)
    // To this very thread: the others do not block it.
    raise(SIGUSR2)
    #expect(try poll.wait(microseconds: 0) == 1)
    #expect(signals.next() == .user2)
    #expect(signals.next() == nil)
    #expect(try poll.wait(microseconds: 0) == 0)
  }
}

@Suite struct SystemErrorTests {
  @Test func saysWhatWasTriedOnWhatAndWhyNot() {
    #expect(
      SystemError("open", "/x", .accessDenied).description == "cannot open /x: Permission denied")
    #expect(
      SystemError("make a timer", "", .tooManyOpenFiles).description
        == "cannot make a timer: Too many open files")
  }

  @Test func unknownNumbersHaveWordsToo() {
    #expect(Errno(rawValue: 9_999).description.contains("9999"))
  }
}

@Suite struct DirectoryWatchTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func tellsOfEntriesThatComeChangeAndGo() throws {
    try FileSystem.createDirectory(directory.file("d"))
    let watch = try DirectoryWatch(directory.file("d"))
    #expect(watch.acknowledge() == false)
    try directory.write("d/a", "")
    #expect(watch.acknowledge() == true)
    try FileSystem.setPermissions(of: directory.file("d/a"), to: 0o600)
    #expect(watch.acknowledge() == true)
    try directory.write("d/a", "content is no change")
    #expect(watch.acknowledge() == false)
    try FileSystem.unlink(directory.file("d/a"))
    #expect(watch.acknowledge() == true)
    #expect(watch.acknowledge() == false)
  }

  @Test func tellsOfADirectoryThatComesLater() throws {
    let watch = try DirectoryWatch(directory.file("d"))
    try FileSystem.createDirectory(directory.file("d"))
    #expect(watch.acknowledge() == true)
    try directory.write("d/a", "")
    #expect(watch.acknowledge() == true)
  }
}
