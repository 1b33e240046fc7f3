import MarketData
import Testing

@Suite struct RoundingTests {
  @Test(arguments: [
    (5_000_000, 2, "0.01"), (4_999_999, 2, "0.00"), (-5_000_000, 2, "-0.01"), (-4_999_999, 2, "0.00"), (12_345_678_900, 2, "12.35"),
    (999_999_999, 2, "1.00"), (1_500_000_000, 0, "2"), (-1_500_000_000, 0, "-2"), (-400_000_000, 0, "0"), (123_456_789, 9, "0.123456789"),
    (Int64.max, 2, "9223372036.85"), (Int64.min, 2, "-9223372036.85"), (Int64.max, 9, "9223372036.854775807"), (50_000_000, 1, "0.1"),
  ])
  func `rounds half away from zero, without a sign at zero`(raw: Int64, places: Int, text: String) {
    #expect(Percent(raw: raw).rounded(to: places) == text)
  }

  @Test func `the time of day is cut to milliseconds`() {
    #expect(Timestamp(ns: 1_381_239_000_401_999_999).timeOfDay == "13:30:00.401")
    #expect(Timestamp(ns: -1).timeOfDay == "23:59:59.999")
  }
}
