// The two transcendental functions that a low-pass needs, so that this module needs no C library.
// Both are right to a few units in the last place.

/// ln 2, split so that a small integer times the first part is exact.
private let ln2High = 0x1.62e42fefa38p-1
private let ln2Low = 0x1.ef35793c7673p-45
private let log2OfE = 0x1.71547652b82fep+0

/// e to the power of −`x`, for `x` ≥ 0. 0 where the result would be too small to be a normal number.
func exponentialDecay(_ x: Double) -> Double {
  guard x > 0 else { return 1 }
  guard x < 708 else { return 0 }
  // e^-x = 2^-k · e^r with |r| ≤ ln 2 / 2. Cutting off is cheaper than rounding, and x is not negative.
  let k = Double(Int(x * log2OfE + 0.5))
  let r = -((x - k * ln2High) - k * ln2Low)
  // Taylor's series, written out because it runs for every step of every press. The first term left
  // out is below 1e-17.
  var sum = 1 / 6_227_020_800.0
  sum = sum * r + 1 / 479_001_600.0
  sum = sum * r + 1 / 39_916_800.0
  sum = sum * r + 1 / 3_628_800.0
  sum = sum * r + 1 / 362_880.0
  sum = sum * r + 1 / 40_320.0
  sum = sum * r + 1 / 5_040.0
  sum = sum * r + 1 / 720.0
  sum = sum * r + 1 / 120.0
  sum = sum * r + 1 / 24.0
  sum = sum * r + 1 / 6.0
  sum = sum * r + 1 / 2.0
  sum = (sum * r + 1) * r + 1
  // 2^-k by its bits: 1,023 is the exponent's bias, and k is at most 1,021.
  return sum * Double(bitPattern: UInt64(1_023 - Int(k)) << 52)
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
