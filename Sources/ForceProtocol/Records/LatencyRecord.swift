import ForceCore

/// How long something took since the daemon started, as `GetLatency` tells it. In microseconds.
public struct LatencyRecord: Equatable, Sendable {
  /// Latencies up to a bound.
  public struct Bucket: Equatable, Sendable {
    /// The longest latency that counts here.
    public var upTo: Int64
    public var count: UInt64

    public init(upTo: Int64, count: UInt64) {
      self.upTo = upTo
      self.count = count
    }
  }

  public var count: UInt64
  /// Half took no longer than this; nil where nothing was counted, as are those below.
  public var p50: Int64?
  public var p90: Int64?
  public var p99: Int64?
  public var p999: Int64?
  public var maximum: Int64?
  /// Those that are not empty, shortest first.
  public var buckets: [Bucket]

  public init(
    count: UInt64, p50: Int64? = nil, p90: Int64? = nil, p99: Int64? = nil, p999: Int64? = nil,
    maximum: Int64? = nil, buckets: [Bucket] = []
  ) {
    self.count = count
    self.p50 = p50
    self.p90 = p90
    self.p99 = p99
    self.p999 = p999
    self.maximum = maximum
    self.buckets = buckets
  }

  public init(_ histogram: LatencyHistogram) {
    self.init(
      count: histogram.count, p50: histogram.value(at: 0.5)?.count,
      p90: histogram.value(at: 0.9)?.count, p99: histogram.value(at: 0.99)?.count,
      p999: histogram.value(at: 0.999)?.count,
      maximum: histogram.count > 0 ? histogram.maximum.count : nil)
    histogram.forEachBucket { buckets.append(Bucket(upTo: $0.count, count: $1)) }
  }

  public init(_ object: JSONObject, at path: String = "") throws(FieldError) {
    var fields = FieldReader(object, at: path)
    count = try fields.integer("count")
    p50 = try fields.optionalInteger("p50_us")
    p90 = try fields.optionalInteger("p90_us")
    p99 = try fields.optionalInteger("p99_us")
    p999 = try fields.optionalInteger("p999_us")
    maximum = try fields.optionalInteger("max_us")
    buckets = try fields.records("buckets") { (object, path) throws(FieldError) in
      var fields = FieldReader(object, at: path)
      return Bucket(
        upTo: try fields.integer("up_to_us"), count: try fields.integer("count"))
    }
  }

  public var object: JSONObject {
    var object: JSONObject = ["count": JSONValue(count)]
    let numbers = [
      ("p50_us", p50), ("p90_us", p90), ("p99_us", p99), ("p999_us", p999), ("max_us", maximum),
    ]
    for (name, value) in numbers { if let value { object[name] = .integer(value) } }
    object["buckets"] = .array(
      buckets.map { .object(["up_to_us": .integer($0.upTo), "count": JSONValue($0.count)]) })
    return object
  }
}

/// The two latencies that the daemon keeps, as `GetLatency` returns them.
public struct LatencyReport: Equatable, Sendable {
  /// From the kernel's time stamp to the end of sending the reading to every subscriber.
  public var publish: LatencyRecord
  /// From the kernel's time stamp to the end of telling the motor.
  public var haptic: LatencyRecord

  public init(publish: LatencyRecord, haptic: LatencyRecord) {
    self.publish = publish
    self.haptic = haptic
  }

  public init(parameters: JSONObject) throws(FieldError) {
    var fields = FieldReader(parameters)
    let publish = try fields.required(
      "publish", "an object", try fields.optionalObject("publish"))
    let haptic = try fields.required("haptic", "an object", try fields.optionalObject("haptic"))
    self.publish = try LatencyRecord(publish, at: "publish.")
    self.haptic = try LatencyRecord(haptic, at: "haptic.")
  }

  public var parameters: JSONObject {
    ["publish": .object(publish.object), "haptic": .object(haptic.object)]
  }
}
