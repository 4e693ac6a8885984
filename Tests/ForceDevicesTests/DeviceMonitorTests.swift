import ForceDevices
import LinuxSystem
import Testing

/// Nodes seen without udev, as the entries of a directory.
@Suite struct DeviceMonitorTests {
  private let directory: NodeDirectory
  private let monitor: DeviceMonitor

  init() throws {
    directory = try NodeDirectory()
    try directory.make("event3")
    try directory.make("mice")
    monitor = try DeviceMonitor(directory: directory.path, udevControl: "/nonexistent")
  }

  private func changes() -> [NodeChange] {
    var all: [NodeChange] = []
    while let change = monitor.next() { all.append(change) }
    return all
  }

  private func place(_ name: String) -> NodePlace { NodePlace(path: directory.file(name)) }

  @Test func nodesThatAreThereComeFirst() {
    #expect(changes() == [.added(place("event3"))])
    #expect(changes() == [])
  }

  @Test func saysThatUdevIsMissing() {
    #expect(monitor.warning?.contains("udev does not run") == true)
  }

  @Test func newAndRemovedNodesAreTold() throws {
    _ = changes()
    try directory.make("event10")
    try directory.make("js0")
    #expect(changes() == [.added(place("event10"))])
    try FileSystem.unlink(directory.file("event3"))
    #expect(changes() == [.removed(path: directory.file("event3"))])
  }

  @Test func aNodeThatWasReplacedIsRemovedAndAdded() throws {
    _ = changes()
    // Made before the old one goes, so that it cannot get the same number from the file system.
    try directory.make("new")
    try FileSystem.rename(directory.file("new"), to: directory.file("event3"))
    #expect(changes() == [.removed(path: directory.file("event3")), .added(place("event3"))])
  }

  @Test func changedPermissionsAreTold() throws {
    _ = changes()
    try FileSystem.setPermissions(of: directory.file("event3"), to: 0o604)
    #expect(changes() == [.changed(place("event3"))])
  }

  @Test func theDescriptorIsReadableWhileSomethingIsToBeTold() throws {
    _ = changes()
    let poll = try EventPoll()
    try poll.add(raw: monitor.rawDescriptor, token: 1)
    #expect(try poll.wait(microseconds: 0) == 0)
    try directory.make("event4")
    #expect(try poll.wait(microseconds: 0) == 1)
    _ = changes()
    #expect(try poll.wait(microseconds: 0) == 0)
  }

  @Test func theDirectoryMayGoAndComeBack() throws {
    _ = changes()
    try directory.remove()
    #expect(changes() == [.removed(path: directory.file("event3"))])
    try directory.make("event3")
    #expect(changes() == [.added(place("event3"))])
    try directory.make("event4")
    #expect(changes() == [.added(place("event4"))])
  }

  @Test func aLookThatFailsUnplugsNothingAndIsDoneAgain() throws {
    _ = changes()
    // A link to itself: whoever follows it gets an error that says nothing about what was there.
    try FileSystem.rename(directory.path, to: directory.path + "-aside")
    #expect(
      try ChildProcess.start(["ln", "-s", directory.path, directory.path]).wait() == .exited(0))
    #expect(changes() == [])
    #expect(monitor.trouble?.description.hasPrefix("cannot list \(directory.path): ") == true)
    try FileSystem.unlink(directory.path)
    try FileSystem.rename(directory.path + "-aside", to: directory.path)
    try FileSystem.unlink(directory.file("event3"))
    try directory.make("event4")
    #expect(changes() == [.removed(path: directory.file("event3")), .added(place("event4"))])
    #expect(monitor.trouble == nil)
  }

  @Test func theDirectoryMayComeLater() throws {
    let directory = try NodeDirectory()
    let monitor = try DeviceMonitor(directory: directory.path, udevControl: "/nonexistent")
    #expect(monitor.next() == nil)
    try directory.make("event0")
    #expect(monitor.next() == .added(NodePlace(path: directory.file("event0"))))
  }

  @Test func withoutAPlaceForTheDirectoryItSaysSo() {
    #expect(throws: DeviceError.system(SystemError("watch", "/nonexistent", .noEntry))) {
      try DeviceMonitor(directory: "/nonexistent/input", udevControl: "/nonexistent")
    }
  }
}

/// A directory with plain files in the place of nodes, in a directory of its own; removed with the
/// test.
private final class NodeDirectory {
  let path: String
  private let parent: String

  init() throws {
    parent = "/tmp/forced-nodes-\(CurrentProcess.id)-\(monotonicNanoseconds())"
    path = "\(parent)/input"
    try FileSystem.createDirectory(parent)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func make(_ name: String) throws {
    try FileSystem.createDirectory(path)
    _ = try FileDescriptor.open(file(name), [.writeOnly, .create])
  }

  func remove() throws {
    for name in try FileSystem.list(path) { try FileSystem.unlink(file(name)) }
    try FileSystem.removeDirectory(path)
  }

  deinit {
    try? remove()
    try? FileSystem.removeDirectory(parent)
  }
}
