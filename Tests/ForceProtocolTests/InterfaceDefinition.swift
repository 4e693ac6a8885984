import ForceProtocol

/// A Varlink interface definition, read closely enough to hold messages against it.
struct InterfaceDefinition {
  indirect enum FieldType: Equatable {
    case bool, int, float, string, object
    case named(String)
    case optional(FieldType)
    case array(FieldType)
    case structure([Field])
    case enumeration([String])
  }

  struct Field: Equatable {
    var name: String
    var type: FieldType
  }

  struct Method: Equatable {
    var parameters: [Field]
    var results: [Field]
  }

  struct SyntaxError: Error {
    var message: String
  }

  private(set) var name = ""
  private(set) var types: [String: FieldType] = [:]
  private(set) var methods: [String: Method] = [:]
  private(set) var errors: [String: [Field]] = [:]

  init(_ text: String) throws {
    var tokens = Tokens(text)
    try tokens.expect("interface")
    name = try tokens.next()
    while let keyword = tokens.peek() {
      _ = try tokens.next()
      let member = try tokens.next()
      guard member.first?.isUppercase == true, member.allSatisfy({ $0.isLetter || $0.isNumber })
      else { throw SyntaxError(message: "\(member) cannot be the name of a \(keyword)") }
      guard types[member] == nil, methods[member] == nil, errors[member] == nil else {
        throw SyntaxError(message: "\(member) is there twice")
      }
      switch keyword {
      case "type": types[member] = try tokens.braces()
      case "error": errors[member] = try tokens.fields()
      case "method":
        let parameters = try tokens.fields()
        try tokens.expect("->")
        methods[member] = Method(parameters: parameters, results: try tokens.fields())
      default: throw SyntaxError(message: "\(keyword) begins no member")
      }
    }
  }

  /// What is wrong with an object that is to have these fields; empty where nothing is.
  func mismatches(_ object: JSONObject, _ fields: [Field], at path: String = "") -> [String] {
    var found: [String] = []
    for member in object.members where !fields.contains(where: { $0.name == member.key }) {
      found.append("\(path)\(member.key) is not declared")
    }
    for field in fields {
      found += mismatches(object[field.name], field.type, at: path + field.name)
    }
    return found
  }

  private func mismatches(_ value: JSONValue?, _ type: FieldType, at path: String) -> [String] {
    switch (type, value) {
    case (.optional, nil): return []
    case (_, nil): return ["\(path) is missing"]
    case (.optional(let wrapped), _): return mismatches(value, wrapped, at: path)
    case (.named(let name), _):
      guard let type = types[name] else { return ["\(path) has the unknown type \(name)"] }
      return mismatches(value, type, at: path)
    case (.bool, .bool), (.string, .string), (.int, .integer), (.float, .integer),
      (.float, .number), (.object, .object):
      return []
    case (.array(let element), .array(let values)):
      return values.enumerated().flatMap { mismatches($1, element, at: "\(path)[\($0)]") }
    case (.structure(let fields), .object(let object)):
      return mismatches(object, fields, at: path + ".")
    case (.enumeration(let names), .string(let name)):
      return names.contains(name) ? [] : ["\(path) is \(name), none of \(names)"]
    default: return ["\(path) is \(value?.kind ?? "nothing"), not \(type)"]
    }
  }
}

/// The words and marks of a definition, comments left out.
private struct Tokens {
  private var tokens: [String] = []
  private var position = 0

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      var rest = line.prefix { $0 != "#" }
      while let first = rest.first {
        if first.isWhitespace {
          rest.removeFirst()
          continue
        }
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        let mark = ["->", "[]"].first { rest.hasPrefix($0) } ?? String(first)
        let token = word.isEmpty ? mark : String(word)
        tokens.append(token)
        rest = rest.dropFirst(token.count)
      }
    }
  }

  func peek() -> String? { position < tokens.count ? tokens[position] : nil }

  mutating func next() throws -> String {
    guard let token = peek() else {
      throw InterfaceDefinition.SyntaxError(message: "it ends too early")
    }
    position += 1
    return token
  }

  mutating func expect(_ wanted: String) throws {
    let token = try next()
    if token != wanted {
      throw InterfaceDefinition.SyntaxError(message: "\(token) where \(wanted) belongs")
    }
  }

  mutating func fields() throws -> [InterfaceDefinition.Field] {
    switch try braces() {
    case .structure(let fields): return fields
    default: throw InterfaceDefinition.SyntaxError(message: "an enumeration where fields belong")
    }
  }

  /// A structure or an enumeration.
  mutating func braces() throws -> InterfaceDefinition.FieldType {
    try expect("(")
    var fields: [InterfaceDefinition.Field] = []
    var names: [String] = []
    if peek() == ")" {
      _ = try next()
      return .structure([])
    }
    while true {
      let name = try next()
      if peek() == ":" {
        _ = try next()
        fields.append(InterfaceDefinition.Field(name: name, type: try type()))
      } else {
        names.append(name)
      }
      let mark = try next()
      if mark == ")" { break }
      if mark != "," { throw InterfaceDefinition.SyntaxError(message: "\(mark) after \(name)") }
    }
    if !names.isEmpty && !fields.isEmpty {
      throw InterfaceDefinition.SyntaxError(message: "\(names) without types")
    }
    return fields.isEmpty ? .enumeration(names) : .structure(fields)
  }

  private mutating func type() throws -> InterfaceDefinition.FieldType {
    switch peek() {
    case "(": return try braces()
    case "?":
      _ = try next()
      return .optional(try type())
    case "[]":
      _ = try next()
      return .array(try type())
    default: break
    }
    let name = try next()
    switch name {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    default: return .named(name)
    }
  }
}
