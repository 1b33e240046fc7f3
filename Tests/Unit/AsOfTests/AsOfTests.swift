import AsOf
import StockbusTestKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AsOfTests {
  private static func trade(_ symbol: Symbol, at ms: Int64, price: Int64 = 1) -> Trade {
    let time = Timestamp(ns: ms * 1_000_000)
    return Trade(symbol: symbol, price: Price(raw: price * 1_000_000_000), size: 1, time: time, received: time)
  }

  private static func quote(_ symbol: Symbol, _ bid: Int64, at ms: Int64) -> Quote {
    let time = Timestamp(ns: ms * 1_000_000)
    return Quote(
      symbol: symbol, bid: Price(raw: bid * 1_000_000_000), ask: Price(raw: (bid + 1) * 1_000_000_000), bidSize: 1, askSize: 2, time: time,
      received: time)
  }

  /// What stands behind `field` in each line.
  private func values(_ field: String, _ lines: [String]) -> [String] {
    lines.map { line in
      guard let from = line.firstRange(of: "\"\(field)\":") else { return "-" }
      return String(line[from.upperBound...].prefix { $0 != "," && $0 != "}" })
    }
  }

  private func joined(_ options: String, _ feeds: [Feed], _ harness: PluginHarness = PluginHarness()) async throws -> [String] {
    try await harness.jsonOutput(of: Plugin.asOf, options: options, feeds: feeds)
  }

  @Test func `keeps the contract`() async {
    let symbols: [Symbol] = ["A", "B"]
    let trades = (0..<60).map { i -> Trade in Self.trade(symbols[i % 2], at: Int64(i) * 3) }
    let quotes = (0..<60).map { i -> Quote in Self.quote(symbols[i / 2 % 2], Int64(i), at: Int64(i) * 2 + 1) }
    #expect(
      await checkContract(Plugin.asOf, options: "within: 20ms\ncolumns: [bid, age]", inputs: [Feed(trades), Feed(quotes)]) == [])
  }

  @Test func `an event finds the last one received before it or with it, not one too old, nor one of another symbol`() async throws {
    // Of the quotes at 10 the second is the last, at 20 both come before the trade; the one at 31 comes too late for the trade at 30.
    let quotes = [
      Self.quote("A", 1, at: 10), Self.quote("A", 2, at: 10), Self.quote("B", 7, at: 15), Self.quote("A", 3, at: 20),
      Self.quote("A", 4, at: 31),
    ]
    let trades = [5, 10, 20, 30, 31, 131, 132].map { Self.trade("A", at: $0) } + [Self.trade("C", at: 140)]
    let harness = PluginHarness()
    let lines = try await joined(
      "within: 100ms\ncolumns: [bid, 'ask as offer', age, time as quoted]", [Feed(trades), Feed(quotes)], harness)
    #expect(values("bid", lines) == ["null", "2", "3", "3", "4", "4", "null", "null"])
    #expect(values("offer", lines) == ["null", "3", "4", "4", "5", "5", "null", "null"])
    #expect(values("age", lines) == ["null", "0", "0", "0.01", "0", "0.1", "null", "null"])
    #expect(values("quoted", lines)[3] == "\"1970-01-01T00:00:00.020Z\"")
    #expect(values("symbol", lines).count == 8 && harness.counter("nothing found") == 3)
  }

  @Test(arguments: 1...30) func `equals a slow model on random input, with equal times and any batches`(seed: UInt64) async throws {
    var random = SplitMix(seed)
    let symbols: [Symbol] = ["A", "B", "C"]
    func times(_ count: Int) -> [Int64] {
      var now: Int64 = 0
      return (0..<count).map { _ in
        now += Int64(random.upTo(3))
        return now
      }
    }
    let trades = times(random.upTo(300)).map { Self.trade(symbols[random.upTo(2)], at: $0) }
    let quotes = times(random.upTo(300)).map { Self.quote(symbols[random.upTo(2)], Int64(random.upTo(1000)), at: $0) }
    if trades.isEmpty { return }
    let within = Int64(random.upTo(6))
    let found = try await joined("within: \(within)ms\ncolumns: [bid, age]", [Feed(trades), Feed(quotes)])
    let expected = trades.map { trade -> String in
      guard let quote = quotes.last(where: { $0.symbol == trade.symbol && $0.received <= trade.received }),
        trade.received.ns - quote.received.ns <= within * 1_000_000
      else { return "null" }
      return "\(quote.bid.raw / 1_000_000_000)"
    }
    #expect(values("bid", found) == expected)
    #expect(values("time", found).count == trades.count)
  }

  @Test func `the first input's events pass, whichever type they are, with their own columns`() async throws {
    let marked = Feed(
      [Self.quote("A", 5, at: 3)], columns: ColumnLayout([ColumnInfo("hot", .flag)]), rows: [[1]])
    let lines = try await joined("within: 1s\ncolumns: [price, age]", [marked, Feed([Self.trade("A", at: 2, price: 9)])])
    #expect(values("hot", lines) == ["true"] && values("price", lines) == ["9"] && values("bid", lines) == ["5"])
  }

  @Test func `a trade whose price does not count, and a part of a bar, are not found`() async throws {
    var odd = Self.trade("A", at: 2, price: 7)
    odd.condition = .cancelled
    let lines = try await joined(
      "within: 1s\ncolumns: [price]", [Feed([Self.quote("A", 1, at: 3)]), Feed([Self.trade("A", at: 1, price: 5), odd])])
    #expect(values("price", lines) == ["5"])
  }

  @Test func `what is wrong is told in words`() async throws {
    func fault(_ columns: String, _ feeds: [Feed]? = nil) async -> String {
      do {
        _ = try await joined(
          "within: 1s\ncolumns: \(columns)", feeds ?? [Feed([Self.trade("A", at: 1)]), Feed([Self.quote("A", 1, at: 1)])])
        return "none"
      } catch { return "\(error)" }
    }
    #expect(await fault("[bid, asc]").contains("quote has no field 'asc'; did you mean 'ask'?"))
    #expect(await fault("[symbol]").contains("the field 'symbol' of quote is no number, duration or time"))
    #expect(await fault("[time]").contains("a trade has a field 'time'; a column needs another name, as in time as other_time"))
    #expect(await fault("[bid, ask as bid]").contains("the column 'bid' is there twice"))
    #expect(await fault("['bid as 9bid']").contains("made of letters, digits and underscores"))
    #expect(await fault("[]").contains("columns"))
  }
}
