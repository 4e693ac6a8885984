/// Where actions wait to be carried out. It grows to the most that ever waited, and clearing it costs
/// nothing; an array would check at each step who else may be looking at it.
final class ActionBuffer<Element> {
  @exclusivity(unchecked) private var base: UnsafeMutablePointer<Element>
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit {
    removeAll()
    base.deallocate()
  }

  subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count)
    return base[index]
  }

  var array: [Element] { Array(UnsafeBufferPointer(start: base, count: count)) }

  func append(_ element: Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count += 1
  }

  func removeAll() {
    base.deinitialize(count: count)
    count = 0
  }

  private func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
