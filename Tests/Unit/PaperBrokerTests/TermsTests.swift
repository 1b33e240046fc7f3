import StockbusPlugin
import StockbusTestKit
import Testing

@testable import PaperBroker

/// What the instruments say about ticks, lots and currencies, and which symbols are known.
@Suite struct TermsTests {
  private func refusal(_ line: String, _ running: RunningPlugin<BrokerRecord>) async -> String? {
    do throws(CommandError) {
      let reply = try await running.perform(line)
      Issue.record("\(line): \(reply)")
      return nil
    } catch { return "\(error)" }
  }

  @Test func `slippage is in ticks of the instrument`() async throws {
    var desk = InstrumentDesk("AAPL,,0.05,1,USD,")
    desk.options = "accounts: [{ name: paper, deposit: 100000, slippage: 2 }]"
    let records = try await desk.run(
      Feed([try quote(99, 101, "2014-06-06T15:00:00Z"), try quote(99, 102, "2014-06-06T15:00:02Z")]),
      Feed([try order("a", .buy, 10, .gtc, "2014-06-06T15:00:01Z"), try order("b", .sell, 10, .gtc, "2014-06-06T15:00:03Z")]))
    #expect(
      InstrumentDesk.summary(records).filter { $0.contains("fill ") } == [
        "2014-06-06T15:00:01Z fill 1 buy 10 at 101.1 touch", "2014-06-06T15:00:03Z fill 2 sell 10 at 98.9 touch",
      ])
  }

  @Test func `lots, ticks and currencies are those of the instrument`() async throws {
    var desk = InstrumentDesk("AAPL,,0.05,10,USD,", "SAP,,0.01,1,EUR,")
    desk.options = "accounts: [{ name: paper, deposit: 100000 }, { name: euros, currency: EUR, deposit: 1000 }]"
    let running = try desk.start()
    try await running.send([try quote(99, 101, "2014-06-06T15:00:00Z"), try quote(50, 51, "2014-06-06T15:00:00Z", "SAP")])
    await running.delivered()
    #expect(await refusal("buy AAPL 5 in paper", running) == "not done: the quantity is not a whole number of lots of 10")
    #expect(await refusal("buy AAPL 10 at 99.99 in paper", running) == "not done: a price is not a whole number of ticks of 0.05")
    #expect(
      await refusal("buy AAPL 10 in euros", running) == "not done: AAPL is traded in USD, and account 'euros' is kept in EUR")
    #expect(try await running.perform("buy SAP 3 in euros") == "order 4")
    try await running.stop()
  }

  @Test func `a symbol that neither the instruments nor the prices know is refused`() async throws {
    let running = try InstrumentDesk("AAPL,,0.05,1,USD,").start()
    #expect(
      await refusal("buy APPL 10", running)
        == "not done: APPL has no price so far, and it is not among the instruments; did you mean 'AAPL'?")
    // One that is listed may be ordered before its first price; one that is not, after it.
    #expect(try await running.perform("buy AAPL 10") == "order 2; it waits: AAPL has no price so far")
    try await running.send([try quote(50, 51, "2014-06-06T15:00:00Z", "XYZ")])
    await running.delivered()
    #expect(try await running.perform("buy XYZ 3") == "order 3")
    try await running.stop()
  }

  @Test func `without instruments an order for an unknown symbol waits, and that is said`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(
      Plugin.paperBroker, options: "accounts: [{ name: paper }]", taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([try quote(99, 101, "2014-06-06T15:00:00Z")])
    await running.delivered()
    #expect(try await running.perform("buy APPL 10") == "order 1; it waits: APPL has no price so far; did you mean 'AAPL'?")
    #expect(try await running.perform("preview buy APPL 10") == "APPL has no price so far; did you mean 'AAPL'?")
    #expect(
      try await running.perform("show").split(separator: "\n").last
        == "order 1\tbuy 10 APPL\tat the market\tday\tfilled 0\t\twaits: APPL has no price so far; did you mean 'AAPL'?")
    try await running.stop()
    #expect(harness.notes == ["'APPL' never came; did you mean 'AAPL'?"])
  }
}
