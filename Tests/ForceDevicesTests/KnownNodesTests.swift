import Testing

@testable import ForceDevices

/// What becomes of changes that nobody told of.
@Suite struct KnownNodesTests {
  private func place(_ number: Int, input: Int) -> NodePlace {
    NodePlace(
      path: "/dev/input/event\(number)", syspath: "/sys/devices/input\(input)/event\(number)")
  }

  @Test func aLookAtAllTellsOfWhatIsNewAndOfNothingElse() {
    var nodes = KnownNodes()
    #expect(nodes.reconcile([place(0, input: 0)]) == [.added(place(0, input: 0))])
    #expect(
      nodes.reconcile([place(0, input: 0), place(1, input: 1)]) == [.added(place(1, input: 1))])
    #expect(nodes.reconcile([place(0, input: 0), place(1, input: 1)]) == [])
  }

  @Test func aLookAtAllTellsOfWhatHasGone() {
    var nodes = KnownNodes()
    _ = nodes.reconcile([place(0, input: 0), place(1, input: 1)])
    #expect(nodes.reconcile([place(1, input: 1)]) == [.removed(path: "/dev/input/event0")])
    #expect(nodes.removed("/dev/input/event0") == [], "its late removal is no news")
    #expect(nodes.reconcile([]) == [.removed(path: "/dev/input/event1")])
  }

  @Test func anotherDeviceUnderTheSameNumberIsRemovedAndAdded() {
    var nodes = KnownNodes()
    _ = nodes.reconcile([place(0, input: 0)])
    let swapped: [NodeChange] = [
      .removed(path: "/dev/input/event0"), .added(place(0, input: 7)),
    ]
    #expect(nodes.reconcile([place(0, input: 7)]) == swapped)
    #expect(nodes.present(place(0, input: 7)) == [.changed(place(0, input: 7))])
  }
}
