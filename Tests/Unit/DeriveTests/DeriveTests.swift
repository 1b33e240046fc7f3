import Derive
import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct DeriveTests {
  private static func trade(_ symbol: Symbol, _ price: Int64, size: Int64 = 1, at second: Int64) -> Trade {
    let time = Timestamp(ns: second * 1_000_000_000)
    return Trade(
      symbol: symbol, price: Price(raw: price * 1_000_000_000), size: Quantity(raw: size * 1_000_000_000), time: time, received: time)
  }

  /// What stands behind `field` in each line.
  private func values(_ field: String, _ lines: [String]) -> [String] {
    lines.map { line in
      guard let from = line.firstRange(of: "\"\(field)\":") else { return "-" }
      return String(line[from.upperBound...].prefix { $0 != "," && $0 != "}" })
    }
  }

  @Test func `keeps the contract`() async {
    let symbols: [Symbol] = ["A", "B", "C"]
    let trades = (0..<60).map { i -> Trade in Self.trade(symbols[i % 3], Int64(i * 7 % 11) + 1, at: Int64(i)) }
    #expect(
      await checkContract(
        Plugin.derive, options: "columns: { sum: 'sum(size, 3)', up: price > prev(price) }", inputs: [Feed(trades)]) == [])
  }

  @Test func `columns are exact, undecided where a function is not ready, and may use those before them`() async throws {
    // A: 10 of 1, 16 of 2: the VWAP is 42 / 3 = 14. B has its own.
    let trades = [
      Self.trade("A", 10, at: 1), Self.trade("B", 50, size: 3, at: 2), Self.trade("A", 16, size: 2, at: 3),
      Self.trade("B", 20, size: 3, at: 4),
    ]
    let lines = try await PluginHarness().jsonOutput(
      of: Plugin.derive,
      options: """
        columns:
          vwap: vwap(session)
          away: price / vwap - 1
          mean: sma(price, 2)
          above: price > mean
          lag: received - time
        """, feeds: [Feed(trades)])
    #expect(values("vwap", lines) == ["10", "50", "14", "35"])
    #expect(values("away", lines) == ["0", "0", "0.142857143", "-0.428571429"])
    #expect(values("mean", lines) == ["null", "null", "13", "35"])
    #expect(values("above", lines) == ["null", "null", "true", "false"])
    #expect(values("lag", lines) == ["0", "0", "0", "0"])
    #expect(values("price", lines) == ["10", "50", "16", "20"])
  }

  @Test func `columns of the inputs are passed on and can be used, and one of the same name takes their place`() async throws {
    let columns = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("hot", .flag), ColumnInfo("age", .duration)])
    let feed = Feed(
      [Self.trade("A", 10, at: 1), Self.trade("A", 12, at: 2), Self.trade("A", 14, at: 3)], columns: columns,
      rows: [[8_000_000_000, 1, 2_000_000_000], [nil, 0, nil], [7_000_000_000, nil, 500_000_000]])
    let lines = try await PluginHarness().jsonOutput(
      of: Plugin.derive, options: "columns: { away: price - vwap, old: age > 1s, cold: not hot, vwap: vwap * 2 }", feeds: [feed])
    #expect(values("hot", lines) == ["true", "false", "null"])
    #expect(values("age", lines) == ["2", "null", "0.5"])
    #expect(values("away", lines) == ["2", "null", "7"])
    #expect(values("old", lines) == ["true", "null", "false"])
    #expect(values("cold", lines) == ["false", "true", "null"])
    #expect(values("vwap", lines) == ["16", "null", "14"])
  }

  @Test func `what is wrong with a column is told at its place`() async throws {
    func fault(_ columns: String) async -> String {
      do {
        _ = try await PluginHarness().jsonOutput(
          of: Plugin.derive, options: "columns: \(columns)", feeds: [Feed([Self.trade("A", 1, at: 1)])])
        return "none"
      } catch { return "\(error)" }
    }
    #expect(await fault("{ price: 2 * price }").contains("a trade has a field 'price'; a column needs another name"))
    #expect(await fault("{ a b: 2 * price }").contains("made of letters, digits and underscores"))
    #expect(await fault("{ mean: 'sma(price, 2)', far: price - maen }").contains("did you mean 'mean'?"))
    #expect(await fault("{ mean: 'smaa(price, 2)' }").contains("unknown function 'smaa'; did you mean 'sma'?"))
    #expect(await fault("{ up: price > 2, far: up + 1 }").contains("'up' is true or false"))
    #expect(await fault("{ five: 5 }").contains("the same for all events"))
    #expect(await fault("{}").contains("columns"))
  }
}
