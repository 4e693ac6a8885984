/// What plays for a device, as far as the engine has to know.
struct HapticPlayback {
  /// An effect at least this long is felt as lasting and not as a click, so it ends with its press.
  static let sustained = Microseconds.milliseconds(250)
  /// A followed force counts as changed in steps of 2 %: no finger tells less.
  static let step = 0.02

  /// The contact that the latest effect was played for.
  private(set) var contact: Int32 = 0
  private var end: Instant?
  private var isSustained = false
  private var starts: (maximum: Instant?, press: Instant?, release: Instant?)
  private var following: Following?

  /// An effect that follows the force of a contact.
  private struct Following {
    var contact: Int32
    var occasion: HapticOccasion
    var fullStrength: Double
    /// What was commanded last.
    var strength: Double
  }

  /// Whether the same occasion is long enough ago.
  func mayPlay(
    _ occasion: HapticOccasion, at time: Instant, minimumInterval: Microseconds
  ) -> Bool {
    let start =
      switch occasion {
      case .maximum: starts.maximum
      case .press: starts.press
      case .release: starts.release
      }
    guard let start else { return true }
    return time - start >= minimumInterval
  }

  func isPlaying(at time: Instant) -> Bool {
    if following != nil { return true }
    guard let end else { return false }
    return time < end
  }

  /// Whether what plays ends when this contact does.
  func endsWith(_ contact: Int32) -> Bool {
    if let following, following.contact == contact { return true }
    return isSustained && self.contact == contact
  }

  /// Notes that an effect starts; returns it at the strength that it starts with.
  ///
  /// - Parameter force: per cent.
  mutating func play(
    _ pattern: HapticPattern, on occasion: HapticOccasion, for contact: Int32, force: Double,
    at time: Instant
  ) -> HapticPattern {
    switch occasion {
    case .maximum: starts.maximum = time
    case .press: starts.press = time
    case .release: starts.release = time
    }
    guard !pattern.followsForce else {
      let share = Self.share(of: force)
      following = Following(
        contact: contact, occasion: occasion, fullStrength: pattern.pulse.strength,
        strength: pattern.pulse.strength * share)
      return pattern.scaled(by: share)
    }
    self.contact = contact
    end = time + pattern.duration
    isSustained = pattern.duration >= Self.sustained
    return pattern
  }

  /// What a new force of a contact means for the effect that follows it; nil when nothing.
  mutating func follow(
    _ contact: Int32, force: Double, atMaximum: Bool
  ) -> HapticAction? {
    guard let current = following, current.contact == contact else { return nil }
    if current.occasion == .maximum && !atMaximum { return .stop }
    let strength = current.fullStrength * Self.share(of: force)
    guard strength != current.strength else { return nil }
    following?.strength = strength
    return .follow(strength)
  }

  mutating func stop() {
    end = nil
    isSustained = false
    following = nil
  }

  private static func share(of force: Double) -> Double {
    min(max((force / 100 / step).rounded(.down) * step, 0), 1)
  }
}
