import Filter
import StockbusInstruments
import StockbusTestKit
import Testing

/// A trade of one unit at a time of 2024-01-02 in New York, in seconds after the opening at 09:30.
private func at(_ second: Int64, _ price: Int64, _ symbol: Symbol = "AAPL", _ condition: TradeCondition = .regular) -> Trade {
  let time = Timestamp(ns: (1_704_205_800 + second) * 1_000_000_000)
  return Trade(
    symbol: symbol, price: Price(raw: price * 1_000_000_000), size: Quantity(raw: 1_000_000_000), time: time, received: time,
    condition: condition)
}

/// Filters whose condition looks at earlier events.
@Suite(.timeLimit(.minutes(15))) struct FunctionTests {
  private func market() -> Services {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,calendar\nAAPL,us_equities\n".utf8), file: "instruments.csv")
    return Services(builder.finish())
  }

  @Test func `a condition looks at the earlier events of the same symbol, in any batches`() async throws {
    // Means of two: AAPL 15, 25, 25; NVDA 6. So AAPL 20 and 30 pass, 20 does not, and NVDA 7 does.
    let trades = [at(0, 10), at(1, 5, "NVDA"), at(2, 20), at(3, 30), at(4, 20), at(5, 7, "NVDA")]
    for size in 1...6 {
      let running: RunningPlugin<Trade> = try PluginHarness().start(
        Plugin.filter, options: "where: 'price > sma(price, 2)'", taking: Trade.self, emitting: Trade.self)
      for begin in stride(from: 0, to: trades.count, by: size) {
        try await running.send(Array(trades[begin..<min(trades.count, begin + size)]))
      }
      let passed = await running.output(count: 3)
      #expect(passed.map { "\($0.symbol) \($0.price)" } == ["AAPL 20", "AAPL 30", "NVDA 7"])
      try await running.stop()
    }
  }

  @Test func `what is not ready does not pass, and is counted apart from what has no result`() async throws {
    let harness = PluginHarness()
    let passed: [Trade] = try await harness.output(
      of: Plugin.filter, options: "where: 'price > sma(price, 2) or price / (price - 30) > 100'",
      inputs: [[at(0, 10), at(1, 20), at(2, 30), at(3, 5, "NVDA"), at(4, 1), at(5, 59), at(6, 30)]])
    // The first events of both symbols are not ready. The first 30 is above its mean, so that the quotient does not matter; the last is not.
    #expect(passed.map(\.price) == [20, 30, 59])
    #expect(harness.counter("not ready") == 2 && harness.counter("undecided") == 1)
  }

  @Test func `a change of the run that leaves the condition as it was, and a command, leave what is remembered`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.filter, options: "where: 'price > sma(price, 3)'", taking: Trade.self, emitting: Trade.self)
    try await running.send([at(0, 10), at(1, 20)])
    await running.delivered()
    // Written otherwise, with the same normal form.
    try await running.replace(options: "where: 'price>sma( price,3 )'")
    try await running.send([at(2, 30)])
    #expect(await running.output(count: 1).map(\.price) == [30])
    #expect(
      try await running.perform("where price > sma(price, 3) and size > 0") == "the condition is now price > sma(price, 3) and size > 0")
    try await running.send([at(3, 40)])
    #expect(await running.output(count: 2).last?.price == 40)
    try await running.stop()
  }

  @Test func `a session is the trading date of the instrument, or its regular hours`() async throws {
    func passed(_ options: String) async throws -> [String] {
      let harness = PluginHarness(services: market())
      // Before the opening, in it, and after its end at 16:00; the first price of all sessions is 5, of the regular one 10.
      let trades = [at(-60, 5), at(0, 10), at(60, 7), at(120, 12), at(23_401, 20), at(86_400, 3)]
      let passed: [Trade] = try await harness.output(of: Plugin.filter, options: options, inputs: [trades])
      return passed.map { "\($0.price)" }
    }
    #expect(try await passed("where: 'price > first(price, session)'") == ["10", "7", "12", "20"])
    #expect(try await passed("{ where: 'price > first(price, session)', sessions: regular }") == ["12"])
  }

  @Test func `a session that a live run joined midway is not ready until the next one`() async throws {
    let harness = PluginHarness(clock: ManualTimekeeper(start: at(30, 0).time), services: market())
    let passed: [Trade] = try await harness.output(
      of: Plugin.filter, options: "where: 'price >= first(price, session)'", inputs: [[at(31, 10), at(60, 20), at(86_400, 3)]])
    #expect(passed.map(\.price) == [3])
    #expect(harness.counter("not ready") == 2)
  }

  @Test func `says of each function what it has, and how far it is from ready`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.filter, options: "where: 'price > sma(price, 3) and crosses_above(price, 15)'", taking: Trade.self, emitting: Trade.self)
    func said(_ trade: Trade) async -> String {
      await running.explain("AAPL", last: trade).map { "\($0.verdict) \($0.reason)" }.joined()
    }
    func json(_ trade: Trade) -> String { Trade.schema.json(trade) }
    let (first, second, third) = (at(0, 10), at(1, 11), at(2, 30))
    try await running.send([first, second])
    await running.delivered()
    #expect(
      await said(second) == "filters 'price > sma(price, 3) and crosses_above(price, 15)' is false of \(json(second)); "
        + "sma(price, 3) is not ready: 2 of 3 values, crosses_above(price, 15) is false")
    try await running.send([third])
    await running.delivered()
    // Looking changes nothing: it is the same twice.
    for _ in 0..<2 {
      #expect(
        await said(third) == "passes 'price > sma(price, 3) and crosses_above(price, 15)' is true of \(json(third)); "
          + "sma(price, 3) is 17, crosses_above(price, 15) is true")
    }
    try await running.stop()
  }

  @Test func `an event that is about no instrument has no past`() async throws {
    do {
      let _: [DeadLetter] = try await PluginHarness().output(
        of: Plugin.filter, options: "where: 'prev(sequence) > 1'", inputs: [[DeadLetter.schema.example]])
      Issue.record("nothing was wrong")
    } catch let problems as Problems {
      #expect(
        problems.description == "options.yaml:1:9: error: 'where': prev remembers by instrument, but a dead_letter is about none")
    }
  }

  @Test func `keeps the contract`() async {
    #expect(
      await checkContract(
        .filter, options: "where: 'price >= lowest(price, 2s)'", inputs: [Feed([at(0, 1), at(3, 2)]), Feed([at(0, 5, "NVDA")])]) == [])
  }
}
