import StockbusPlugin
import Testing

@testable import Bars

/// Cases worked out by hand.
@Suite struct BookTests {
  private let minute = BarRules(lengths: [.time(60 * second)])

  private func rules(_ lengths: String..., wait: Int64 = 200_000_000, late: Int64 = 60 * second, fills: UInt16 = 0) -> BarRules {
    BarRules(lengths: lengths.compactMap { BarLength($0) }, wait: wait, late: late, fills: fills)
  }

  @Test func `a bar has the first, highest, lowest and last price, the volume, and the average price by volume`() {
    // 10 × 1 + 12 × 2 + 9 × 3 + 11 × 1 = 72, by 7 units: 10.285714285 714…
    let outcome = bars(
      [trade("A", 10, 1, at: 0), trade("A", 12, 2, at: 1), trade("A", 9, 3, at: 2), trade("A", 11, 1, at: 60 * second - 1)], minute)
    #expect(outcome.bars.map(line) == ["A 1m +0 10/12/9/11 x7 vwap 10.285714286 n4 partial @+59.999999999"])
    #expect(outcome.bars.map(\.turnover) == [72])
  }

  @Test func `the average price is rounded half to even`() throws {
    // Means of two prices that are one and three billionths apart: half a billionth is rounded to the even neighbour.
    let outcome = bars(
      [
        trade("A", Price(raw: 2), at: 0), trade("A", Price(raw: 3), at: 1), trade("B", Price(raw: 3), at: 2),
        trade("B", Price(raw: 4), at: 3),
      ], minute)
    #expect(outcome.bars.map(\.vwap.raw) == [2, 4])
  }

  @Test func `the end of a period belongs to the next one`() {
    let outcome = bars(
      [trade("A", 1, at: -1), trade("A", 2, at: 0), trade("A", 3, at: 60 * second - 1), trade("A", 4, at: 60 * second)], minute)
    #expect(
      outcome.bars.map(line) == [
        "A 1m -60 1/1/1/1 x1 vwap 1 n1 @+0.2", "A 1m +0 2/3/2/3 x2 vwap 2.5 n2 partial @+60",
        "A 1m +60 4/4/4/4 x1 vwap 4 n1 partial @+60",
      ])
  }

  @Test func `a bar waits for late trades, and closes when everything until its due moment has come`() {
    // Received at the due moment itself, a trade still counts; a nanosecond later it comes after the close.
    let outcome = bars(
      [
        trade("A", 5, at: 0), trade("A", 6, at: 59 * second, after: 1_200_000_000), trade("A", 7, at: 59 * second, after: 1_200_000_001),
      ], minute)
    #expect(
      outcome.bars.map(line) == [
        "A 1m +0 5/6/5/6 x2 vwap 5.5 n2 @+60.2", "A 1m +0 5/7/5/7 x3 vwap 6 n3 r1 @+60.200000001",
      ])
  }

  @Test func `a trade that comes too late is refused, and changes nothing`() {
    // Due at +60.2, so it can be issued again until +120.2 is over.
    let outcome = bars(
      [
        trade("A", 5, at: 0), trade("A", 6, at: second, after: 119_200_000_000), trade("A", 7, at: second, after: 119_200_000_001),
      ], minute)
    #expect(
      outcome.bars.map(line) == ["A 1m +0 5/5/5/5 x1 vwap 5 n1 @+60.2", "A 1m +0 5/6/5/6 x2 vwap 5.5 n2 r1 @+120.2"])
    #expect(outcome.refusals == ["2 late 1m"])
  }

  @Test func `a late trade of a period without a bar issues the first one`() {
    let outcome = bars([trade("B", 1, at: 65 * second), trade("A", 5, at: 0, after: 66 * second)], minute)
    #expect(outcome.bars.map(line) == ["A 1m +0 5/5/5/5 x1 vwap 5 n1 @+66", "B 1m +60 1/1/1/1 x1 vwap 1 n1 partial @+66"])
  }

  @Test func `the order of events in time decides what is first and last, ties the order of arrival`() {
    let outcome = bars(
      [
        trade("A", 3, at: 2 * second), trade("A", 2, at: second, after: second), trade("A", 1, at: second, after: second),
        trade("A", 4, at: 2 * second), trade("A", 9, at: 1_500_000_000, after: second),
      ], minute)
    #expect(outcome.bars.map(line) == ["A 1m +0 2/9/1/4 x5 vwap 3.8 n5 partial @+2.5"])
  }

  @Test func `bars that are due together go out in the order of the symbols, then of the lengths`() {
    var driver = Driver(rules("1m", "30s"))
    driver.take([trade("B", 1, at: 40 * second), trade("A", 2, at: 41 * second)])
    driver.advance(to: morning + 60_199_999_999)
    #expect(driver.outcome.bars.isEmpty)
    driver.advance(to: morning + 60_200_000_000)
    #expect(driver.outcome.bars.map { "\($0.symbol) \($0.length)" } == ["B 1m", "B 30s", "A 1m", "A 30s"])
  }

  @Test func `many symbols that are due together are in order, close to each other and far apart`() throws {
    let symbols = try (0..<300).map { try Symbol("ORDER\($0)") }
    for step in [1, 37] {
      var driver = Driver(minute)
      driver.take(symbols.map { trade($0, 1, at: 0) })
      driver.advance(to: morning + 120 * second)
      let chosen = stride(from: 0, to: 300, by: step).map { symbols[$0] }
      driver.take(chosen.reversed().map { trade($0, 2, at: 180 * second) })
      driver.advance(to: morning + 300 * second)
      #expect(driver.outcome.bars.map(\.symbol) == symbols + chosen)
    }
  }

  @Test func `days are those of UTC, and weeks begin on Monday`() {
    // 2013-10-08 is a Tuesday; its bars begin at midnight 13.5 hours before, and on Monday the 7th.
    let outcome = bars([trade("A", 1, at: 0)], rules("1d", "1w"))
    #expect(outcome.bars.map(\.time.description) == ["2013-10-08T00:00:00Z", "2013-10-07T00:00:00Z"])
    // 1969-12-28 was a Sunday, 1969-12-29 a Monday.
    let early = [-259_200 * second - 1, -259_200 * second].map {
      Trade(symbol: "A", price: 1, size: 1, time: Timestamp(ns: $0), received: Timestamp(ns: $0))
    }
    #expect(bars(early, rules("1w")).bars.map(\.time.description) == ["1969-12-22T00:00:00Z", "1969-12-29T00:00:00Z"])
  }

  @Test func `the trade that reaches the number or the volume ends the bar`() {
    let trades = [trade("A", 1, 2, at: 1), trade("A", 2, 2, at: 2), trade("A", 3, 7, at: 3), trade("A", 4, 1, at: 4)]
    #expect(
      bars(trades, rules("3t", "4v")).bars.map(line) == [
        "A 4v +0.000000001 1/2/1/2 x4 vwap 1.5 n2 @+0.000000002", "A 3t +0.000000001 1/3/1/3 x11 vwap 2.454545455 n3 @+0.000000003",
        "A 4v +0.000000003 3/3/3/3 x7 vwap 3 n1 @+0.000000003", "A 3t +0.000000004 4/4/4/4 x1 vwap 4 n1 partial @+0.000000004",
        "A 4v +0.000000004 4/4/4/4 x1 vwap 4 n1 partial @+0.000000004",
      ])
  }

  @Test func `an event dated more than five seconds ahead counts for nothing, one of five seconds does`() {
    let outcome = bars([trade("A", 1, at: 6 * second, after: -5 * second), trade("A", 2, at: 6 * second + 1, after: -5 * second)], minute)
    #expect(outcome.bars.map(\.count) == [2])
    #expect(outcome.refusals == [])
    #expect(bars([trade("A", 2, at: 6 * second, after: -5 * second - 1)], minute) == Outcome(refusals: ["0 ahead "]))
  }

  @Test func `a sum that is too large stays at the largest one, and the prices count`() {
    let outcome = bars(
      [
        trade("A", 3, 9_000_000_000, at: 0), trade("A", 8, 300_000_000, at: 1), trade("A", 5, -1, at: 2), trade("A", 4, 1, at: 3),
        trade("B", 5, -1, at: 4),
      ], minute)
    // The average price stays at that of the trades that fit: 3.
    #expect(outcome.bars.map(line) == ["A 1m +0 3/8/3/4 x9223372036 vwap 3 n3 partial @+0.000000004"])
    #expect(outcome.refusals == ["2 negativeVolume 1m", "4 negativeVolume 1m"])
  }

  @Test func `trades without a size have the close as their average price`() {
    let outcome = bars([trade("A", 3, 0, at: 0), trade("A", 4, 0, at: 1)], minute)
    #expect(outcome.bars.map(line) == ["A 1m +0 3/4/3/4 x0 vwap 4 n2 partial @+0.000000001"])
  }

  @Test func `prices may be negative`() {
    // (−37.63 × 3 + 1 × 1) / 4 = −27.9725.
    #expect(
      bars([trade("A", Price(raw: -37_630_000_000), 3, at: 0), trade("A", 1, 1, at: 1)], minute).bars.map(line)
        == ["A 1m +0 -37.63/1/-37.63/1 x4 vwap -27.9725 n2 partial @+0.000000001"])
  }

  @Test func `the most decimals of the trades are those of the bar`() {
    let outcome = bars([trade("A", 3, at: 0, decimals: 2), trade("A", 4, at: 1, decimals: 4), trade("A", 4, at: 2, decimals: 1)], minute)
    #expect(outcome.bars.map(\.priceDecimals) == [4])
  }

  @Test func `fill repeats the last close until its limit, and begins again after the next trade`() {
    var driver = Driver(rules("1m", fills: 2))
    driver.take([trade("A", 5, at: 0, decimals: 2)])
    driver.advance(to: morning + 600 * second)
    driver.take([trade("A", 7, at: 660 * second)])
    driver.advance(to: morning + 800 * second)
    driver.drain()
    #expect(
      driver.outcome.bars.map(line) == [
        "A 1m +0 5/5/5/5 x1 vwap 5 n1 @+60.2", "A 1m +60 5/5/5/5 x0 vwap 5 n0 @+120.2", "A 1m +120 5/5/5/5 x0 vwap 5 n0 @+180.2",
        "A 1m +660 7/7/7/7 x1 vwap 7 n1 @+720.2", "A 1m +720 7/7/7/7 x0 vwap 7 n0 @+780.2",
      ])
    #expect(driver.outcome.bars[1].priceDecimals == 2)
  }

  @Test func `a late trade changes a filled bar, and the closes that are repeated after it`() {
    var driver = Driver(rules("1m", fills: 5))
    driver.take([trade("A", 5, at: 0), trade("A", 6, at: 70 * second, after: 60 * second)])
    driver.advance(to: morning + 181 * second)
    #expect(
      driver.outcome.bars.map(line) == [
        "A 1m +0 5/5/5/5 x1 vwap 5 n1 @+60.2", "A 1m +60 5/5/5/5 x0 vwap 5 n0 @+120.2", "A 1m +60 6/6/6/6 x1 vwap 6 n1 r1 @+130",
        "A 1m +120 6/6/6/6 x0 vwap 6 n0 @+180.2",
      ])
  }

  @Test func `bars that cannot be issued again are forgotten`() {
    var driver = Driver(rules("1s", late: 5 * second))
    for i in 0..<5000 { driver.take([trade("A", 1, at: Int64(i) * second), trade("B", 1, at: Int64(i) * second)]) }
    #expect(driver.cellCount < 24)
    var ticks = Driver(rules("2t"))
    for i in 0..<5000 { ticks.take([trade("A", 1, at: Int64(i))]) }
    #expect(ticks.cellCount == 2)
    #expect(ticks.outcome.bars.count == 2500)
  }

  @Test func `an instance with other rules keeps the bars that both make`() {
    var driver = Driver(rules("1m", "1h"))
    driver.take([trade("A", 5, at: 0), trade("B", 1, at: 0)])
    driver.handOver(to: rules("30s", "1m", wait: second))
    driver.take([trade("A", 7, at: 2 * second)])
    driver.advance(to: morning + 61 * second)
    #expect(
      driver.outcome.bars.map(line) == [
        "A 30s +0 7/7/7/7 x1 vwap 7 n1 @+31", "A 1m +0 5/7/5/7 x2 vwap 6 n2 @+61", "B 1m +0 1/1/1/1 x1 vwap 1 n1 @+61",
      ])
  }
}
