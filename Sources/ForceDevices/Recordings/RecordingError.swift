/// Why a recording cannot be played: where it is wrong, what stands there and what should.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, as the caller named it.
  public var path: String
  /// The line, counted from 1; nil when the file as a whole is meant.
  public var line: Int?
  /// What was found, as the middle of a sentence.
  public var found: String
  /// What was expected, or what to do.
  public var expected: String

  public init(path: String, line: Int? = nil, found: String, expected: String) {
    self.path = path
    self.line = line
    self.found = found
    self.expected = expected
  }

  public var description: String {
    let place = line.map { "\(path):\($0)" } ?? path
    return "\(place): \(found); expected \(expected)"
  }
}
