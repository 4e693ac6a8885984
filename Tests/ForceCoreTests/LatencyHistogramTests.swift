import ForceTestSupport
import Testing

@testable import ForceCore

@Suite struct LatencyHistogramTests {
  @Test func everyLatencyFallsIntoABucketThatIsAtMostAnEighthTooLong() {
    var before = -1
    for latency in 0..<Int64(100_000) {
      let bucket = LatencyHistogram.bucket(of: latency)
      #expect(bucket == before || bucket == before + 1)
      before = bucket
      let bound = LatencyHistogram.upperBound(of: bucket).count
      #expect(bound >= latency && bound - latency <= latency / 8)
    }
  }

  @Test(arguments: [Int64.min, -1, 1 << 24, .max])
  func whatIsBeyondCountsAtTheEnds(latency: Int64) {
    let histogram = LatencyHistogram()
    histogram.record(Microseconds(latency))
    #expect(histogram.count == 1)
    #expect(histogram.value(at: 0.5) == max(.zero, min(Microseconds(latency), histogram.maximum)))
  }

  @Test func percentilesAreThoseOfTheSortedValues() throws {
    var random = SeededGenerator(seed: 1)
    let histogram = LatencyHistogram()
    var values: [Int64] = []
    for _ in 0..<2_000 {
      let magnitude = Int64.random(in: 1...20, using: &random)
      let value = Int64.random(in: 0...(1 << magnitude), using: &random)
      values.append(value)
      histogram.record(Microseconds(value))
    }
    values.sort()
    for share in [0.001, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = values[Int((share * 2_000).rounded(.up)) - 1]
      let found = try #require(histogram.value(at: share)).count
      #expect(found >= exact && found - exact <= exact / 8)
    }
    var total: UInt64 = 0
    histogram.forEachBucket { total += $1 }
    #expect(total == 2_000 && histogram.maximum.count == values.last)
  }

  @Test func anEmptyOneHasNoPercentiles() {
    let histogram = LatencyHistogram()
    #expect(histogram.value(at: 0.5) == nil && histogram.maximum == .zero)
  }
}
