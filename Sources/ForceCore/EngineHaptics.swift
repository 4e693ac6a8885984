/// The effect of each occasion, without a name to look up.
struct OccasionEffects {
  var maximum: HapticPattern?
  var press: HapticPattern?
  var release: HapticPattern?

  init(_ settings: HapticSettings) {
    guard settings.enabled else { return }
    maximum = settings.effect(on: .maximum)
    press = settings.effect(on: .press)
    release = settings.effect(on: .release)
  }

  subscript(occasion: HapticOccasion) -> HapticPattern? {
    switch occasion {
    case .maximum: maximum
    case .press: press
    case .release: release
    }
  }
}

extension Engine {
  /// Plays the effect of an occasion, unless the last one is too fresh.
  func playHaptics(
    _ occasion: HapticOccasion, of device: TrackedDevice, _ place: Int, at time: Instant
  ) {
    guard let pattern = effects[occasion], pattern.pulse.strength > 0,
      // A contact that ends has no force to follow.
      occasion != .release || !pattern.followsForce
    else { return }
    let contact = device.contacts[place].number
    let force = device.contacts[place].smoother.output
    if device.haptics.mayPlay(
      occasion, at: time, minimumInterval: current.haptics.minimumInterval)
    {
      let started = device.haptics.play(
        pattern, on: occasion, for: contact, force: force, at: time)
      append(.play(started), of: device, for: contact, at: time)
    } else if pattern.followsForce {
      guard
        let action = device.haptics.join(pattern, on: occasion, for: contact, force: force)
      else { return }
      append(action, of: device, for: contact, at: time)
    }
  }

  /// Lets the effect that follows the force of a contact follow it.
  func followForce(of device: TrackedDevice, _ place: Int, at time: Instant) {
    let contact = device.contacts[place].number
    guard
      let action = device.haptics.follow(
        contact, force: device.contacts[place].smoother.output,
        atMaximum: device.contacts[place].maximum.isAtMaximum)
    else { return }
    carryOut(action, of: device, for: contact, at: time)
  }

  /// Ends what plays for a contact that ends.
  func endHaptics(of device: TrackedDevice, _ place: Int, at time: Instant) {
    let contact = device.contacts[place].number
    guard let action = device.haptics.end(contact, at: time) else { return }
    carryOut(action, of: device, for: contact, at: time)
  }

  private func carryOut(
    _ action: HapticAction, of device: TrackedDevice, for contact: Int32, at time: Instant
  ) {
    append(action, of: device, for: contact, at: time)
    guard action == .stop else { return }
    device.haptics.stop()
    // A motor stops as a whole; what follows other contacts goes on.
    if let leading = device.haptics.leading {
      append(.play(leading), of: device, for: contact, at: time)
    }
  }

  func stopHaptics(of device: TrackedDevice, at time: Instant) {
    guard device.haptics.isPlaying(at: time) else { return }
    device.haptics.stopAll()
    append(.stop, of: device, for: device.haptics.contact, at: time)
  }

  /// Ends every effect that plays, for when nothing may go on as it was: a reload.
  public func stopHaptics(at now: Instant) {
    for device in devices { stopHaptics(of: device, at: device.moveTime(to: now)) }
  }

  private func append(
    _ action: HapticAction, of device: TrackedDevice, for contact: Int32, at time: Instant
  ) {
    newHaptics.append(
      HapticCommand(device: device.handle, contact: contact, time: time, action: action))
  }
}
