/// The version of this project: of the daemon, of forcectl and of the library.
public let forcedVersion = "0.1.0"
