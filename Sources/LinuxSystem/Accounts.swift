internal import CLinux

/// Users and groups by number and name, as the system's own databases have them.
public enum Accounts {
  /// The group's number, or nil when there is no such group.
  public static func group(named name: String) throws(SystemError) -> UInt32? {
    var group: UInt32 = 0
    let result = clinux_group_id(name, &group)
    if result == -ENOENT { return nil }
    try checked(result, "look up group", name)
    return group
  }

  /// The group that people mean by its name or by its number; nil when there is no group of this
  /// name.
  public static func group(nameOrNumber text: String) throws(SystemError) -> UInt32? {
    // The kernel takes -1 for "leave it as it is".
    if let number = UInt32(text) { return number == .max ? nil : number }
    return try group(named: text)
  }

  /// The group's name, or its number in digits where it has none.
  public static func groupName(_ group: UInt32) -> String {
    name(of: group, clinux_group_name)
  }

  /// The user's name, or the number in digits where there is none.
  public static func userName(_ user: UInt32) -> String {
    name(of: user, clinux_user_name)
  }

  private static func name(
    of number: UInt32, _ lookUp: (UInt32, UnsafeMutablePointer<CChar>, Int) -> Int32
  ) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
      text.initialize(repeating: 0)
      guard let base = text.baseAddress, lookUp(number, base, text.count) == 0 else {
        return String(number)
      }
      return String(cString: base)
    }
  }
}
