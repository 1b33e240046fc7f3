import EventBus
import Foundation
import MarketData
import StockbusInstruments
import TestSupport
import Testing

@testable import Movers

/// A recording that is not part of the project: `STOCKBUS_DATA`, or `../shared/data` beside the package. The closes are not adjusted.
@Suite struct RecordingTests {
  static let path = Repository.recordings + "/us_equities_daily/us_daily_ohlcv_15symbols.csv"
  static let isThere = FileManager.default.fileExists(atPath: path)

  static func midnight(_ date: Substring) throws -> Int64 { try Timestamp(iso8601: date + "T00:00:00Z").ns }

  /// In the order of their dates; the file is in the order of symbols.
  static func bars(_ dates: ClosedRange<String>) throws -> [Bar] {
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
    return try rows.filter { dates.contains(String($0[0])) }.sorted { $0[0] < $1[0] }.map { row in
      let time = Timestamp(ns: try midnight(row[0]))
      let prices = try row[2...5].map { try Price(String($0)) }
      return Bar(
        symbol: try Symbol(String(row[1])), open: prices[0], high: prices[1], low: prices[2], close: prices[3],
        volume: try Quantity(String(row[6])), time: time, received: time, priceDecimals: 2, length: .day)
    }
  }

  /// The lists of the week at the end of `dates`.
  static func week(_ dates: ClosedRange<String>, _ reference: MarketReference? = nil) throws -> (lists: LastWords, told: [Mover]) {
    var feed = feed({ $0.period = .week }, reference)
    let told = feed.take(try bars(dates))
    var reader = LastWords()
    for event in told { reader.apply(event) }
    return (reader, told)
  }

  private func short(_ movers: [Mover]) -> [String] { movers.map { "\($0.symbol) \($0.percent)" } }

  private static func split(_ symbol: Symbol, _ date: Substring, new: Int64, old: Int64) throws -> MarketReference {
    let time = try midnight(date)
    return MarketReference(
      calendars: [UTCPeriods.weeks], split: { $0 == symbol && $1 < time ? PriceSplit(time: time, new: new, old: old) : nil })
  }

  @Test(.enabled(if: isThere, "the recording is not there")) func `gainers and losers of week 41 of 2013`() throws {
    let (lists, _) = try Self.week("2013-09-20"..."2013-10-11")
    #expect(
      short(lists.list(.gainers)) == [
        "WM 2.329002206", "AAPL 2.064053992", "BNO 1.871345029", "EEM 1.709807646", "IBM 1.118957088", "BAC 0.996441281",
        "AIG 0.948919846", "SPY 0.834862928", "IWM 0.644739301",
      ])
    #expect(short(lists.list(.losers)) == ["FB -3.761755485", "USO -1.47413562", "QQQ -0.214105793", "GOOG -0.041267839"])
    #expect(lists.list(.active).prefix(3).map { "\($0.symbol) \($0.volume)" } == ["SPY 625838269", "FB 488851009", "BAC 423512657"])
  }

  @Test(.enabled(if: isThere, "the recording is not there"))
  func `Apple's split of 2014 is a jump if nobody knows of it, and a small loss if the split is known`() throws {
    let dates = "2014-05-30"..."2014-06-13"
    let unknown = try Self.week(dates)
    #expect(unknown.lists.list(.losers).first.map { "\($0.symbol)" } == "IBM")
    #expect(unknown.told.last { $0.symbol == "AAPL" && $0.list == .losers }.map { "\($0.rank) \($0.mark.fieldName)" } == "0 jump")
    let known = try Self.week(dates, Self.split("AAPL", "2014-06-09", new: 7, old: 1))
    #expect(known.lists.list(.gainers).first.map { "\($0.symbol) \($0.percent)" } == "USO 4.014889657")
    #expect(known.lists.list(.losers).first.map { "\($0.symbol) \($0.percent)" } == "IBM -2.044320437")
    let apple = known.lists.list(.losers).first { $0.symbol == "AAPL" }
    #expect(apple.map { "\($0.percent) \($0.reference) \($0.mark.fieldName)" } == "-1.023901358 92.224285714 split")
  }

  /// What is left of AIG's week when the 1:20 is known is the market's: from 29.20 to 18.32.
  @Test(.enabled(if: isThere, "the recording is not there"))
  func `AIG's reverse split of 2009 is a jump if nobody knows of it, and no gain if it is known`() throws {
    let dates = "2009-06-19"..."2009-07-02"
    let unknown = try Self.week(dates)
    #expect(unknown.lists.list(.gainers) == [])
    #expect(unknown.told.last { $0.symbol == "AIG" && $0.list != .active }.map { "\($0.rank) \($0.mark.fieldName)" } == "0 jump")
    let known = try Self.week(dates, Self.split("AIG", "2009-07-01", new: 1, old: 20))
    #expect(known.lists.list(.gainers) == [])
    let first = known.lists.list(.losers).first
    #expect(first.map { "\($0.symbol) \($0.percent) \($0.reference) \($0.mark.fieldName)" } == "AIG -37.260273972 29.2 split")
  }

  @Test(.enabled(if: isThere, "the recording is not there")) func `a ticker that is used again wins no week`() throws {
    let (lists, told) = try Self.week("2008-09-01"..."2009-08-07")
    #expect(lists.list(.gainers).first.map { "\($0.symbol) \($0.percent)" } == "BAC 11.473183978")
    let ticker = told.last { $0.symbol == "WM" && $0.list == .gainers }
    #expect(ticker.map { "\($0.rank) \($0.mark.fieldName) \($0.reference)" } == "0 reused 0.16")
    #expect(told.filter { $0.symbol == "WM" }.allSatisfy { $0.rank == 0 || $0.mark != .reused || $0.list == .active })
    // AIG doubled its price in this week, by more than 40 % in one day: told, not ranked.
    #expect(told.last { $0.symbol == "AIG" && $0.list != .active }.map { "\($0.rank) \($0.mark.fieldName)" } == "0 jump")
  }
}
