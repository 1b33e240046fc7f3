import TestSupport
import Testing

@testable import StockbusExpressions

/// Products of billionths.
@Suite struct WideTests {
  /// Exact, then divided by an even number: half of it is added, so that the division rounds half up.
  private func rounded(_ a: Int64, _ b: Int64, per: Int128) -> Int128 {
    let product = Int128(a) * Int128(b)
    let magnitude = (Int128(product.magnitude) + per / 2) / per
    return product < 0 ? -magnitude : magnitude
  }

  /// What is computed in 64 bits is exact; what is not is computed again in 128.
  private func expect(_ narrow: (value: Int64, over: Int64), isOrDoesNotFit exact: Int128, mustFit: Bool, _ a: Int64, _ b: Int64) {
    if narrow.over >= 0 {
      #expect(Int128(narrow.value) == exact, "\(a) \(b)")
    } else {
      #expect(!mustFit || exact.magnitude >= UInt128(Int64.max), "\(a) \(b)")
    }
  }

  @Test func `products are rounded half away from zero`() {
    #expect(Wide.product(1, 500_000_000, per: .billion) == 1)
    #expect(Wide.product(1, 499_999_999, per: .billion) == 0)
    #expect(Wide.product(-1, 500_000_000, per: .billion) == -1)
    // A half of a billionth of one per cent.
    #expect(Wide.product(5, 10_000_000_000, per: .hundredBillion) == 1)
    #expect(Wide.product(5, 9_999_999_999, per: .hundredBillion) == 0)
    #expect(Wide.product(-5, 10_000_000_000, per: .hundredBillion) == -1)
    // 102 % of 200.
    #expect(Wide.product(200_000_000_000, 102_000_000_000, per: .hundredBillion) == 204_000_000_000)
  }

  @Test func `products and quotients in 64 bits are those of a division with 128`() {
    var random = SplitMix(7)
    let special: [Int64] = [.min, .min + 1, -1, 0, 1, 99_999_999_999, 100_000_000_000, .max - 1, .max]
    func number() -> Int64 {
      switch Int.random(in: 0...3, using: &random) {
      case 0: special.randomElement(using: &random) ?? 0
      case 1: Int64.random(in: -1_000_000...1_000_000, using: &random) * 1_000_000_000 / 2
      default: Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...62, using: &random)
      }
    }
    for _ in 0..<20_000 {
      let (a, b) = (number(), number())
      for scale in [Term.Scale.billion, .hundredBillion] {
        let product = rounded(a, b, per: Int128(scale.rawValue))
        #expect(Wide.product(Int128(a), Int128(b), per: scale) == product)
        expect(Wide.narrowProduct(a, b, per: scale), isOrDoesNotFit: product, mustFit: scale == .billion, a, b)
        guard let quotient = Wide.quotient(Int128(a), Int128(b), per: scale) else { continue }
        expect(Wide.narrowQuotient(a, b, per: scale), isOrDoesNotFit: quotient, mustFit: true, a, b)
      }
    }
  }
}
