import MarketData
import TestSupport
import Testing

@Suite struct DurationTests {
  private static let cut: [(Duration, Int64)] = [
    (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.milliseconds(1500), 1_500_000_000), (.seconds(-3), -3_000_000_000),
    // Finer than a nanosecond: 0.999999999, 1.5 and -1.5 ns.
    (Duration(attoseconds: 999_999_999), 0), (Duration(attoseconds: -999_999_999), 0), (Duration(attoseconds: 1_500_000_000), 1),
    (Duration(attoseconds: -1_500_000_000), -1), (Duration(secondsComponent: -1, attosecondsComponent: -1), -1_000_000_000),
  ]

  @Test(arguments: cut)
  func `whole nanoseconds are cut towards zero`(duration: Duration, ns: Int64) {
    #expect(duration.wholeNanoseconds == ns)
  }

  /// 2^63 ns are 9,223,372,036.854775808 s.
  @Test func `what 64 bits do not hold is the nearest that they do`() {
    let seconds = Int64(9_223_372_036)
    let last = Duration(secondsComponent: seconds, attosecondsComponent: 854_775_807_000_000_000)
    #expect(last.wholeNanoseconds == .max)
    #expect((last - .nanoseconds(1)).wholeNanoseconds == .max - 1)
    #expect((last + .nanoseconds(1)).wholeNanoseconds == .max)
    #expect((.zero - last).wholeNanoseconds == .min + 1)
    #expect((.zero - last - .nanoseconds(1)).wholeNanoseconds == .min)
    #expect((.zero - last - .nanoseconds(2)).wholeNanoseconds == .min)
    #expect(Duration.seconds(seconds + 1).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
  }

  @Test func `all nanoseconds come back`() {
    var random = SplitMix(1)
    for _ in 0..<1000 {
      let ns = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...62, using: &random)
      #expect(Duration.nanoseconds(ns).wholeNanoseconds == ns)
    }
  }
}
