import ForceCore
import ForceProtocol

/// Records with everything set, and with nothing that can be absent.
enum Sample {
  static let reading = ReadingRecord(
    device: "usb-1234:5678-pad", contact: 2, sequence: 17, time: Instant(microseconds: 123_456_789),
    raw: 1_234, percent: 42.46, grams: 163.5, gramsSource: .nominal, unsmoothedPercent: 43,
    atMaximum: false, state: .touching, position: Position(x: -7, y: 70))

  static let calibration: JSONObject = {
    let points = [CalibrationPoint(raw: 1, grams: 0), CalibrationPoint(raw: 5, grams: 100)]
    return (try? Calibration(points)).map { CalibrationRecord($0).object } ?? [:]
  }()

  static let accuracy: AccuracyRecord = {
    var accuracy = AccuracyRecord()
    accuracy.resolutionGrams = 0.000_5
    accuracy.noisePercent = 0.125
    accuracy.noiseGrams = 1.5
    accuracy.calibrationResidualGrams = 0.75
    accuracy.tareGrams = 1_500
    accuracy.observedMaximum = 300
    accuracy.penOffset = 12
    accuracy.pressAt = 2
    accuracy.releaseAt = 1
    accuracy.profile = "some-pad.conf"
    accuracy.doubt = "it has not sent any weight yet"
    return accuracy
  }()

  static let device: DeviceRecord = {
    var device = DeviceRecord(
      id: "usb-1234:5678-pad", name: "A \"pad\"", kind: "touchpad", measure: "contact",
      reason: "its pressure axis has no width", connected: true, minimum: -1, maximum: 255,
      resolution: 3, spanGrams: 385, gramsSource: "nominal", accuracy: accuracy,
      haptics: "FF_RUMBLE",
      hapticsReason: "no FF_HAPTIC", motor: "usb-1234:5678-pad", node: "/dev/input/event5", bus: 3,
      vendor: 0x1234, product: 0x5678,
      counters: EventCounters(events: 1, frames: 2, drops: 3))
    (device.xMinimum, device.xMaximum, device.yMinimum, device.yMaximum) = (-10, 10, 0, 100)
    return device
  }()

  static let plainDevice = DeviceRecord(id: "a", name: "b", kind: "other", measure: "none")

  static let latency = LatencyReport(
    publish: LatencyRecord(
      count: 3, p50: 41, p90: 55, p99: 55, p999: 55, maximum: 55,
      buckets: [.init(upTo: 43, count: 2), .init(upTo: 55, count: 1)]),
    haptic: LatencyRecord(count: 0))
  static let status: StatusRecord = {
    var counters = DaemonCounters()
    counters.events = 1
    counters.frames = 2
    counters.drops = 3
    counters.wakeups = 4
    counters.readings = 5
    counters.replaced = 6
    counters.requests = 7
    counters.errors = 8
    counters.hapticsPlayed = 9
    counters.hapticsFailed = 10
    return StatusRecord(
      version: "0.1.0", pid: 4_321, uptimeSeconds: 12.34, config: ["/etc/forced/forced.conf"],
      socket: "/run/forced/forced.sock", subscribers: 2, connections: 3,
      bufferedBytes: 1_024, counters: counters,
      realtime: [
        RealtimeRecord(name: "scheduler", state: "refused", reason: "not permitted"),
        RealtimeRecord(name: "memory_lock", state: "got"),
      ],
      motors: [
        MotorRecord(device: "a", motor: "b", haptics: "FF_RUMBLE", reason: "its sibling"),
        MotorRecord(device: "c", haptics: "none"),
      ], smoothing: smoothing)
  }()

  static let watch = WatchRequest(
    devices: ["a", "b"], contacts: [0, -3], events: WatchRequest.Kind.allCases, maximumHertz: 60,
    onChange: 0.5, heartbeatMilliseconds: 1_000)

  static let smoothing = SmoothingRecord(SmoothingSettings())

  static let events: [WatchEvent] = [
    WatchEvent(.reading(reading), dropped: 3), WatchEvent(.reading(reading)),
    WatchEvent(.deviceAdded(device)), WatchEvent(.deviceRemoved(plainDevice), dropped: 1),
    WatchEvent(.heartbeat),
  ]
}
