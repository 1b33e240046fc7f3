import MarketData
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct HistoryChartTests {
  let folder = TemporaryFolder()

  private func reader(_ bars: [Bar]) throws -> HistoryReader {
    let writer = try HistoryWriter(folder.file("h.db"))
    try writer.write(bars)
    try writer.close()
    return try HistoryReader(folder.file("h.db"))
  }

  /// `1d 10: 2013-10-01 … 2013-10-10`.
  private func text(_ chart: HistoryChart?) -> String {
    guard let chart else { return "-" }
    let candles = chart.candles()
    let ends = [candles.first, candles.last].compactMap { $0?.time.description.prefix(16) }.joined(separator: " … ")
    return "\(chart.period) of \(chart.source) \(candles.count): \(ends)"
  }

  @Test func `candles are as fine as there is room for, and a span ends with its newest bar`() throws {
    // 2013-01-01 is day 15706; 800 days, and the minutes of three hours after them.
    let days = (0..<800).map { bar("A", (15_706 + Int64($0)) * day, price: 100 + Int64($0)) }
    let minutes = (0..<180).map { bar("A", (15_706 + 800) * day + Int64($0) * minute, .time(minute), price: 900) }
    let reader = try reader(days + minutes)
    func chart(_ span: PastSpan, _ count: Int) throws -> String { text(try reader.chart(of: "A", span, atMost: count)) }
    #expect(try chart(.day, 40) == "5m of 1m 36: 2015-03-12T00:00 … 2015-03-12T02:55")
    #expect(try chart(.day, 20) == "15m of 1m 12: 2015-03-12T00:00 … 2015-03-12T02:45")
    // The minutes are too few for a month, but they continue the days.
    #expect(try chart(.month, 40) == "1d of 1d 31: 2015-02-10T00:00 … 2015-03-12T00:00")
    #expect(try chart(.year, 400) == "1d of 1d 366: 2014-03-12T00:00 … 2015-03-12T00:00")
    #expect(try chart(.year, 60) == "1w of 1d 53: 2014-03-10T00:00 … 2015-03-09T00:00")
    #expect(try chart(.year, 40) == "1mo of 1d 13: 2014-03-01T00:00 … 2015-03-01T00:00")
    #expect(try chart(.all, 40) == "1mo of 1d 27: 2013-01-01T00:00 … 2015-03-01T00:00")
    #expect(try chart(.all, 1) == "1y of 1d 3: 2013-01-01T00:00 … 2015-01-01T00:00")
    #expect(text(try reader.chart(of: "B", .all, atMost: 9)) == "-")
  }

  @Test func `bars that have come continue the candles, and replace the last one`() throws {
    let reader = try reader((0..<3).map { bar("A", Int64($0) * day, price: 10) })
    let chart = try #require(try reader.chart(of: "A", .month, atMost: 30))
    #expect(chart.continuing([.time(minute), .time(60 * minute), .week]) == .time(minute))
    #expect(chart.continuing([.time(minute), .day]) == .day && chart.continuing([.week]) == nil)
    // One of the last day, which is in the history, and two of the next one.
    let live = [
      bar("A", 2 * day + minute, .time(minute), price: 70), bar("A", 3 * day, .time(minute), price: 20, volume: 1),
      bar("A", 3 * day + minute, .time(minute), price: 30, volume: 2),
    ]
    let candles = chart.candles(with: live)
    #expect(candles.count == 4 && candles[2].close == 11)
    let last = candles[3]
    #expect(last.open == 20 && last.high == 32 && last.low == 19 && last.close == 31 && last.volume == 3 && last.time.ns == 3 * day)
    #expect(chart.candles(with: [bar("A", 2 * day, price: 50)]).map(\.close) == [11, 11, 51])
    #expect(chart.candles().map(\.close) == [11, 11, 11])
  }
}
