import ForceCore
import ForceTestSupport
import LinuxSystem
import Testing

@Suite("The 1€ filter")
struct OneEuroFilterTests {
  /// Worked out from the paper's equations for a minimum cutoff of 0.8 Hz, beta 0.05 and a derivative
  /// cutoff of 1.5 Hz, at times that are not evenly spaced: time in s, sample, filtered.
  private static let table: [(time: Double, sample: Double, filtered: Double)] = [
    (0, 10, 10),
    (0.004, 10, 10.0),
    (0.012, 14, 10.454898903),
    (0.016, 40, 18.892801122),
    (0.017, 41, 22.005937266),
    (0.05, 80, 73.887117668),
    (0.1, 80, 79.414257178),
    (0.35, 3, 17.081105798),
  ]

  @Test("Samples at uneven times give what the paper's equations give")
  func equations() {
    var filter = OneEuroFilter(minimumCutoff: 0.8, beta: 0.05, derivativeCutoff: 1.5)
    var last = 0.0
    for row in Self.table {
      let filtered = filter.filter(row.sample, after: row.time - last)
      #expect((filtered - row.filtered).magnitude < 1e-8)
      last = row.time
    }
  }

  @Test("The reference project's table comes out", .enabled(if: GroundTruth.rows != nil))
  func groundTruth() throws {
    let rows = try #require(GroundTruth.rows)
    #expect(rows.count > 500)
    var filter = OneEuroFilter(minimumCutoff: 1, beta: 0.1, derivativeCutoff: 1)
    var last = 0.0
    var worst = 0.0
    for row in rows {
      worst = max(worst, (filter.filter(row[2], after: row[0] - last) - row[3]).magnitude)
      last = row[0]
    }
    // The table has six digits, and so have its times: steps of 8.3 ms that are off by 10 µs.
    #expect(worst < 5e-5)
  }

  @Test(
    "The smoother is that filter, one sample later: it knows a value only once it has held",
    .enabled(if: GroundTruth.rows != nil))
  func smootherAgainstGroundTruth() throws {
    let rows = try #require(GroundTruth.rows)
    var settings = SmoothingSettings()
    settings.filter = .oneEuro
    settings.minimumCutoff = 1
    settings.beta = 0.1
    settings.derivativeCutoff = 1
    settings.riseRate = 1_000_000
    settings.fallRate = 1_000_000
    // The table's own step, 1/120 s, so that each sample is one ramp.
    settings.interval = Microseconds(8_333)
    func time(_ row: [Double]) -> Instant {
      Instant(microseconds: Int64((row[0] * 1_000_000).rounded()))
    }
    var smoother = Smoother(settings, value: rows[0][2], at: time(rows[0]))
    var worst = 0.0
    for (before, row) in zip(rows, rows.dropFirst()) {
      smoother.setInput(row[2], at: time(before))
      smoother.advance(to: time(row))
      worst = max(worst, (smoother.output - row[3]).magnitude)
    }
    // Times in whole microseconds, and values within the tolerance count as arrived.
    #expect(worst < 2 * Smoother.tolerance)
  }

  @Test("Two samples at one time have no speed, and time never runs backwards")
  func timeThatStands() {
    var filter = OneEuroFilter(minimumCutoff: 1, beta: 1)
    _ = filter.filter(10, after: 0)
    let before = filter.filter(20, after: 0.01)
    #expect(filter.filter(90, after: 0) == before)
    #expect(filter.filter(90, after: -1) == before)
    #expect(filter.derivative.isFinite)
  }

  @Test("A higher beta lags less in a fast press; a lower cutoff is calmer at rest")
  func whatTheParametersDo() {
    func end(beta: Double, cutoff: Double) -> Double {
      var filter = OneEuroFilter(minimumCutoff: cutoff, beta: beta)
      _ = filter.filter(0, after: 0)
      return (1...20).reduce(0.0) { _, step in filter.filter(Double(step) * 4, after: 0.004) }
    }
    #expect(end(beta: 0.05, cutoff: 2) > end(beta: 0.005, cutoff: 2))
    func ripple(cutoff: Double) -> Double {
      var filter = OneEuroFilter(minimumCutoff: cutoff, beta: 0)
      return (1...200).reduce(0.0) { worst, step in
        let value = filter.filter(step.isMultiple(of: 2) ? 51 : 49, after: 0.004)
        return step > 100 ? max(worst, (value - 50).magnitude) : 0
      }
    }
    #expect(ripple(cutoff: 1) < ripple(cutoff: 10))
  }
}

@Suite("The median of three")
struct MedianTests {
  private func smoother() -> Smoother {
    var settings = EngineSettings.unsmoothed.smoothing
    settings.medianOf3 = true
    return Smoother(settings, value: 30, at: Instant(microseconds: 0))
  }

  private func at(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: milliseconds * 1_000)
  }

  @Test("A spike of one report never gets through")
  func spike() {
    var smoother = smoother()
    for (time, value) in [(8, 31.0), (16, 30), (24, 95), (32, 31), (40, 30)] {
      smoother.setInput(value, at: at(Int64(time)))
      smoother.advance(to: at(Int64(time) + 7))
      #expect((30...31).contains(smoother.output))
    }
  }

  @Test("A step with nothing behind it comes through once the device has been silent for a while")
  func stepThenSilence() {
    var smoother = smoother()
    smoother.setInput(31, at: at(8))
    smoother.setInput(80, at: at(16))
    smoother.advance(to: at(23))
    #expect(smoother.output == 31)
    #expect(!smoother.isSettled)
    smoother.advance(to: at(40))
    #expect(smoother.output == 80)
    #expect(smoother.isSettled)
  }
}

private enum GroundTruth {
  /// timestamp, signal, noisy, filtered; nil where the folder is not there.
  static let rows: [[Double]]? = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let path = "/\(root)/shared/one-euro/groundTruth.csv"
    let found = FileSystem.exists(path) ? path : CurrentProcess.environment("FORCED_ONE_EURO")
    guard let found, let bytes = try? FileSystem.read(found) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
      .filter { $0.count == 4 }
  }()
}
