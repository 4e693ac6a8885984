import Dispatch
import ForceClient
import LinuxSystem

/// The gauges on a terminal: draws them at most 30 times a second, and only when they change.
///
/// Everything in it happens on its own queue, so that events, clock and signals may come from
/// anywhere.
final class GaugeView: @unchecked Sendable {
  private static let frameTime = Microseconds(33_333)

  private let queue = DispatchQueue(label: "org.forced.gauges")
  private let environment: Environment
  private var screen: GaugeScreen
  private var frame = TerminalFrame()
  private var lastDraw = Instant(microseconds: .min / 2)
  private var nextWake: Instant?
  private var failure: CommandFailure?
  private var isFinished = false
  private var isSuspended = false

  init(environment: Environment, screen: GaugeScreen) {
    self.environment = environment
    self.screen = screen
  }

  /// - Throws: when the terminal is gone.
  func show(_ event: WatchEvent) throws(CommandFailure) {
    try update { $0.apply(event, at: $1) }
  }

  func show(_ change: ConnectionChange) {
    try? update { screen, _ in screen.apply(change) }
  }

  /// Draws anew, after the terminal's size has changed or the program was stopped.
  func refresh() {
    queue.sync { isSuspended = false }
    try? update { _, _ in }
  }

  /// Leaves the last state on the screen and gives the cursor back. Nothing is drawn after it.
  func finish() {
    queue.sync {
      guard !isFinished else { return }
      draw(at: environment.now())
      isFinished = true
      try? environment.output.write(frame.finish())
    }
  }

  /// Gives the cursor back and draws nothing until ``refresh()``.
  func suspend() {
    queue.sync {
      guard !isFinished else { return }
      isSuspended = true
      try? environment.output.write(frame.finish())
    }
  }

  private func update(
    _ change: (inout GaugeScreen, Instant) -> Void
  ) throws(CommandFailure) {
    let failure = queue.sync { () -> CommandFailure? in
      let now = environment.now()
      change(&screen, now)
      drawIfDue(at: now)
      return self.failure
    }
    if let failure { throw failure }
  }

  private func drawIfDue(at now: Instant) {
    guard !isFinished, !isSuspended, failure == nil else { return }
    let due = lastDraw + Self.frameTime
    guard due <= now else { return wake(at: due, now) }
    draw(at: now)
    if let expiry = screen.nextExpiry { wake(at: expiry, now) }
  }

  private func draw(at now: Instant) {
    guard failure == nil else { return }
    lastDraw = now
    screen.expire(at: now)
    let size = environment.terminalSize()
    let style = GaugeStyle(colour: environment.hasColour, width: size.columns)
    let text = frame.draw(
      screen.text(style: style, rows: size.rows - 1), columns: size.columns)
    do throws(CommandFailure) {
      if !text.isEmpty { try environment.output.write(text) }
    } catch {
      failure = error
    }
  }

  private func wake(at time: Instant, _ now: Instant) {
    if let nextWake, nextWake <= time, nextWake > now { return }
    nextWake = time
    let delay = DispatchTimeInterval.microseconds(Int(clamping: max((time - now).count, 0)) + 100)
    queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self else { return }
      let now = environment.now()
      if let nextWake, nextWake <= now { self.nextWake = nil }
      drawIfDue(at: now)
    }
  }
}
