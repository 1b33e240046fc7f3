import MarketData
import TestSupport
import Testing

@testable import StockbusInstruments

@Suite struct RatioTests {
  @Test func `a ratio is in lowest terms`() throws {
    #expect(Ratio(14, 2)?.description == "7:1" && Ratio(5, 100)?.description == "1:20")
    #expect(Ratio(0, 1) == nil && Ratio(1, -1) == nil)
    let seven = try #require(Ratio(7, 1))
    #expect(seven.times(seven.inverse) == Ratio.one)
    let largest = try #require(Ratio(.max, 1))
    #expect(largest.times(largest.inverse) == Ratio.one && largest.times(seven) == nil)
  }

  @Test func `applying it rounds once, half to even`() throws {
    // AAPL's 7:1 of 2014: 645.57 before is 92.224285714285… after.
    let seventh = try #require(Ratio(1, 7))
    #expect(seventh.applied(to: 645_570_000_000) == 92_224_285_714)
    let half = try #require(Ratio(1, 2))
    #expect([1, 3, 5, -1, -3].map { half.applied(to: $0) } == [0, 2, 2, 0, -2])
    // AIG's 1:20 of 2009 makes a price twenty times as high.
    #expect(Ratio(20, 1)?.applied(to: 1_160_000_000) == 23_200_000_000)
    #expect(half.inverse.applied(to: .max) == nil && Ratio.one.applied(to: .min) == .min)
  }

  @Test func `splits between two dates multiply`() throws {
    var instrument = Instrument("AAPL")
    instrument.splits = try ["2014-06-09 7:1", "2020-08-31 4:1"].map { try Split(option: $0) }
    #expect(instrument.splitRatio(after: date("2014-06-06"), through: date("2014-06-09")) == Ratio(7, 1))
    #expect(instrument.splitRatio(after: date("2014-06-09"), through: date("2020-08-30")) == Ratio.one)
    #expect(instrument.splitRatio(after: date("2000-01-01"), through: date("2021-01-01")) == Ratio(28, 1))
  }

  @Test func `random ratios agree with whole numbers`() throws {
    var random = SplitMix(9)
    for _ in 0..<rounds(1000) {
      let (a, b) = (Int64.random(in: 1...1_000_000, using: &random), Int64.random(in: 1...1_000_000, using: &random))
      let raw = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)
      let ratio = try #require(Ratio(a, b))
      let found = try #require(ratio.applied(to: raw))
      // The nearest whole number: twice the difference is at most the divisor, and less if the result is odd.
      let twice = (Int128(raw) * Int128(a) - Int128(found) * Int128(b)).magnitude * 2
      #expect(twice < b.magnitude || (twice == b.magnitude && found % 2 == 0))
    }
  }
}
