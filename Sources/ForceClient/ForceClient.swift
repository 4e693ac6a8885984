/// The daemon, as a program sees it: what devices there are, what is pressed, what to play.
///
///     let client = ForceClient()
///     for try await event in client.watch() {
///       if case .reading(let reading) = event.kind {
///         print(reading.device, reading.percent, reading.grams)
///       }
///     }
///
/// A client holds no connection: every call makes its own, and so does every ``watch(_:onConnection:)``.
/// For many calls in a row make a ``ForceConnection``.
public struct ForceClient: Sendable {
  /// Where the daemon listens.
  public var address: SocketAddress
  /// What a watch does when the daemon goes away; nil ends it with the error.
  public var reconnection: Reconnection?
  /// How long a call waits for its answer.
  public var timeLimit = Microseconds.seconds(10)

  public init(
    _ address: SocketAddress = .standard, reconnection: Reconnection? = Reconnection()
  ) {
    self.address = address
    self.reconnection = reconnection
  }

  /// Every device, also those that have been here and are gone.
  public func devices() async throws(ForceClientError) -> [DeviceRecord] {
    let method = ForceInterface.Method.listDevices
    let reply = try await call(method)
    var devices: [DeviceRecord] = []
    for object in try objects("devices", of: reply, to: method) {
      devices.append(try read(method) { () throws(FieldError) in try DeviceRecord(object) })
    }
    return devices
  }

  /// How the daemon is.
  public func status() async throws(ForceClientError) -> StatusRecord {
    let method = ForceInterface.Method.getStatus
    let reply = try await call(method)
    guard let status = reply["status"]?.objectValue else {
      throw .unexpectedReply(method: method, reason: "\"status\" is missing")
    }
    return try read(method) { () throws(FieldError) in try StatusRecord(status) }
  }

  /// How long the daemon takes from an event to the socket and to the motor.
  public func latency() async throws(ForceClientError) -> LatencyReport {
    let method = ForceInterface.Method.getLatency
    let reply = try await call(method)
    return try read(method) { () throws(FieldError) in try LatencyReport(parameters: reply) }
  }

  /// The latest reading of each contact, of all devices or of one.
  public func readings(
    _ request: ContactSelection = ContactSelection()
  ) async throws(ForceClientError) -> [ReadingRecord] {
    let method = ForceInterface.Method.getReading
    let reply = try await call(method, request.parameters)
    var readings: [ReadingRecord] = []
    for object in try objects("readings", of: reply, to: method) {
      readings.append(try read(method) { () throws(FieldError) in try ReadingRecord(object) })
    }
    return readings
  }

  /// Plays one effect now; returns the id of the device whose motor plays. Takes the right to
  /// control.
  @discardableResult
  public func playHaptic(
    _ request: HapticRequest = HapticRequest()
  ) async throws(ForceClientError) -> String {
    let method = ForceInterface.Method.playHaptic
    let reply = try await call(method, request.parameters)
    guard let motor = reply["motor"]?.stringValue else {
      throw .unexpectedReply(method: method, reason: "\"motor\" is missing")
    }
    return motor
  }

  /// Stops the motor of one device, or all. Takes the right to control.
  public func stopHaptics(device: String? = nil) async throws(ForceClientError) {
    _ = try await call(
      ForceInterface.Method.stopHaptics, StopHapticsRequest(device: device).parameters)
  }

  /// Makes the daemon read its configuration again. Takes the right to control.
  public func reload() async throws(ForceClientError) {
    _ = try await call(ForceInterface.Method.reload)
  }

  /// Changes the smoothing until the daemon ends or reloads; returns what is in force then. Takes
  /// the right to control.
  @discardableResult
  public func setSmoothing(
    _ changes: SmoothingRecord
  ) async throws(ForceClientError) -> SmoothingRecord {
    let method = ForceInterface.Method.setSmoothing
    let reply = try await call(method, changes.parameters)
    guard let smoothing = reply["smoothing"]?.objectValue else {
      throw .unexpectedReply(method: method, reason: "\"smoothing\" is missing")
    }
    return try read(method) { () throws(FieldError) in
      try SmoothingRecord(smoothing, at: "smoothing.")
    }
  }

  /// Calls any method that answers once.
  public func call(
    _ method: String, _ parameters: JSONObject = [:]
  ) async throws(ForceClientError) -> JSONObject {
    try await ForceConnection(to: address).call(method, parameters, timeLimit: timeLimit)
  }
}

/// Reads what a reply holds; what cannot be read becomes an error that names the method.
func read<T>(
  _ method: String, _ body: () throws(FieldError) -> T
) throws(ForceClientError) -> T {
  do throws(FieldError) {
    return try body()
  } catch {
    throw .unexpectedReply(method: method, reason: error.description)
  }
}

private func objects(
  _ key: String, of reply: JSONObject, to method: String
) throws(ForceClientError) -> [JSONObject] {
  guard let values = reply[key]?.arrayValue else {
    throw .unexpectedReply(method: method, reason: "\"\(key)\" is missing")
  }
  let objects = values.compactMap(\.objectValue)
  guard objects.count == values.count else {
    throw .unexpectedReply(method: method, reason: "\"\(key)\" holds what is no object")
  }
  return objects
}
