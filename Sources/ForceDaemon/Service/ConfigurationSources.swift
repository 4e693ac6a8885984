import LinuxSystem

/// Which files make up the configuration, in systemd's order.
///
/// One main file: the first of `/etc`, `/run`, `/usr/local/lib`, `/usr/lib` that has
/// `forced/forced.conf`. Then the drop-ins `forced/forced.conf.d/*.conf` of all four, sorted by file
/// name; of two with the same name the one in the earlier folder counts, and a link to `/dev/null`
/// there hides the later one.
struct ConfigurationSources {
  static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib"]

  /// The file that the command line names; it alone counts then.
  var explicit: String?
  /// Stands before every path; for tests.
  var root = ""

  /// The paths to read, in the order in which later ones override earlier ones.
  ///
  /// - Throws: when a folder is there and cannot be listed.
  func paths() throws(SystemError) -> [String] {
    if let explicit { return [explicit] }
    var paths: [String] = []
    for folder in Self.folders {
      let path = "\(root)\(folder)/forced/forced.conf"
      if FileSystem.exists(path) {
        paths.append(path)
        break
      }
    }
    return paths + (try fragments("forced.conf.d"))
  }

  /// The device profiles, `forced/devices.d/*.conf` of all four folders, in the order of their names.
  ///
  /// - Throws: when a folder is there and cannot be listed.
  func profilePaths() throws(SystemError) -> [String] {
    explicit == nil ? try fragments("devices.d") : []
  }

  private func fragments(_ name: String) throws(SystemError) -> [String] {
    var byName: [String: String] = [:]
    for folder in Self.folders {
      let path = "\(root)\(folder)/forced/\(name)"
      guard FileSystem.exists(path) else { continue }
      for name in try FileSystem.list(path) where name.hasSuffix(".conf") {
        if byName[name] == nil { byName[name] = "\(path)/\(name)" }
      }
    }
    return byName.sorted { $0.key < $1.key }.map(\.value)
  }
}
