/// Where an event node is: on the machine, and among the other nodes.
public struct NodePlace: Equatable, Sendable {
  /// `/dev/input/eventN`; the number changes with each plug.
  public var path: String
  /// Its directory in `/sys`, "" where unknown.
  public var syspath: String
  /// The `/sys` directory of the device that it is one node of: equal for siblings, "" where
  /// unknown or where there is none, as for uinput devices.
  public var parent: String
  public var seat: String
  /// Where it is plugged in, by udev's `ID_PATH`: the same after each plug; "" where unknown.
  public var port: String

  public init(
    path: String, syspath: String = "", parent: String = "", seat: String = "seat0",
    port: String = ""
  ) {
    self.path = path
    self.syspath = syspath
    self.parent = parent
    self.seat = seat
    self.port = port
  }
}
