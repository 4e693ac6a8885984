internal import CLinux

/// The process that this code runs in.
public enum CurrentProcess {
  public static var id: Int32 { clinux_process_id() }
  /// The user that the kernel checks permissions for.
  public static var effectiveUser: UInt32 { clinux_effective_user_id() }
  public static var effectiveGroup: UInt32 { clinux_effective_group_id() }
  public static var isRoot: Bool { effectiveUser == 0 }

  /// Supplementary groups; the effective one need not be among them.
  public static func groups() throws(SystemError) -> [UInt32] {
    try groupList("read the groups of this process") { clinux_process_groups($0, $1) }
  }

  /// A variable of the environment; nil when it is not set, "" when it is set to nothing.
  public static func environment(_ name: String) -> String? {
    clinux_environment(name).map { String(cString: $0) }
  }

  /// Opens `/dev/null`, for reading, where standard input, output or error is closed: nothing else
  /// gets their numbers and is written to by mistake, and to write there still fails. Before anything
  /// else is opened.
  public static func reserveStandardStreams() {
    while true {
      guard let null = try? FileDescriptor.open("/dev/null") else { return }
      guard null.rawValue <= 2 else { return }
      _ = null.release()
    }
  }

  /// Allows itself as many open descriptors as it may have (the hard limit of RLIMIT_NOFILE). The usual
  /// soft limit of 1,024 is for programs that call select(2).
  public static func raiseDescriptorLimit() throws(SystemError) {
    try checked(clinux_raise_descriptor_limit(), "raise the limit of open descriptors")
  }

  /// Makes sure that the process may have what Dispatch takes for granted: refused a thread it waits for
  /// ever, and without a descriptor it ends the process without a word.
  public static func checkForDispatch() throws(SystemError) {
    var most: UInt64 = 0
    try checked(clinux_descriptor_limit(&most), "look at the limit of open descriptors")
    guard most >= leastDescriptors else {
      throw SystemError(
        "start with less than \(leastDescriptors) open descriptors (ulimit -n)", "",
        .tooManyOpenFiles)
    }
    let result = clinux_try_thread()
    try checked(result, "start a thread, which ulimit -u or the service's TasksMax= has to allow")
  }

  /// What the loop and its workers open before anything else, and some to spare.
  private static let leastDescriptors: UInt64 = 16

  /// Ends at once, without running anything that waits for the end of the process.
  public static func exit(_ status: Int32) -> Never { clinux_exit(status) }
}

/// Asks twice: for the count of groups, then for the groups, until both agree.
func groupList(
  _ operation: String, _ ask: (UnsafeMutablePointer<UInt32>?, Int32) -> Int32
) throws(SystemError) -> [UInt32] {
  var capacity = 0
  while true {
    var groups = [UInt32](repeating: 0, count: capacity)
    let result = groups.withUnsafeMutableBufferPointer { ask($0.baseAddress, Int32($0.count)) }
    // getgroups says EINVAL when the list has grown in between.
    if result == -EINVAL, capacity > 0 {
      capacity *= 2
      continue
    }
    let count = Int(try checked(result, operation))
    if count <= capacity { return Array(groups.prefix(count)) }
    capacity = count
  }
}

/// The terminal behind a descriptor, where there is one.
public enum Terminal {
  public static func isTerminal(_ descriptor: Int32) -> Bool { clinux_is_terminal(descriptor) == 1 }

  /// Columns and rows; nil when it is no terminal or does not know.
  public static func size(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
    var columns: UInt16 = 0
    var rows: UInt16 = 0
    guard clinux_terminal_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else {
      return nil
    }
    return (Int(columns), Int(rows))
  }
}
