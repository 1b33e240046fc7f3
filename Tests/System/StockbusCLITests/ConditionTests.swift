import Foundation
import TestSupport
import Testing

/// Conditions that look at earlier events, in the built program.
@Suite struct ConditionTests {
  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(arguments, in: Repository.root)
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `the shipped rules fire where their comments say`() throws {
    let result = try run("run", "Examples/conditions.yaml")
    #expect(result.status == 0, "\(result.errors)")
    let alerts = result.output.split(separator: "\n").filter { $0.contains(" meets ") }
    #expect(
      alerts.sorted() == [
        "2024-01-02T14:38:10Z lost VWAP: ACME meets crosses_below(price, vwap(session)): 100.40",
        "2024-01-02T15:38:00Z golden cross: ACME meets crosses_above(sma(close, 20), sma(close, 50)): 100.38",
        "2024-01-02T15:43:10Z breakout: ACME meets crosses_above(price, highest(price, first 15m)): 101.06",
        "2024-01-02T15:45:00Z spike: ACME meets volume > 3 * sma(prev(volume), 20): 101.36",
        "2024-01-02T20:58:13Z bids: ACME meets (bid_size - ask_size) / (bid_size + ask_size) > 0.6 for 3s: 100.03",
      ])
    #expect(
      result.output.split(separator: "\n").filter { $0.contains(" dead: ") } == [
        "2024-01-02T20:59:15Z dead: ZETA has been silent for 30s; its last price was 50.03",
        "2024-01-02T20:59:40Z dead: over: ZETA is heard again: 50.05",
      ])
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `print refuses functions over earlier events at their character, and says why`() throws {
    let result = try run(
      "print", "--once", "--from", "trades", "--where", "price > 1 and price > sma(price, 20)", "Examples/conditions.yaml")
    #expect(result.status == 64 && result.output == "")
    #expect(
      result.errors == """
        Error: --where
        price > 1 and price > sma(price, 20)
                              ^~~~~~~~~~~~~~ sma needs earlier events, but print sees each event by itself; a filter in the configuration remembers them

        """)
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `describe lists the functions, each with an example and what it needs`() throws {
    let result = try run("describe", "expressions")
    #expect(result.status == 0)
    let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("sma(price, 20) The mean of a window. Needs a whole window."))
    #expect(text.contains("abs(price - 100) The value without its sign."))
    #expect(text.contains("crosses_below(price, vwap(session)) True if the first value is below the second"))
  }
}
