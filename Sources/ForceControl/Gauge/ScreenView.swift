import Dispatch
import ForceClient
import LinuxSystem

/// What lives on a terminal's lines while events come in. Time is an argument; drawing is somebody
/// else's.
protocol LiveScreen: Sendable {
  mutating func apply(_ event: WatchEvent, at now: Instant)
  mutating func apply(_ change: ConnectionChange)
  /// When something goes away without an event; nil: never.
  var nextExpiry: Instant? { get }
  /// Takes away what has been there for long enough.
  mutating func expire(at now: Instant)
  /// The lines to show, at least one and at most `rows`.
  func text(style: GaugeStyle, rows: Int) -> [String]
}

/// What the signals of a terminal concern.
protocol SignalledView: AnyObject, Sendable {
  /// Gives the cursor back and draws nothing until ``refresh()``.
  func suspend()
  /// Draws anew, after the terminal's size has changed or the program was stopped.
  func refresh()
}

/// A screen on a terminal: draws it at most 30 times a second, and only when it changes.
///
/// Everything in it happens on its own queue, so that events, clock and signals may come from
/// anywhere.
final class ScreenView<Screen: LiveScreen>: SignalledView, @unchecked Sendable {
  private static var frameTime: Microseconds { Microseconds(33_333) }

  private let queue = DispatchQueue(label: "org.forced.screen")
  private let environment: Environment
  private var screen: Screen
  private var frame = TerminalFrame()
  private var lastDraw = Instant(microseconds: .min / 2)
  private var nextWake: Instant?
  private var failure: CommandFailure?
  private var isFinished = false
  private var isSuspended = false

  init(environment: Environment, screen: Screen) {
    self.environment = environment
    self.screen = screen
  }

  /// - Throws: when the terminal is gone.
  func show(_ event: WatchEvent) throws(CommandFailure) {
    try update { $0.apply(event, at: $1) }
  }

  /// What the screen knows.
  func look<Value>(_ body: (Screen) -> Value) -> Value { queue.sync { body(screen) } }

  func show(_ change: ConnectionChange) {
    try? update { screen, _ in screen.apply(change) }
  }

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

  func suspend() {
    queue.sync {
      guard !isFinished else { return }
      isSuspended = true
      try? environment.output.write(frame.finish())
    }
  }

  private func update(
    _ change: (inout Screen, Instant) -> Void
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
