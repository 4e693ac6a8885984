import ForceCore
import ForceDevices

extension EventReader {
  /// Everything that can be read now.
  func events() -> [InputEvent] {
    var all: [InputEvent] = []
    while case .events(let events) = read() { all += events }
    return all
  }
}
