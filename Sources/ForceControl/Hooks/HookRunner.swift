import Dispatch
import ForceClient
import LinuxSystem

/// Runs a command for each event it is given: so many at a time, and while they run only the newest
/// event waits.
final class HookRunner: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.forced.hooks")
  private let command: [String]
  private let limit: Int
  private let report: @Sendable (String) -> Void
  private var running: [Int32: ChildProcess] = [:]
  private var waiting: (variables: Variables, replaced: Int)?
  private var starts = 0
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var failure: CommandFailure?
  private var isTerminated = false

  /// - Parameters:
  ///   - limit: how many may run at a time; 1 or more.
  ///   - report: told, as a sentence, of commands that failed.
  init(_ command: [String], limit: Int, report: @escaping @Sendable (String) -> Void) {
    self.command = command
    self.limit = limit
    self.report = report
  }

  /// Runs the command, now or when one that runs has ended; an event that waits is replaced.
  ///
  /// - Returns: how many events have been taken so far, the one that waits among them.
  /// - Throws: when the command cannot be run at all.
  func offer(_ variables: Variables) throws(CommandFailure) -> Int {
    let outcome = queue.sync { () -> Result<Int, CommandFailure> in
      if running.count < limit {
        start(variables, replaced: 0)
      } else {
        waiting = (variables, (waiting?.replaced ?? -1) + 1)
      }
      if let failure { return .failure(failure) }
      return .success(starts + (waiting == nil ? 0 : 1))
    }
    return try outcome.get()
  }

  /// Waits until no command runs or waits.
  ///
  /// - Throws: when one could not be run.
  func finish() async throws(CommandFailure) {
    await withCheckedContinuation { continuation in
      queue.async {
        self.idleWaiters.append(continuation)
        self.tellIfIdle()
      }
    }
    if let failure = queue.sync(execute: { failure }) { throw failure }
  }

  /// How long a command that was asked to end may take before it is ended: 1 s, less than forcectl
  /// itself takes.
  private static let patience = DispatchTimeInterval.seconds(1)

  /// Forgets what waits, asks what runs to end, and ends what does not listen.
  func terminate() {
    queue.async {
      self.isTerminated = true
      self.waiting = nil
      for child in self.running.values { try? child.send(.terminate) }
      self.queue.asyncAfter(deadline: .now() + Self.patience) {
        for child in self.running.values {
          self.report("\(self.command[0]) does not end when asked to and is killed")
          try? child.send(.kill)
        }
      }
    }
  }

  private func start(_ variables: Variables, replaced: Int) {
    do throws(SystemError) {
      let child = try ChildProcess.start(
        command, variables: variables + [("FORCED_REPLACED", String(replaced))])
      running[child.id] = child
      starts += 1
      // Each wait blocks a thread; there are no more than commands at a time.
      DispatchQueue(label: "org.forced.hook").async {
        child.waitUntilEnded()
        self.queue.async { self.collect(child) }
      }
    } catch {
      failure = .failed(error.description)
    }
  }

  private func collect(_ child: ChildProcess) {
    running[child.id] = nil
    do throws(SystemError) {
      switch try child.wait() {
      case .exited(0): break
      case _ where isTerminated: break
      case .exited(let status): report("\(command[0]) ended with status \(status)")
      case .killed(let signal): report("\(command[0]) was ended by signal \(signal.rawValue)")
      }
    } catch {
      report(error.description)
    }
    if let next = waiting, failure == nil {
      waiting = nil
      start(next.variables, replaced: next.replaced)
    }
    tellIfIdle()
  }

  private func tellIfIdle() {
    guard running.isEmpty else { return }
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }
}
