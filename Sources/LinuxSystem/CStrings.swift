/// Strings for C, with a NULL behind the last. C may reorder them.
final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let count: Int
  private let storage: [UnsafeMutablePointer<CChar>]

  init(_ strings: [String]) {
    storage = strings.map { string in
      let text = string.utf8CString
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
      for (offset, byte) in text.enumerated() { (copy + offset).initialize(to: byte) }
      return copy
    }
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, pointer) in storage.enumerated() {
      (pointers + index).initialize(to: pointer)
    }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for pointer in storage { pointer.deallocate() }
    pointers.deallocate()
  }

  /// The string that is at this place now.
  subscript(index: Int) -> UnsafeMutablePointer<CChar> { pointers[index] ?? storage[index] }
}
