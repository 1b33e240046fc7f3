import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// Crossings, sessions, and what a place without memory says.
@Suite struct CrossingTests {
  private func trades(_ prices: [Int]) -> [Trade] {
    prices.enumerated().map { trade(Price(raw: Int64($1) * second), at: Double($0)) }
  }

  @Test func `a crossing is from not above to above, never the first event`() throws {
    let events = trades([11, 10, 11, 12, 10, 10, 12])
    #expect(try verdicts("crosses_above(price, 10)", events) == [.no, .no, .yes, .no, .no, .no, .yes])
    #expect(try verdicts("crosses_below(price, 11)", events) == [.no, .yes, .no, .no, .yes, .no, .no])
    // Written the other way it is the same.
    #expect(try verdicts("crosses_below(10, price)", events) == [.no, .no, .yes, .no, .no, .no, .yes])
  }

  @Test func `a crossing is undecided until both sides have a value, and then has a first event`() throws {
    let events = trades([9, 9, 12, 12, 9, 15])
    #expect(try verdicts("crosses_above(price, sma(price, 3))", events) == [.undecided, .undecided, .no, .no, .no, .yes])
  }

  @Test func `an event that does not count crosses nothing, and does not move the side`() throws {
    let events = [
      trade(9), trade(12, at: 1, condition: .oddLot), trade(12, at: 2), trade(9, at: 3, condition: .cancelled), trade(12, at: 4),
    ]
    #expect(try verdicts("crosses_above(price, 10)", events) == [.no, .no, .yes, .no, .no])
    #expect(try decimals("sma(price, 2)", events) == ["-", "-", "10.5", "10.5", "12"])
  }

  @Test func `a revised bar is compared with the side before it`() throws {
    let bars = [bar(9, minute: 0), bar(9, minute: 1), bar(12, minute: 1, revision: 1), bar(13, minute: 1, revision: 2), bar(14, minute: 2)]
    #expect(try verdicts("crosses_above(close, 10)", bars) == [.no, .no, .yes, .yes, .no])
  }

  @Test func `each symbol has its own past`() throws {
    let events = [
      trade(9), trade(20, symbol: "CRO.B"), trade(12, at: 1), trade(9, at: 1, symbol: "CRO.B"), trade(21, at: 2, symbol: "CRO.B"),
    ]
    #expect(try verdicts("crosses_above(price, 10)", events) == [.no, .no, .yes, .no, .yes])
  }

  @Test func `memory sees every event, whatever the condition skips`() throws {
    let events = trades([9, 12, 9, 12, 13])
    #expect(try verdicts("price > 12 and sma(price, 2) > 12", events) == [.no, .no, .no, .no, .yes])
    #expect(try verdicts("price < 100 or sma(price, 2) > 12", events) == Array(repeating: .yes, count: 5))
  }

  @Test func `not ready is undecided, as in Kleene's logic`() throws {
    let events = trades([9, 12])
    #expect(try verdicts("not sma(price, 5) > 1", events) == [.undecided, .undecided])
    #expect(try verdicts("sma(price, 5) > 1 or price > 10", events) == [.undecided, .yes])
    #expect(try verdicts("sma(price, 5) > 1 and price > 10", events) == [.no, .undecided])
    #expect(try Expression<Trade>("sma(price, 1) > 1", in: .withMemory).verdict(of: events[0]) == .undecided)
    #expect(try Expression<Trade>("crosses_above(price, 1) or price > 8", in: .withMemory).verdict(of: events[0]) == .yes)
  }

  @Test func `what is not ready is counted apart from what has no result`() throws {
    let texts = ["sma(price, 3) > 1", "crosses_above(price, sma(price, 2))", "price / size > 2", "sma(price, 3) > 1 or price > 10"]
    var runner = ExpressionRunner(try texts.map { try Expression<Trade>($0, in: .withMemory) })
    runner.take([trade(9, 0), trade(12, 0, at: 1), trade(9, 0, at: 2), trade(9, 0, at: 3)])
    #expect(runner.notReady == [2, 1, 0, 1])
  }

  @Test func `functions of functions`() throws {
    var events: [Bar] = []
    for (minute, volume) in [10, 20, 30, 100, 40].enumerated() {
      events.append(bar(1, volume: Quantity(raw: Int64(volume) * second), minute: Int64(minute)))
    }
    // The averages before: 15, 25, 65.
    #expect(try verdicts("volume > 3 * sma(prev(volume), 2)", events) == [.undecided, .undecided, .no, .yes, .no])
    #expect(try decimals("sma(ema(close, 1), 2)", events) == ["-", "1", "1", "1", "1"])
    #expect(
      try decimals("since(crosses_above(volume, 50))", events)
        == ["-", "-", "-", "0", "60000000000"].map { $0 == "60000000000" ? "60" : $0 })
  }

  @Test func `rules share one memory`() throws {
    let texts = ["price > sma(price, 2)", "crosses_above(price, sma(price, 2))", "price > 100", "sma(price, 2) > sma(price, 4)"]
    let expressions = try texts.map { try Expression<Trade>($0, in: .withMemory) }
    let events = WindowTests.trades(700, seed: 3)
    var runner = ExpressionRunner(expressions)
    var verdicts = expressions.map { _ in [Verdict]() }
    runner.judgeAll(events.span) { k, range, chunk in
      #expect(range.lowerBound == verdicts[k].count)
      for i in chunk.indices { verdicts[k].append(chunk[i]) }
    }
    for (k, text) in texts.enumerated() {
      let alone = try StockbusExpressionsTests.verdicts(text, events)
      #expect(verdicts[k] == alone, "\(text)")
    }
    #expect(runner.memoryUse.parts.map(\.name) == ["last price", "crosses_above(price, sma(price, 2))"])
    #expect(runner.memoryUse.keys == 3)
  }

  // MARK: Sessions

  @Test func `a session has its own values, and what is outside of it counts for none`() throws {
    let events = [trade(5, 1, at: -60), trade(10, 1, at: 0), trade(20, 3, at: 60), trade(7, 1, at: 30_000), trade(30, 1, at: 86_400)]
    let settings = ExpressionRunner<Trade>.Settings(sessions: RegularHours())
    // (10 + 60) / 4; behind the end the next session has not begun.
    #expect(try decimals("vwap(session)", events, settings) == ["-", "10", "17.5", "-", "30"])
    #expect(try decimals("highest(price, first 1m)", events, settings) == ["-", "-", "10", "-", "-"])
  }

  @Test func `a session that was joined midway is not ready`() throws {
    let settings = ExpressionRunner<Trade>.Settings(
      sessions: RegularHours(), completeSince: Timestamp(ns: opening + 10 * second))
    let events = [trade(10, at: 20), trade(20, at: 21), trade(30, at: 86_400)]
    #expect(try decimals("vwap(session)", events, settings) == ["-", "-", "30"])
    #expect(try decimals("sma(price, session)", events, settings) == ["-", "-", "30"])
  }

  // MARK: Errors

  @Test func `a place without memory says why, at the function`() throws {
    let place = ExpressionPlace.withoutMemory("print shows what comes from now on")
    do throws(ExpressionError) {
      _ = try Expression<Trade>("price > 1 and sma(price, 20) > 5", in: place)
      Issue.record("no error")
    } catch {
      #expect(error.description == "column 15: sma needs earlier events, but print shows what comes from now on")
      #expect(error.range == 14..<28)
    }
    #expect(
      error("crosses_above(price, 5)", Trade.self)?.message
        == "crosses_above needs earlier events, but this condition is about single events")
    #expect(throws: ExpressionError.self) { try AnyExpression("sma(price, 2) > 1", for: Trade.self) }
    #expect(try AnyExpression("sma(price, 2) > 1", for: Trade.self, in: .withMemory).bound(to: Trade.self)?.hasMemory == true)
  }

  @Test(arguments: [
    (
      "sma(price) > 1",
      "column 10: sma takes a value and a window, which is a number of events, a time, session or first 15m, as in sma(price, 20)"
    ),
    ("sma(price, 0) > 1", "column 12: a window of events is a whole number from 1 to 10000"),
    ("sma(price, 2.5) > 1", "column 12: a window of events is a whole number from 1 to 10000"),
    ("sma(price, 20000) > 1", "column 12: a window of events is a whole number from 1 to 10000"),
    ("sma(price, 0s) > 1", "column 12: a window has a length, as in 5m"),
    (
      "sma(5, 20) > 1",
      "column 5: a constant has no past; sma takes a value and a window, which is a number of events, a time, session or first 15m, as in sma(price, 20)"
    ),
    ("sma(time, 20) > time", "column 5: times cannot be added; take a difference, as in received - time"),
    ("ema(price, 5m) > 1", "column 12: ema takes a value and a number of events, as in ema(price, 20)"),
    ("vwap(20) > 1", "column 6: vwap takes a time, session or first 15m, as in vwap(5m)"),
    ("first(price, 5m) > 1", "column 14: first takes a value and session or first 15m, as in first(price, session)"),
    ("sma(price, today) > 1", "column 12: 'today' is no window; write session, or 1d for the last 24 hours"),
    ("sma(price, first) > 1", "column 12: the beginning of a session is written with its length, as in first 15m"),
    ("sma(first 15m, price) > 1", "column 5: 'first 15m' is a window, which comes after the value, as in highest(price, first 15m)"),
    ("crosses_above(1, 2)", "column 1: two constants never cross"),
    ("crosses_above(price, time)", "column 22: a number cannot cross a time"),
    ("crosses_above(price, 2) > 1", "column 1: crosses_above(…) is a condition, not a value"),
    ("macd(price, 26, 12) > 0", "column 13: the fast average takes fewer events than the slow one, as in 12, 26"),
    ("atr(14) > 1", "column 1: atr takes bars, and a trade has no high, low and close"),
    ("since(true) > 1s", "column 7: this condition does not depend on the event"),
    (
      "bollinger_upper(price, 20, size) > 1",
      "column 28: bollinger_upper takes a value, a window and a factor, as in bollinger_upper(close, 20, 2)"
    ),
  ]) func `is told with its place`(text: String, message: String) {
    do throws(ExpressionError) {
      _ = try Expression<Trade>(text, in: .withMemory)
      Issue.record("\(text): no error")
    } catch { #expect(error.description == message) }
  }

  @Test(arguments: [
    ("ta.crossover(price, 5)", "write crosses_above(a, b)"), ("SMA(price, 20) > 1", "write sma(price, 20)"),
    ("mavg(20, price) > 1", "write sma(price, 20)"), ("price.rolling_mean(20) > 1", "write sma(price, 20)"),
    ("ta.sma(price, 20) > 1", "write sma(price, 20)"), ("xprev(1, price) > 1", "write prev(price)"),
    ("talib.RSI(price) < 30", "write rsi(price, 14)"), ("Highest(price, 20) > 1", "write highest(price, 20) or highest(price, 5m)"),
    ("median(price) > 1", "write sma(price, 20); there is no median"), ("barssince(price > 1) > 1", "write since(price > 100)"),
  ]) func `names of other languages are told as they are written here`(text: String, advice: String) {
    #expect(error(text, Trade.self)?.message.hasSuffix("; " + advice) == true, "\(text): \(error(text, Trade.self)?.message ?? "")")
  }

  @Test func `an event about no instrument has no past`() {
    do throws(ExpressionError) {
      _ = try Expression<Gap>("change(got) > 1", in: .withMemory)
      Issue.record("no error")
    } catch { #expect(error.message == "change remembers by instrument, but a gap is about none") }
  }

  @Test func `what would remember too much is refused with the numbers`() {
    let text = (1...200).map { "sma(price + \($0), 10000) > 1" }.joined(separator: " or ")
    #expect(throws: ExpressionError.self) { try Expression<Trade>(String(text.prefix(4000)), in: .withMemory) }
    let sums = (1...110).map { "sma(price+\($0), 10000)>1" }.joined(separator: " or ")
    #expect(error(sums, Trade.self, .withMemory)?.message.hasPrefix("this remembers 8") == true)
  }
}
