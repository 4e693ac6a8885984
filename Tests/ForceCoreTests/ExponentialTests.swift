import Testing

@testable import ForceCore

@Suite("Exponential and logarithm")
struct ExponentialTests {
  // The expected values are the correctly rounded ones.
  @Test(
    "e to the power of −x, to the last places",
    arguments: [
      (0, 1), (1, 0x1.78b56362cef38p-2), (0.1, 0x1.cf46d99d52b3ap-1), (0.5, 0x1.368b2fc6f960ap-1),
      (0.346_573_590_279_972_65, 0x1.6a09e667f3bcdp-1), (10, 0x1.7cd79b5647c9bp-15),
      (100, 0x1.a8c1f14e2af5dp-145), (700, 0x1.14f2b0fb9307fp-1010), (1e-12, 0x1.fffffffffdcd1p-1),
    ] as [(Double, Double)])
  func decay(x: Double, expected: Double) {
    #expect((exponentialDecay(x) - expected).magnitude <= expected * 4e-16)
  }

  @Test("Decays that are too small to matter are 0, and time never grows anything")
  func extremes() {
    #expect(exponentialDecay(1_000) == 0)
    #expect(exponentialDecay(.infinity) == 0)
    #expect(exponentialDecay(-1) == 1)
  }

  @Test("Two decays after each other are one", arguments: 0..<200)
  func semigroup(index: Int) {
    let a = Double(index) * 0.037
    let b = Double(index % 17) * 0.61
    let whole = exponentialDecay(a + b)
    #expect((exponentialDecay(a) * exponentialDecay(b) - whole).magnitude <= whole * 2e-15)
  }

  @Test("The logarithm undoes the decay", arguments: 1..<200)
  func logarithm(index: Int) {
    let x = Double(index) * 0.25
    #expect((naturalLogarithm(exponentialDecay(x)) + x).magnitude <= x * 4e-16 + 1e-15)
  }

  @Test("The logarithm of 1 is 0 and that of 2 is known")
  func knownLogarithms() {
    #expect(naturalLogarithm(1) == 0)
    #expect((naturalLogarithm(2) - 0x1.62e42fefa39efp-1).magnitude < 2e-16)
    #expect((naturalLogarithm(20_000) - 0x1.3ce95eba4f8b4p+3).magnitude < 4e-15)
  }
}
