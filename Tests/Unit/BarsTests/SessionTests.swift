import StockbusInstruments
import StockbusPlugin
import Testing

@testable import Bars

/// A market that is four hours behind UTC: pre-market from 08:00, open from 13:30 to 20:00, then to 24:00 UTC, Monday to Friday.
struct FourHoursBehind: BarCalendar {
  var isRegularOnly = false
  var sessionOfDays: MarketSession { isRegularOnly ? .regular : .unknown }

  private static let day = 86_400 * second
  private static let hours: [(session: MarketSession, start: Int64, end: Int64)] = [
    (.pre, 28_800, 48_600), (.regular, 48_600, 72_000), (.post, 72_000, 86_400),
  ]

  private func sessions(_ date: Int32) -> [BarSession] {
    // 1970-01-01 was a Thursday.
    if (date + 3) % 7 > 4 { return [] }
    return Self.hours.filter { $0.session == .regular || !isRegularOnly }.map {
      let midnight = Int64(date) * Self.day
      return BarSession(session: $0.session, date: date, start: midnight + $0.start * second, end: midnight + $0.end * second)
    }
  }

  func session(at time: Int64) -> BarSession? { sessions(Int32(time / Self.day)).first { $0.start <= time && time < $0.end } }
  /// Midnight is at 04:00 UTC.
  func date(ofDayFrom time: Int64) -> Int32 { Int32((time % Self.day == 0 ? time : time - 4 * 3600 * second) / Self.day) }
  func day(_ date: Int32) -> Range<Int64> {
    let all = sessions(date)
    return all.isEmpty ? 0..<0 : all[0].start..<all[all.count - 1].end
  }
  func week(of date: Int32) -> Range<Int64> { day(monday(of: date)).lowerBound..<day(monday(of: date) + 4).upperBound }
  private func monday(of date: Int32) -> Int32 { date - (date + 3) % 7 }
}

/// Bars of instruments with a calendar.
@Suite struct SessionTests {
  private let hour = 3600 * second
  private var day: Int64 { 24 * hour }

  private func driver(_ lengths: String..., regular: Bool = true, fills: UInt16 = 0, components: Bool = false) -> Driver {
    Driver(
      BarRules(lengths: lengths.compactMap { BarLength($0) }, fills: fills, keepsComponents: components),
      calendar: { $0 == "COIN" ? nil : FourHoursBehind(isRegularOnly: regular) })
  }

  @Test func `hours are counted from the begin of the session, and the last one ends with it`() {
    var book = driver("1h", "4h")
    for at in [0, hour - 1, hour, 6 * hour + hour / 4] { book.take([trade("A", 1, at: at)]) }
    book.advance(to: morning + 6 * hour + hour / 2 + 200_000_000)
    #expect(
      book.outcome.bars.map(line) == [
        "A 1h +0 1/1/1/1 x2 vwap 1 n2 @+3600.2", "A 1h +3600 1/1/1/1 x1 vwap 1 n1 @+7200.2", "A 4h +0 1/1/1/1 x3 vwap 1 n3 @+14400.2",
        "A 1h +21600 1/1/1/1 x1 vwap 1 n1 @+23400.2", "A 4h +14400 1/1/1/1 x1 vwap 1 n1 @+23400.2",
      ])
    #expect(book.outcome.bars.allSatisfy { $0.session == .regular })
  }

  @Test func `what is traded outside of the sessions that count is in no bar`() {
    let times = [-hour, 0, 7 * hour, 11 * hour]
    for (regular, count) in [(true, 1), (false, 3)] as [(Bool, UInt32)] {
      var book = driver("1d", regular: regular)
      // After 24:00 the market is closed.
      book.take(times.map { trade("A", 1, at: $0) })
      book.drain()
      #expect(book.outcome.bars.map(\.count) == [count])
      #expect(book.outcome.bars.map(\.session) == [regular ? .regular : .unknown])
      #expect(book.outcome.refusals == [])
    }
  }

  @Test func `the closing auction is the close of the session that it closes, also at its end and after`() throws {
    let calendar = try #require(try TradingCalendar.builtIn("us_equities"))
    func prints(_ condition: TradeCondition) -> [Trade] {
      // The regular session of this date is from `morning`, 13:30 UTC, to 20:00.
      let end = 6 * hour + hour / 2
      var all = [
        trade("A", 1, at: -second / 10), trade("A", 2, at: second), trade("A", 3, at: end - second), trade("A", 9, at: end),
        trade("A", 4, at: end), trade("A", 5, at: end + second),
      ]
      all[0].condition = condition == .regular ? .regular : .opening
      all[4].condition = condition
      return all
    }
    func bars(_ trades: [Trade], regular: Bool) -> [String] {
      var driver = Driver(BarRules(lengths: [.day]), calendar: { _ in MarketCalendar(calendar: calendar, isRegularOnly: regular) })
      driver.take(trades)
      driver.drain()
      return driver.outcome.bars.map { "\($0.open)/\($0.high)/\($0.low)/\($0.close) n\($0.count)" }
    }
    #expect(bars(prints(.closing), regular: true) == ["1/4/1/4 n4"])
    #expect(bars(prints(.regular), regular: true) == ["2/3/2/3 n2"])
    #expect(bars(prints(.closing), regular: false) == ["1/9/1/5 n6"])
    var minutes = Driver(
      BarRules(lengths: [.time(60 * second)]), calendar: { _ in MarketCalendar(calendar: calendar, isRegularOnly: false) })
    minutes.take(prints(.closing))
    minutes.drain()
    #expect(
      minutes.outcome.bars.map { "\($0.session) \($0.open)/\($0.close) n\($0.count)" } == [
        "regular 1/2 n2", "regular 3/4 n2", "post 9/5 n2",
      ])
  }

  @Test func `no bar crosses the border of two sessions`() {
    var book = driver("8h", regular: false)
    book.take([trade("A", 1, at: -1), trade("A", 2, at: 0)])
    book.drain()
    #expect(book.outcome.bars.map(\.session) == [.pre, .regular])
    #expect(book.outcome.bars.map(\.count) == [1, 1])
  }

  @Test func `days and weeks are stamped with midnight UTC of their date, and end with their last session`() {
    var book = driver("1d", "1w")
    book.take([trade("A", 1, at: 0), trade("A", 2, at: day), trade("A", 3, at: 7 * day)])
    book.drain()
    let bars = book.outcome.bars
    #expect(
      bars.map { "\($0.length) \($0.time)" } == [
        "1d 2013-10-08T00:00:00Z", "1d 2013-10-09T00:00:00Z", "1w 2013-10-07T00:00:00Z", "1d 2013-10-15T00:00:00Z",
        "1w 2013-10-14T00:00:00Z",
      ])
    #expect(
      bars.prefix(3).map(\.received.description) == ["2013-10-08T20:00:00.200Z", "2013-10-09T20:00:00.200Z", "2013-10-11T20:00:00.200Z"])
  }

  @Test func `a symbol without a calendar has days of UTC`() {
    var book = driver("1d")
    book.take([trade("COIN", 1, at: 11 * hour), trade("A", 1, at: 11 * hour)])
    book.drain()
    #expect(book.outcome.bars.map { "\($0.symbol) \($0.time)" } == ["COIN 2013-10-09T00:00:00Z"])
  }

  @Test func `bars of bars are those of the trades, through hours, days and weeks`() {
    let trades: [Trade] = (0..<60).map { i in
      let price = Price(raw: Int64(1 + i * 7 % 11) * second)
      return trade(i % 3 == 0 ? "A" : "B", price, at: Int64(i) * 5 * hour / 2)
    }
    var direct = driver("1h", "1d", "1w")
    direct.take(trades)
    direct.drain()
    var last: [Bar] = []
    for (shorter, longer) in [("1m", "1h"), ("1h", "1d"), ("1d", "1w")] {
      if last.isEmpty {
        var minutes = driver(shorter)
        minutes.take(trades)
        minutes.drain()
        last = minutes.outcome.bars
      }
      var book = driver(longer, components: true)
      book.take(last)
      book.drain()
      #expect(book.outcome.refusals == [])
      last = book.outcome.bars
      #expect(last == direct.outcome.bars.filter { "\($0.length)" == longer }, "\(longer)")
    }
  }

  @Test func `fill ends with the session`() {
    var book = driver("1h", fills: 100)
    book.take([trade("A", 1, at: 4 * hour)])
    book.advance(to: morning + 3 * day)
    #expect(book.outcome.bars.map(\.count) == [1, 0, 0])
  }
}
