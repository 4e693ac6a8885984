/// A JSON object that keeps its members in order.
///
/// Made for the handful of members that a message has: looking one up walks the list. Equality
/// ignores the order, as JSON does.
public struct JSONObject: Sendable {
  public struct Member: Equatable, Sendable {
    public var key: String
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The members in the order in which they are written.
  public private(set) var members: [Member] = []

  public init() {}

  /// An object of these members; a repeated key replaces the value before it.
  public init(_ pairs: [(String, JSONValue)]) {
    for (key, value) in pairs { self[key] = value }
  }

  /// For a parser that has already seen to it that no key is there twice.
  init(uniqueMembers: [Member]) {
    members = uniqueMembers
  }

  public var isEmpty: Bool { members.isEmpty }
  public var count: Int { members.count }

  /// The value under a key; setting nil removes the member.
  public subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: Equatable {
  public static func == (a: JSONObject, b: JSONObject) -> Bool {
    a.count == b.count && a.members.allSatisfy { b[$0.key] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral, CustomStringConvertible {
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements)
  }

  /// The object as compact JSON text.
  public var description: String { JSONValue.object(self).description }
}
