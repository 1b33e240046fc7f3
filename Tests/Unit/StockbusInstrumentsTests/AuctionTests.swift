import MarketData
import StockbusPlugin
import Testing

@testable import StockbusInstruments

/// Which session an auction's print belongs to. New York is five hours behind UTC: the regular session is from 14:30 to 21:00 there.
@Suite struct AuctionTests {
  private func moments(_ condition: TradeCondition, _ calendar: TradingCalendar, _ times: String...) -> [String] {
    times.map { calendar.moment(of: condition, at: time($0)).description }
  }

  @Test func `a closing print just after the regular session belongs to its last moment`() throws {
    let calendar = try usEquities()
    let last = "2024-01-10T20:59:59.999999999Z"
    #expect(
      moments(.closing, calendar, "2024-01-10T21:00:00Z", "2024-01-10T21:00:04.5Z", "2024-01-10T21:30:00Z") == [last, last, last])
    // Later it is one of the trading after hours, and before it is where it is.
    #expect(
      moments(.closing, calendar, "2024-01-10T21:30:00.000000001Z", "2024-01-10T20:59:00Z", "2024-01-10T14:29:00Z") == [
        "2024-01-10T21:30:00.000000001Z", "2024-01-10T20:59:00Z", "2024-01-10T14:29:00Z",
      ])
    // The day after Thanksgiving closes at 13:00.
    #expect(moments(.closing, calendar, "2023-11-24T18:00:03Z") == ["2023-11-24T17:59:59.999999999Z"])
    #expect(moments(.correctedClose, calendar, "2024-01-10T23:00:00Z", "2024-01-12T02:00:00Z") == [last, "2024-01-11T20:59:59.999999999Z"])
  }

  @Test func `an opening print just before the regular session belongs to its first moment`() throws {
    let calendar = try usEquities()
    #expect(
      moments(.opening, calendar, "2024-01-10T14:29:59.9Z", "2024-01-10T14:00:00Z", "2024-01-10T13:59:59Z", "2024-01-10T14:31:00Z") == [
        "2024-01-10T14:30:00Z", "2024-01-10T14:30:00Z", "2024-01-10T13:59:59Z", "2024-01-10T14:31:00Z",
      ])
    #expect(moments(.regular, calendar, "2024-01-10T14:29:59.9Z") == ["2024-01-10T14:29:59.900Z"])
  }

  @Test func `with a pause at noon both halves have an opening and a close`() throws {
    var (morning, afternoon) = (SessionOptions(), SessionOptions())
    (morning.from, morning.to) = (try TimeOfDay(option: "09:00"), try TimeOfDay(option: "11:30"))
    (afternoon.from, afternoon.to) = (try TimeOfDay(option: "12:30"), try TimeOfDay(option: "15:30"))
    var options = CalendarOptions()
    options.zone = "Asia/Tokyo"
    options.sessions = [morning, afternoon]
    let calendar = try options.calendar("tokyo")
    // Tokyo is nine hours ahead.
    #expect(
      moments(.closing, calendar, "2024-01-10T02:30:00Z", "2024-01-10T06:30:00Z", "2024-01-10T06:35:00Z") == [
        "2024-01-10T02:29:59.999999999Z", "2024-01-10T06:29:59.999999999Z", "2024-01-10T06:29:59.999999999Z",
      ])
    #expect(
      moments(.opening, calendar, "2024-01-10T03:29:59Z", "2024-01-09T23:59:59Z") == ["2024-01-10T03:30:00Z", "2024-01-10T00:00:00Z"])
  }

  @Test func `where one session follows the other, a closing print at the border closes the first`() throws {
    var session = SessionOptions()
    (session.from, session.to) = (try TimeOfDay(option: "17:00"), try TimeOfDay(option: "17:00"))
    var options = CalendarOptions()
    options.zone = "America/New_York"
    options.sessions = [session]
    let calendar = try options.calendar("fx")
    #expect(moments(.closing, calendar, "2024-01-10T22:00:00Z") == ["2024-01-10T21:59:59.999999999Z"])
    // So its price is the close of the date before, and opens no new one.
    var instrument = Instrument("FX-CLOSE")
    instrument.calendar = "fx"
    var closes = PreviousCloses(PastPrices(), Instruments([instrument], calendars: [calendar]))
    func take(_ price: Price, _ text: String, _ condition: TradeCondition = .regular) -> PreviousCloses.Opening? {
      let trade = Trade(symbol: "FX-CLOSE", price: price, size: 1, time: time(text), received: time(text), condition: condition)
      return closes.take(trade.symbol, trade.price, at: closes.moment(of: trade))
    }
    _ = take(1, "2024-01-10T20:00:00Z")
    #expect(take(2, "2024-01-10T22:00:00Z", .closing) == nil)
    #expect(take(3, "2024-01-10T22:00:01Z") == .init(close: 2))
  }

  @Test func `the close of a bar of a week is one of its last date, so a split within it is not applied again`() throws {
    var instrument = Instrument("WEEK-SPLIT")
    instrument.splits = [try Split(option: "2024-01-10 10:1")]
    var closes = PreviousCloses(PastPrices(), Instruments([instrument]))
    func take(_ price: Price, _ text: String) -> PreviousCloses.Opening? {
      let bar = Bar(
        symbol: "WEEK-SPLIT", open: price, high: price, low: price, close: price, volume: 1, time: time(text),
        received: time("2026-01-01T00:00:00Z"),
        length: .week)
      return closes.take(bar.symbol, bar.close, at: closes.moment(of: bar), isDated: true)
    }
    #expect(take(1000, "2024-01-01T00:00:00Z") == .init(close: nil))
    #expect(take(101, "2024-01-08T00:00:00Z") == .init(close: 100))
    #expect(take(102, "2024-01-15T00:00:00Z") == .init(close: 101))
  }
}
