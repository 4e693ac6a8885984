import ForceConfig
import LinuxSystem

/// A configuration and the files that it came from.
struct LoadedConfiguration: Equatable, Sendable {
  var configuration = Configuration()
  var paths: [String] = []
}

/// Why there is no configuration: one line for each error.
struct ConfigurationProblems: Error, Equatable { let lines: [String] }

extension ConfigurationSources {
  /// Reads and checks every file.
  func load() throws(ConfigurationProblems) -> LoadedConfiguration {
    let paths: [String]
    var files: [ConfigurationFile] = []
    do throws(SystemError) {
      paths = try self.paths()
      for path in paths {
        // A pipe would keep us waiting for its writer. /dev/null is how a drop-in is masked.
        let kind = try FileSystem.status(of: path).kind
        guard kind == .regular || kind == .characterDevice else {
          throw SystemError("read", path, kind == .directory ? .isADirectory : .invalidArgument)
        }
        files.append(
          ConfigurationFile(path: path, bytes: try FileSystem.read(path, limit: 1 << 20)))
      }
    } catch { throw ConfigurationProblems(lines: ["\(error)"]) }
    do throws(ConfigurationErrors) {
      return LoadedConfiguration(configuration: try Configuration.parse(files), paths: paths)
    } catch { throw ConfigurationProblems(lines: error.errors.map(\.description)) }
  }
}
