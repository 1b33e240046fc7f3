import Foundation
import MarketData
import TestSupport
import Testing

@testable import FileReplay

/// Real recordings that are not part of the project: `STOCKBUS_DATA`, or `../shared/data` beside the package.
enum Recordings {
  static let folder = Repository.recordings
  static let trades = folder + "/us_equities_tick/us_trades_SPY_BAC_AIG_IBM_20131008_rth_0930_1100.csv"
  static let bars = folder + "/us_equities_daily/us_daily_ohlcv_15symbols.csv"
}

@Suite struct RecordingTests {
  @Test(.enabled(if: FileManager.default.fileExists(atPath: Recordings.trades), "the recording is not there"))
  func `reads ninety minutes of trades in full`() {
    let outcome = run(as: Trade.self, [ReplayInput(path: Recordings.trades)], limit: 5000)
    #expect(outcome.error == nil)
    #expect(outcome.counts == ReplayCounts(events: 173_071, outside: 0, malformed: 0))
    let bySymbol = Dictionary(grouping: outcome.events, by: { "\($0.symbol)" }).mapValues(\.count)
    #expect(bySymbol == ["SPY": 117_026, "BAC": 35_680, "AIG": 10_700, "IBM": 9_665])
    #expect(outcome.events.first.map(line) == "BAC 13.83 x2000 @2013-10-08T13:30:00.012Z")
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: Recordings.bars), "the recording is not there"))
  func `reads fourteen years of daily bars in full`() {
    let outcome = run(as: Bar.self, [ReplayInput(path: Recordings.bars)], options { $0.zone = "America/New_York" }, limit: 5000)
    #expect(outcome.counts == ReplayCounts(events: 42_519, outside: 0, malformed: 0))
    #expect(outcome.events.first?.time.description == "2008-01-02T05:00:00Z")
  }
}
