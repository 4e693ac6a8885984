import CUinput
import Dispatch
import ForceCore
import LinuxSystem

/// A real input device of this machine's kernel, played by the test through uinput.
///
/// Exists only where `/dev/uinput` does: mark its tests `.enabled(if: VirtualDevice.isAvailable)` and
/// let their suite's name end in `OnKernel`.
public final class VirtualDevice: @unchecked Sendable {
  /// What the kernel asked of the device.
  public enum Request: Equatable, Sendable {
    case upload(id: Int16, Effect)
    case erase(id: Int16)
    case play(id: Int16)
    case stop(id: Int16)
    case gain(Int32)
    case other(type: UInt16, code: UInt16, value: Int32)
  }

  /// An effect as it was uploaded.
  public enum Effect: Equatable, Sendable {
    case rumble(strong: UInt16, weak: UInt16, milliseconds: UInt16)
    case periodic(waveform: UInt16, magnitude: Int16, period: UInt16, milliseconds: UInt16)
    case haptic(usage: UInt16, percent: UInt16, milliseconds: UInt16)
    case other(type: UInt16)
  }

  /// How the device answers an upload: 0, or an errno that the client shall see.
  public typealias Answer = @Sendable (Effect) -> Int32

  public static let isAvailable: Bool = {
    let descriptor = uinput_open()
    guard descriptor >= 0 else { return false }
    _ = FileDescriptor(owning: descriptor)
    return true
  }()

  /// `/dev/input/eventN`.
  public let path: String
  private let shared: Shared
  private let queue = DispatchQueue(label: "virtual device")
  private let source: any DispatchSourceRead
  private let answer: Answer
  private var log: [Request] = []

  /// Makes a device that the kernel shows as `description` says. Seats, parents and uniq are not
  /// uinput's to set.
  public init(
    _ description: DeviceDescription, answering answer: @escaping Answer = { _ in 0 }
  ) throws(SystemError) {
    self.answer = answer
    let number = try check(uinput_open(), "open uinput")
    let shared = Shared(FileDescriptor(owning: number))
    self.shared = shared
    try build(description, on: number)
    path = try nodePath(of: number)
    source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
    source.setEventHandler { [weak self] in self?.serve() }
    // A source needs its descriptor open until it has let go of it.
    source.setCancelHandler { _ = shared }
    source.resume()
  }

  deinit {
    // At once: the next test may count on the node's number being free.
    _ = uinput_destroy(number)
    source.cancel()
  }

  private final class Shared: Sendable {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  private var number: Int32 { shared.descriptor.rawValue }

  /// Makes a second node of the device, outside of udev's reach and closed to all but root.
  public func addNode(at second: String) throws(SystemError) {
    try check(uinput_copy_node(path, second), "make \(second)")
  }

  /// Sends one frame: these events and a `SYN_REPORT`.
  public func send(_ events: (type: UInt16, code: UInt16, value: Int32)...) throws(SystemError) {
    for event in events {
      try check(
        uinput_emit(number, event.type, event.code, event.value), "send an event")
    }
    try check(
      uinput_emit(
        number, EventType.synchronization, SynchronizationCode.report, 0),
      "end a frame")
  }

  /// Unplugs it.
  public func destroy() throws(SystemError) {
    try check(uinput_destroy(number), "destroy a device")
  }

  /// What was asked of it, once there are at least so many requests; fewer after ten seconds.
  public func requests(atLeast count: Int = 0) -> [Request] {
    let deadline = monotonicNow() + 10_000_000
    while true {
      let seen = queue.sync { log }
      if seen.count >= count || monotonicNow() > deadline { return seen }
      sleepThread(microseconds: 2_000)
    }
  }

  private func serve() {
    var record = uinput_record()
    while uinput_next(number, &record) == 1 {
      let request = Request(record)
      switch request {
      case .upload(_, let effect):
        _ = uinput_answer(number, &record, -answer(effect))
      case .erase: _ = uinput_answer(number, &record, 0)
      default: break
      }
      log.append(request)
    }
  }
}

private func build(_ description: DeviceDescription, on number: Int32) throws(SystemError) {
  func set(_ kind: uinput_bit, _ code: UInt16) throws(SystemError) {
    try check(uinput_set_bit(number, kind, code), "set bit \(code)")
  }
  for code in description.properties { try set(UINPUT_PROPERTY, code) }
  if !description.keys.isEmpty { try set(UINPUT_TYPE, EventType.key) }
  for code in description.keys { try set(UINPUT_KEY, code) }
  if !description.axes.isEmpty { try set(UINPUT_TYPE, EventType.absolute) }
  for (code, axis) in description.axes {
    try set(UINPUT_AXIS, code)
    try check(
      uinput_set_axis(
        number, code, axis.minimum, axis.maximum, axis.fuzz, axis.flat, axis.resolution),
      "set axis \(code)")
  }
  if !description.miscellaneous.isEmpty { try set(UINPUT_TYPE, EventType.miscellaneous) }
  for code in description.miscellaneous { try set(UINPUT_MISCELLANEOUS, code) }
  if !description.forceFeedback.isEmpty { try set(UINPUT_TYPE, EventType.forceFeedback) }
  for code in description.forceFeedback { try set(UINPUT_EFFECT, code) }
  let identity = description.identity
  if !identity.phys.isEmpty { try check(uinput_set_phys(number, identity.phys), "set phys") }
  try check(
    uinput_create(
      number, identity.bus, identity.vendor, identity.product, identity.version, identity.name,
      UInt32(description.effectSlots)), "create a device")
}

private func nodePath(of number: Int32) throws(SystemError) -> String {
  var name = [CChar](repeating: 0, count: 64)
  try check(uinput_system_name(number, &name, name.count), "ask for a device's name")
  let input = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  let entries = try FileSystem.list("/sys/devices/virtual/input/\(input)")
  guard let node = entries.first(where: { $0.hasPrefix("event") }) else {
    throw SystemError("find the node of", input, .noEntry)
  }
  return "/dev/input/\(node)"
}

@discardableResult
private func check(_ result: Int32, _ operation: String) throws(SystemError) -> Int32 {
  guard result < 0 else { return result }
  throw SystemError(operation, "", Errno(rawValue: -result))
}

extension VirtualDevice.Request {
  fileprivate init(_ record: uinput_record) {
    switch record.request {
    case UINPUT_UPLOAD: self = .upload(id: record.effect, VirtualDevice.Effect(record))
    case UINPUT_ERASE: self = .erase(id: record.effect)
    default: self.init(event: record)
    }
  }

  private init(event record: uinput_record) {
    let id = Int16(truncatingIfNeeded: record.event_code)
    if record.event_type != EventType.forceFeedback {
      self = .other(
        type: record.event_type, code: record.event_code, value: record.event_value)
    } else if record.event_code == ForceFeedbackCode.gain {
      self = .gain(record.event_value)
    } else {
      self = record.event_value > 0 ? .play(id: id) : .stop(id: id)
    }
  }
}

extension VirtualDevice.Effect {
  fileprivate init(_ record: uinput_record) {
    switch record.type {
    case ForceFeedbackCode.rumble:
      self = .rumble(strong: record.strong, weak: record.weak, milliseconds: record.length)
    case ForceFeedbackCode.periodic:
      self = .periodic(
        waveform: record.waveform, magnitude: record.magnitude, period: record.period,
        milliseconds: record.length)
    case ForceFeedbackCode.haptic:
      self = .haptic(
        usage: record.usage, percent: record.percent, milliseconds: record.length)
    default: self = .other(type: record.type)
    }
  }
}
