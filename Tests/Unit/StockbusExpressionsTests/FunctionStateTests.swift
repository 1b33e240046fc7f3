import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// What functions have after an event, and since when sessions are complete.
@Suite struct FunctionStateTests {
  private func states<E: Event>(_ text: String, _ events: [E], _ settings: ExpressionRunner<E>.Settings = .init()) throws -> [String] {
    var runner = ExpressionRunner(try Expression<E>(text, in: .withMemory), settings)
    runner.take(events)
    let before = runner.snapshot()
    let states = runner.state(after: try #require(events.last)).functions.map(\.description)
    #expect(runner.snapshot() == before)
    return states
  }

  @Test func `a function that is not ready says what it waits for`() throws {
    let two = [trade(10), trade(12, at: 2)]
    #expect(try states("price > sma(price, 5)", two) == ["sma(price, 5) is not ready: 2 of 5 values"])
    #expect(try states("price > prev(price, 2)", two) == ["prev(price, 2) is not ready: 2 of 3 values"])
    #expect(try states("rsi(price, 14) < 30", two) == ["rsi(price, 14) is not ready: 2 of 15 values"])
    #expect(try states("macd_signal(price, 2, 4, 3) > 0", two) == ["macd_signal(price, 2, 4, 3) is not ready: 2 of 6 values"])
    #expect(try states("sum(size, 5s) > 1", two) == ["sum(size, 5s) is not ready: 2s of 5s"])
    #expect(try states("price > highest(price, 1m)", two) == ["highest(price, 1m) is not ready: 2s of 1m"])
    #expect(try states("since(price > 100) > 1s", two) == ["since(price > 100) is not ready: its condition has not held"])
    let regular = ExpressionRunner<Trade>.Settings(sessions: RegularHours())
    #expect(
      try states("price > highest(price, first 1m)", two, regular) == [
        "highest(price, first 1m) is not ready: ready at 2024-01-02T14:31:00Z"
      ])
    let midway = ExpressionRunner<Trade>.Settings(sessions: RegularHours(), completeSince: Timestamp(ns: opening + 1))
    #expect(
      try states("price > vwap(session)", [trade(10, at: 2)], midway) == [
        "vwap(session) is not ready: the session began before the first event; it is ready with the next one"
      ])
  }

  @Test func `a function that is ready says its value, in its unit`() throws {
    let three = [trade(10), trade(11, at: 2), trade(14, at: 3)]
    let crossing = [trade(10), trade(9, at: 1), trade(14, at: 2)]
    #expect(try states("crosses_above(price, sma(price, 2))", crossing).last == "crosses_above(price, sma(price, 2)) is true")
    #expect(try states("since(price > 10) > 1s", three + [trade(1, at: 4)]) == ["since(price > 10) is 1s"])
    #expect(try states("sma(price, 2) > 1", three) == ["sma(price, 2) is 12.5"])
    #expect(
      try states("rsi(price, 2) > 1", [trade(5), trade(5, at: 1), trade(5, at: 2)]) == [
        "rsi(price, 2) is not ready: these values have no result"
      ])
    let bars = (0..<3).map { bar(Price(raw: Int64($0 + 10) * second), minute: Int64($0)) }
    #expect(try states("ema(close, 2) > 1", bars) == ["ema(close, 2) is 11.5"])
  }

  // MARK: Sessions

  @Test func `where the past is played, sessions are complete from its first event on`() throws {
    let events = [trade(10, at: 20), trade(20, at: 21)]
    let played = ExpressionRunner<Trade>.Settings(sessions: RegularHours(), completeSince: Timestamp(ns: opening + 90_000 * second))
    #expect(try decimals("first(price, session)", events, played) == ["10", "10"])
    var missed = played
    missed.hasMissedEvents = true
    #expect(try decimals("first(price, session)", events + [trade(30, at: 86_400)], missed) == ["-", "-", "30"])
  }

  @Test func `since when sessions are complete is part of a snapshot`() throws {
    let played = ExpressionRunner<Trade>.Settings(sessions: RegularHours(), completeSince: Timestamp(ns: opening + 30 * second))
    let condition = try condition("first(price, session)", Trade.self)
    var runner = ExpressionRunner(condition, played)
    runner.take([trade(10, at: 20)])
    // The next one gets events that are live.
    var next = ExpressionRunner(condition, played)
    next.restore(runner.snapshot())
    next.take([trade(20, at: 40), trade(5, at: 41, symbol: "B")])
    #expect(next.results(of: "first(price, session)", 2) == [10 * second, 5 * second])
  }
}
