import ForceConfig
import ForceCore
import ForceProtocol

/// Calibrations of a device that are to be saved before they are put in force.
struct CalibrationPlan {
  let entry: DeviceEntry
  let store: CalibrationStore
  let calibrations: [Int32: Calibration]
  /// The one that was asked for; nil where it is taken away.
  let result: Calibration?

  /// What `Calibrate` returns when it is done.
  var reply: JSONObject {
    var reply = JSONObject()
    reply["calibration"] = result.map { .object(CalibrationRecord($0).object) }
    return reply
  }
}

extension Pipeline {
  /// The named device, where it can be weighed with; without a name the only one.
  func measuringDevice(_ name: String?) throws(VarlinkError) -> DeviceEntry {
    if let name {
      let entry = try table.find(name)
      guard entry.connected, entry.capability.measure == .force else {
        throw .notMeasurable(
          device: entry.id,
          reason: entry.connected
            ? entry.capability.reason ?? "it measures no force" : "it is not connected")
      }
      return entry
    }
    let candidates = table.connected.filter { $0.capability.measure == .force }
    guard let only = candidates.first, candidates.count == 1 else {
      throw .notMeasurable(
        device: "",
        reason: candidates.isEmpty
          ? "no device measures force" : "several devices measure force: name the device")
    }
    return only
  }

  /// Takes what lies on a device now as nothing; returns the tares in force.
  func tare(_ asked: ContactSelection, at now: Instant) throws(VarlinkError) -> JSONObject {
    let entry = try measuringDevice(asked.device)
    var tuning = engine.tuning(of: entry.handle) ?? DeviceTuning()
    var count = 0
    engine.forEachCurrent(of: entry.handle) { reading in
      guard reading.state != .released, asked.contact ?? reading.contact == reading.contact else {
        return
      }
      tuning.tare[reading.contact, default: 0] += reading.grams
      count += 1
    }
    guard count > 0 else {
      throw .notMeasurable(device: entry.id, reason: "nothing lies on it")
    }
    use(tuning, of: entry, at: now)
    return tares(tuning)
  }

  func untare(_ asked: ContactSelection, at now: Instant) throws(VarlinkError) -> JSONObject {
    let entry = try measuringDevice(asked.device)
    var tuning = engine.tuning(of: entry.handle) ?? DeviceTuning()
    if let contact = asked.contact { tuning.tare[contact] = nil } else { tuning.tare = [:] }
    use(tuning, of: entry, at: now)
    return tares(tuning)
  }

  private func tares(_ tuning: DeviceTuning) -> JSONObject {
    let rows = tuning.tare.sorted { $0.key < $1.key }.map { contact, grams in
      JSONValue.object(["contact": .integer(Int64(contact)), "grams": .number(grams)])
    }
    return ["tares": .array(rows)]
  }

  /// What a device's calibrations would be.
  func calibration(_ asked: CalibrateRequest) throws(VarlinkError) -> CalibrationPlan {
    let entry = try measuringDevice(asked.device)
    guard let store = tunings.store else {
      throw .calibrationRefused(device: entry.id, reason: "there is no folder to save it in")
    }
    if let twin = twin(of: entry) {
      throw .calibrationRefused(
        device: entry.id,
        reason: "nothing tells it from \(twin.id) after a restart; unplug \(twin.id) meanwhile")
    }
    let key = entry.capability.calibrationKey(ofContact: asked.contact ?? 0)
    var all = tunings.calibrations(of: entry.identity)
    do throws(CalibrationRefused) {
      all[key] =
        asked.points.isEmpty ? nil : try Calibration(asked.points, method: asked.method)
    } catch {
      throw .calibrationRefused(device: entry.id, reason: "\(error)")
    }
    return CalibrationPlan(entry: entry, store: store, calibrations: all, result: all[key])
  }

  /// Another device that is stored under the same key.
  private func twin(of entry: DeviceEntry) -> DeviceEntry? {
    let key = entry.identity.key
    return table.connected.first {
      $0.handle != entry.handle && $0.capability.measure == .force && $0.identity.key == key
    }
  }

  /// Puts calibrations in force for a device. A tare ends with it: it is in grams of the one before.
  func use(_ calibrations: [Int32: Calibration], of entry: DeviceEntry, at now: Instant) {
    tunings.set(calibrations, of: entry.identity)
    var before = engine.tuning(of: entry.handle) ?? DeviceTuning()
    if !before.tare.isEmpty {
      before.tare = [:]
      log.notice("\(entry.id): the tare is gone; it was in grams of another calibration")
    }
    use(tunings.tuning(for: entry.identity, before: before), of: entry, at: now)
  }

  /// Takes changed profiles; calibrations and tares stay.
  func useProfiles(_ profiles: [DeviceProfile], at now: Instant) {
    tunings.profiles = profiles
    for entry in table.connected {
      let before = engine.tuning(of: entry.handle) ?? DeviceTuning()
      use(tunings.tuning(for: entry.identity, before: before), of: entry, at: now)
    }
  }

  private func use(_ tuning: DeviceTuning, of entry: DeviceEntry, at now: Instant) {
    guard engine.tuning(of: entry.handle) != tuning else { return }
    engine.setTuning(tuning, of: entry.handle)
    flush(at: now)
  }
}

extension Pipeline {
  /// Keeps what the devices have taught of their ranges since the last time.
  func keepRanges() {
    keptLearnings = engine.rangeLearnings
    for entry in table.connected { keepRanges(of: entry) }
  }

  func keepRanges(of entry: DeviceEntry) {
    // What nothing tells from its like must not teach the others.
    guard !entry.identity.uniq.isEmpty || !entry.identity.phys.isEmpty else { return }
    let ranges = engine.rememberedRanges(of: entry.handle)
    guard !ranges.isEmpty, tunings.ranges(of: entry.identity) != ranges else { return }
    tunings.set(ranges, of: entry.identity)
    keeper?(entry.identity.key, ranges)
  }
}
