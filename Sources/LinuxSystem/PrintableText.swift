/// Text from outside, fit for a terminal: a device may call itself anything, escape sequences too.
public func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  var clean = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { clean.append(isControl(scalar) ? "?" : scalar) }
  return String(clean)
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  // Format characters can reverse the direction of a whole line.
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
  default: false
  }
}
