import ForceCore
import LinuxSystem

/// What a device said of itself and what happened on it, as `evemu-record` wrote it down.
///
/// Reads both text formats of evemu, the device description and the event data, together in one
/// file or the description alone; versions 1.0 to 1.3, axes with or without resolution.
public struct EvemuRecording: Equatable, Sendable {
  /// The device. Its node is the file's name, so that people can tell where it came from.
  ///
  /// A description holds no state: axes start at the values that evemu notes in its comments, or at
  /// 0 where there are none; no key is down and no slot is in use. The number of effects is not
  /// noted either: a device with force feedback counts as holding 16, as the kernel's ff-memless does.
  public var description: DeviceDescription
  /// The events of every whole frame, in order; their times never go back.
  public var events: [InputEvent]
  /// For each frame, the index behind its last event (a `SYN_REPORT`).
  public var frameEnds: [Int]
  /// Events after the last `SYN_REPORT`, left out: the kernel hands over whole frames only, so no
  /// reader of the device would have seen them.
  public var incompleteEvents: Int

  /// When the first frame happened; nil for a description alone.
  public var firstTime: Instant? { frameEnds.first.map { events[$0 - 1].time } }
  /// When the last frame happened; nil for a description alone.
  public var lastTime: Instant? { frameEnds.last.map { events[$0 - 1].time } }

  /// Reads a recording from the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: the text, with any line endings.
  ///   - path: the file's name, for errors and for the description's node.
  /// - Throws: ``RecordingError`` with the line and what was expected there.
  public static func parse(
    _ bytes: [UInt8], path: String
  ) throws(RecordingError) -> EvemuRecording {
    var parser = EvemuParser(path: path)
    try parser.read(bytes)
    return try parser.finish()
  }

  /// The longest file that is read, in bytes: 1 GiB.
  public static let longestFile = 1 << 30

  /// Reads a recording from a file or a pipe of at most 1 GiB.
  ///
  /// - Throws: ``RecordingError`` when the file cannot be read or is no recording; one that is too long
  ///   and anything that never ends are refused before they are read.
  public static func load(_ path: String) throws(RecordingError) -> EvemuRecording {
    let status: FileSystem.Status
    do throws(SystemError) { status = try FileSystem.status(of: path) } catch {
      throw unreadable(path, error)
    }
    switch status.kind {
    case .regular where status.size > Int64(longestFile): throw tooLong(path)
    case .regular, .pipe: break
    case .directory: throw unsuitable(path, "a directory")
    case .characterDevice: throw unsuitable(path, "a device")
    case .socket, .symbolicLink, .other: throw unsuitable(path, "neither file nor pipe")
    }
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileSystem.read(path, limit: longestFile) } catch {
      throw error.errno == .fileTooLarge ? tooLong(path) : unreadable(path, error)
    }
    return try parse(bytes, path: path)
  }

  private static func unreadable(_ path: String, _ error: SystemError) -> RecordingError {
    RecordingError(
      path: path, found: error.errno.description, expected: "a file that can be read")
  }

  private static func tooLong(_ path: String) -> RecordingError {
    RecordingError(
      path: path, found: "more than 1 GiB", expected: "a recording of at most 1 GiB")
  }

  private static func unsuitable(_ path: String, _ what: String) -> RecordingError {
    RecordingError(
      path: path, found: what, expected: "a file that evemu-record wrote, of at most 1 GiB")
  }
}
