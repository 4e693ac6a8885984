import Dispatch
import ForceCore
import LinuxSystem
import Synchronization

/// What the daemon has to say to people: to the journal with fields that can be searched for, else one
/// line each on standard error. A message that comes again and again is counted and not repeated.
final class Log: Sendable {
  enum Priority: Int {
    case error = 3
    case warning, notice, info
  }

  /// What a message is about, for searching the journal: `journalctl FORCED_DEVICE=…`.
  struct Fields: Equatable {
    /// The device's id.
    var device: String?
    /// The kernel's error.
    var errno: Int32?
    /// A counter of the status, and its value.
    var counter: (name: String, value: UInt64)?

    static func == (a: Fields, b: Fields) -> Bool {
      a.device == b.device && a.errno == b.errno && a.counter?.name == b.counter?.name
        && a.counter?.value == b.counter?.value
    }

    static let none = Fields()
    static func about(
      _ device: String, errno: Int32? = nil, counter: (name: String, value: UInt64)? = nil
    ) -> Fields {
      Fields(device: device, errno: errno, counter: counter)
    }
  }

  /// Takes a message that is to be told.
  typealias Sink = @Sendable (Priority, String, Fields) -> Void

  private let sink: Sink
  private let last: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "org.forced.log")
  /// Only on `queue`.
  private let repeats = Confined(Repeats())
  /// The filter's deadline in microseconds, `.max` for none: the loop asks for it at every frame, and
  /// a hop to the queue each time would cost as much as the frame.
  private let due = Atomic<Int64>(.max)

  private final class Repeats { var filter = RepeatFilter() }

  /// - Parameter last: takes what is said before the process ends, instead of `sink`.
  init(_ sink: @escaping Sink, last: (@Sendable (String) -> Void)? = nil) {
    self.sink = sink
    self.last = last ?? { sink(.error, $0, .none) }
  }

  /// To the journal where standard error goes there, else to standard error.
  convenience init() {
    if Journal.isBehindStandardError {
      self.init({ Journal.send($0, $1, $2) }, last: { Journal.sayByStream(.error, $0) })
    } else {
      self.init(write: { _ = StandardStream.error.write($0) })
    }
  }

  /// Lines for people.
  convenience init(write: @escaping @Sendable (String) -> Void) {
    self.init { _, text, _ in write("forced: \(text)\n") }
  }

  func error(_ text: String, _ fields: Fields = .none) { say(.error, text, fields) }
  func warning(_ text: String, _ fields: Fields = .none) { say(.warning, text, fields) }
  func notice(_ text: String, _ fields: Fields = .none) { say(.notice, text, fields) }
  func info(_ text: String, _ fields: Fields = .none) { say(.info, text, fields) }

  /// The reason why the process ends now.
  func lastWords(_ text: String) { last(text) }

  private func say(_ priority: Priority, _ text: String, _ fields: Fields) {
    // Names come from devices and recordings.
    let text = printable(text)
    let admitted = queue.sync {
      defer { keepDeadline() }
      return repeats.value.filter.admit(text, priority.rawValue, fields.device, at: Loop.now())
    }
    if admitted { sink(priority, text, fields) }
  }

  /// When a count of repeated messages is to be told; nil when there is none.
  var deadline: Instant? {
    let microseconds = due.load(ordering: .relaxed)
    return microseconds == .max ? nil : Instant(microseconds: microseconds)
  }

  /// On `queue`, after every change of the filter.
  private func keepDeadline() {
    due.store(repeats.value.filter.deadline?.microseconds ?? .max, ordering: .relaxed)
  }

  /// Tells how often messages have come again, whose time is over at `now`.
  func tellRepeats(at now: Instant) {
    let over = queue.sync {
      defer { keepDeadline() }
      return repeats.value.filter.take(at: now)
    }
    for (text, priority, device, count) in over {
      var fields = Fields(device: device)
      fields.counter = ("repeated", count)
      sink(
        Priority(rawValue: priority) ?? .notice,
        "\(count) times more in \(Int(RepeatFilter.window.seconds)) s: \(text)", fields)
    }
  }
}

/// Lets each message through once in a while, and counts in between.
struct RepeatFilter {
  /// For how long a message is not said again: 60 s.
  static let window = Microseconds.seconds(60)
  /// Different messages that are remembered; of more than these the oldest is forgotten.
  static let capacity = 64

  private struct Said {
    var text: String
    var priority: Int
    var device: String?
    var since: Instant
    var count: UInt64 = 0
  }

  private var said: [Said] = []

  /// - Returns: whether the message is to be said now.
  mutating func admit(_ text: String, _ priority: Int, _ device: String?, at now: Instant) -> Bool {
    // Whatever was said once and is over is news again.
    said.removeAll { now - $0.since >= Self.window && $0.count == 0 }
    if let index = said.firstIndex(where: { $0.text == text && $0.priority == priority }) {
      said[index].count += 1
      return false
    }
    if said.count == Self.capacity { said.removeFirst() }
    said.append(Said(text: text, priority: priority, device: device, since: now))
    return true
  }

  var deadline: Instant? {
    said.lazy.filter { $0.count > 0 }.map { $0.since + Self.window }.min()
  }

  /// The messages whose time is over, with how often they came again; they start anew.
  mutating func take(
    at now: Instant
  ) -> [(text: String, priority: Int, device: String?, count: UInt64)] {
    let over = said.filter { $0.count > 0 && now - $0.since >= Self.window }
    for index in said.indices where said[index].count > 0 && now - said[index].since >= Self.window
    {
      said[index].count = 0
      said[index].since = now
    }
    return over.map { ($0.text, $0.priority, $0.device, $0.count) }
  }
}

/// Tells counts of repeated messages in time.
final class LogTimer: TimedWork {
  private let log: Log
  init(_ log: Log) { self.log = log }
  var deadline: Instant? { log.deadline }
  func run(at now: Instant) { log.tellRepeats(at: now) }
}
