import EventBus
import MarketData
import Testing

@testable import StockbusExpressions

/// How much of the past functions take.
@Suite struct NeedTests {
  private func needs(_ text: String) throws -> [String] {
    try Expression<Bar>(text, in: .withMemory).needs.map { need in
      "\(need.function): \(need.events) and \(need.time / 1_000_000_000) s"
    }
  }

  @Test func `windows take what they are, and recursions 36 times their length`() throws {
    #expect(try needs("close > sma(close, 50)") == ["sma(close, 50): 50 and 0 s"])
    #expect(try needs("close > prev(close, 3)") == ["prev(close, 3): 4 and 0 s"])
    #expect(try needs("rsi(close, 14) < 30") == ["rsi(close, 14): 504 and 0 s"])
    #expect(try needs("atr(14) > ema(close, 20)") == ["atr(14): 504 and 0 s", "ema(close, 20): 720 and 0 s"])
    #expect(
      try needs("macd(close, 12, 26) > macd_signal(close, 12, 26, 9)").sorted() == [
        "macd(close, 12, 26): 936 and 0 s", "macd_signal(close, 12, 26, 9): 1260 and 0 s",
      ])
    #expect(try needs("close > highest(close, 5m)") == ["highest(close, 5m): 0 and 300 s"])
    #expect(try needs("volume > sum(volume, 1h)") == ["sum(volume, 1h): 0 and 3600 s"])
  }

  @Test func `a function of a function takes what both take`() throws {
    // Twenty values, of which the first needs one bar before it.
    #expect(try needs("volume > 3 * sma(prev(volume), 20)") == ["prev(volume): 2 and 0 s", "sma(prev(volume), 20): 21 and 0 s"])
    #expect(try needs("close > highest(sma(close, 10), 1h)").last == "sma(close, 10): 10 and 0 s")
    #expect(try needs("close > highest(sma(close, 10), 1h)").first == "highest(sma(close, 10), 1h): 10 and 3600 s")
  }

  @Test func `sessions, crossings and plain conditions take nothing that could be told`() throws {
    #expect(try needs("close > vwap(session) and since(close > 100) > 1m") == [])
    #expect(try needs("crosses_above(close, sma(close, 5))") == ["sma(close, 5): 5 and 0 s"])
    #expect(try needs("close > 100") == [])
  }
}
