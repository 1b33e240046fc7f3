import MarketData
import TestSupport
import Testing

@Suite struct PercentTests {
  @Test(arguments: [
    ("100", "110", "10"), ("100", "90", "-10"), ("200", "200", "0"), ("3", "4", "33.333333333"), ("3", "2", "-33.333333333"),
    ("-100", "-90", "-10"),
    ("-100", "-110", "10"), ("-100", "100", "-200"), ("0.000000001", "0.000000002", "100"),
    ("-9223372036.854775808", "9223372036.854775807", "-199.999999999"), ("9223372036.854775807", "-9223372036.854775808", "-200"),
  ])
  func `measures how far a price has gone, cut after nine decimals`(base: String, value: String, percent: String) throws {
    #expect(Percent.change(from: try Price(base), to: try Price(value)) == (try Percent(percent)))
  }

  @Test func `has no answer from zero, nor beyond its range`() throws {
    #expect(Percent.change(from: 0, to: 1) == nil)
    #expect(Percent.change(from: Price(raw: 1), to: Price(raw: .max)) == nil)
    // 92,233,720 times the base is the last that fits.
    #expect(Percent.change(from: Price(raw: 1), to: Price(raw: 92_233_721)) == (try Percent("9223372000")))
    #expect(Percent.change(from: Price(raw: 1), to: Price(raw: 92_233_722)) == nil)
  }

  @Test func `agrees with wide arithmetic`() {
    var random = SplitMix(3)
    for _ in 0..<20_000 {
      let base = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...62, using: &random)
      let value = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...62, using: &random)
      let wanted: Int64? = base == 0 ? nil : Int64(exactly: (Int128(value) - Int128(base)) * 100_000_000_000 / Int128(base))
      #expect(Percent.change(from: Price(raw: base), to: Price(raw: value))?.raw == wanted, "from \(base) to \(value)")
    }
  }
}
