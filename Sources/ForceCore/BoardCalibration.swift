extension BalanceBoard {
  /// Whether the calibration that hid-wiimote reads from a board makes sense: for each of the four
  /// cells three values, at 0, 17 and 34 kg, that rise.
  /// - Parameter text: the attribute `bboard_calib`: twelve hexadecimal numbers with colons between
  ///   them, first those of 0 kg.
  static func isCalibrated(_ text: String) -> Bool {
    let values = text.split { $0 == ":" || $0.isWhitespace }.map { UInt16($0, radix: 16) }
    guard values.count == 12 else { return false }
    return (0..<4).allSatisfy { cell in
      guard let zero = values[cell], let middle = values[cell + 4], let high = values[cell + 8]
      else { return false }
      return zero < middle && middle < high
    }
  }
}

extension DeviceDescription {
  /// Takes the text of a balance board's calibration attribute.
  public mutating func takeBoardCalibration(_ text: String) {
    isBoardCalibrated = BalanceBoard.isCalibrated(text)
  }
}
