import Filter
import Foundation
import StockbusInstruments
import StockbusTestKit
import TestSupport
import Testing

/// The recipes of Documentation/use/functions.md, each on events whose results are worked out by hand.
@Suite(.timeLimit(.minutes(15))) struct RecipeTests {
  /// The opening of 2024-01-02 in New York.
  private static let opening: Int64 = 1_704_205_800

  private static func time(_ second: Int64) -> Timestamp { Timestamp(ns: (opening + second) * 1_000_000_000) }

  private static func trades(_ prices: [(second: Int64, price: Int64)]) -> [Trade] {
    prices.map { second, price in
      Trade(
        symbol: "ACME", price: Price(raw: price * 1_000_000_000), size: Quantity(raw: 1_000_000_000), time: time(second),
        received: time(second))
    }
  }

  /// One for each minute.
  private static func bars(_ values: [(close: Int64, volume: Int64)]) -> [Bar] {
    values.enumerated().map { place, value in
      let close = Price(raw: value.close * 1_000_000_000)
      return Bar(
        symbol: "ACME", open: close, high: close, low: close, close: close, volume: Quantity(raw: value.volume * 1_000_000_000),
        time: time(Int64(place) * 60), received: time(Int64(place) * 60 + 60), length: .time(60_000_000_000))
    }
  }

  /// The seconds after the opening of the events that pass.
  private func passed<E: PricedEvent>(_ condition: String, _ events: [E]) async throws -> [Int64] {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,calendar\nACME,us_equities\n".utf8), file: "instruments.csv")
    let passed: [E] = try await PluginHarness(services: Services(builder.finish())).output(
      of: Plugin.filter, options: "{ where: '\(condition)', sessions: regular }", inputs: [events])
    return passed.map { $0.time.ns / 1_000_000_000 - Self.opening }
  }

  /// The conditions on the page, by their first columns.
  private func recipes() throws -> [String: String] {
    let page = try String(contentsOf: Repository.root.appending(path: "Documentation/use/functions.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "## Recipes\n").last?.components(separatedBy: "\n## ").first)
    var recipes: [String: String] = [:]
    for line in section.split(separator: "\n") where line.hasPrefix("| ") && line.hasSuffix("` |") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      recipes[cells[0]] = cells[2].trimmingCharacters(in: ["`"])
    }
    return recipes
  }

  @Test func `each recipe finds what it says`() async throws {
    let recipes = try recipes()
    var tried = 0
    func recipe(_ name: String) throws -> String {
      tried += 1
      return try #require(recipes[name], "\(name)")
    }
    // Three times 100 is 300. With the bar of 301 the average is 110.05.
    let volumes = (0..<21).map { _ in 100 as Int64 } + [301, 330]
    #expect(try await passed(recipe("a volume three times its average"), Self.bars(volumes.map { (5, $0) })) == [21 * 60])
    // Both averages are 10; with a close of 11 they are 10.05 and 10.02.
    let flat = (0..<50).map { _ in (10 as Int64, 1 as Int64) }
    #expect(try await passed(recipe("a golden cross"), Self.bars(flat + [(11, 1), (12, 1)])) == [50 * 60])
    // Fourteen losses of 1: 0. Then a gain of 7: the means are 7/14 and 13/14, and 100 * 7 / 20 is 35.
    let falling = (0...14).map { (100 - Int64($0), 1 as Int64) }
    #expect(try await passed(recipe("sold out, and turning"), Self.bars(falling + [(93, 1), (94, 1)])) == [15 * 60])
    // Of 20 prices n are 11, the others 10. The band for n = 1, 2, 3, 4: 10.486, 10.7, 10.864, and 10.2 + 2 * 0.4 = 11.
    #expect(
      try await passed(
        recipe("a price above its upper Bollinger band"), Self.trades((0..<23).map { (Int64($0), $0 < 19 ? 10 : 11) })) == [19, 20, 21])
    // 12 is the highest before 09:45; 11 is not above it, 13 is, and 14 was so before.
    #expect(
      try await passed(
        recipe("a price above the highest of the first quarter of an hour"),
        Self.trades([(0, 10), (600, 12), (900, 11), (1200, 13), (1500, 14)])) == [1200])
    // The averages are 10, 9.5 and 9.
    #expect(
      try await passed(recipe("a price that falls below the average of the day"), Self.trades([(0, 10), (1, 9), (2, 8)])) == [1])
    // 2 % above 100 is 102; at 700 the window has 103 only.
    #expect(
      try await passed(
        recipe("a rise by 2 % within five minutes"), Self.trades([(0, 100), (300, 100), (310, 102), (320, 103), (700, 103)])) == [320])
    #expect(try await passed(recipe("3 % above the first price of the day"), Self.trades([(0, 100), (1, 103), (2, 104)])) == [2])
    #expect(
      try await passed(recipe("three rises in a row"), Self.trades([(0, 10), (1, 11), (2, 12), (3, 13), (4, 12), (5, 14)])) == [3])
    // 6 of 10 is not above 0.6; 7 of 11 is 0.636.
    let quotes = [(0, 8), (1, 9)].map { second, size in
      var quote = Quote.schema.example
      (quote.symbol, quote.time, quote.received) = ("ACME", Self.time(Int64(second)), Self.time(Int64(second)))
      (quote.bidSize, quote.askSize) = (Quantity(raw: Int64(size) * 1_000_000_000), Quantity(raw: 2_000_000_000))
      return quote
    }
    #expect(try await passed(recipe("more buyers than sellers"), quotes) == [1])
    #expect(tried == recipes.count)
  }
}
