import MarketData
import StockbusInstruments
import Testing

@testable import Movers

/// Periods of the US exchanges, worked out by hand. New York is four hours behind UTC in summer and five in winter; the first session of a date
/// begins at 04:00 there, the regular one is from 09:30 to 16:00.
@Suite struct InstrumentTests {
  private func time(_ text: String) throws -> Int64 { try Timestamp(iso8601: text).ns }

  private func span(_ period: MoverPeriod, _ text: String) throws -> [String] {
    let calendar = try #require(try TradingCalendar.builtIn("us_equities"))
    let span = try #require(InstrumentPeriods(calendar: calendar, period: period).span(at: try time(text)))
    return [span.start, span.until, span.end].map { Timestamp(ns: $0).description }
  }

  @Test func `a day lasts until the next trading date begins`() throws {
    let friday = ["2013-10-11T08:00:00Z", "2013-10-14T08:00:00Z", "2013-10-14T08:00:00Z"]
    #expect(try span(.day, "2013-10-11T08:00:00Z") == friday)
    #expect(try span(.day, "2013-10-13T12:00:00Z") == friday)
    #expect(try span(.day, "2013-10-14T07:59:59.999999999Z") == friday)
    #expect(try span(.day, "2013-10-14T08:00:00Z").first == "2013-10-14T08:00:00Z")
    // The clocks went back on Sunday, 3 November.
    #expect(
      try span(.day, "2013-11-01T20:00:00Z") == ["2013-11-01T08:00:00Z", "2013-11-04T09:00:00Z", "2013-11-04T09:00:00Z"])
  }

  @Test func `a week begins with its first trading date`() throws {
    // 2 September 2013 was Labor Day.
    let week = ["2013-09-03T08:00:00Z", "2013-09-09T08:00:00Z", "2013-09-09T08:00:00Z"]
    #expect(try span(.week, "2013-09-03T08:00:00Z") == week)
    #expect(try span(.week, "2013-09-08T23:00:00Z") == week)
    #expect(try span(.week, "2013-09-02T15:00:00Z").first == "2013-08-26T08:00:00Z")
  }

  @Test func `a session is the regular one, and ends early on some days`() throws {
    // The day after Thanksgiving ends at 13:00.
    let early = ["2013-11-29T14:30:00Z", "2013-11-29T18:00:00Z", "2013-12-02T14:30:00Z"]
    #expect(try span(.session, "2013-11-29T15:00:00Z") == early)
    #expect(try span(.session, "2013-11-30T15:00:00Z") == early)
    // Before the opening the session of the date before is the last one.
    #expect(try span(.session, "2013-12-02T14:29:59Z") == early)
  }

  @Test func `a daily bar counts on its date, whether that is written in UTC or in New York's time`() throws {
    let calendar = try #require(try TradingCalendar.builtIn("us_equities"))
    let days = InstrumentPeriods(calendar: calendar, period: .day)
    for midnight in ["2013-10-11T00:00:00Z", "2013-10-11T04:00:00Z"] {
      #expect(days.moment(ofBarAt: try time(midnight), isDay: false) == (try time("2013-10-11T08:00:00Z")))
    }
    #expect(days.moment(ofBarAt: try time("2013-10-11T04:00:01Z"), isDay: true) == (try time("2013-10-11T04:00:01Z")))
    let sessions = InstrumentPeriods(calendar: calendar, period: .session)
    #expect(sessions.moment(ofBarAt: try time("2013-10-11T00:00:00Z"), isDay: true) == (try time("2013-10-11T13:30:00Z")))
  }

  @Test func `without a calendar a daily bar counts on the date that begins in the run's zone`() throws {
    var instruments = Instruments()
    instruments.zone = try ExchangeClock(zone: "Asia/Shanghai")
    let days = try #require(MarketReference(instruments, .day).calendars.last)
    let midnight = try time("2026-07-12T16:00:00Z")
    #expect(days.moment(ofBarAt: midnight, isDay: true) == (try time("2026-07-13T00:00:00Z")))
    #expect(days.moment(ofBarAt: midnight, isDay: false) == midnight)
    #expect(days.moment(ofBarAt: midnight + 1, isDay: true) == midnight + 1)
  }

  @Test func `the closing auction belongs to the session that it closes, also a moment after its end`() throws {
    let calendar = try #require(try TradingCalendar.builtIn("us_equities"))
    var instrument = Instrument("AUCTION")
    instrument.calendar = "us_equities"
    let known = Instruments([instrument], calendars: [calendar])
    func print(_ price: Int64, _ text: String, _ condition: TradeCondition = .regular) throws -> Trade {
      let time = Timestamp(ns: try time(text))
      return Trade(
        symbol: "AUCTION", price: Price(raw: price * 10_000_000), size: 1, time: time, received: time, priceDecimals: 2,
        condition: condition)
    }
    var feed = feed({ $0.period = .session }, MarketReference(known, .session))
    let moves = feed.take([
      try print(10_000, "2013-10-10T13:30:00Z"), try print(10_100, "2013-10-10T19:59:59Z"), try print(10_500, "2013-10-10T20:00:01Z"),
      try print(10_200, "2013-10-10T20:00:02Z", .closing), try print(10_404, "2013-10-11T13:29:59.9Z", .opening),
    ]).map(move)
    // The price after hours counts for nothing; 104.04 is compared with the close of 102.00.
    #expect(moves.last == "active AUCTION 0→1 2%" && moves.contains("gainers AUCTION 0→1 2%"))
  }

  @Test func `every moment is in its span, and spans follow each other`() throws {
    let calendar = try #require(try TradingCalendar.builtIn("us_equities"))
    var last: PeriodSpan?
    for period in [MoverPeriod.day, .session, .week] {
      let periods = InstrumentPeriods(calendar: calendar, period: period)
      last = nil
      for hour in 0..<(24 * 120) {
        let time = monday.ns + Int64(hour) * 3600 * second
        let span = try #require(periods.span(at: time))
        #expect(span.start <= time && time < span.end && span.start < span.until && span.until <= span.end)
        if let last, last != span { #expect(last.end == span.start) }
        last = span
      }
    }
  }

  /// The closes of 2014-06-06 and of the next two Fridays.
  private func apple(_ calendar: String, zone: String) throws -> [Mover] {
    var instrument = Instrument("AAPL")
    instrument.calendar = calendar
    instrument.splits = [
      Split(date: try #require(TradingDate(year: 2014, month: 6, day: 9)), ratio: try #require(Ratio(7, 1)))
    ]
    let known = Instruments([instrument], calendars: try [TradingCalendar.builtIn("us_equities")].compactMap { $0 })
    var feed = feed({ $0.period = .week }, MarketReference(known, .week))
    return feed.take(
      try [("2014-06-06", 64_557), ("2014-06-09", 9370), ("2014-06-13", 9128), ("2014-06-20", 9091)].map { date, close in
        let time = Timestamp(ns: try time(date + "T0\(zone):00:00Z"))
        let price = Price(raw: Int64(close) * 10_000_000)
        return Bar(
          symbol: "AAPL", open: price, high: price, low: price, close: price, volume: 1, time: time, received: time, priceDecimals: 2)
      })
  }

  @Test(arguments: [("us_equities", "0"), ("us_equities", "4"), ("", "0"), ("24/7", "0")])
  func `splits of instruments are applied from their date on`(calendar: String, zone: String) throws {
    let moves = try apple(calendar, zone: zone).filter { $0.list != .active }
    #expect(
      moves.map(move) == [
        "gainers AAPL 0→1 1.600136313% split", "gainers AAPL 1→0 -1.023901358% split", "losers AAPL 0→1 -1.023901358% split",
        "losers AAPL 1→0 -1.023901358% split", "losers AAPL 0→1 -0.405346187%",
      ])
  }
}
