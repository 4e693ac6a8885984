internal import CLinux

/// An error number of the kernel, as `errno` holds it.
public struct Errno: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let notPermitted = Errno(rawValue: EPERM)
  public static let noEntry = Errno(rawValue: ENOENT)
  public static let noSuchDeviceOrAddress = Errno(rawValue: ENXIO)
  public static let badDescriptor = Errno(rawValue: EBADF)
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  public static let accessDenied = Errno(rawValue: EACCES)
  public static let busy = Errno(rawValue: EBUSY)
  public static let exists = Errno(rawValue: EEXIST)
  public static let noDevice = Errno(rawValue: ENODEV)
  public static let notADirectory = Errno(rawValue: ENOTDIR)
  public static let isADirectory = Errno(rawValue: EISDIR)
  public static let invalidArgument = Errno(rawValue: EINVAL)
  public static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  public static let tooManyOpenFilesOfAll = Errno(rawValue: ENFILE)
  public static let outOfMemory = Errno(rawValue: ENOMEM)
  public static let noBufferSpace = Errno(rawValue: ENOBUFS)
  public static let notATypewriter = Errno(rawValue: ENOTTY)
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  public static let noSpace = Errno(rawValue: ENOSPC)
  public static let readOnlyFileSystem = Errno(rawValue: EROFS)
  public static let brokenPipe = Errno(rawValue: EPIPE)
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  public static let noSuchCall = Errno(rawValue: ENOSYS)
  public static let addressInUse = Errno(rawValue: EADDRINUSE)
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  public static let timedOut = Errno(rawValue: ETIMEDOUT)

  /// The C library's words for it, such as "Permission denied".
  public var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      text.initialize(repeating: 0)
      guard let base = text.baseAddress else { return "error \(rawValue)" }
      clinux_error_text(rawValue, base, text.count)
      return String(cString: base)
    }
  }
}

/// A system call that failed: what was tried, on what, and why not.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, in a word or two: "open", "listen on".
  public let operation: String
  /// The path or thing it was tried on, or "".
  public let object: String
  public let errno: Errno

  public init(_ operation: String, _ object: String, _ errno: Errno) {
    self.operation = operation
    self.object = object
    self.errno = errno
  }

  public var description: String {
    object.isEmpty
      ? "cannot \(operation): \(errno)" : "cannot \(operation) \(object): \(errno)"
  }
}

/// Turns the C shim's "-errno or a result" into a result or a thrown error.
@discardableResult
func checked(
  _ result: Int32, _ operation: @autoclosure () -> String,
  _ object: @autoclosure () -> String = ""
) throws(SystemError) -> Int32 {
  guard result < 0 else { return result }
  throw SystemError(operation(), object(), Errno(rawValue: -result))
}
