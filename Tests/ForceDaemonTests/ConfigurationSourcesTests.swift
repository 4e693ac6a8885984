import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceDaemon

@Suite struct ConfigurationSourcesTests {
  private func names(_ files: [String]) throws -> [String] {
    let folder = try TemporaryFolder()
    for file in files { try folder.write(file, "") }
    let sources = ConfigurationSources(root: folder.path)
    return try sources.paths().map { String($0.dropFirst(folder.path.count)) }
  }

  @Test func theFirstMainFileCounts() throws {
    #expect(
      try names(["/usr/lib/forced/forced.conf", "/etc/forced/forced.conf"]) == [
        "/etc/forced/forced.conf"
      ])
    #expect(try names(["/usr/lib/forced/forced.conf"]) == ["/usr/lib/forced/forced.conf"])
    #expect(try names([]) == [])
  }

  @Test func dropInsAreSortedByNameAndTheAdministratorsHideOthers() throws {
    #expect(
      try names([
        "/usr/lib/forced/forced.conf.d/20-b.conf", "/usr/lib/forced/forced.conf.d/10-a.conf",
        "/etc/forced/forced.conf.d/20-b.conf", "/etc/forced/forced.conf.d/15-c.conf",
        "/etc/forced/forced.conf.d/notes.txt",
      ]) == [
        "/usr/lib/forced/forced.conf.d/10-a.conf", "/etc/forced/forced.conf.d/15-c.conf",
        "/etc/forced/forced.conf.d/20-b.conf",
      ])
  }

  @Test func aFileOnTheCommandLineStandsAlone() throws {
    var sources = ConfigurationSources()
    sources.explicit = "/nowhere/mine.conf"
    #expect(try sources.paths() == ["/nowhere/mine.conf"])
    #expect(throws: ConfigurationProblems.self) { try sources.load() }
  }

  @Test func whatIsNoFileIsRefusedAtOnce() throws {
    let folder = try TemporaryFolder()
    try FileSystem.createDirectory(folder.path + "/forced.conf")
    let sources = ConfigurationSources(explicit: folder.path + "/forced.conf")
    #expect(throws: ConfigurationProblems.self) { try sources.load() }
  }

  @Test func everyProblemNamesFileAndLine() throws {
    let folder = try TemporaryFolder()
    try folder.write("/mine.conf", "[Smoothing]\nTimeConstant=fast\n[Maximum]\nReachdAt=99\n")
    var sources = ConfigurationSources()
    sources.explicit = folder.path + "/mine.conf"
    #expect(throws: ConfigurationProblems.self) { try sources.load() }
    do { _ = try sources.load() } catch {
      #expect(error.lines.count == 2)
      #expect(error.lines[0].contains("mine.conf:2"))
      #expect(error.lines[1].contains("mine.conf:4") && error.lines[1].contains("ReachedAt"))
    }
  }
}
