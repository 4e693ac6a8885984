import Dispatch
import ForceCore
import LinuxSystem

/// What the loop calls when a descriptor is ready.
protocol DescriptorHandler: AnyObject {
  func descriptorReady(_ readiness: Readiness, at now: Instant)
}

/// What the loop asks after every turn: work that is due, and when there is more.
protocol TimedWork: AnyObject {
  /// When it next wants to be called; nil when it rests.
  var deadline: Instant? { get }
  /// Does what is due at `now`.
  func run(at now: Instant)
}

/// One serial queue, one epoll set, one timer.
///
/// Dispatch wakes the loop when anything in the epoll set is ready. While input keeps coming the
/// turn stays inside its handler and waits in epoll itself, because every wake-up through Dispatch
/// costs a hop between two threads. After at most `slice` it gives the queue to other work and
/// comes back behind it.
final class Loop {
  /// How long one turn may keep the queue: 20 ms.
  static let slice = Microseconds.milliseconds(20)
  /// How long after the last input a turn goes on waiting for more: 12 ms, one frame of the slowest
  /// common digitizer (80 Hz… 133 Hz).
  static let patience = Microseconds.milliseconds(12)

  private static let timerToken = UInt64.max

  let queue = DispatchQueue(label: "org.forced.loop", qos: .userInteractive)
  /// Returns from waiting, for the status.
  private(set) var wakeups: UInt64 = 0

  private let poll: EventPoll
  private let timer: TimerDescriptor
  private var armed: Instant?
  // Read at every frame and never lent, so a check for overlapping access has nothing to find.
  @exclusivity(unchecked) private var handlers: [(any DescriptorHandler)?] = []
  @exclusivity(unchecked) private var generations: [UInt32] = []
  @exclusivity(unchecked) private var work: [any TimedWork] = []
  private var source: (any DispatchSourceRead)?
  private var lastInput = Instant(microseconds: .min / 2)
  private var again: DispatchWorkItem?

  init() throws(SystemError) {
    poll = try EventPoll(capacity: 64)
    timer = try TimerDescriptor()
    try poll.add(timer.descriptor, token: Self.timerToken)
  }

  static func now() -> Instant { Instant(microseconds: monotonicNow()) }

  /// Starts to serve; everything is called on `queue` from here on.
  func start() {
    let this = Confined(self)
    again = DispatchWorkItem { this.value.turn() }
    let source = DispatchSource.makeReadSource(
      fileDescriptor: poll.descriptor.rawValue, queue: queue)
    source.setEventHandler { this.value.turn() }
    self.source = source
    source.activate()
    queue.async { this.value.finishTurn(at: Loop.now()) }
  }

  /// Watches a descriptor until `remove`.
  func add(
    _ descriptor: Int32, for wanted: Readiness = .readable, handler: any DescriptorHandler
  ) throws(SystemError) -> UInt64 {
    let index = handlers.firstIndex { $0 == nil } ?? handlers.count
    if index == handlers.count {
      handlers.append(nil)
      generations.append(0)
    }
    generations[index] &+= 1
    let token = UInt64(generations[index]) << 32 | UInt64(index)
    try poll.add(raw: descriptor, token: token, for: wanted)
    handlers[index] = handler
    return token
  }

  func change(_ descriptor: Int32, to wanted: Readiness, token: UInt64) throws(SystemError) {
    try poll.modify(raw: descriptor, token: token, for: wanted)
  }

  /// Forgets a descriptor, which must still be open.
  func remove(_ descriptor: Int32, token: UInt64) {
    try? poll.remove(raw: descriptor)
    handlers[Int(UInt32(truncatingIfNeeded: token))] = nil
  }

  func add(_ timed: any TimedWork) { work.append(timed) }

  /// Input has arrived: the turn goes on waiting for more.
  func noteInput(at now: Instant) { lastInput = now }

  /// One wake-up: takes what is ready, does what is due, and waits for more while input keeps coming.
  ///
  /// - Parameter lingers: false to come back as soon as nothing is ready.
  func turn(lingers: Bool = true) {
    var now = Loop.now()
    let end = now + Loop.slice
    // Coming back in the midst of a press, there is no need to look before waiting.
    var lingering = lingers && now < lastInput + Loop.patience
    var next = lingering ? runDue(at: now) : nil
    repeat {
      let wait = lingering ? min(end, lastInput + Loop.patience, next ?? end) - now : .zero
      let count = (try? poll.wait(microseconds: max(wait.count, 0))) ?? 0
      if count > 0 { wakeups &+= 1 }
      now = Loop.now()
      for index in 0..<count { dispatch(poll[index], at: now) }
      next = runDue(at: now)
      lingering = lingers && now < lastInput + Loop.patience
    } while lingering && now < end
    // Within the turn the wait itself ends when something is due; the timer is for the time after.
    if lingering, let again { queue.async(execute: again) } else { arm(for: next) }
  }

  private func dispatch(_ event: EventPoll.Ready, at now: Instant) {
    guard event.token != Self.timerToken else {
      timer.acknowledge()
      armed = nil
      return
    }
    let index = Int(UInt32(truncatingIfNeeded: event.token))
    guard index < handlers.count, generations[index] == UInt32(event.token >> 32),
      let handler = handlers[index]
    else { return }
    handler.descriptorReady(event.readiness, at: now)
  }

  /// Runs what is due and arms the timer for the rest.
  func finishTurn(at now: Instant) { arm(for: runDue(at: now)) }

  /// Runs what is due; returns when there is more.
  private func runDue(at now: Instant) -> Instant? {
    var next: Instant?
    var hasRun = false
    // By index, here and wherever a frame passes: without optimization the iterator of an array
    // allocates for every element.
    for index in 0..<work.count {
      guard let deadline = work[index].deadline else { continue }
      if deadline <= now {
        work[index].run(at: now)
        hasRun = true
      } else {
        next = earlier(next, deadline)
      }
    }
    // What has run may have changed anyone's deadline.
    return hasRun ? nextDeadline() : next
  }

  private func nextDeadline() -> Instant? {
    var next: Instant?
    for index in 0..<work.count { next = earlier(next, work[index].deadline) }
    return next
  }

  private func arm(for next: Instant?) {
    guard let next else { return }
    // A timer that fires too early costs one look; setting it anew at every turn costs a syscall.
    if let armed, armed <= next { return }
    try? timer.arm(at: next.microseconds)
    armed = next
  }
}

/// The way back to the loop from other queues.
struct LoopMailbox: Sendable {
  private let loop: Confined<Loop>
  private let queue: DispatchQueue

  init(_ loop: Loop) {
    self.loop = Confined(loop)
    queue = loop.queue
  }

  /// Runs `work` on the loop, and then what it made due.
  func post(_ work: @escaping @Sendable (Instant) -> Void) {
    queue.async {
      let now = Loop.now()
      work(now)
      loop.value.finishTurn(at: now)
    }
  }
}
