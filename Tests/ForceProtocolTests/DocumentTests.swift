import ForceProtocol
import LinuxSystem
import Testing

/// docs/protocol.md, held against the interface definition.
@Suite struct DocumentTests {
  let text: String
  let definition: InterfaceDefinition

  init() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    text = String(decoding: try FileSystem.read(root + "/docs/protocol.md"), as: UTF8.self)
    definition = try InterfaceDefinition(ForceInterface.definition)
  }

  /// What stands under a heading, up to the next one of the same or a higher level.
  private func section(_ heading: String) throws -> Substring {
    let start = try #require(text.firstRange(of: "\n\(heading)\n"), "\(heading)")
    let rest = text[start.upperBound...]
    let end = rest.firstRange(of: heading.hasPrefix("###") ? "\n##" : "\n## ")
    return rest[..<(end?.lowerBound ?? rest.endIndex)]
  }

  /// The rows of the tables in a section: the names in the first cell, the words in the second.
  private func rows(_ section: Substring) -> [(names: [String], second: String)] {
    section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
      let names = cells[0].split(separator: "`").filter { !$0.hasPrefix(",") }.map(String.init)
      return (names, cells.count > 1 ? cells[1] : "")
    }
  }

  @Test func everyMethodHasItsParametersAndResultsInATable() throws {
    for (name, method) in definition.methods {
      let section = try section("### \(name)")
      let documented = rows(section).flatMap(\.names)
      let expected =
        method.parameters.map(\.name) + (name == "Watch" ? method.results.map(\.name) : [])
      #expect(documented == expected, "\(name)")
      for result in method.results { #expect(section.contains("`\(result.name)`"), "\(name)") }
    }
  }

  @Test(arguments: ["Reading", "Device", "Status"])
  func everyFieldOfATypeIsInItsTable(_ name: String) throws {
    guard case .structure(let fields) = definition.types[name] else {
      Issue.record("no such type")
      return
    }
    #expect(rows(try section("### \(name)")).flatMap(\.names) == fields.map(\.name))
  }

  @Test func theSmallerTypesAndAllEnumerationsAreDescribed() throws {
    for type in definition.types.values {
      switch type {
      case .structure(let fields):
        for field in fields { #expect(text.contains("`\(field.name)`"), "\(field.name)") }
      case .enumeration(let names):
        for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
      default: break
      }
    }
  }

  @Test func everyErrorIsInTheTableWithItsParameters() throws {
    let documented = rows(try section("## Errors"))
    for (name, fields) in definition.errors {
      let row = try #require(documented.first { $0.names == [name] }, "\(name)")
      #expect(row.second == fields.map { "`\($0.name)`" }.joined(separator: ", "))
    }
    let service = try InterfaceDefinition(ServiceInterface.definition)
    for name in service.errors.keys where name != "PermissionDenied" {
      #expect(documented.contains { $0.names == [name] }, "\(name)")
    }
  }

  @Test func theMessagesInTheTextAreWhatTheInterfaceDeclares() throws {
    var method = ""
    var count = 0
    var isJSON = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") {
        isJSON = line == "```json"
        continue
      }
      guard isJSON else { continue }
      count += 1
      if let request = try? decodeRequest(String(line)) {
        method = String(request.method.dropFirst(ForceInterface.name.count + 1))
        let fields = try #require(definition.methods[method]).parameters
        #expect(definition.mismatches(request.parameters, fields) == [])
        continue
      }
      let reply = try decodeReply(String(line))
      let error = reply.error.map { String($0.dropFirst(ForceInterface.name.count + 1)) }
      let fields =
        try error.map { try #require(definition.errors[$0]) }
        ?? #require(definition.methods[method]).results
      #expect(definition.mismatches(reply.parameters, fields) == [])
      #expect(reply.continues == (method == "Watch"))
    }
    #expect(count > 8)
  }
}
