/// What plays for a device, as far as the engine has to know.
struct HapticPlayback {
  /// An effect at least this long is felt as lasting and not as a click, so it ends with its press.
  static let sustained = Microseconds.milliseconds(250)
  /// A followed force counts as changed in steps of 2 %: no finger tells less.
  static let step = 0.02
  /// As many contacts as touch a device with effects of their own, so that a press allocates nothing.
  private static let usualContacts = 16

  /// The contact that the latest effect was played for.
  private(set) var contact: Int32 = 0
  /// When the effect ends that plays longest.
  private var end: Instant?
  private var starts: (maximum: Instant?, press: Instant?, release: Instant?)
  /// Lasting effects of contacts that are down: the longest of each.
  private var lasting: [Lasting] = []
  private var followers: [Follower] = []
  /// What was commanded last of the effect that follows force.
  private var strength = 0.0

  private struct Lasting {
    var contact: Int32
    var end: Instant
  }

  /// A contact whose force the motor follows. It follows the strongest.
  private struct Follower {
    var contact: Int32
    var occasion: HapticOccasion
    var pattern: HapticPattern
    /// Of the motor's full strength, 0…1.
    var strength: Double
  }

  init() {
    lasting.reserveCapacity(Self.usualContacts)
    followers.reserveCapacity(Self.usualContacts)
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
    if !followers.isEmpty { return true }
    guard let end else { return false }
    return time < end
  }

  // MARK: Starts

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
    self.contact = contact
    guard !pattern.followsForce else {
      add(pattern, on: occasion, for: contact, force: force)
      return leading ?? pattern
    }
    let until = time + pattern.duration
    end = max(end ?? until, until)
    // Whatever plays for a release has no press to end with.
    if pattern.duration >= Self.sustained, occasion != .release { last(until, for: contact) }
    return pattern
  }

  /// Lets a contact take part in an effect that already follows the force of another.
  /// - Returns: what that changes; nil when nothing.
  mutating func join(
    _ pattern: HapticPattern, on occasion: HapticOccasion, for contact: Int32, force: Double
  ) -> HapticAction? {
    guard !followers.isEmpty else { return nil }
    let before = strength
    add(pattern, on: occasion, for: contact, force: force)
    return strength == before ? nil : .follow(strength)
  }

  private mutating func add(
    _ pattern: HapticPattern, on occasion: HapticOccasion, for contact: Int32, force: Double
  ) {
    followers.removeAll { $0.contact == contact && $0.occasion == occasion }
    followers.append(
      Follower(
        contact: contact, occasion: occasion, pattern: pattern,
        strength: pattern.pulse.strength * Self.share(of: force)))
    strength = strongest
  }

  private mutating func last(_ end: Instant, for contact: Int32) {
    if let index = lasting.firstIndex(where: { $0.contact == contact }) {
      lasting[index].end = max(lasting[index].end, end)
    } else {
      lasting.append(Lasting(contact: contact, end: end))
    }
  }

  // MARK: Following

  /// What a new force of a contact means for the effect that follows it; nil when nothing.
  mutating func follow(
    _ contact: Int32, force: Double, atMaximum: Bool
  ) -> HapticAction? {
    var isFollowed = false
    for index in followers.indices.reversed() where followers[index].contact == contact {
      isFollowed = true
      if followers[index].occasion == .maximum && !atMaximum {
        followers.remove(at: index)
      } else {
        followers[index].strength =
          followers[index].pattern.pulse.strength * Self.share(of: force)
      }
    }
    guard isFollowed else { return nil }
    return followers.isEmpty ? .stop : changedStrength()
  }

  private mutating func changedStrength() -> HapticAction? {
    let new = strongest
    guard new != strength else { return nil }
    strength = new
    return .follow(new)
  }

  private var strongest: Double {
    var most = 0.0
    for index in followers.indices { most = max(most, followers[index].strength) }
    return most
  }

  /// The effect that follows force as it is now; nil when none does.
  var leading: HapticPattern? {
    guard var pattern = followers.last?.pattern else { return nil }
    pattern.pulse.strength = strongest
    return pattern
  }

  // MARK: Ends

  /// A contact ends, and with it what plays for it.
  /// - Returns: what that means for the motor; nil when nothing. After a stop, `leading` goes on.
  mutating func end(_ contact: Int32, at time: Instant) -> HapticAction? {
    var lasts = false
    if let index = lasting.firstIndex(where: { $0.contact == contact }) {
      let end = lasting.remove(at: index).end
      lasts = time < end
      // They share one motor: what plays ends with the last of them.
      if lasts, let other = lasting.firstIndex(where: { time < $0.end }) {
        lasting[other].end = max(lasting[other].end, end)
        lasts = false
      }
    }
    let before = followers.count
    followers.removeAll { $0.contact == contact }
    let wasFollowed = followers.count < before
    if lasts || wasFollowed && followers.isEmpty { return .stop }
    return wasFollowed ? changedStrength() : nil
  }

  /// The motor is told to stop whatever plays, but for what follows the force of contacts that stay.
  mutating func stop() {
    end = nil
    lasting.removeAll(keepingCapacity: true)
    strength = strongest
  }

  /// The same for all contacts.
  mutating func stopAll() {
    followers.removeAll(keepingCapacity: true)
    stop()
  }

  private static func share(of force: Double) -> Double {
    min(max((force / 100 / step).rounded(.down) * step, 0), 1)
  }
}
