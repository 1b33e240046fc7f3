import MarketData
import TestSupport
import Testing

@Suite struct AmountTests {
  @Test func `a product is exact`() throws {
    #expect(Amount(try Price("167.40"), times: try Quantity("0.000000001")).description == "0.0000001674")
    #expect(Amount(Price(raw: .max), times: Quantity(raw: .max)).description == "85070591730234615847.396907784232501249")
    #expect(Amount(Price(raw: .min), times: Quantity(raw: .max)).description == "-85070591730234615856.620279821087277056")
    #expect(Amount(Price(raw: .min), times: Quantity(raw: .min)).description == "85070591730234615865.843651857942052864")
    #expect(Amount(try Price("12.5")) == (try Amount("12.5")))
  }

  @Test(arguments: [
    ("0", "0"), ("-0.5", "-0.5"), ("170141183460469231731.687303715884105727", "170141183460469231731.687303715884105727"),
    ("00012.340", "12.34"), ("1000000000000000000", "1000000000000000000"), ("0.000000000000000001", "0.000000000000000001"),
  ])
  func `texts`(text: String, written: String) throws { #expect(try Amount(text).description == written) }

  @Test(arguments: ["", "-", ".5", "5.", "1e3", "0.0000000000000000001", "170141183460469231731.687303715884105728", "1 ", "+1"])
  func `no amounts`(text: String) { #expect(throws: TextError.self) { try Amount(text) } }

  /// Half to even, worked out by hand: 1 billionth of a unit divided among 2 units is half a billionth.
  @Test func `a quotient is rounded once, half to even`() throws {
    func price(_ amount: String, _ quantity: String) throws -> String? {
      try Amount(amount).divided(by: try Quantity(quantity))?.description
    }
    #expect(try price("0.000000001", "2") == "0")
    #expect(try price("0.000000003", "2") == "0.000000002")
    #expect(try price("0.000000005", "2") == "0.000000002")
    #expect(try price("-0.000000003", "2") == "-0.000000002")
    #expect(try price("10", "3") == "3.333333333")
    #expect(try price("20", "3") == "6.666666667")
    #expect(try price("20", "-3") == "-6.666666667")
    #expect(try price("1", "0") == nil)
    #expect(try price("9223372036.854775807", "1") == "9223372036.854775807")
    #expect(try price("9223372036.8547758075", "1") == nil)
    #expect(try price("-9223372036.8547758085", "1") == "-9223372036.854775808")
    #expect(try price("-9223372036.8547758086", "1") == nil)
  }

  /// The nearest price, of two that are equally near the even one, found by trying those around the quotient.
  private func nearest(_ amount: Int128, _ quantity: Int64) -> Int64? {
    let quotient = amount / Int128(quantity)
    func distance(_ price: Int128) -> UInt128 { (price * Int128(quantity) - amount).magnitude }
    let best = [quotient - 1, quotient, quotient + 1].min { (distance($0), $0 & 1) < (distance($1), $1 & 1) }
    return best.flatMap { Int64(exactly: $0) }
  }

  @Test func `a quotient is the nearest price`() {
    for amount in -60...60 {
      for quantity in -9...9 where quantity != 0 {
        #expect(Amount(raw: Int128(amount)).divided(by: Quantity(raw: Int64(quantity)))?.raw == nearest(Int128(amount), Int64(quantity)))
      }
    }
    var random = SplitMix(6)
    for _ in 0..<rounds(2000) {
      let quantity = Int64(truncatingIfNeeded: random.next()) >> Int64(random.upTo(63))
      if quantity == 0 { continue }
      // Near a price, near the middle between two, or just at the ends of the range.
      let price =
        random.upTo(4) == 0 ? (random.upTo(1) == 0 ? Int64.max : .min) : Int64(truncatingIfNeeded: random.next()) >> Int64(random.upTo(63))
      let amount = Int128(price) * Int128(quantity) + Int128(quantity) / 2 * Int128(random.upTo(2) - 1) + Int128(random.upTo(2) - 1)
      #expect(Amount(raw: amount).divided(by: Quantity(raw: quantity))?.raw == nearest(amount, quantity))
    }
  }

  @Test func `an average lies between the smallest and the largest price`() {
    var random = SplitMix(5)
    for _ in 0..<rounds(2000) {
      let prices = (0..<(1 + random.upTo(5))).map { _ in Price(raw: Int64(random.next() >> 20)) }
      var (turnover, volume) = (Amount.zero, Int64(0))
      for price in prices {
        let size = Int64(random.next() >> 30) + 1
        turnover = turnover.adding(Amount(price, times: Quantity(raw: size)))!
        volume += size
      }
      let average = turnover.divided(by: Quantity(raw: volume))!
      #expect(prices.min()! <= average && average <= prices.max()!)
    }
  }

  @Test func `sums out of range are told`() {
    #expect(Amount(raw: .max).adding(Amount(raw: 1)) == nil)
    #expect(Amount(raw: .min).subtracting(Amount(raw: 1)) == nil)
    #expect(Amount(raw: .max).subtracting(Amount(raw: 1)) == Amount(raw: .max - 1))
  }
}

@Suite struct BarLengthTests {
  @Test(arguments: ["1s", "90s", "1m", "5m", "1h", "1d", "1w", "250ms", "100t", "5000v", "0.5v", ""])
  func `lengths are written as they are read`(text: String) { #expect(BarLength(text)?.description == text) }

  @Test(arguments: ["60s": "1m", "24h": "1d", "7d": "1w", "120m": "2h", "10.50v": "10.5v"])
  func `the largest unit is used`(text: String, written: String) { #expect(BarLength(text)?.description == written) }

  @Test(arguments: ["s", "0s", "-1s", "1m30s", "1.5h", "0t", "1.5t", "-3v", "0.0000001v", "9999999999999w", "1x", "1 m", "١s"])
  func `no lengths`(text: String) { #expect(BarLength(text) == nil) }

  @Test func `kinds are apart`() {
    #expect(BarLength("100t")?.kind == .trades(100))
    #expect(BarLength("100v")?.kind == .volume(100))
    #expect(BarLength("1d") == .day && BarLength("1w") == .week)
  }
}
