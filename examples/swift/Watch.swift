import ForceClient

/// Shows every reading, with the library of this package. When the daemon restarts, it goes on.
@main
struct Watch {
  static func main() async throws {
    for try await event in ForceClient().watch(WatchRequest(events: [.reading])) {
      guard case .reading(let reading) = event.kind else { continue }
      print("\(reading.device)  \(reading.percent) %  \(reading.grams) g")
    }
  }
}
