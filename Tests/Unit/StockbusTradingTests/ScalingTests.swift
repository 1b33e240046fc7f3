import MarketData
import TestSupport
import StockbusTrading
import Testing

@Suite struct ScalingTests {
  @Test(arguments: [
    (7, 1, 2, 4), (5, 1, 2, 2), (-7, 1, 2, -4), (-5, 1, 2, -2), (3, 1, 2, 2), (10, 1, 3, 3), (11, 1, 3, 4), (10, -1, 3, -3),
    (10, 1, -3, -3),
    (-10, -1, 3, 3), (0, 5, 7, 0), (6, 0, 7, 0), (1, Int64.max, Int64.max, 1),
  ])
  func `a part is rounded half to even`(raw: Int, part: Int64, whole: Int64, result: Int) {
    #expect(Amount(raw: Int128(raw)).scaled(by: part, over: whole) == Amount(raw: Int128(result)))
  }

  @Test func `a product of 191 bits loses nothing before it is divided`() {
    #expect(Amount(raw: .max).scaled(by: .max, over: .max) == Amount(raw: .max))
    #expect(Amount(raw: .max).scaled(by: .max - 1, over: .max)! < Amount(raw: .max))
    #expect(Amount(raw: .max).scaled(by: .min, over: .min) == Amount(raw: .max))
    #expect(Amount(raw: -.max).scaled(by: .max, over: .max) == Amount(raw: -.max))
  }

  @Test func `what is out of range is nil`() {
    #expect(Amount(raw: 5).scaled(by: 1, over: 0) == nil)
    #expect(Amount(raw: .max).scaled(by: 2, over: 1) == nil)
    #expect(Amount(raw: .min).scaled(by: .min, over: 1) == nil)
    #expect(Amount(raw: .min).scaled(by: 1, over: 1) == nil)
  }

  @Test func `it agrees with long division in 128 bits`() {
    var random = SplitMix(14)
    for _ in 0..<rounds(2000) {
      let raw =
        Int128(Int64.random(in: -1_000_000...1_000_000, using: &random)) * Int128(Int64.random(in: 1...1_000_000_000, using: &random))
      let part = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
      let whole = Int64.random(in: 1...(random.oneIn(2) ? 20 : 1_000_000), using: &random)
      let (quotient, rest) = (raw * Int128(part)).quotientAndRemainder(dividingBy: Int128(whole))
      let twice = Int128(rest.magnitude) * 2
      let away = twice > Int128(whole) || (twice == Int128(whole) && quotient % 2 != 0)
      let expected = quotient + (away ? (raw < 0) != (part < 0) ? -1 : 1 : 0)
      #expect(Amount(raw: raw).scaled(by: part, over: whole) == Amount(raw: expected))
    }
  }

  @Test(arguments: [
    ("1.005", 2, "1"), ("1.015", 2, "1.02"), ("1.005000000000000001", 2, "1.01"), ("-1.015", 2, "-1.02"), ("2.5", 0, "2"), ("3.5", 0, "4"),
    ("1.23456789", 18, "1.23456789"), ("0.000000000000000001", 17, "0"),
  ])
  func `an amount is rounded to decimals, half to even`(text: String, decimals: Int, result: String) {
    #expect(amount(text).rounded(decimals: UInt8(decimals)) == amount(result))
  }
}
