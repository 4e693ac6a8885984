import ForceCore
import Glibc

@testable import ForceDevices

/// The recordings beside the package, where somebody has put them; the tests that need them do
/// nothing elsewhere.
enum RecordingFiles {
  static let folder: String? = {
    if let named = getenv("FORCED_RECORDINGS") { return String(cString: named) }
    // …/Tests/ForceDevicesTests/RecordingFiles.swift → the folder beside the package.
    let parts = #filePath.split(separator: "/").dropLast(4)
    let folder = "/" + parts.joined(separator: "/") + "/shared/recordings"
    return access(folder, R_OK) == 0 ? folder : nil
  }()

  static func paths(endingIn suffix: String) -> [String] {
    guard let folder, let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(suffix) { names.append(name) }
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }

  static func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// A recording by its file name; nil where the recordings are not.
  static func recording(_ name: String) throws -> EvemuRecording? {
    guard let folder else { return nil }
    return try EvemuRecording.parse(bytes(of: "\(folder)/\(name)"), path: name)
  }
}
