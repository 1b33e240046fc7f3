import MarketData
import TestSupport
import StockbusPlugin
import Testing

@testable import StockbusInstruments

/// Previous closes by the calendar of the exchanges of the United States, worked out by hand. New York is four hours behind UTC in October; the
/// first session of a date begins at 04:00 there.
@Suite struct PreviousClosesTests {
  private static let first = Symbol("PREV-A")

  private func day(_ text: String) throws -> Int { Int(try TradingDate(option: text).days) }

  private func instruments(_ splits: [String] = [], calendar: String = "us_equities") throws -> Instruments {
    var instrument = Instrument(Self.first)
    instrument.calendar = calendar
    instrument.splits = try splits.map { try Split(option: $0) }
    return Instruments([instrument], calendars: try [TradingCalendar.builtIn("us_equities")].compactMap { $0 })
  }

  private func past(
    _ closes: [String: Price], last: (Price, String)? = nil
  ) throws -> PastPrices {
    let all = try closes.map { PastPrices.Close(day: try day($0), price: $1) }.sorted { $0.day < $1.day }
    return PastPrices(
      closes: all.last.map { [Self.first: $0] } ?? [:],
      prices: try last.map { [Self.first: PastPrices.Last($0.0, at: try Timestamp(iso8601: $0.1))] } ?? [:]
    ) { symbol, day in symbol == Self.first ? all.last { $0.day < day } : nil }
  }

  /// What each price begins: `-` for nothing, `?` for a date without a known close.
  private func openings(
    _ past: PastPrices, _ instruments: Instruments, _ prices: [(String, Price)], isDated: Bool = false
  ) throws -> [String] {
    var closes = PreviousCloses(past, instruments)
    return try prices.map { text, price in
      guard let opening = closes.take(Self.first, price, at: try Timestamp(iso8601: text), isDated: isDated) else { return "-" }
      return opening.close.map(\.description) ?? "?"
    }
  }

  @Test func `the first price of a date counts from the close before, from the history and then from the stream`() throws {
    let past = try past(["2013-10-04": 98, "2013-10-07": 100, "2013-10-08": 101])
    #expect(
      try openings(
        past, try instruments(),
        [
          ("2013-10-08T13:30:00Z", 102), ("2013-10-08T19:59:00Z", 103),
          // 03:59 in New York still belongs to the date before.
          ("2013-10-09T07:59:59Z", 104), ("2013-10-09T08:00:00Z", 105), ("2013-10-09T14:00:00Z", 106),
          // Friday, then Monday, which is Columbus Day: the exchanges are open.
          ("2013-10-11T19:00:00Z", 107), ("2013-10-13T12:00:00Z", 108), ("2013-10-14T08:00:00Z", 109),
        ]) == ["100", "-", "-", "104", "-", "106", "-", "108"])
  }

  @Test func `a date begins by the clock of the exchange when clocks change, and 29 February is one`() throws {
    #expect(
      try openings(
        PastPrices(), try instruments(),
        [
          // Clocks go forward on Sunday, 2024-03-10: 04:00 in New York is 09:00 UTC on Friday, and 08:00 on Monday.
          ("2024-02-28T20:00:00Z", 90), ("2024-02-29T08:59:59Z", 91), ("2024-02-29T09:00:00Z", 92), ("2024-03-01T09:00:00Z", 93),
          ("2024-03-08T09:00:00Z", 100), ("2024-03-11T07:59:59Z", 101), ("2024-03-11T08:00:00Z", 102), ("2024-03-11T09:00:00Z", 103),
          // They go back on Sunday, 2024-11-03.
          ("2024-11-01T08:00:00Z", 110), ("2024-11-04T08:00:00Z", 111), ("2024-11-04T08:59:59Z", 112), ("2024-11-04T09:00:00Z", 113),
        ]) == ["?", "-", "91", "92", "93", "-", "101", "-", "103", "-", "-", "112"])
  }

  @Test func `a last price of a later date than the newest close counts, one of the same date does not`() throws {
    let monday = [("2013-10-14T14:00:00Z", Price(1))]
    let closes: [String: Price] = ["2013-10-10": 100]
    #expect(try openings(past(closes, last: (99, "2013-10-10T22:00:00Z")), instruments(), monday) == ["100"])
    #expect(try openings(past(closes, last: (99, "2013-10-11T15:00:00Z")), instruments(), monday) == ["99"])
    // A price of the day itself is no close.
    #expect(try openings(past(closes, last: (99, "2013-10-14T13:00:00Z")), instruments(), monday) == ["100"])
    // The close of a daily bar is dated at midnight UTC of its date.
    #expect(try openings(past([:], last: (99, "2013-10-11T00:00:00Z")), instruments(), monday) == ["99"])
    #expect(try openings(past([:]), instruments(), monday) == ["?"])
  }

  @Test func `splits between the close and the date are applied once`() throws {
    let split = try instruments(["2014-06-09 7:1"])
    let cents = Price(raw: 645_570_000_000)
    let closes = try past(["2014-06-06": cents])
    // 645.57 / 7 = 92.22428571428…
    #expect(try openings(closes, split, [("2014-06-09T13:30:00Z", 93)]) == ["92.224285714"])
    #expect(
      try openings(PastPrices(), split, [("2014-06-06T19:00:00Z", cents), ("2014-06-09T13:30:00Z", 93), ("2014-06-10T13:30:00Z", 94)])
        == ["?", "92.224285714", "93"])
    #expect(try openings(try past(["2014-06-09": 93]), split, [("2014-06-10T13:30:00Z", 94)]) == ["93"])
  }

  @Test func `late prices change nothing, within a date the latest counts`() throws {
    #expect(
      try openings(
        PastPrices(), instruments(),
        [
          ("2013-10-08T15:00:00Z", 1), ("2013-10-08T14:00:00Z", 2), ("2013-10-09T15:00:00Z", 3), ("2013-10-08T19:00:00Z", 4),
          ("2013-10-10T15:00:00Z", 5),
        ]) == ["?", "-", "1", "-", "3"])
  }

  @Test func `a daily bar counts on the date of its name, at the exchange or in UTC`() throws {
    for midnight in ["00", "04"] {
      #expect(
        try openings(
          try past(["2013-10-07": 7]), instruments(),
          [("2013-10-08T\(midnight):00:00Z", 8), ("2013-10-09T\(midnight):00:00Z", 9)], isDated: true) == ["7", "8"])
    }
  }

  @Test func `without a calendar a daily bar counts on the date that begins in the run's zone, and shorter bars do not`() throws {
    var instruments = Instruments()
    instruments.zone = try ExchangeClock(zone: "Asia/Shanghai")
    var closes = PreviousCloses(try past(["2013-10-07": 7]), instruments)
    // The midnights with which 8 and 9 October begin in Shanghai; in UTC the first one is still of the 7th.
    let bars = try [("2013-10-07T16:00:00Z", Int64(8)), ("2013-10-08T16:00:00Z", 9)].map { text, price in
      let time = try Timestamp(iso8601: text)
      return Bar(
        symbol: Self.first, open: 1, high: 1, low: 1, close: Price(raw: price * 1_000_000_000), volume: 1, time: time, received: time,
        length: .day)
    }
    let openings = bars.map { closes.take(Self.first, $0.close, at: closes.moment(of: $0), isDated: true)?.close }
    #expect(openings == [7, 8])
    var minute = bars[0]
    minute.length = .time(60_000_000_000)
    #expect(instruments.dated(minute) == minute && instruments.moment(of: minute) == minute.time)
    #expect(instruments.dated(bars[1]).time == (try Timestamp(iso8601: "2013-10-09T00:00:00Z")))
  }

  @Test func `without a calendar dates are those of UTC`() throws {
    var closes = PreviousCloses(try past(["2013-10-07": 7]), Instruments())
    func take(_ text: String, _ price: Price) throws -> PreviousCloses.Opening? {
      closes.take(Self.first, price, at: try Timestamp(iso8601: text))
    }
    #expect(try take("2013-10-08T00:00:00Z", 8) == .init(close: 7))
    #expect(try take("2013-10-08T23:59:59.999999999Z", 9) == nil)
    #expect(try take("2013-10-09T00:00:00Z", 10) == .init(close: 9))
  }

  @Test func `the ends of time are no trap`() throws {
    let calendars = try [instruments(), Instruments(), instruments(calendar: "24/7")]
    for instruments in calendars {
      for isDated in [false, true] {
        var closes = PreviousCloses(PastPrices(), instruments)
        for time in [Int64.min, .min + 1, 0, .max - 1, .max] {
          _ = closes.take(Self.first, 1, at: Timestamp(ns: time), isDated: isDated)
          closes = PreviousCloses(PastPrices(), instruments, after: try written(closes))
        }
      }
    }
  }

  /// The model keeps all prices, and looks for the newest date before.
  @Test func `random streams agree with a model that keeps everything`() throws {
    var random = SplitMix(77)
    let day = Int64(86_400_000_000_000)
    for _ in 0..<200 {
      let known = (0..<5).map { PastPrices.Close(day: $0 * 2, price: Price(raw: Int64.random(in: 1...1000, using: &random))) }
      let past = PastPrices(closes: [Self.first: known[4]]) { _, day in known.last { $0.day < day } }
      var closes = PreviousCloses(past, Instruments())
      var seen: [(time: Int64, price: Price)] = []
      var time = Int64.random(in: 0...(10 * day), using: &random)
      for _ in 0..<30 {
        time += Int64.random(in: -day / 2...day, using: &random)
        let price = Price(raw: Int64.random(in: 1...1000, using: &random))
        func dayOf(_ time: Int64) -> Int { Int(time / day) - (time % day < 0 ? 1 : 0) }
        let date = dayOf(time)
        if random.oneIn(4) { closes = PreviousCloses(past, Instruments(), after: try written(closes)) }
        var expected: PreviousCloses.Opening?
        let newest = seen.map { dayOf($0.time) }.max()
        if newest.map({ date > $0 }) ?? true {
          // The last one among equal times is the later one to come.
          let before = seen.enumerated().filter { dayOf($1.time) == newest }
            .max { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
          expected = .init(close: before?.element.price ?? known.last { $0.day < date }?.price)
        }
        #expect(closes.take(Self.first, price, at: Timestamp(ns: time)) == expected)
        if newest.map({ date >= $0 }) ?? true { seen.append((time, price)) }
      }
    }
  }
}
