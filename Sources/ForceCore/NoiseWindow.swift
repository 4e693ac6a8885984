/// How much a press that is held still trembles, weighted by time: a value that the kernel doesn't
/// repeat has still been there.
struct NoiseWindow {
  /// A value further from the window's first, in per cent, is a movement and begins a new window.
  private static let band = 2.0

  private var start = Instant(microseconds: 0)
  private var last = Instant(microseconds: 0)
  private var reference = 0.0
  private var value = 0.0
  private var sum = 0.0
  private var squares = 0.0
  private var trembling = TremblingRest()

  mutating func begin(_ value: Double, at time: Instant) {
    trembling = TremblingRest()
    beginWindow(value, at: time)
  }

  private mutating func beginWindow(_ value: Double, at time: Instant) {
    start = time
    last = time
    reference = value
    self.value = value
    sum = 0
    squares = 0
  }

  /// Takes the next value.
  /// - Returns: the noise of the window that this value ended, where it was long enough, or of the last
  ///   second, where so much trembling leaves no window long enough; in per cent.
  mutating func move(to next: Double, at time: Instant, shortest: Microseconds) -> Double? {
    let second = trembling.hold(value, for: max(time - last, .zero))
    let trembled = second.flatMap { TremblingRest.noise.contains($0) ? $0 : nil }
    hold(until: time)
    value = next
    guard (next - reference).magnitude > Self.band else {
      return time - start < shortest ? trembled : nil
    }
    let noise = noise(at: time, shortest: shortest) ?? trembled
    beginWindow(next, at: time)
    return noise
  }

  private mutating func hold(until time: Instant) {
    let seconds = (time - last).seconds
    let distance = value - reference
    sum += distance * seconds
    squares += distance * distance * seconds
    last = time
  }

  /// The root mean square about the mean; nil where the window is shorter than asked for.
  func noise(at time: Instant, shortest: Microseconds) -> Double? {
    var window = self
    window.hold(until: time)
    let duration = (time - start).seconds
    guard duration > 0, time - start >= shortest else { return nil }
    let mean = window.sum / duration
    return max(window.squares / duration - mean * mean, 0).squareRoot()
  }
}
