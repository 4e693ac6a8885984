/// A row of values whose number never changes, for state that every event touches.
///
/// An array that is a class's property pays for exclusivity and uniqueness checks at each access, which
/// together cost more than the work on the hot path. This pays for the bounds alone. Whoever makes one
/// owns it and has to `deallocate()` it.
struct Places<Element> {
  private let base: UnsafeMutablePointer<Element>
  let count: Int

  init(_ elements: [Element]) {
    count = elements.count
    base = .allocate(capacity: max(elements.count, 1))
    base.initialize(from: elements, count: elements.count)
  }

  var indices: Range<Int> { 0..<count }

  subscript(place: Int) -> Element {
    get {
      precondition(place >= 0 && place < count)
      return base[place]
    }
    nonmutating _modify {
      precondition(place >= 0 && place < count)
      yield &base[place]
    }
  }

  func deallocate() {
    base.deinitialize(count: count)
    base.deallocate()
  }
}
