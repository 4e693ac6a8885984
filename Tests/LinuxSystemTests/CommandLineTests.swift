import LinuxSystem
import Testing

/// Serialized: `getopt_long` keeps its place in globals.
@Suite(.serialized) struct CommandLineTests {
  private let table = [
    OptionDescription("socket", .required), OptionDescription("simulate", .optional),
    OptionDescription("check"),
  ]

  @Test func optionsAndOperandsComeInAnyOrder() throws {
    let line = try ParsedCommandLine(
      ["one", "--socket", "/s", "two", "--simulate=tap", "--check"], options: table)
    #expect(
      line.options.map { "\($0.name)=\($0.value ?? "nil")" } == [
        "socket=/s", "simulate=tap", "check=nil",
      ])
    #expect(line.operands == ["one", "two"])
  }

  @Test func anOptionalValueNeedsAnEqualsSign() throws {
    let line = try ParsedCommandLine(["--simulate", "tap"], options: table)
    #expect(line.options.map(\.value) == [nil])
    #expect(line.operands == ["tap"])
  }

  @Test func twoDashesEndTheOptions() throws {
    let line = try ParsedCommandLine(["--check", "--", "--socket"], options: table)
    #expect(line.options.map(\.name) == ["check"])
    #expect(line.operands == ["--socket"])
  }

  @Test func theFirstOperandCanEndTheOptions() throws {
    let line = try ParsedCommandLine(
      ["--check", "run", "--socket"], options: table, stopsAtOperand: true)
    #expect(line.operands == ["run", "--socket"])
  }

  @Test(arguments: [
    (["--wrong"], "--wrong"), (["--socket"], "--socket"), (["--check=1"], "--check=1"),
    (["-x"], "-x"), (["--s", "1"], "--s"),
  ])
  func whatCannotBeMeantIsNamed(arguments: [String], name: String) {
    do {
      _ = try ParsedCommandLine(arguments, options: table)
      Issue.record("accepted")
    } catch {
      #expect(error.description.hasPrefix(name))
    }
  }
}
