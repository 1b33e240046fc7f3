import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct PeriodTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  private func start(_ period: String, _ time: String) throws -> String? {
    try BarPeriod(period)?.start(of: Timestamp(iso8601: time))?.description
  }

  @Test func `weeks begin on Monday, months and years with their first day`() throws {
    // 2013-10-07 was a Monday, in week 41 of the year.
    #expect(try start("1w", "2013-10-07T00:00:00Z") == "2013-10-07T00:00:00Z")
    #expect(try start("1w", "2013-10-13T23:59:59Z") == "2013-10-07T00:00:00Z")
    #expect(try start("1w", "2013-10-06T23:59:59Z") == "2013-09-30T00:00:00Z")
    #expect(try start("1w", "1969-12-31T12:00:00Z") == "1969-12-29T00:00:00Z")
    // A week of two years: 2014-12-29 to 2015-01-04 is 2015-W01.
    #expect(try start("1w", "2015-01-02T00:00:00Z") == "2014-12-29T00:00:00Z")
    #expect(try start("1mo", "2016-02-29T23:00:00Z") == "2016-02-01T00:00:00Z")
    #expect(try start("1y", "2016-12-31T23:00:00Z") == "2016-01-01T00:00:00Z")
    #expect(try start("1y", "1969-06-01T00:00:00Z") == "1969-01-01T00:00:00Z")
    #expect(try start("5m", "2013-10-08T13:34:59.999Z") == "2013-10-08T13:30:00Z")
    #expect(try start("1h", "1969-12-31T23:30:00Z") == "1969-12-31T23:00:00Z")
    #expect(try start("100t", "2013-10-08T13:34:59Z") == nil)
    #expect(BarPeriod("1mo")?.start(of: Timestamp(ns: .min)) == nil)
    #expect(BarPeriod("1d")?.start(of: Timestamp(ns: .min)) == nil)
    #expect(BarPeriod("") == nil && BarPeriod("2mo") == nil && BarPeriod("1x") == nil)
  }

  @Test func `a period is made of lengths that divide it`() {
    func isMade(_ period: String, of part: String) -> Bool {
      guard let period = BarPeriod(period), let part = BarLength(part) else { return false }
      return period.isMade(of: part)
    }
    #expect(isMade("1w", of: "1d") && isMade("1w", of: "1h") && isMade("1mo", of: "1d") && isMade("1y", of: "30s"))
    #expect(isMade("5m", of: "1m") && isMade("2w", of: "1w") && isMade("1d", of: "1h"))
    #expect(!isMade("5m", of: "2m") && !isMade("1d", of: "1d") && !isMade("1d", of: "1w") && !isMade("1mo", of: "1w"))
    // Seven days counted from Thursday are no week of Monday to Sunday, nor halves of one.
    #expect(!isMade("1w", of: "84h"))
    #expect(!isMade("1d", of: "100t") && !isMade("1mo", of: "100t") && !isMade("1d", of: ""))
  }

  @Test func `a bar of bars has the first open, the extremes, the last close and exact sums`() throws {
    func part(_ start: Int64, _ prices: (Int64, Int64, Int64, Int64), volume: Int64, turnover: Int128, count: UInt32) -> Bar {
      Bar(
        symbol: "A", open: Price(raw: prices.0), high: Price(raw: prices.1), low: Price(raw: prices.2), close: Price(raw: prices.3),
        volume: Quantity(raw: volume), time: Timestamp(ns: start), received: Timestamp(ns: start + minute), priceDecimals: 2,
        length: .time(minute), turnover: Amount(raw: turnover), vwap: 1, count: count, session: .regular)
    }
    let writer = try HistoryWriter(path)
    // 3 units at 10 and 4 at 11 billionths: 74 / 7 = 10.57, rounded to 11.
    try writer.write([
      part(0, (10, 12, 9, 11), volume: 3, turnover: 30, count: 2), part(minute, (11, 15, 10, 14), volume: 4, turnover: 44, count: 5),
      part(5 * minute, (20, 20, 20, 20), volume: 0, turnover: 0, count: 0),
    ])
    let series = try HistoryReader(path).bars("A", .length(.time(5 * minute)))
    #expect(series?.source == .time(minute))
    var first = part(0, (10, 15, 9, 14), volume: 7, turnover: 74, count: 7)
    first.length = .time(5 * minute)
    first.vwap = Price(raw: 11)
    first.received = Timestamp(ns: 2 * minute)
    #expect(series?.bars.first == first)
    #expect(series?.bars.count == 2 && series?.bars.last?.vwap == Price(raw: 20))
  }

  @Test func `what a part does not say, the whole does not say`() throws {
    let writer = try HistoryWriter(path)
    var known = bar("A", 0)
    (known.turnover, known.count) = (1000, 4)
    var partial = bar("A", 2 * day, revision: 3, status: .partial)
    partial.session = .post
    try writer.write([known, bar("A", day), partial])
    let whole = try #require(try HistoryReader(path).bars("A", .month)?.bars.first)
    #expect(whole.turnover.raw == 0 && whole.count == 0 && whole.vwap == whole.close && whole.volume == 30)
    #expect(whole.status == .partial && whole.revision == 3 && whole.session == .unknown && whole.length == .unknown)
  }

  @Test func `bars are adjusted before others are made of them, so that a week with a split mixes no prices`() throws {
    let writer = try HistoryWriter(path)
    // Friday and Saturday; two for one on Saturday.
    try writer.write([bar("A", day, price: 100), bar("A", 2 * day, price: 50)])
    let week = try HistoryReader(path).bars("A", .length(.week)) { bars in
      bars.map { bar in
        var bar = bar
        if bar.time.ns < 2 * day {
          (bar.open.raw, bar.high.raw, bar.low.raw, bar.close.raw) = (
            bar.open.raw / 2, bar.high.raw / 2, bar.low.raw / 2, bar.close.raw / 2
          )
        }
        return bar
      }
    }
    #expect(week?.bars.map { [$0.open, $0.high, $0.low, $0.close] } == [[50, 52, 49, 51]])
  }

  @Test func `a sum that is too large stays at the largest one`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([bar("A", 0, volume: 9_000_000_000), bar("A", day, volume: 9_000_000_000)])
    let year = try #require(try HistoryReader(path).bars("A", .year)?.bars.first)
    #expect(year.volume == .most && year.time.ns == 0)
  }

  @Test func `bars that the file has are taken as they are, and the longest parts otherwise`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([bar("A", 0, .time(minute), price: 1), bar("A", 0, .time(60 * minute), price: 2), bar("A", 0, .week, price: 3)])
    let reader = try HistoryReader(path)
    #expect(try reader.bars("A", .length(.day))?.source == .time(60 * minute))
    #expect(try reader.bars("A", .length(.week))?.source == .week)
    #expect(try reader.bars("A", .length(.time(second))) == nil)
    #expect(try reader.bars("B", .length(.day)) == nil)
  }

  @Test func `only periods that begin in the range are made, each as a whole`() throws {
    let writer = try HistoryWriter(path)
    // From Thursday, 1970-01-01; the first Monday is day 4.
    try writer.write((0..<30).map { bar("A", Int64($0) * day, price: 100 + Int64($0), volume: 1) })
    let reader = try HistoryReader(path)
    func weeks(_ from: Int64?, _ to: Int64?, limit: Int = .max) throws -> [String] {
      let times = HistoryTimes(from: from.map { Timestamp(ns: $0 * day) }, to: to.map { Timestamp(ns: $0 * day) })
      return try (reader.bars("A", .length(.week), in: times, limit: limit)?.bars ?? []).map { "\($0.time.ns / day) \($0.volume)" }
    }
    #expect(try weeks(nil, nil) == ["-3 4", "4 7", "11 7", "18 7", "25 5"])
    #expect(try weeks(4, 12) == ["4 7", "11 7"])
    #expect(try weeks(5, 12) == ["11 7"])
    #expect(try weeks(nil, nil, limit: 2) == ["18 7", "25 5"])
    #expect(try weeks(26, 40) == [])
  }

  @Test func `random bars give what grouping by a slow calendar gives`() throws {
    var random = SplitMix(3)
    let writer = try HistoryWriter(path)
    var starts: Set<Int64> = []
    for _ in 0..<600 { starts.insert(Int64(random.upTo(3000)) - 1500) }
    let all = starts.sorted().map { bar("A", $0 * day, price: Int64(random.upTo(50)), volume: Int64(random.upTo(9))) }
    try writer.write(all)
    let reader = try HistoryReader(path)
    for period in [BarPeriod.length(.week), .month, .year] {
      func name(_ bar: Bar) -> String {
        let days = bar.time.ns / day
        let date = CivilDate(daysSinceEpoch: Int(days))
        switch period {
        case .year: return "\(date.year)"
        case .month: return "\(date.year)-\(date.month)"
        default:
          var monday = days
          // 1969-12-29 was a Monday.
          while (monday + 3) % 7 != 0 { monday -= 1 }
          return "\(monday)"
        }
      }
      var expected: [(name: String, high: Int64, low: Int64, volume: Int64, open: Price, close: Price)] = []
      for bar in all {
        if expected.last?.name == name(bar) {
          var sum = expected.removeLast()
          sum = (sum.name, max(sum.high, bar.high.raw), min(sum.low, bar.low.raw), sum.volume + bar.volume.raw, sum.open, bar.close)
          expected.append(sum)
        } else {
          expected.append((name(bar), bar.high.raw, bar.low.raw, bar.volume.raw, bar.open, bar.close))
        }
      }
      let made = try reader.bars("A", period)?.bars ?? []
      #expect(
        made.map { "\($0.high.raw) \($0.low.raw) \($0.volume.raw) \($0.open) \($0.close)" }
          == expected.map { "\($0.high) \($0.low) \($0.volume) \($0.open) \($0.close)" })
    }
  }
}
