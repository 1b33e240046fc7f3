import MarketData
import StockbusPlugin
import TestSupport
import Testing

@testable import StockbusInstruments

/// Splits by the moments at which they take effect.
@Suite struct SplitTimesTests {
  private func instruments(_ splits: [String], calendar: String = "us_equities") throws -> Instruments {
    var instrument = Instrument("SPLIT")
    instrument.splits = try splits.map { try Split(option: $0) }
    instrument.calendar = calendar
    return Instruments([instrument], calendars: [try usEquities()])
  }

  private func trade(_ text: String, symbol: Symbol = "SPLIT") -> Trade {
    Trade(symbol: symbol, price: 1, size: 1, time: time(text), received: time(text))
  }

  private func bar(_ text: String, _ length: BarLength) -> Bar {
    Bar(
      symbol: "SPLIT", open: 1, high: 1, low: 1, close: 1, volume: 1, time: time(text), received: time("2026-01-01T00:00:00Z"),
      length: length)
  }

  /// The ratios that each of these events applies.
  private func ratios<E: PricedEvent>(_ events: [E], _ instruments: Instruments) throws -> [[String]] {
    var watch = try #require(SplitWatch(instruments))
    return events.map { event in
      var found: [String] = []
      while let split = watch.take(event) { found.append("\(split.ratio)") }
      return found
    }
  }

  @Test func `a split takes effect when its trading date begins, once, and not for a symbol's first event`() throws {
    let instruments = try instruments(["2025-11-17 10:1"])
    // The first session begins at 4:00 in New York, which is 9:00 in UTC.
    let events = ["2025-11-14T20:59:00Z", "2025-11-17T08:59:59.999999999Z", "2025-11-17T09:00:00Z", "2025-11-18T15:00:00Z"].map {
      trade($0)
    }
    #expect(try ratios(events, instruments) == [[], [], ["10:1"], []])
    #expect(try ratios(Array(events.dropFirst(2)), instruments) == [[], []])
    #expect(
      try ratios([trade("2025-11-14T20:59:00Z", symbol: "OTHER"), trade("2025-11-18T15:00:00Z", symbol: "OTHER")], instruments) == [[], []])
  }

  /// Another run may know more splits.
  @Test func `a watch goes on from a file, with the splits of the run that reads it`() throws {
    let (few, more) = (try instruments(["2025-11-17 10:1"]), try instruments(["2025-11-17 10:1", "2025-11-19 1:4"]))
    for (last, expected) in [("2025-11-14T20:59:00Z", ["10:1", "1:4"]), ("2025-11-17T15:00:00Z", ["1:4"])] {
      var first = try #require(SplitWatch(few))
      for text in ["2025-11-14T20:59:00Z", last] { while first.take(trade(text)) != nil {} }
      var second = try #require(SplitWatch(more, after: written(first)))
      #expect(try encoded(first) == encoded(second))
      var found: [String] = []
      while let split = second.take(trade("2025-11-20T15:00:00Z")) { found.append("\(split.ratio)") }
      #expect(found == expected)
    }
    #expect(SplitWatch(Instruments(), after: SplitWatch(few)) == nil)
  }

  @Test func `an event from before a split that was applied applies nothing, and several splits come one by one`() throws {
    let instruments = try instruments(["2025-11-17 10:1", "2025-11-19 1:4"])
    let events = ["2025-11-14T20:59:00Z", "2025-11-17T15:00:00Z", "2025-11-14T20:59:30Z", "2025-11-20T15:00:00Z"].map { trade($0) }
    #expect(try ratios(events, instruments) == [[], ["10:1"], [], ["1:4"]])
    #expect(try ratios([events[0], events[3]], instruments) == [[], ["10:1", "1:4"]])
  }

  @Test func `without a calendar it is midnight in UTC, and on a date without trading the next date`() throws {
    let plain = try instruments(["2025-11-17 2:1"], calendar: "")
    #expect(try ratios(["2025-11-16T23:59:59Z", "2025-11-17T00:00:00Z"].map { trade($0) }, plain) == [[], ["2:1"]])
    // Saturday, 15 November.
    let weekend = try instruments(["2025-11-15 2:1"])
    let events = ["2025-11-14T20:59:00Z", "2025-11-15T15:00:00Z", "2025-11-17T09:00:00Z"].map { trade($0) }
    #expect(try ratios(events, weekend) == [[], [], ["2:1"]])
  }

  @Test func `a bar of a day counts on its date, and a bar of a week on the last date of its week`() throws {
    let instruments = try instruments(["2025-11-19 10:1"])
    let days = ["2025-11-18T00:00:00Z", "2025-11-19T00:00:00Z", "2025-11-20T00:00:00Z"].map { bar($0, .day) }
    #expect(try ratios(days, instruments) == [[], ["10:1"], []])
    let weeks = ["2025-11-10T00:00:00Z", "2025-11-17T00:00:00Z", "2025-11-24T00:00:00Z"].map { bar($0, .week) }
    #expect(try ratios(weeks, instruments) == [[], ["10:1"], []])
    // The close of the first bar is one of the new shares already.
    #expect(try ratios(Array(weeks.dropFirst()), instruments) == [[], []])
  }

  @Test func `bars of the past become bars of the shares of the newest one, or of a moment`() throws {
    let instruments = try instruments(["2025-11-17 10:1", "2025-11-19 1:2"])
    let bars = ["2025-11-14T00:00:00Z", "2025-11-17T00:00:00Z", "2025-11-18T15:00:00Z"].map { text in
      var bar = bar(text, text.contains("15:00") ? .time(60_000_000_000) : .day)
      (bar.open, bar.high, bar.low, bar.close, bar.vwap) = (100, 120, 90, 110, 105)
      return bar
    }
    func closes(_ bars: [Bar]) -> [String] { bars.map { "\($0.open)/\($0.high)/\($0.low)/\($0.close)/\($0.vwap) x\($0.volume)" } }
    let (old, new) = ("10/12/9/11/10.5 x1", "100/120/90/110/105 x1")
    #expect(closes(instruments.adjusted(bars)) == [old, new, new])
    #expect(closes(instruments.adjusted(bars, to: time("2025-11-14T21:00:00Z"))) == [new, new, new])
    #expect(
      closes(instruments.adjusted(bars, to: time("2025-11-20T15:00:00Z"))) == ["20/24/18/22/21 x1"]
        + Array(repeating: "200/240/180/220/210 x1", count: 2))
    #expect(instruments.adjusted([]).isEmpty)
  }

  @Test func `a time that is ahead of its receipt does not apply a split`() throws {
    var ahead = trade("2025-11-18T15:00:00Z")
    ahead.received = time("2025-11-14T21:00:00Z")
    let events = [trade("2025-11-14T20:59:00Z"), ahead, trade("2025-11-17T15:00:00Z")]
    #expect(try ratios(events, try instruments(["2025-11-17 10:1"])) == [[], [], ["10:1"]])
  }

  @Test func `prices are adjusted exactly, rounded once, half to even`() throws {
    let split = try #require(PriceSplit(time: 0, new: 7, old: 1))
    #expect(split.adjust(Price(raw: 700)) == Price(raw: 100) && split.adjust(Price(raw: -700)) == Price(raw: -100))
    #expect(PriceSplit(time: 0, new: 2, old: 1)?.adjust(Int64(5)) == 2)
    #expect(PriceSplit(time: 0, new: 1, old: 1000)?.adjust(Int64.max) == nil)
    #expect(PriceSplit(time: 0, new: 0, old: 1) == nil)
  }
}
