import ForceConfig
import LinuxSystem

/// A configuration and the files that it came from.
struct LoadedConfiguration: Equatable, Sendable {
  var configuration = Configuration()
  var paths: [String] = []
  /// In the order of their names.
  var profiles: [DeviceProfile] = []
  /// Who may steer, by the accounts as they were when the configuration was read.
  var access = Access()
}

/// Why there is no configuration: one line for each error.
struct ConfigurationProblems: Error, Equatable { let lines: [String] }

extension ConfigurationSources {
  /// Reads and checks every file.
  func load() throws(ConfigurationProblems) -> LoadedConfiguration {
    let paths: [String]
    let profilePaths: [String]
    var profileFiles: [ConfigurationFile] = []
    var files: [ConfigurationFile] = []
    do throws(SystemError) {
      paths = try self.paths()
      profilePaths = try self.profilePaths()
      for path in profilePaths {
        profileFiles.append(
          ConfigurationFile(path: path, bytes: try FileSystem.read(path, limit: 1 << 20)))
      }
      for path in paths {
        // A pipe would keep us waiting for its writer. /dev/null is how a drop-in is masked.
        let kind = try FileSystem.status(of: path).kind
        guard kind == .regular || kind == .characterDevice else {
          if kind == .directory { throw SystemError("read", path, .isADirectory) }
          throw SystemError("read", "\(path), which is no file", .invalidArgument)
        }
        files.append(
          ConfigurationFile(path: path, bytes: try FileSystem.read(path, limit: 1 << 20)))
      }
    } catch { throw ConfigurationProblems(lines: ["\(error)"]) }
    var lines: [String] = []
    var loaded = LoadedConfiguration(paths: paths + profilePaths)
    do throws(ConfigurationErrors) { loaded.configuration = try Configuration.parse(files) } catch {
      lines += error.errors.map(\.description)
    }
    for file in profileFiles {
      do throws(ConfigurationErrors) {
        loaded.profiles.append(try DeviceProfile.parse(file))
      } catch { lines += error.errors.map(\.description) }
    }
    guard lines.isEmpty else { throw ConfigurationProblems(lines: lines) }
    loaded.access = Access(controlGroup: loaded.configuration.server.controlGroup)
    return loaded
  }
}
