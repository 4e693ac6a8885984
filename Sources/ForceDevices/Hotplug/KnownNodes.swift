/// The nodes that were told of: turns what is heard of one node, and a look at all of them, into changes.
struct KnownNodes {
  /// By path, with their place in /sys.
  private var known: [String: String] = [:]

  /// A node is there and ready.
  mutating func present(_ place: NodePlace) -> [NodeChange] {
    guard let before = known.updateValue(place.syspath, forKey: place.path) else {
      return [.added(place)]
    }
    if before == place.syspath { return [.changed(place)] }
    // Another device under a number that was given away again, whose removal we have not heard of.
    return [.removed(path: place.path), .added(place)]
  }

  mutating func removed(_ path: String) -> [NodeChange] {
    known.removeValue(forKey: path) == nil ? [] : [.removed(path: path)]
  }

  /// These nodes and no others are there. Those that are known already are no news.
  mutating func reconcile(_ there: [NodePlace]) -> [NodeChange] {
    let paths = Set(there.map(\.path))
    var changes: [NodeChange] = []
    for path in known.keys.sorted() where !paths.contains(path) { changes += removed(path) }
    for place in there where known[place.path] != place.syspath { changes += present(place) }
    return changes
  }
}
