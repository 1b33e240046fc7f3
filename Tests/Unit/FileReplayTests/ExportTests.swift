import Foundation
import MarketData
import StockbusFiles
import StockbusTestKit
import TestSupport
import Testing

@testable import FileReplay

/// Files as brokers, venues and programs export them, made up after public descriptions of their formats.
@Suite struct ExportTests {
  private static let folder = Repository.fixtures.appending(path: "Exports")
  private static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter { $0 != "guesses.txt" }.sorted() ?? []

  /// The first row, by hand. Times without a zone are those of UTC, the first answer to the question for it.
  private static let first: [String: String] = [
    "binance_klines.csv": "bar 2024-01-02T00:00:00Z open 42283.58 high 44184.1 low 42180.77 close 44179.55 volume 27174.29903",
    "binance_trades.csv": "trade 2024-01-02T14:30:05Z price 45000.01 size 0.015 buy",
    "boerse.csv": "trade 2024-01-02T09:00:05Z price 1234.5 size 1000",
    "coinbase.csv": "trade 2024-01-02T14:30:05.123Z price 45000.01 size 0.015 buy",
    "degiro.csv": "trade 2024-01-17T09:04:00Z price 645.2 size 5 buy",
    "dukascopy.csv": "bar 2024-01-02T09:30:00Z open 1.10427 high 1.1044 low 1.1042 close 1.10431 volume 152.35",
    "fidelity.csv": "trade 2024-01-17T00:00:00Z price 182.68 size 10 sell",
    "firstrate.txt": "bar 2024-01-02T09:30:00Z open 187.15 high 187.44 low 186.9 close 187.02 volume 1250000",
    "interactive_brokers.csv": "trade 2024-01-02T09:31:05Z price 187.15 size 100 buy",
    "investing.csv": "bar 2024-01-17T00:00:00Z open 181.27 high 182.93 low 180.3 close 182.68 volume 47320000",
    "kraken.csv": "trade 2024-01-02T14:30:05.123400Z price 41250.1 size 0.015 buy",
    "metatrader_bars.csv": "bar 2024-01-02T09:30:00Z open 1.10427 high 1.1044 low 1.1042 close 1.10431 volume 0",
    "metatrader_history.csv": "bar 2024-01-02T09:30:00Z open 1.10427 high 1.1044 low 1.1042 close 1.10431 volume 52",
    "metatrader_ticks.csv": "quote 2024-01-02T09:30:00.123Z bid 1.10427 ask 1.1043",
    "ninjatrader.txt": "bar 2024-01-02T09:30:00Z open 4750.25 high 4751 low 4749.75 close 4750.5 volume 1250",
    // 1,704,205,805 seconds after 1970 are 14:30:05 UTC.
    "polygon.csv": "trade 2024-01-02T14:30:05.123456789Z price 187.15 size 25",
    "quantconnect_20240102.csv": "bar 2024-01-02T09:30:00Z open 1871500 high 1874400 low 1869000 close 1870200 volume 125000",
    "robinhood.csv": "trade 2024-01-17T00:00:00Z price 182.68 size 10 sell",
    "schwab.csv": "trade 2024-01-17T00:00:00Z price 389.47 size 1200 sell",
    "sierra_chart.txt": "bar 2024-01-02T09:30:00Z open 4750.25 high 4751 low 4749.75 close 4750.5 volume 1250",
    "stooq.txt": "bar 2024-01-02T15:35:00Z open 187.15 high 187.44 low 186.9 close 187.02 volume 1250000",
    "trading_212.csv": "trade 2024-01-02T14:30:05.123Z price 187.15 size 1.5 buy",
    "tradingview.csv": "bar 2024-01-02T14:30:00Z open 187.15 high 187.44 low 186.9 close 187.02 volume 1250000",
    "yahoo.csv": "bar 2024-01-02T00:00:00Z open 187.149994 high 188.440002 low 183.889999 close 185.639999 volume 82488700",
  ]

  @Test(arguments: names) func `a file as it is exported is guessed, or it says why it cannot be read`(name: String) async throws {
    let path = Self.folder.appending(path: name).path
    let guess = FileGuess(path: path)
    #expect(guess.example == Self.first[name], "\(guess)")
    guard guess.problem == nil else {
      #expect(Self.first[name] == nil)
      return
    }
    let harness = PluginHarness(clock: ManualTimekeeper(start: Timestamp(ns: 1_735_689_600_000_000_000)))
    // The written options give the same events as the guess has seen.
    let options = "path: \(path)\nmalformed: skip\n" + guess.yaml()
    switch guess.options.first(where: { $0.name == "event" })?.value {
    case "bar":
      let bars: [Bar] = try await harness.first(100, of: Plugin.fileReplay, options: options)
      #expect(bars.count == guess.rows && bars[0].open.description == Self.first[name]?.split(separator: " ")[3].description)
    case "quote":
      let quotes: [Quote] = try await harness.first(100, of: Plugin.fileReplay, options: options)
      #expect(quotes.count == guess.rows)
    default:
      let trades: [Trade] = try await harness.first(100, of: Plugin.fileReplay, options: options)
      #expect(trades.count == guess.rows && trades[0].price.description == Self.first[name]?.split(separator: " ")[3].description)
    }
  }

  @Test func `the options of all files are those of the golden file`() throws {
    let text = Self.names.map { name in
      let guess = FileGuess(path: Self.folder.appending(path: name).path)
      let counts =
        guess.problem.map { "cannot be read: \($0)\n" }
        ?? "\(guess.rows) rows, \(guess.refused) refused\(guess.firstRefusal.map { ", \($0)" } ?? "")\n"
      return "\(name): \(counts)\(guess.yaml(indent: 2))"
        + guess.questions.map { "  ? \($0.text) \($0.choices.joined(separator: ", "))\n" }.joined()
    }.joined(separator: "\n")
    #expect(try text == Repository.golden("Exports/guesses.txt", updatedTo: text))
  }
}
