// The two transcendental functions that a low-pass needs, so that this module needs no C library.
// Both are right to a few units in the last place.

/// ln 2, split so that a small integer times the first part is exact.
private let ln2High = 0x1.62e42fefa38p-1
private let ln2Low = 0x1.ef35793c7673p-45

/// e to the power of −`x`, for `x` ≥ 0. 0 where the result would be too small to be a normal number.
func exponentialDecay(_ x: Double) -> Double {
  guard x > 0 else { return 1 }
  guard x < 708 else { return 0 }
  // e^-x = 2^-k · e^-r with |r| ≤ ln 2 / 2.
  let k = (x / (ln2High + ln2Low)).rounded()
  let r = -((x - k * ln2High) - k * ln2Low)
  // Taylor's series: the first term left out is below 1e-17.
  var sum = 1.0
  var n = 14.0
  while n >= 1 {
    sum = 1 + sum * r / n
    n -= 1
  }
  return Double(sign: .plus, exponent: -Int(k), significand: sum)
}

/// The natural logarithm of a finite `x` > 0.
func naturalLogarithm(_ x: Double) -> Double {
  var exponent = Double(x.exponent)
  var significand = x.significand
  if significand > 1.414_213_562_373_095 {
    significand /= 2
    exponent += 1
  }
  // ln m = 2 artanh((m-1)/(m+1)), whose series converges fast for m within √½…√2.
  let s = (significand - 1) / (significand + 1)
  let square = s * s
  var sum = 0.0
  var n = 23.0
  while n >= 1 {
    sum = sum * square + 1 / n
    n -= 2
  }
  return exponent * ln2High + (2 * s * sum + exponent * ln2Low)
}
