import LinuxSystem
import Testing

@Suite struct FileSystemTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func readsBackWhatWasWritten() throws {
    try directory.write("a", "some words")
    #expect(try FileSystem.read(directory.file("a")) == Array("some words".utf8))
  }

  @Test func refusesAFileLongerThanTheLimit() throws {
    try directory.write("a", "0123456789")
    #expect(try FileSystem.read(directory.file("a"), limit: 10).count == 10)
    #expect(throws: SystemError("read", directory.file("a"), .fileTooLarge)) {
      try FileSystem.read(directory.file("a"), limit: 9)
    }
  }

  @Test func readingADirectoryFails() {
    #expect(throws: SystemError("read", directory.path, .isADirectory)) {
      try FileSystem.read(directory.path)
    }
  }

  @Test func listsNamesSorted() throws {
    for name in ["b", "a", ".hidden"] { try directory.write(name, "") }
    #expect(try FileSystem.list(directory.path) == [".hidden", "a", "b"])
  }

  @Test func makingADirectoryTwiceIsNoError() throws {
    try FileSystem.createDirectory(directory.file("d"))
    try FileSystem.createDirectory(directory.file("d"))
    #expect(try FileSystem.status(of: directory.file("d")).kind == .directory)
  }

  @Test func makingADirectoryWhereAFileIsFails() throws {
    try directory.write("d", "")
    #expect(throws: SystemError("make directory", directory.file("d"), .exists)) {
      try FileSystem.createDirectory(directory.file("d"))
    }
  }

  @Test func renameReplacesTheTarget() throws {
    try directory.write("old", "old")
    try directory.write("new", "new")
    try FileSystem.rename(directory.file("new"), to: directory.file("old"))
    #expect(try FileSystem.read(directory.file("old")) == Array("new".utf8))
    #expect(!FileSystem.exists(directory.file("new")))
  }

  @Test func permissionsAreSetAndTold() throws {
    try directory.write("a", "")
    try FileSystem.setPermissions(of: directory.file("a"), to: 0o640)
    let status = try FileSystem.status(of: directory.file("a"))
    #expect(status.permissions == 0o640)
    #expect(status.kind == .regular)
    #expect(status.user == CurrentProcess.effectiveUser)
  }

  @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/c", "a/b")])
  func directoryOfAPath(path: String, expected: String) {
    #expect(FileSystem.directory(of: path) == expected)
  }
}
