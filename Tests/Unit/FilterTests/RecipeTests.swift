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
    let bars = volumes.enumerated().map { place, volume in
      Bar(
        symbol: "ACME", open: 5, high: 5, low: 5, close: 5, volume: Quantity(raw: volume * 1_000_000_000),
        time: Self.time(Int64(place) * 60),
        received: Self.time(Int64(place) * 60 + 60), length: .time(60_000_000_000))
    }
    #expect(try await passed(recipe("a volume three times its average"), bars) == [21 * 60])
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
