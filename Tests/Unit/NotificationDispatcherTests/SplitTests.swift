import MarketData
import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// Rules across a split that the instruments know, worked out by hand.
@Suite struct SplitTests {
  private static let day: Int64 = 86_400_000_000_000

  /// The messages of a rule on prices in hundredths, one a day from 1970-01-01 on; the split is on 1970-01-03.
  private func messages(_ words: String, _ prices: [Int64], _ ratio: String = "10:1") throws -> [String] {
    var instrument = Instrument("SPLIT")
    instrument.splits = [try Split(option: "1970-01-03 \(ratio)")]
    let rule = Rule(try RuleWords.rule(words.split(separator: " ").map(String.init)))
    let instruments = Instruments([instrument])
    var book = RuleBook(
      [rule], windowLimit: 1000, closes: PreviousCloses(PastPrices(), instruments), splits: SplitWatch(instruments))
    var messages: [String] = []
    for (i, price) in prices.enumerated() {
      let time = Timestamp(ns: Int64(i) * Self.day + 1)
      let trade = Trade(symbol: "SPLIT", price: Price(raw: price * 10_000_000), size: 1, time: time, received: time, priceDecimals: 2)
      messages += book.process([trade].span, isSilent: false).map { "\(i): \(RuleMessage(rule: rule, firing: $0).text)" }
    }
    return messages
  }

  private let prices: [Int64] = [111_000, 111_200, 11_150, 11_190]

  @Test(arguments: [
    "SPLIT falls_by 20% window 7d", "SPLIT falls_by 20%", "SPLIT below -20% of percent", "SPLIT below -100 of change window 7d",
    "SPLIT falls_by 100 since previous_close", "SPLIT crosses_below 1000", "SPLIT below 1000",
  ])
  func `a split is no fall`(words: String) throws { #expect(try messages(words, prices) == []) }

  @Test(arguments: [
    "SPLIT rises_by 20% window 7d", "SPLIT rises_by 20%", "SPLIT above 20% of percent", "SPLIT crosses_above 10", "SPLIT above 10",
  ])
  func `a reverse split is no rise`(words: String) throws { #expect(try messages(words, [100, 100, 2000, 2010], "1:20") == []) }

  @Test func `what the price moves besides fires, from the price as it is after the split`() throws {
    // 1112.00 is 111.20 after the split.
    #expect(
      try messages("SPLIT falls_by 20% window 7d", [111_000, 111_200, 8890, 8900]) == [
        "2: SPLIT fell by 22.30 (20.05%) in 7d: 111.20 → 88.90"
      ])
    #expect(try messages("SPLIT rises_by 1%", [111_000, 111_200, 11_210, 11_212]) == ["3: SPLIT rose by 1.12 (1.01%): 111.00 → 112.12"])
    #expect(
      try messages("SPLIT crosses_below 111.30", [111_000, 111_200, 11_120, 11_140, 11_120]) == ["4: SPLIT crossed below 111.3: 111.20"])
  }

  @Test func `a level that is passed again after the split fires`() throws {
    #expect(
      try messages("SPLIT crosses_below 111", [111_000, 111_200, 11_150, 11_050]) == ["3: SPLIT crossed below 111: 110.50"])
    // 1112.00 held above 1000; as 111.20 it does not, so a rise above it fires.
    #expect(try messages("SPLIT above 1000", [111_000, 111_200, 11_150, 100_100]) == ["3: SPLIT is above 1000: 1001.00"])
  }

  @Test func `the dispatcher knows the splits of the run's instruments`() async throws {
    var instrument = Instrument("SPLIT")
    instrument.splits = [try Split(option: "1970-01-03 10:1")]
    let harness = PluginHarness(services: Services(Instruments([instrument])))
    let trades = prices.enumerated().map { i, price in
      let time = Timestamp(ns: Int64(i) * Self.day + 1)
      return Trade(symbol: "SPLIT", price: Price(raw: price * 10_000_000), size: 1, time: time, received: time, priceDecimals: 2)
    }
    let alerts: [Alert] = try await harness.output(
      of: Plugin.notificationDispatcher,
      options: "rules: [{ symbol: SPLIT, falls_by: 20%, window: 7d }, { symbol: SPLIT, rises_by: 0.1%, window: 7d }]",
      inputs: [trades])
    #expect(alerts.map(\.message) == ["SPLIT rose by 2.00 (0.18%) in 7d: 1110.00 → 1112.00"])
  }
}
