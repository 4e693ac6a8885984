import ForceCore

/// What came of the orders.
extension MotorState {
  /// - Returns: what has to be done or said at once; `next(at:)` follows in any case.
  mutating func finishUpload(_ result: Result<EffectID, MotorError>, at now: Instant) -> MotorOrder?
  {
    guard case .uploading(let upload) = work else { return nil }
    work = .idle
    switch result {
    case .success(let id): return finish(upload, as: id, at: now)
    case .failure(.noFreeSlot): return makeRoom(for: upload, at: now)
    case .failure(.gone):
      return disappear()
    case .failure(let error):
      counters.refused += 1
      return block(by: error, .refused(error))
    }
  }

  private mutating func finish(
    _ upload: Upload, as id: EffectID, at now: Instant
  ) -> MotorOrder? {
    if isClosing { return .erase(id) }
    trouble = nil
    isBlocked = false
    uses += 1
    let known = slots.firstIndex { $0.id == upload.replacing || $0.id == id }
    if let known {
      slots[known].id = id
      slots[known].effect = upload.effect
      // What plays on under a changed effect is still playing; another effect is not.
      if !(slots[known].follows && upload.follows) {
        slots[known].playingUntil = nil
      } else if !limits.changesWhilePlaying {
        follow?.renewAt = now
      }
      slots[known].follows = upload.follows
      slots[known].lastUse = uses
    } else {
      slots.append(Slot(id: id, effect: upload.effect, follows: upload.follows, lastUse: uses))
    }
    return upload.isSlow ? .tell(.answered(after: now - upload.since)) : nil
  }

  /// The device is full: first we make do with what we hold, then give up what was to be changed and
  /// try once more, then say so.
  private mutating func makeRoom(for upload: Upload, at now: Instant) -> MotorOrder? {
    counters.full += 1
    // Nothing reached the device: the next try need not keep its distance.
    lastUpload = nil
    if upload.replacing == nil, !slots.isEmpty, !upload.isSecondTry {
      capacity = slots.count
      return nil
    }
    if !upload.isSecondTry, let replacing = upload.replacing {
      slots.removeAll { $0.id == replacing }
      work = .erasing(replacing, for: upload)
      return .erase(replacing)
    }
    return block(by: .noFreeSlot, .full)
  }

  /// After an erase that made room: the upload that it made room for.
  mutating func finishErase() -> MotorOrder? {
    guard case .erasing(_, for: var upload) = work else { return nil }
    work = .idle
    guard !isClosing, !isGone else { return nil }
    upload.replacing = nil
    upload.isSecondTry = true
    work = .uploading(upload)
    return .upload(upload.effect, replacing: nil)
  }

  mutating func finishPlay(_ error: MotorError?) -> MotorOrder? {
    guard let error else {
      counters.played += 1
      trouble = nil
      return nil
    }
    counters.failed += 1
    _ = dropTrains()
    follow = nil
    trouble = error
    return error == .gone ? disappear() : .tell(.failed(error))
  }

  /// A stop that the driver does not take is tried again: the motor may run on.
  mutating func finishStop(_ id: EffectID, _ error: MotorError?) -> MotorOrder? {
    guard let error else { return nil }
    if error == .gone { return disappear() }
    counters.refusedStops += 1
    if let index = slots.firstIndex(where: { $0.id == id }),
      slots[index].refusedStops < Self.stopTries
    {
      slots[index].refusedStops += 1
      slots[index].stops = max(slots[index].stops, 1)
    }
    return .tell(.failed(error))
  }

  private mutating func block(by error: MotorError, _ trouble: MotorTrouble) -> MotorOrder {
    self.trouble = error
    isBlocked = true
    counters.failed += dropTrains()
    follow = nil
    return .tell(trouble)
  }

  private mutating func disappear() -> MotorOrder? {
    guard !isGone else { return nil }
    counters.gone += 1
    trouble = .gone
    forget()
    return .tell(.gone)
  }

  /// The device has gone, and the effects with it: results that still come change nothing.
  mutating func retire(at now: Instant) {
    if !isGone, isBusy(at: now) { counters.gone += 1 }
    forget()
    isClosing = true
  }

  /// Whether something plays, is to be played, or is to be stopped and has not been told twice: the
  /// kernel lifts the finger of a device that is being unplugged, a moment before it is gone.
  private func isBusy(at now: Instant) -> Bool {
    // A driver may hold the change of a followed effect for longer than the effect lasts.
    if case .uploading(let upload) = work, upload.follows { return true }
    return train != nil || loaded != nil || follow != nil
      || slots.contains { $0.stops > 0 || $0.playingUntil.map { now < $0 } ?? false }
  }

  private mutating func forget() {
    isGone = true
    work = .idle
    slots.removeAll(keepingCapacity: true)
    _ = dropTrains()
    follow = nil
  }

  /// The end of this motor's service: what it must be told, in order. An upload that is still under
  /// way is erased when it comes back.
  mutating func shutDown() -> [MotorOrder] {
    isClosing = true
    _ = dropTrains()
    follow = nil
    let orders = slots.flatMap { [MotorOrder.stop($0.id), .erase($0.id)] }
    slots.removeAll()
    return orders
  }
}
