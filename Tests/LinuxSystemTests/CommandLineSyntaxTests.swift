import LinuxSystem
import Testing

private let syntax = CommandLineSyntax([
  .init("socket", value: .required("PATH"), summary: "where the daemon listens"),
  .init("simulate", value: .optional("PATTERN"), summary: "a built-in pad"),
  .init("json", letter: "j", summary: "one object a line"),
  .init("count", letter: "n", value: .required("N"), summary: "how many"),
  .init("counters", summary: "what was counted"),
])

private func failure(of arguments: [String]) -> CommandLineError? {
  do throws(CommandLineError) {
    _ = try syntax.parse(arguments)
    return nil
  } catch { return error }
}

@Suite("Command lines")
struct CommandLineSyntaxTests {
  @Test("Options come with or without '=', abbreviated, as letters and between operands")
  func options() throws {
    let line = try syntax.parse(
      ["a", "--socket", "/run/x", "--json", "b", "--socket=/run/y", "-n5", "--simulate"])
    #expect(line.operands == ["a", "b"])
    #expect(line.values(of: "socket") == ["/run/x", "/run/y"])
    #expect(line.value(of: "socket") == "/run/y")
    #expect(line.value(of: "count") == "5")
    #expect(line.has("json"))
    #expect(line.has("simulate") && line.value(of: "simulate") == nil)
    #expect(try syntax.parse(["--soc", "x"]).value(of: "socket") == "x")
    #expect(try syntax.parse(["--simulate=tap"]).value(of: "simulate") == "tap")
    #expect(try syntax.parse(["-jn", "7"]).value(of: "count") == "7")
  }

  @Test("Two dashes end the options, a single one is an operand")
  func endOfOptions() throws {
    let line = try syntax.parse(["-j", "--", "--socket", "-"])
    #expect(line.operands == ["--socket", "-"])
    #expect(try syntax.parse(["-"]).operands == ["-"])
  }

  @Test("A syntax can stop at the first operand")
  func stopsAtOperand() throws {
    let line = try CommandLineSyntax(syntax.options, stopsAtOperand: true)
      .parse(["--json", "watch", "--device", "x"])
    #expect(line.operands == ["watch", "--device", "x"])
  }

  @Test("Nothing at all is nothing")
  func empty() throws {
    #expect(try syntax.parse([]) == ParsedCommandLine())
    #expect(try CommandLineSyntax([]).parse(["x"]).operands == ["x"])
  }

  @Test("What is wrong is named")
  func errors() {
    #expect(failure(of: ["--jso=1"]) == .unwantedValue(option: "--json"))
    #expect(failure(of: ["--socket"]) == .missingValue(option: "--socket", value: "PATH"))
    #expect(failure(of: ["-n"]) == .missingValue(option: "--count", value: "N"))
    #expect(failure(of: ["a", "--nope=3"]) == .unknownOption("--nope=3"))
    #expect(failure(of: ["-jx"]) == .unknownOption("-x"))
    #expect(
      failure(of: ["--coun"]) == .ambiguousOption("--coun", candidates: ["--count", "--counters"]))
    #expect(failure(of: ["--socket"])?.description == "--socket needs a value: --socket PATH")
  }

  @Test("Many threads can read command lines at once")
  func threads() async {
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<32 {
        group.addTask {
          (try? syntax.parse(["--count", "\(index)", "x"]).value(of: "count")) == "\(index)"
        }
      }
      for await right in group { #expect(right) }
    }
  }
}
