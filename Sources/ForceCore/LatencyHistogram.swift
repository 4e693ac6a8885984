/// How often each latency occurred, in constant memory: recording is a few instructions and never
/// allocates.
///
/// Buckets as in HDR histograms: single microseconds up to 7, above that eight for each power of two,
/// so that a bucket is at most an eighth wider than the values in it. What lasts longer than about
/// 16 s counts in the last one.
public final class LatencyHistogram {
  private static let octaves = 21
  static let bucketCount = 8 + octaves * 8

  private let buckets = Places([UInt64](repeating: 0, count: bucketCount))
  /// How many latencies were recorded.
  @exclusivity(unchecked) public private(set) var count: UInt64 = 0
  /// The longest of them, exactly; 0 before the first.
  @exclusivity(unchecked) public private(set) var maximum = Microseconds.zero

  public init() {}

  deinit { buckets.deallocate() }

  /// Counts one latency. A negative one, from clocks that disagree, counts as 0.
  public func record(_ latency: Microseconds) {
    buckets[Self.bucket(of: latency.count)] += 1
    count &+= 1
    if latency > maximum { maximum = latency }
  }

  static func bucket(of latency: Int64) -> Int {
    guard latency >= 8 else { return Int(max(latency, 0)) }
    // The three bits behind the highest one choose among the eight of its octave.
    let octave = 60 - latency.leadingZeroBitCount
    guard octave < octaves else { return bucketCount - 1 }
    return 8 + octave * 8 + Int(latency >> Int64(octave)) - 8
  }

  /// The largest latency that counts in a bucket.
  static func upperBound(of bucket: Int) -> Microseconds {
    guard bucket >= 8 else { return Microseconds(Int64(bucket)) }
    let (octave, place) = (bucket - 8).quotientAndRemainder(dividingBy: 8)
    return Microseconds((Int64(place + 9) << Int64(octave)) - 1)
  }

  /// The latency that this share of the recorded ones does not exceed, as the upper bound of its bucket
  /// and no more than the maximum; nil before the first.
  ///
  /// - Parameter share: 0…1, such as 0.99.
  public func value(at share: Double) -> Microseconds? {
    guard count > 0 else { return nil }
    let wanted = UInt64((min(max(share, 0), 1) * Double(count)).rounded(.up))
    var seen: UInt64 = 0
    for bucket in buckets.indices {
      seen += buckets[bucket]
      guard seen >= max(wanted, 1) else { continue }
      // The last bucket has no bound.
      let isLast = bucket == Self.bucketCount - 1
      return isLast ? maximum : min(Self.upperBound(of: bucket), maximum)
    }
    return maximum
  }

  /// Hands over each bucket that is not empty, shortest latencies first: their upper bound and number.
  public func forEachBucket(_ body: (Microseconds, UInt64) -> Void) {
    for bucket in buckets.indices where buckets[bucket] > 0 {
      body(Self.upperBound(of: bucket), buckets[bucket])
    }
  }
}
