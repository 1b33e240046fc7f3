import StockbusTestKit
import Testing

@testable import CombinedQuotes

@Suite(.timeLimit(.minutes(15))) struct OptionTests {
  private let trades = [trade("KO", 60), trade("PEP", 150)]
  private let quotes = [quote("KO", 60, 61), quote("PEP", 150, 151)]

  @Test func `combine keeps the contract`() async {
    let legs = "{ symbol: X, legs: { KO: 1, PEP: -0.4 }, stale: 2s }"
    let trades = trades + [trade("KO", 61, at: 1), trade("PEP", 151, at: 2), trade("KO", 60, at: 5), trade("PEP", 150, at: 6)]
    #expect(await checkContract(.combine, options: legs, inputs: [Feed(trades)]) == [])
    #expect(await checkContract(.combine, options: legs, inputs: [Feed(trades), Feed(trades)]) == [])
    #expect(await checkContract(.combine, options: "{ symbol: X, legs: { KO: 1, PEP: 1 }, base: 100 }", inputs: [Feed(quotes)]) == [])
    #expect(await checkContract(.combine, options: "{ symbol: X, legs: { AAPL: 2 } }") == [])
    #expect(await checkContract(.combine, options: "{ symbol: X, legs: { AAPL: 2 } }", inputs: [Feed([Bar.schema.example])]) == [])
  }

  @Test func `combine keeps the contract for the best of venues`() async {
    let one = [quote("A", 10, 12), quote("B", 5, 6, at: 1), quote("A", 11, 12, at: 4), quote("A", 10, 12, at: 5)]
    let other = [quote("A", 9, 11, at: 1), quote("A", 9, 11, at: 8)]
    #expect(await checkContract(.combine, options: "best: true", inputs: [Feed(one), Feed(other)]) == [])
    #expect(await checkContract(.combine, options: "{ best: true, stale: 2s }", inputs: [Feed(one), Feed(other), Feed(one)]) == [])
  }

  @Test func `wrong options are reported where they are`() async {
    #expect(await problems("", trades) == "options.yaml:1:1: error: 'legs' or 'best: true' is needed")
    #expect(
      await problems("legs: { KO: 1, PEP: -1 }", trades)
        == "options.yaml:1:1: error: 'symbol' is needed with 'legs': the name of the combination")
    #expect(
      await problems("{ symbol: KO, legs: { KO: 1, PEP: -1 } }", trades)
        == "options.yaml:1:3: error: 'symbol': KO is also a leg; the combination needs a name of its own")
    #expect(
      await problems("{ symbol: X, legs: { KO: 1 }, best: true }", quotes)
        == "options.yaml:1:31: error: 'legs' and 'best' exclude each other: use two components")
    #expect(
      await problems("{ symbol: X, best: true }", quotes)
        == "options.yaml:1:3: error: 'symbol' is for 'legs'; with 'best' each symbol keeps its name")
    #expect(
      await problems("{ base: 100, best: true }", quotes)
        == "options.yaml:1:3: error: 'base' is for 'legs'; with 'best' there is nothing to scale")
    #expect(
      await problems("best: true", trades) == "options.yaml:1:7: error: 'best' compares quotes, and trade has no bid and ask")
    #expect(
      await problems("{ symbol: X, legs: { KO: 0 } }", trades).hasPrefix(
        "options.yaml:1:26: error: 'legs.KO' must be a weight such as 1 or -0.4"))
    #expect(await problems("{ symbol: X, legs: { KO: 0.0 } }", trades).hasSuffix("a leg of weight 0 would have no effect"))
    #expect(await problems("{ symbol: X, legs: { KO: 0.0000000001 } }", trades).contains("options.yaml:1:26: error: 'legs.KO'"))
    #expect(await problems("{ symbol: X, legs: { KO: 1000001 } }", trades).contains("options.yaml:1:26: error: 'legs.KO'"))
    #expect(await problems("{ symbol: X, legs: {} }", trades).contains("options.yaml:1:20: error: 'legs'"))
    #expect(await problems("{ symbol: X, legs: { '': 1 } }", trades).hasPrefix("options.yaml:1:26: error: 'legs': '' is no symbol: "))
    #expect(await problems("{ symbol: X, leg: { KO: 1 } }", trades).contains("did you mean 'legs'?"))
    #expect(await problems("{ symbol: X, legs: { KO: 1 }, base: 0 }", trades).contains("'base'"))
  }

  @Test func `a leg that never came is told at the end`() async throws {
    let harness = PluginHarness()
    _ = try await lines("{ symbol: X, legs: { KO: 1, PPE: 1 } }", [trades], in: harness)
    #expect(harness.notes == ["'PPE' never came; did you mean 'PEP'?"])
  }
}
