internal import CLinux

/// What came of one read, write, send or receive.
public enum Transfer: Equatable, Sendable {
  /// So many bytes moved; at least one.
  case bytes(Int)
  /// Nothing to read, or no room to write, for now.
  case wouldBlock
  /// The other side has closed.
  case endOfFile
  case failed(Errno)

  /// Reads the C shim's "-errno or a count"; a count of 0 ends what was asked to move something.
  @inline(__always)
  init(_ result: Int64) {
    if result > 0 {
      self = .bytes(Int(result))
    } else if result == 0 {
      self = .endOfFile
    } else {
      let number = Int32(truncatingIfNeeded: -result)
      self = number == EAGAIN ? .wouldBlock : .failed(Errno(rawValue: number))
    }
  }
}

/// An open file, socket or device. It has one owner and closes when that owner goes.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number for it. Whoever keeps this past the owner's life reads a stranger's file.
  public let rawValue: Int32

  /// Takes over an open descriptor; nobody else may close it.
  public init(owning rawValue: Int32) { self.rawValue = rawValue }

  deinit { clinux_close(rawValue) }

  /// Gives the number away: the caller closes it.
  public consuming func release() -> Int32 {
    let value = rawValue
    discard self
    return value
  }

  /// How to open a file. Reading only, unless told otherwise.
  public struct OpenOptions: OptionSet, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let writeOnly = OpenOptions(rawValue: Int32(CLINUX_O_WRONLY))
    public static let nonblocking = OpenOptions(rawValue: Int32(CLINUX_O_NONBLOCK))
    public static let create = OpenOptions(rawValue: Int32(CLINUX_O_CREAT))
    public static let truncate = OpenOptions(rawValue: Int32(CLINUX_O_TRUNC))
    public static let append = OpenOptions(rawValue: Int32(CLINUX_O_APPEND))
    public static let directory = OpenOptions(rawValue: Int32(CLINUX_O_DIRECTORY))
  }

  /// Opens a file, never to be inherited by a child. `permissions` count when it is created.
  public static func open(
    _ path: String, _ options: OpenOptions = [], permissions: UInt32 = 0o644
  ) throws(SystemError) -> FileDescriptor {
    FileDescriptor(
      owning: try checked(clinux_open(path, options.rawValue, permissions), "open", path))
  }

  /// A pipe, both ends non-blocking: `first` reads what `second` writes.
  public static func pipe() throws(SystemError) -> DescriptorPair {
    try DescriptorPair("make a pipe", clinux_pipe)
  }

  /// A second descriptor of the same open file.
  public borrowing func duplicate() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try checked(clinux_duplicate(rawValue), "duplicate a descriptor"))
  }

  /// One `read`. Never allocates.
  public borrowing func read(into bytes: UnsafeMutableRawBufferPointer) -> Transfer {
    Transfer(clinux_read(rawValue, bytes.baseAddress, bytes.count))
  }

  /// One `write`, which can move less than all. Never allocates. A closed pipe raises SIGPIPE
  /// unless `Signal.pipe` is ignored.
  public borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    Transfer(clinux_write(rawValue, bytes.baseAddress, bytes.count))
  }

  /// Writes everything, over as many calls as it takes. For blocking descriptors: a non-blocking
  /// one that is full fails with `wouldBlock`.
  public borrowing func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      switch write(rest) {
      case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlock: throw SystemError("write", "", .wouldBlock)
      case .endOfFile: throw SystemError("write", "", .brokenPipe)
      case .failed(let errno): throw SystemError("write", "", errno)
      }
    }
  }

  /// Waits until what was written has reached the disk.
  public borrowing func synchronize() throws(SystemError) {
    try checked(clinux_sync(rawValue), "write to disk")
  }
}

/// Two descriptors that belong together: the ends of a pipe or of a socket pair.
public struct DescriptorPair: ~Copyable {
  public let first: FileDescriptor
  public let second: FileDescriptor

  /// Makes a pair with `call`, which fills in two numbers and returns 0 or -errno.
  init(
    _ operation: String, _ call: (UnsafeMutablePointer<Int32>) -> Int32
  ) throws(SystemError) {
    let result = withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2) { two in
      two.initialize(repeating: -1)
      return (result: two.baseAddress.map(call) ?? -1, first: two[0], second: two[1])
    }
    try checked(result.result, operation)
    first = FileDescriptor(owning: result.first)
    second = FileDescriptor(owning: result.second)
  }

  /// Hands each end to an owner of its own. Swift 6.0 wants the closure's parameters spelt out as
  /// `consuming FileDescriptor`.
  public consuming func take<Result: ~Copyable>(
    _ body: (consuming FileDescriptor, consuming FileDescriptor) -> Result
  ) -> Result {
    body(first, second)
  }

  /// Closes the second end.
  public consuming func takeFirst() -> FileDescriptor { first }
}
