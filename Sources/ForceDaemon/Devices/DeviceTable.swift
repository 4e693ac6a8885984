import ForceCore
import ForceProtocol

/// One device that the daemon knows, whether it is plugged in or not.
final class DeviceEntry {
  let handle: DeviceHandle
  /// How the protocol and people name it.
  let id: String
  let identity: DeviceIdentity
  fileprivate(set) var description: DeviceDescription
  fileprivate(set) var capability: Capability
  fileprivate(set) var connected = true
  /// Why nothing can be played on it, where it has a motor and still nothing can.
  var motorNote: String?
  /// What was known of it beyond its node when it left.
  var tuning = DeviceTuning()

  fileprivate init(
    handle: DeviceHandle, id: String, description: DeviceDescription, capability: Capability
  ) {
    self.handle = handle
    self.id = id
    identity = description.identity
    self.description = description
    self.capability = capability
  }
}

/// Every device since the daemon started. A device that comes back is the same entry again, with
/// the same handle and the same id.
struct DeviceTable {
  private(set) var entries: [DeviceEntry] = []

  subscript(handle: DeviceHandle) -> DeviceEntry { entries[handle.index] }

  var connected: [DeviceEntry] { entries.filter(\.connected) }

  /// The device that a person or a program means: by id, or by exact name where one device has it. Of
  /// several those that are plugged in count.
  ///
  /// - Throws: `NoSuchDevice`; `InvalidValue` with the ids where several devices have the name.
  func find(_ name: String) throws(VarlinkError) -> DeviceEntry {
    if let entry = entries.first(where: { $0.id == name }) { return entry }
    let all = entries.filter { $0.identity.name == name }
    let here = all.filter(\.connected)
    let meant = here.isEmpty ? all : here
    guard let only = meant.first else { throw .noSuchDevice(name) }
    guard meant.count == 1 else {
      throw .invalidValue(
        parameter: "device", found: "the name of several devices, \"\(name)\"",
        allowed: meant.map(\.id).joined(separator: ", "))
    }
    return only
  }

  /// Enters a device that has arrived.
  mutating func arrive(_ description: DeviceDescription, _ capability: Capability) -> DeviceEntry {
    let place = description.identity.place
    if let known = entries.first(where: { !$0.connected && $0.identity.place == place }) {
      known.description = description
      known.capability = capability
      known.connected = true
      return known
    }
    let entry = DeviceEntry(
      handle: DeviceHandle(entries.count), id: freeID(for: description.identity),
      description: description, capability: capability)
    entries.append(entry)
    return entry
  }

  func leave(_ handle: DeviceHandle) { entries[handle.index].connected = false }

  /// The name in lower case and, where the device can be told from its like, four digits of what
  /// tells it; a number behind it when even that is taken.
  private func freeID(for identity: DeviceIdentity) -> String {
    var id = slug(identity.name)
    if !identity.uniq.isEmpty || !identity.phys.isEmpty { id += "-" + fingerprint(identity) }
    guard entries.contains(where: { $0.id == id }) else { return id }
    var number = 2
    while entries.contains(where: { $0.id == "\(id)-\(number)" }) { number += 1 }
    return "\(id)-\(number)"
  }
}

extension DeviceIdentity {
  /// What is the same when the same device comes back: the serial number, else where it is plugged
  /// in, with who made it. The version is left out: firmware is updated.
  fileprivate var place: [String] {
    [
      String(bus, radix: 16), String(vendor, radix: 16), String(product, radix: 16), name,
      uniq.isEmpty ? phys : uniq,
    ]
  }
}

private func slug(_ name: String) -> String {
  var result = ""
  for byte in name.utf8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"):
      result.unicodeScalars.append(Unicode.Scalar(byte + 32))
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      if !result.isEmpty && !result.hasSuffix("-") { result += "-" }
    }
  }
  // A name can be as long as a recording likes; the kernel's own end well before this.
  result = String(result.prefix(64))
  while result.hasSuffix("-") { result.removeLast() }
  return result.isEmpty ? "device" : result
}

/// Four hex digits of FNV-1a over what tells a device from its like.
private func fingerprint(_ identity: DeviceIdentity) -> String {
  var hash: UInt32 = 2_166_136_261
  for part in identity.place {
    for byte in part.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    hash = (hash ^ 0xff) &* 16_777_619
  }
  let digits = String((hash ^ hash >> 16) & 0xffff, radix: 16)
  return String(repeating: "0", count: 4 - digits.count) + digits
}
