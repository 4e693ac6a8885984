import ForceCore
import LinuxSystem

/// What a store does to files: the kernel's, or a test's that dies in between.
protocol StateFiles: Sendable {
  func list(_ folder: String) throws(SystemError) -> [String]
  func read(_ path: String) throws(SystemError) -> [UInt8]
  func exists(_ path: String) -> Bool
  func makeFolder(_ path: String) throws(SystemError)
  /// Writes a whole file and waits until the disk has it.
  func write(_ path: String, _ bytes: [UInt8]) throws(SystemError)
  func rename(_ from: String, to: String) throws(SystemError)
  func remove(_ path: String) throws(SystemError)
  /// Waits until the disk has the names in a folder.
  func synchronize(_ folder: String) throws(SystemError)
}

extension StateFiles {
  /// Puts a whole file in the place of another, by way of NAME.new.
  /// - Parameter keepsOld: the one before stays as NAME.old.
  func replace(
    _ name: String, in folder: String, with bytes: [UInt8], keepsOld: Bool = false
  ) throws(SystemError) {
    let path = "\(folder)/\(name)"
    try makeFolder(folder)
    do throws(SystemError) { try write(path + ".new", bytes) } catch {
      // On a full disk: a part of a file is of use to nobody.
      try? remove(path + ".new")
      throw error
    }
    if keepsOld, exists(path) { try rename(path, to: path + ".old") }
    try rename(path + ".new", to: path)
    try synchronize(folder)
  }
}

struct SystemStateFiles: StateFiles {
  func list(_ folder: String) throws(SystemError) -> [String] { try FileSystem.list(folder) }

  func read(_ path: String) throws(SystemError) -> [UInt8] {
    // A FIFO would wait for its writer before the daemon serves anyone.
    guard try FileSystem.status(of: path).kind == .regular else {
      throw SystemError("read as a file", path, .invalidArgument)
    }
    return try FileSystem.read(path, limit: 1 << 20)
  }

  func exists(_ path: String) -> Bool { FileSystem.exists(path) }

  func makeFolder(_ path: String) throws(SystemError) {
    if FileSystem.exists(path) { return }
    let parent = FileSystem.directory(of: path)
    if parent != path { try makeFolder(parent) }
    try FileSystem.createDirectory(path, permissions: 0o700)
  }

  func write(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let file = try FileDescriptor.open(path, [.writeOnly, .create, .truncate], permissions: 0o600)
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, SystemError> in
      do throws(SystemError) { return .success(try file.writeAll(bytes)) } catch {
        return .failure(SystemError("write", path, error.errno))
      }
    }
    try result.get()
    try file.synchronize()
  }

  func rename(_ from: String, to: String) throws(SystemError) {
    try FileSystem.rename(from, to: to)
  }

  func remove(_ path: String) throws(SystemError) { try FileSystem.unlink(path) }

  func synchronize(_ folder: String) throws(SystemError) {
    try FileDescriptor.open(folder, .directory).synchronize()
  }
}

/// The calibrations of all devices, a file each. Whenever the daemon dies while it saves, the old
/// calibration is there or the new one:
///
/// | step | what there is |
/// |---|---|
/// | NAME.new is written | NAME, the old one |
/// | NAME becomes NAME.old | NAME.old, the old one, which `load` takes where NAME is missing |
/// | NAME.new becomes NAME | NAME, the new one |
struct CalibrationStore: Sendable {
  let folder: String
  let files: any StateFiles

  init(folder: String, files: any StateFiles = SystemStateFiles()) {
    self.folder = folder
    self.files = files
  }

  /// What was learned of ranges lies in the same folder.
  var ranges: RangeStore { RangeStore(folder: folder, files: files) }

  /// Where state belongs: what systemd names, else the user's folder, for root `/var/lib/forced`; nil
  /// where there is none. A relative XDG_STATE_HOME is ignored, as its specification says.
  static var defaultFolder: String? {
    folder(isRoot: CurrentProcess.effectiveUser == 0) { CurrentProcess.environment($0) }
  }

  static func folder(isRoot: Bool, _ variable: (String) -> String?) -> String? {
    if let named = variable("STATE_DIRECTORY"), !named.isEmpty {
      return named.split(separator: ":").first.map(String.init)
    }
    if isRoot { return "/var/lib/forced" }
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/forced" }
    return variable("HOME").flatMap { $0.hasPrefix("/") ? "\($0)/.local/state/forced" : nil }
  }

  func save(_ key: String, _ calibrations: [Int32: Calibration]) throws(SystemError) {
    try files.replace(
      CalibrationFile.name(for: key), in: folder,
      with: CalibrationFile.encode(key, calibrations), keepsOld: true)
  }

  /// Everything that is stored, by the devices' keys.
  /// - Parameter note: called with a sentence for each file that had to be put aside.
  func load(_ note: (String) -> Void) -> [String: [Int32: Calibration]] {
    guard files.exists(folder) else { return [:] }
    var found: [String: [Int32: Calibration]] = [:]
    let names: [String]
    do throws(SystemError) { names = try files.list(folder) } catch {
      note("no calibration is in force: \(error)")
      return [:]
    }
    let ending = ".calibration"
    for name in Set(names.compactMap { base(of: $0, ending) }).sorted() {
      var isWhole = true
      for path in ["\(folder)/\(name)", "\(folder)/\(name).old"] where files.exists(path) {
        guard let (key, calibrations) = read(path, note) else {
          isWhole = false
          continue
        }
        found[key] = calibrations
        if !isWhole { note("the calibration before it, \(path), is in force instead") }
        break
      }
    }
    return found
  }

  /// The name without what `save` adds to it; nil for other files.
  private func base(of name: String, _ ending: String) -> String? {
    if name.hasSuffix(ending) { return name }
    return name.hasSuffix(ending + ".old") ? String(name.dropLast(4)) : nil
  }

  private func read(
    _ path: String, _ note: (String) -> Void
  ) -> (key: String, calibrations: [Int32: Calibration])? {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try files.read(path) } catch {
      note("a calibration is left out: \(error)")
      return nil
    }
    do throws(DeviceFile.Damage) { return try CalibrationFile.decode(bytes) } catch {
      let aside = path + ".damaged"
      let isAside = (try? files.rename(path, to: aside)) != nil
      note(
        "the calibration in \(path) is damaged: \(error); "
          + (isAside ? "it was put aside as \(aside)" : "it is left out"))
      return nil
    }
  }
}
