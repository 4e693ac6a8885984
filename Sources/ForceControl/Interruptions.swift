import Dispatch
import LinuxSystem

/// What the signals of a terminal do: end the command, redraw the screen, stop and go on.
///
/// The main thread waits here while the command runs on others.
final class Interruptions: @unchecked Sendable {
  static let shared = Interruptions()

  /// How long a command may take to end when it is asked to, in microseconds.
  private static let patience: Int64 = 2_000_000

  private let queue = DispatchQueue(label: "org.forced.interruptions")
  private var view: (any SignalledView)?

  /// Makes a view the one that signals concern; nil: none.
  func present(_ view: (any SignalledView)?) {
    queue.sync { self.view = view }
  }

  private var presented: (any SignalledView)? { queue.sync { view } }

  /// Ctrl-Z: gives the terminal back while the program is stopped.
  private func suspend() throws(SystemError) {
    presented?.suspend()
    try CurrentProcess.stop()
    presented?.refresh()
  }

  /// Runs `body` until it ends; a signal that asks the program to end cancels it.
  ///
  /// Blocks signals for every thread that starts from now on: call it before there is any.
  func guarding(_ body: @escaping @Sendable () async -> ExitStatus) throws(SystemError)
    -> ExitStatus
  {
    try Signal.pipe.ignore()
    let signals = try SignalDescriptor([
      .interrupt, .terminate, .hangUp, .quit, .terminalStop, .windowChanged,
    ])
    let finished = Finished(try WakeDescriptor())
    let poll = try EventPoll()
    try poll.add(signals.descriptor, token: 0)
    try poll.add(finished.wake.descriptor, token: 1)
    let task = Task.detached { finished.end(await body()) }
    var deadline: Int64?
    while true {
      let count = try poll.wait(microseconds: deadline.map { max($0 - monotonicNow(), 0) })
      // It does not end, perhaps because its output is blocked.
      if let deadline, monotonicNow() >= deadline { return .done }
      for index in 0..<count {
        if poll[index].token == 1, let status = finished.status { return status }
        while let signal = signals.next() {
          if signal == .windowChanged {
            presented?.refresh()
          } else if signal == .terminalStop {
            try suspend()
          } else if deadline != nil {
            return .done
          } else {
            deadline = monotonicNow() + Self.patience
            task.cancel()
          }
        }
      }
    }
  }
}

/// The status of a command, handed to the thread that waits for it.
private final class Finished: @unchecked Sendable {
  let wake: WakeDescriptor
  private let queue = DispatchQueue(label: "org.forced.finished")
  private var ended: ExitStatus?

  init(_ wake: consuming WakeDescriptor) { self.wake = wake }

  var status: ExitStatus? { queue.sync { ended } }

  func end(_ status: ExitStatus) {
    queue.sync { ended = status }
    wake.wake()
  }
}
