import Foundation
import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import FlashLogger

@Suite struct FlashLoggerTests {
  private func trades(_ prices: [(Symbol, Int64)]) -> [Trade] {
    prices.enumerated().map { i, price in
      Trade(
        symbol: price.0, price: Price(raw: price.1 * 10_000_000), size: 1, time: Timestamp(ns: Int64(i) * 1_000_000_000),
        received: Timestamp(ns: 0), priceDecimals: 2)
    }
  }

  /// What the plugin writes to a file for these prices, in hundredths.
  private func log(_ prices: [(Symbol, Int64)], _ options: String = "", counters expected: [String: Int]? = nil) async throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "flash-\(UUID().uuidString).log").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let harness = PluginHarness()
    try await harness.consume([trades(prices)], by: Plugin.flashLogger, options: "path: \(path)\n" + options)
    if let expected { #expect(harness.counters == expected) }
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `the first price and a price that stays are no changes`() async throws {
    let text = try await log([("A", 1000), ("A", 1000), ("B", 500), ("A", 1010), ("B", 500), ("A", 990)])
    #expect(
      text == """
        00:00:03.000Z ▲ A 10.00 → 10.10 +0.10 (+1.00%)
        00:00:05.000Z ▼ A 10.10 → 9.90 -0.20 (-1.98%)

        """)
  }

  @Test func `the columns beside an event stand behind its line, and in an object with null where there is none`() async throws {
    let columns = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("seen", .time)])
    let rows: [[Int64?]] = [[nil, nil, nil], [10_333_333_333, -2_258_000_000, 0], [10_000_000_000, nil, nil]]
    func log(_ format: String) async throws -> String {
      let path = FileManager.default.temporaryDirectory.appending(path: "flash-\(UUID().uuidString).log").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      let feed = Feed(trades([("A", 1000), ("A", 1010), ("A", 990)]), columns: columns, rows: rows)
      try await PluginHarness().consume([feed], by: Plugin.flashLogger, options: "{ path: \(path), format: \(format) }")
      return try String(contentsOfFile: path, encoding: .utf8)
    }
    #expect(
      try await log("text") == """
        00:00:01.000Z ▲ A 10.00 → 10.10 +0.10 (+1.00%) vwap=10.33333 away=-2.26% seen=00:00:00
        00:00:02.000Z ▼ A 10.10 → 9.90 -0.20 (-1.98%) vwap=10

        """)
    let objects = try await log("jsonl").split(separator: "\n")
    #expect(objects.first?.hasSuffix(#","vwap":10.333333333,"away":-2.258,"seen":"1970-01-01T00:00:00Z"}"#) == true)
    #expect(objects.last?.hasSuffix(#","vwap":10,"away":null,"seen":null}"#) == true)
  }

  @Test func `a price that does not count is no change`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "flash-\(UUID().uuidString).log").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var events = trades([("A", 1000), ("A", 9000), ("A", 1010)])
    events[1].condition = .oddLot
    try await PluginHarness().consume([events], by: Plugin.flashLogger, options: "path: \(path)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "00:00:02.000Z ▲ A 10.00 → 10.10 +0.10 (+1.00%)\n")
  }

  @Test func `the price with which a symbol leaves a feed's first ranks is no change`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "flash-\(UUID().uuidString).log").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let events: [Ranked] = ([(10, 1), (20, 0), (11, 1)] as [(Int64, Int)]).map { price, rank in
      Ranked(
        symbol: "A", rank: UInt32(rank), previousRank: 0, price: Price(raw: price * 1_000_000_000), change: 0, percent: 0, volume: 0,
        time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: 2)
    }
    try await PluginHarness().consume([events], by: Plugin.flashLogger, options: "path: \(path)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "00:00:00.000Z ▲ A 10.00 → 11.00 +1.00 (+10.00%)\n")
  }

  @Test func `a split that the instruments know is no change`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "flash-\(UUID().uuidString).log").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var instrument = Instrument("SPLIT")
    instrument.splits = [try Split(option: "1970-01-02 10:1")]
    var events = trades([("SPLIT", 111_200), ("SPLIT", 11_150), ("SPLIT", 11_190)])
    for i in 1...2 { events[i].time = Timestamp(ns: 86_400_000_000_000 * Int64(i)) }
    for i in 0...2 { events[i].received = events[i].time }
    try await PluginHarness(services: Services(Instruments([instrument]))).consume(
      [events], by: Plugin.flashLogger, options: "path: \(path)")
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == """
        00:00:00.000Z ▲ SPLIT 111.20 → 111.50 +0.30 (+0.27%)
        00:00:00.000Z ▲ SPLIT 111.50 → 111.90 +0.40 (+0.36%)

        """)
  }

  @Test func `small changes add up until they reach the minimum`() async throws {
    let text = try await log(
      [("A", 1000), ("A", 1002), ("A", 1004), ("A", 1005), ("A", 1001), ("A", 1000)], "minimum: 0.05",
      counters: ["changes": 2, "below minimum": 3, "records": 2, "bytes": 102])
    #expect(
      text == """
        00:00:03.000Z ▲ A 10.00 → 10.05 +0.05 (+0.50%)
        00:00:05.000Z ▼ A 10.05 → 10.00 -0.05 (-0.50%)

        """)
  }

  @Test func `writes JSON lines when asked`() async throws {
    let text = try await log([("A", 1000), ("A", 1025)], "format: jsonl")
    #expect(
      text == #"{"time":"1970-01-01T00:00:01Z","symbol":"A","direction":"up","old":10.00,"new":10.25,"change":0.25,"percent":2.5}"# + "\n")
  }

  @Test func `standard output cannot be rotated`() {
    do {
      try Plugin.flashLogger.checkOptions(
        ConfigNode(
          .map([.init(key: "rotate", mark: .init(line: 1, column: 1), value: ConfigNode(.scalar("1MiB"), at: .init(line: 1, column: 9)))]),
          at: .init(line: 1, column: 1)), at: .init(line: 1, column: 1))
      Issue.record("accepted")
    } catch { #expect("\(error)" == "plugins.yaml:1:1: error: standard output cannot be rotated") }
  }
}
