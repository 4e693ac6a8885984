import ForceCore
import ForceTestSupport
import Glibc
import LinuxSystem
import Testing

@testable import ForceDaemon

/// A disk that dies: after so many steps, in the midst of a write after so many bytes; or one that takes
/// no more than so many.
/// Used by one thread at a time.
private final class DyingFiles: StateFiles, @unchecked Sendable {
  private(set) var contents: [String: [UInt8]] = [:]
  private var stepsLeft: Int?
  private let partOfWrite: Int
  private(set) var steps = 0
  var isFull = false

  init(_ contents: [String: [UInt8]] = [:], dyingAfter steps: Int? = nil, partOfWrite: Int = 0) {
    self.contents = contents
    stepsLeft = steps
    self.partOfWrite = partOfWrite
  }

  private func step() throws(SystemError) {
    steps += 1
    guard let left = stepsLeft else { return }
    guard left > 0 else { throw SystemError("go on", "", .brokenPipe) }
    stepsLeft = left - 1
  }

  func list(_ folder: String) throws(SystemError) -> [String] {
    contents.keys.map { String($0.dropFirst(folder.utf8.count + 1)) }
  }

  func read(_ path: String) throws(SystemError) -> [UInt8] {
    guard let bytes = contents[path] else { throw SystemError("read", path, .noEntry) }
    return bytes
  }

  func exists(_ path: String) -> Bool { path == "/state" || contents[path] != nil }
  func makeFolder(_ path: String) throws(SystemError) { try step() }

  func write(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    do throws(SystemError) {
      try step()
      if isFull { throw SystemError("write", path, .noSpace) }
    } catch {
      contents[path] = Array(bytes.prefix(partOfWrite))
      throw error
    }
    contents[path] = bytes
  }

  func rename(_ from: String, to: String) throws(SystemError) {
    try step()
    guard let bytes = contents.removeValue(forKey: from) else {
      throw SystemError("rename", from, .noEntry)
    }
    contents[to] = bytes
  }

  func remove(_ path: String) throws(SystemError) {
    try step()
    contents[path] = nil
  }

  func synchronize(_ folder: String) throws(SystemError) { try step() }
}

@Suite struct CalibrationStoreTests {
  private let key =
    DeviceIdentity(bus: 3, vendor: 0x1234, product: 0x5678, name: "pad", phys: "usb 1/in\n0").key
  private var path: String { "/state/\(CalibrationFile.name(for: key))" }

  private func calibration(_ grams: Double) throws -> [Int32: Calibration] {
    [
      0: try Calibration([
        CalibrationPoint(raw: 3.25, grams: 0), CalibrationPoint(raw: 0.1 + 600, grams: grams),
      ]),
      4: try Calibration(
        [CalibrationPoint(raw: -1, grams: 0), CalibrationPoint(raw: 5, grams: 1)],
        method: .piecewise),
    ]
  }

  private func load(_ files: DyingFiles, notes: inout [String]) -> [Int32: Calibration]? {
    CalibrationStore(folder: "/state", files: files).load { notes.append($0) }[key]
  }

  @Test func whateverTheStepAtWhichSavingDiesTheOldOrTheNewIsThere() throws {
    let (old, new) = (try calibration(100), try calibration(200))
    let before = DyingFiles()
    try CalibrationStore(folder: "/state", files: before).save(key, try calibration(50))
    try CalibrationStore(folder: "/state", files: before).save(key, old)
    let length = CalibrationFile.encode(key, new).count
    let whole = DyingFiles(before.contents)
    try CalibrationStore(folder: "/state", files: whole).save(key, new)
    #expect(whole.steps >= 5)
    for step in 0...whole.steps {
      for part in 0...length {
        let files = DyingFiles(before.contents, dyingAfter: step, partOfWrite: part)
        try? CalibrationStore(folder: "/state", files: files).save(key, new)
        var notes: [String] = []
        let after = load(DyingFiles(files.contents), notes: &notes)
        #expect(after == old || after == new, "step \(step), \(part) bytes")
        #expect(notes == [])
        if step == whole.steps { #expect(after == new) }
      }
    }
  }

  @Test func onAFullDiskTheOldStaysAndNothingElse() throws {
    let before = DyingFiles()
    try CalibrationStore(folder: "/state", files: before).save(key, try calibration(100))
    let files = DyingFiles(before.contents, partOfWrite: 5)
    files.isFull = true
    let error = thrown(SystemError.self) {
      try CalibrationStore(folder: "/state", files: files).save(key, try calibration(200))
    }
    #expect(error?.errno == .noSpace)
    #expect(files.contents == before.contents)
  }

  @Test func theFirstSaveLeavesNothingOrTheWhole() throws {
    let new = try calibration(200)
    for step in 0...6 {
      let files = DyingFiles(dyingAfter: step, partOfWrite: 40)
      try? CalibrationStore(folder: "/state", files: files).save(key, new)
      var notes: [String] = []
      let after = load(DyingFiles(files.contents), notes: &notes)
      #expect(after == nil || after == new)
    }
  }

  @Test func aDamagedFileIsPutAsideAndSaidAndTheOldOneTaken() throws {
    let old = try calibration(100)
    let good = DyingFiles()
    try CalibrationStore(folder: "/state", files: good).save(key, old)
    try CalibrationStore(folder: "/state", files: good).save(key, try calibration(200))
    let bytes = try #require(good.contents[path])
    for index in bytes.indices {
      var contents = good.contents
      contents[path]?[index] ^= 0x01
      let files = DyingFiles(contents)
      var notes: [String] = []
      #expect(load(files, notes: &notes) == old)
      #expect(notes.count == 2 && notes[0].contains("put aside as \(path).damaged"))
      #expect(notes[1] == "the calibration before it, \(path).old, is in force instead")
      #expect(files.contents[path + ".damaged"] != nil && files.contents[path] == nil)
    }
  }

  @Test func aFIFOAmongTheFilesIsSaidAndHoldsNobodyUp() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path + "/a.calibration", 0o600) == 0)
    #expect(mkfifo(folder.path + "/a.range", 0o600) == 0)
    let store = CalibrationStore(folder: folder.path)
    var notes: [String] = []
    #expect(store.load { notes.append($0) }.isEmpty)
    #expect(store.ranges.load { notes.append($0) }.isEmpty)
    #expect(notes.count == 2 && notes.allSatisfy { $0.contains("read as a file") })
  }

  @Test func stateLiesWhereTheServiceManagerOrTheUserSays() {
    func folder(isRoot: Bool, _ variables: [String: String]) -> String? {
      CalibrationStore.folder(isRoot: isRoot) { variables[$0] }
    }
    #expect(folder(isRoot: true, ["STATE_DIRECTORY": "/a:/b", "HOME": "/root"]) == "/a")
    #expect(folder(isRoot: true, ["STATE_DIRECTORY": "here"]) == "here")
    #expect(folder(isRoot: true, ["HOME": "/root"]) == "/var/lib/forced")
    #expect(folder(isRoot: false, ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/forced")
    #expect(
      folder(isRoot: false, ["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/forced")
    #expect(folder(isRoot: false, [:]) == nil)
  }

  @Test func aCutFileIsNeverHalfUsed() throws {
    let bytes = CalibrationFile.encode(key, try calibration(100))
    for end in bytes.indices {
      #expect(throws: DeviceFile.Damage.self) {
        try CalibrationFile.decode(Array(bytes[..<end]))
      }
    }
    let whole = try CalibrationFile.decode(bytes)
    #expect(whole.key == key)
    let hundred = try calibration(100)
    #expect(whole.calibrations == hundred)
  }

  @Test func rangesAreThereAsTheyWereOrAsTheyAreAndNeverHalf() throws {
    let old = [RememberedRange(learnedMaximum: 1_200), RememberedRange(peak: 7)]
    let new = [RememberedRange(learnedMaximum: 1_300, peak: -4), RememberedRange()]
    let before = DyingFiles()
    try RangeStore(folder: "/state", files: before).save(key, old)
    let length = RangeFile.encode(key, new).count
    for step in 0...4 {
      for part in 0...length {
        let files = DyingFiles(before.contents, dyingAfter: step, partOfWrite: part)
        try? RangeStore(folder: "/state", files: files).save(key, new)
        var notes: [String] = []
        let after = RangeStore(folder: "/state", files: DyingFiles(files.contents))
          .load { notes.append($0) }[key]
        #expect(after == (step < 3 ? old : new) && notes == [], "step \(step), \(part) bytes")
      }
    }
  }

  @Test func aDamagedRangeIsLeftOutAndSaid() throws {
    let bytes = RangeFile.encode(key, [RememberedRange(learnedMaximum: 1_200)])
    let path = "/state/\(RangeFile.name(for: key))"
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x01
      var notes: [String] = []
      let files = DyingFiles([path: damaged])
      #expect(RangeStore(folder: "/state", files: files).load { notes.append($0) }.isEmpty)
      #expect(notes.count == 1 && notes[0].contains(path))
      #expect(throws: DeviceFile.Damage.self) { try RangeFile.decode(Array(bytes[..<index])) }
    }
    #expect(RangeStore(folder: "/state", files: DyingFiles([path: bytes])).load { _ in }.count == 1)
  }

  @Test func theKernelsFilesDoTheSame() throws {
    let folder = try TemporaryFolder()
    let store = CalibrationStore(folder: folder.path + "/a/b")
    #expect(store.load { _ in }.isEmpty)
    try store.save(key, try calibration(100))
    try store.save(key, try calibration(200))
    let twoHundred = try calibration(200)
    #expect(store.load { _ in }[key] == twoHundred)
    #expect(
      try FileSystem.list(folder.path + "/a/b").sorted()
        == [CalibrationFile.name(for: key), CalibrationFile.name(for: key) + ".old"])
  }

  @Test func aDeviceIsToldByItsSerialNumberOrElseByItsPlace() {
    var one = DeviceIdentity(bus: 3, vendor: 1, product: 2, name: "a", uniq: "s", phys: "p")
    var two = one
    two.phys = "q"
    two.name = "b"
    #expect(one.key == two.key)
    two.uniq = "t"
    #expect(one.key != two.key)
    (one.uniq, two.uniq) = ("", "")
    #expect(one.key != two.key)
  }
}
