/// The Wii balance board, as hid-wiimote presents it: four load cells on two pairs of hat axes.
enum BalanceBoard {
  /// Top right, bottom right, top left, bottom left: contacts 0 to 3.
  static let cells = [
    AbsoluteCode.hat0X, AbsoluteCode.hat0Y, AbsoluteCode.hat1X, AbsoluteCode.hat1Y,
  ]
  /// The contact that is the sum of all cells.
  static let sum: Int32 = 4
  /// hid-wiimote's unit.
  static let gramsPerUnit = 10.0
  /// 34 kg, the highest of the three points at which each cell is calibrated in the factory; four
  /// times that is what the board is rated for, 136 kg. The axis claims 65,535 (655 kg), of which no
  /// foot uses more than a twentieth, so its own maximum would make per cent useless.
  static let cellMaximum: Int32 = 3_400

  static func capability(of device: DeviceDescription) -> Capability? {
    // A hat goes from -1 to 1 on any other device, and no device has hats alone.
    guard device.axes[AbsoluteCode.x] == nil, device.axes[AbsoluteCode.pressure] == nil else {
      return nil
    }
    for code in cells {
      guard let axis = device.axes[code], axis.minimum == 0, axis.maximum >= cellMaximum else {
        return nil
      }
    }
    var axis = device.axes[cells[0]] ?? AbsoluteAxis(minimum: 0, maximum: cellMaximum)
    axis.maximum = cellMaximum
    return Capability(
      kind: .balanceBoard, measure: .force, layout: .balanceBoard, axes: [axis],
      neededCodes: [EventType.absolute: cells.sorted()])
  }
}
