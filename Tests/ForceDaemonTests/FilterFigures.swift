import ForceCore
import ForceDevices
import LinuxSystem
import Testing

@testable import ForceDaemon

/// Lag and noise of each filter on the recordings, side by side; `make bench` prints it.
@Suite(
  .enabled(
    if: Recordings.folder != nil && CurrentProcess.environment("FORCED_BENCH") != nil,
    "only make bench wants it"))
struct FilterFigures {
  /// What one filter did to all presses together.
  struct Figures {
    /// By how many milliseconds the output is too late on the whole, as `forcectl tune` measures it on
    /// a ramp.
    var lag: Double
    /// Root mean square of the second differences at 4 ms, against those of the input.
    var roughness: Double
    /// From the last change to the last reading, at most.
    var settling: Double
  }

  @Test func printTheTable() throws {
    var variants: [(String, SmoothingSettings)] = []
    func add(_ name: String, _ change: (inout SmoothingSettings) -> Void) {
      var settings = SmoothingSettings()
      change(&settings)
      variants.append((name, settings))
    }
    add("none") { $0.filter = .none }
    for constant in [3, 6, 12, 25] as [Int64] {
      add("exponential \(constant) ms") { $0.timeConstant = .milliseconds(constant) }
    }
    let oneEuro: [(cutoff: Double, beta: Double)] = [
      (1, 0.02), (5, 0.005), (5, 0.02), (5, 0.1), (10, 0.02),
    ]
    for (cutoff, beta) in oneEuro {
      add("one-euro \(cutoff) Hz, beta \(beta)") {
        ($0.filter, $0.minimumCutoff, $0.beta) = (.oneEuro, cutoff, beta)
      }
    }
    add("exponential 6 ms, median") { $0.medianOf3 = true }
    let presses = try presses()
    print("filters on \(presses.count) presses of the recordings; limits 2000 and 4000 %/s")
    for (name, settings) in variants {
      let figures = measure(presses, settings)
      func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
      print(
        "filter | \(name) | lag \(text(figures.lag)) ms | roughness \(text(figures.roughness)) % | "
          + "settles within \(text(figures.settling)) ms")
    }
  }

  private typealias Press = [(time: Instant, percent: Double)]

  /// The unsmoothed inputs of every press that lasts and moves.
  private func presses() throws -> [Press] {
    var presses: [Press] = []
    for file in Recordings.all {
      var open: [Int32: Press] = [:]
      for reading in try Recordings.dump(file).readings {
        if reading.state == .released {
          if let press = open.removeValue(forKey: reading.contact), press.count >= 20 {
            presses.append(press)
          }
        } else if open[reading.contact]?.last?.percent != reading.unsmoothedPercent {
          open[reading.contact, default: []].append((reading.time, reading.unsmoothedPercent))
        }
      }
    }
    return presses
  }

  private func measure(_ presses: [Press], _ settings: SmoothingSettings) -> Figures {
    let step = Microseconds.milliseconds(1)
    var lag = LagMeasure(longest: 100)
    var (rough, roughInput, settling) = (0.0, 0.0, 0.0)
    for press in presses {
      var (inputs, outputs): ([Double], [Double]) = ([], [])
      var line = DelayLine(length: 100)
      var smoother = Smoother(settings, at: press[0].time)
      var next = 0
      var time = press[0].time
      let end = press[press.count - 1].time
      while time <= end || !smoother.isSettled {
        while next < press.count && press[next].time <= time {
          smoother.setInput(press[next].percent, at: press[next].time)
          next += 1
        }
        smoother.advance(to: time)
        inputs.append(smoother.input)
        outputs.append(smoother.output)
        line.append(smoother.input)
        lag.take(smoother.output, inputs: line)
        time = time + step
      }
      settling = max(settling, (time - end).milliseconds)
      for index in stride(from: 8, to: outputs.count, by: 4) {
        func bend(_ v: [Double]) -> Double { v[index] - 2 * v[index - 4] + v[index - 8] }
        rough += bend(outputs) * bend(outputs)
        roughInput += bend(inputs) * bend(inputs)
      }
    }
    return Figures(
      lag: lag.lag ?? 0, roughness: (rough / roughInput).squareRoot() * 100, settling: settling)
  }
}
