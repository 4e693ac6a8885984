extension ByteBuffer {
  /// Appends a JSON string: quoted, and escaped where JSON asks for it.
  ///
  /// No raw NUL or newline can come out, so a message never holds its own delimiter.
  public mutating func append(quoting text: String) {
    append(byte: UInt8(ascii: "\""))
    let done: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
      append(escaping: utf8)
    }
    if done == nil { for byte in text.utf8 { append(escapingByte: byte) } }
    append(byte: UInt8(ascii: "\""))
  }

  private mutating func append(escaping utf8: UnsafeBufferPointer<UInt8>) {
    var plainStart = 0
    for (index, byte) in utf8.enumerated() where needsEscape(byte) {
      append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[plainStart..<index]))
      append(escapingByte: byte)
      plainStart = index + 1
    }
    append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[plainStart...]))
  }

  private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func append(escapingByte byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0a: append("\\n")
    case 0x0c: append("\\f")
    case 0x0d: append("\\r")
    case 0..<0x20:
      append("\\u00")
      append(byte: hexDigit(byte >> 4))
      append(byte: hexDigit(byte & 15))
    default: append(byte: byte)
    }
  }

  private func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }

  /// Appends a value as compact JSON. Whole numbers are written without a fraction; a number that
  /// is not finite, which JSON cannot say, becomes `null`.
  public mutating func append(json value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(true): append("true")
    case .bool(false): append("false")
    case .integer(let value): append(value)
    case .number(let value): append(jsonNumber: value)
    case .string(let value): append(quoting: value)
    case .array(let elements):
      append(byte: UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { append(byte: UInt8(ascii: ",")) }
        append(json: element)
      }
      append(byte: UInt8(ascii: "]"))
    case .object(let object): append(json: object)
    }
  }

  /// Appends an object as compact JSON.
  public mutating func append(json object: JSONObject) {
    append(byte: UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(byte: UInt8(ascii: ",")) }
      append(quoting: member.key)
      append(byte: UInt8(ascii: ":"))
      append(json: member.value)
    }
    append(byte: UInt8(ascii: "}"))
  }

  private mutating func append(jsonNumber value: Double) {
    // 2⁵³: up to here every whole Double is written exactly and read back as the same number.
    if value.magnitude < 9_007_199_254_740_992, let whole = Int64(exactly: value) {
      append(whole)
    } else if value.isFinite {
      // The standard library's shortest text that reads back as the same number.
      for byte in value.description.utf8 { append(byte: byte) }
    } else {
      append("null")
    }
  }
}
