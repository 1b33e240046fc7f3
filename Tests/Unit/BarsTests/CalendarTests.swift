import StockbusTestKit
import Testing

@testable import Bars
@testable import StockbusInstruments

/// Bars by the calendar of the exchanges of the United States, worked out by hand: days on which the clocks change, and early closes.
@Suite struct CalendarTests {
  private func at(_ time: String) throws -> Trade {
    let time = try Timestamp(iso8601: "\(time):00Z")
    return Trade(symbol: "AAPL", price: 1, size: 1, time: time, received: time)
  }

  /// `1h 13:30 -> 14:30:00.200`: each bar's length, start and due moment, those of another date with it.
  private func bars(_ lengths: String, _ times: [String], sessions: String = "regular", _ symbol: String = "AAPL") async throws -> [String]
  {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,calendar\n\(symbol),us_equities\n".utf8), file: "instruments.csv")
    let harness = PluginHarness(services: Services(builder.finish()))
    let trades = try times.map { try at($0) } + [try at("2014-06-02T14:00")]
    let bars: [Bar] = try await harness.output(
      of: Plugin.bars, options: "{ lengths: \(lengths), sessions: \(sessions) }", inputs: [trades])
    #expect(harness.deadLetters == [])
    return bars.filter { $0.status == .complete }.map { "\($0.length) \($0.time) -> \($0.received) n\($0.count)" }
  }

  @Test func `when the clocks are set back, the session begins and ends an hour later in UTC`() async throws {
    // Sunday, 2013-11-03, at 06:00 UTC.
    #expect(
      try await bars("[1h, 1d, 1w]", ["2013-11-01T13:30", "2013-11-01T19:59", "2013-11-04T13:59", "2013-11-04T14:30", "2013-11-04T20:59"])
        == [
          "1h 2013-11-01T13:30:00Z -> 2013-11-01T14:30:00.200Z n1", "1h 2013-11-01T19:30:00Z -> 2013-11-01T20:00:00.200Z n1",
          "1d 2013-11-01T00:00:00Z -> 2013-11-01T20:00:00.200Z n2", "1w 2013-10-28T00:00:00Z -> 2013-11-01T20:00:00.200Z n2",
          "1h 2013-11-04T14:30:00Z -> 2013-11-04T15:30:00.200Z n1", "1h 2013-11-04T20:30:00Z -> 2013-11-04T21:00:00.200Z n1",
          "1d 2013-11-04T00:00:00Z -> 2013-11-04T21:00:00.200Z n2", "1w 2013-11-04T00:00:00Z -> 2013-11-08T21:00:00.200Z n2",
        ])
  }

  @Test func `when the clocks are set forward, an hour earlier`() async throws {
    // Sunday, 2014-03-09, at 07:00 UTC.
    #expect(
      try await bars("1d", ["2014-03-07T14:29", "2014-03-07T14:30", "2014-03-07T20:59", "2014-03-10T13:30", "2014-03-10T20:00"]) == [
        "1d 2014-03-07T00:00:00Z -> 2014-03-07T21:00:00.200Z n2", "1d 2014-03-10T00:00:00Z -> 2014-03-10T20:00:00.200Z n1",
      ])
  }

  @Test func `bars end with an early close, and weeks with their last trading date`() async throws {
    // The day after Thanksgiving closes at 13:00 in New York, which is 18:00 UTC.
    #expect(
      try await bars("[1h, 1d, 1w]", ["2013-11-27T15:00", "2013-11-29T17:59", "2013-11-29T18:00"]) == [
        "1h 2013-11-27T14:30:00Z -> 2013-11-27T15:30:00.200Z n1", "1d 2013-11-27T00:00:00Z -> 2013-11-27T21:00:00.200Z n1",
        "1h 2013-11-29T17:30:00Z -> 2013-11-29T18:00:00.200Z n1", "1d 2013-11-29T00:00:00Z -> 2013-11-29T18:00:00.200Z n1",
        "1w 2013-11-25T00:00:00Z -> 2013-11-29T18:00:00.200Z n2",
      ])
    // Good Friday 2014 was no trading date.
    #expect(try await bars("1w", ["2014-04-17T15:00"]) == ["1w 2014-04-14T00:00:00Z -> 2014-04-17T20:00:00.200Z n1"])
  }

  @Test func `all sessions of a day are one bar of a day, unless regular ones are wanted`() async throws {
    // From 04:00 to 20:00 in New York.
    let times = ["2013-10-08T07:59", "2013-10-08T08:00", "2013-10-08T13:30", "2013-10-08T23:59", "2013-10-09T00:00"]
    #expect(try await bars("1d", times, sessions: "all") == ["1d 2013-10-08T00:00:00Z -> 2013-10-09T00:00:00.200Z n3"])
    #expect(try await bars("1d", times) == ["1d 2013-10-08T00:00:00Z -> 2013-10-08T20:00:00.200Z n1"])
  }

  /// Days of Shanghai, volumes 1, 2, 3 and so on; 13 July 2026 was a Monday.
  private func weeks(
    of starts: [String], lengths: String = "1w", zoneOnly: Bool = false
  ) async throws -> (bars: [String], dead: [String]) {
    var session = SessionOptions()
    (session.from, session.to) = (try TimeOfDay(option: "09:30"), try TimeOfDay(option: "15:00"))
    var options = CalendarOptions()
    (options.zone, options.sessions) = ("Asia/Shanghai", [session])
    var instrument = Instrument("127114.SZ")
    instrument.calendar = "szse"
    var instruments = zoneOnly ? Instruments() : Instruments([instrument], calendars: [try options.calendar("szse")])
    if zoneOnly { instruments.zone = try ExchangeClock(zone: "Asia/Shanghai") }
    let harness = PluginHarness(services: Services(instruments))
    let days = try starts.enumerated().map { i, start in
      let time = try Timestamp(iso8601: start)
      return Bar(
        symbol: "127114.SZ", open: 1, high: 1, low: 1, close: 1, volume: Quantity(raw: Int64(i + 1) * 1_000_000_000), time: time,
        received: time, length: .day)
    }
    let bars: [Bar] = try await harness.output(of: Plugin.bars, options: "{ lengths: \(lengths) }", inputs: [days])
    return (bars.map { "\($0.time) x\($0.volume)" }, harness.deadLetters.map(\.reason))
  }

  @Test func `a day that begins at a midnight of the exchange is of that date, also for its week`() async throws {
    // Friday; Monday, Tuesday and Friday; Monday.
    let expected = ["2026-07-06T00:00:00Z x1", "2026-07-13T00:00:00Z x9", "2026-07-20T00:00:00Z x5"]
    let local = ["2026-07-09T16:00:00Z", "2026-07-12T16:00:00Z", "2026-07-13T16:00:00Z", "2026-07-16T16:00:00Z", "2026-07-19T16:00:00Z"]
    let ofShanghai = try await weeks(of: local)
    #expect(ofShanghai.bars == expected && ofShanghai.dead == [])
    let utc = ["2026-07-10", "2026-07-13", "2026-07-14", "2026-07-17", "2026-07-20"].map { $0 + "T00:00:00Z" }
    let ofUTC = try await weeks(of: utc)
    #expect(ofUTC.bars == expected && ofUTC.dead == [])
    // Without a calendar, in the zone of the run.
    for starts in [local, utc] {
      let ofZone = try await weeks(of: starts, zoneOnly: true)
      #expect(ofZone.bars == expected && ofZone.dead == [])
    }
    // As parts of days they are the same.
    #expect(try await weeks(of: Array(local.prefix(2)), lengths: "1d").bars == ["2026-07-10T00:00:00Z x1", "2026-07-13T00:00:00Z x2"])
  }

  @Test func `a day that has begun in the east, and not yet in UTC, is not dated ahead`() async throws {
    let monday = Int64(20_647) * 86_400_000_000_000
    func bar(_ early: Int64) -> Bar {
      Bar(
        symbol: "A", open: 1, high: 1, low: 1, close: 1, volume: 1, time: Timestamp(ns: monday),
        received: Timestamp(ns: monday - early * 1_000_000_000), length: .day)
    }
    for (early, dead) in [(14 * 3600, 0), (14 * 3600 + 6, 1)] as [(Int64, Int)] {
      let harness = PluginHarness()
      let bars: [Bar] = try await harness.output(of: Plugin.bars, options: "lengths: 1w", inputs: [[bar(early)]])
      #expect(bars.count == 1 - dead && harness.deadLetters.count == dead)
    }
  }

  @Test func `instruments of other symbols change nothing`() async throws {
    #expect(
      try await bars("1d", ["2013-10-08T07:59", "2013-10-08T23:59"], "GOOG") == [
        "1d 2013-10-08T00:00:00Z -> 2013-10-09T00:00:00.200Z n2"
      ])
  }
}
