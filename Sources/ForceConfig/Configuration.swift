import ForceCore

/// Everything that the configuration decides. The defaults here are the defaults.
public struct Configuration: Equatable, Sendable {
  public var engine = EngineSettings()
  public var server = ServerSettings()
  public var realtime = RealtimeSettings()

  public init() {}

  /// The keys that say something else than in `running` and count only from a start on.
  public func keysForRestart(of running: Configuration) -> [String] {
    let (old, new) = (running.server, server)
    return [
      ("SocketMode", old.socketMode != new.socketMode),
      ("SocketGroup", old.socketGroup != new.socketGroup),
      ("PublishPositions", old.publishPositions != new.publishPositions),
      ("Priority", running.realtime.priority != realtime.priority),
      ("LockMemory", running.realtime.lockMemory != realtime.lockMemory),
    ].compactMap { $0.1 ? $0.0 : nil }
  }
}

/// The socket and what its clients may take.
public struct ServerSettings: Equatable, Sendable {
  /// Permission bits of the socket, 0…0777.
  public var socketMode: UInt32 = 0o660
  /// The group that owns the socket; nil: the daemon's own.
  public var socketGroup: String? = "input"
  /// The group whose members may steer the daemon, beside root and the daemon's own user; nil: none.
  public var controlGroup: String?
  /// Readings say where the contact is.
  public var publishPositions = false
  /// Connections at once, 1…65,536.
  public var maxConnections = 1_024
  /// Connections of one user at once, 1…65,536.
  public var maxConnectionsPerUser = 64
  /// The longest request, 1 KiB…16 MiB.
  public var maxMessageSize = 65_536
  /// Calls of one connection that are not answered yet, 1…65,536.
  public var maxRequestsInFlight = 64

  public init() {}
}

/// What the daemon asks of the scheduler.
public struct RealtimeSettings: Equatable, Sendable {
  /// `SCHED_FIFO` priority, 1…99; 0: ordinary scheduling.
  public var priority = 10
  /// Keeps the daemon's memory from being paged out.
  public var lockMemory = true

  public init() {}
}

/// One configuration file.
public struct ConfigurationFile: Equatable, Sendable {
  /// Where it is, for messages.
  public var path: String
  public var bytes: [UInt8]

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  public init(path: String, text: String) {
    self.init(path: path, bytes: Array(text.utf8))
  }
}

extension Configuration {
  /// Reads configuration files, in the order in which each is to override those before it.
  ///
  /// The syntax is systemd's: `[Section]`, `Key=value`, comments on lines of their own that begin
  /// with `#` or `;`, a backslash at the end of a line joins it with the next, and an empty value
  /// brings the default back.
  ///
  /// - Throws: every error of every file, not only the first.
  public static func parse(
    _ files: [ConfigurationFile]
  ) throws(ConfigurationErrors) -> Configuration {
    var reader = ConfigurationReader()
    for file in files { reader.read(file) }
    return try reader.finish()
  }
}
