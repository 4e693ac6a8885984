import ForceCore
import LinuxSystem

/// What was learned of the devices' ranges, a file each beside the calibrations.
///
/// Learning again costs a press or two, so there is no second copy: a file is written anew beside the
/// old one, and a damaged one is left out and said.
struct RangeStore: Sendable {
  let folder: String
  let files: any StateFiles

  init(folder: String, files: any StateFiles = SystemStateFiles()) {
    self.folder = folder
    self.files = files
  }

  func save(_ key: String, _ ranges: [RememberedRange]) throws(SystemError) {
    try files.replace(
      RangeFile.name(for: key), in: folder, with: RangeFile.encode(key, ranges))
  }

  /// Everything that is stored, by the devices' keys.
  /// - Parameter note: called with a sentence for each file that is left out.
  func load(_ note: (String) -> Void) -> [String: [RememberedRange]] {
    guard files.exists(folder) else { return [:] }
    var found: [String: [RememberedRange]] = [:]
    let names = (try? files.list(folder)) ?? []
    for name in names.sorted() where name.hasSuffix(".range") {
      do {
        let (key, ranges) = try RangeFile.decode(files.read("\(folder)/\(name)"))
        found[key] = ranges
      } catch {
        note("what \(folder)/\(name) says of a device's range is left out: \(error)")
      }
    }
    return found
  }
}
