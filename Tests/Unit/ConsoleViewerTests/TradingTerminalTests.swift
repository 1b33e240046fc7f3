import ConsoleViewer
import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusTestKit
import StockbusTrading
import StockbusViewing
import TestTerminal
import Testing

/// Events of trading on a terminal, and orders from its keyboard.
@Suite(.timeLimit(.minutes(15))) struct TradingTerminalTests {
  private let clock = ManualTimekeeper()

  private static let broker = RunComponent(
    id: "broker", kind: .processor, plugin: "paper_broker", doors: [DoorID((any OrderDesk).self)])

  private func see(_ screen: FakeTerminal, _ text: String) async {
    await clock.running { await screen.wait { $0.text.contains { $0.contains(text) } } }
  }

  @Test func `an account is shown, an order is previewed, sent and cancelled, and refusals are told`() async throws {
    let run = FakeRun(components: [Self.broker]) { command, _ throws(CommandError) in
      switch command.verb {
      case "preview": "value 945"
      case "buy": "order 8, key k"
      default: throw CommandError("not done: the order is already closed")
      }
    }
    let screen = FakeTerminal(columns: 80, rows: 24)
    let harness = PluginHarness(id: "screen", clock: clock, run: run, services: Services(screen.terminal))
    let running = try harness.start(
      Plugin.consoleViewer, options: "state: '-'", taking: [AccountState.self, Position.self, Order.self, Fill.self, Trade.self])
    await screen.wait { $0.isFullScreen }
    try await running.send([account()])
    await see(screen, "7 Portfolio")
    screen.type("7")
    await see(screen, "100136.50")
    try await running.send([position("AAPL", 100, cost: 18_900, mark: 18_925)], toInput: 1)
    try await running.send([order(3, .buy, 10, "AAPL", at: 18_000)], toInput: 2)
    try await running.send([fill(1, .buy, 100, "AAPL", at: 18_900)], toInput: 3)
    await see(screen, "13:30:01  buy   AAPL")
    // A price moves what the position is worth.
    let time = Timestamp(ns: opening + 9 * second)
    let trade = Trade(symbol: "AAPL", price: Price(raw: 190_000_000_000), size: 1, time: time, received: time, priceDecimals: 2)
    try await running.send([trade], toInput: 4)
    await see(screen, "+100.00")

    screen.type("jb5\r")
    await see(screen, "value 945")
    screen.type("\r")
    await see(screen, "order 8, key k")
    screen.type("x")
    await see(screen, "CANCEL ORDER 3")
    screen.type("\r")
    await see(screen, "broker: not done: the order is already closed")
    #expect(run.commands == ["broker preview buy AAPL 5", "broker buy AAPL 5", "broker cancel key-3 in paper"])
    try await clock.running { try await running.stop() }
    #expect(harness.counter("events") == 5)
    #expect(screen.model.complaints == [])
  }

  @Test(arguments: ["", "watch: [TSLA]"])
  func `without a screen each event is a line`(watch: String) async throws {
    let screen = FakeTerminal(output: .pipe)
    let harness = PluginHarness(id: "screen", clock: clock, services: Services(screen.terminal))
    try await harness.consume(
      [
        Feed([account()]), Feed([position("AAPL", 100, cost: 18_900, mark: 18_925)]), Feed([order(3, .buy, 10, "AAPL", at: 18_000)]),
        Feed([fill(1, .buy, 100, "AAPL", at: 18_900)]),
      ], by: Plugin.consoleViewer, options: "{ state: '-'\(watch.isEmpty ? "" : ", " + watch) }")
    let lines = screen.piped.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 3)[1...2].joined(separator: " ") }
    #expect(lines.sorted() == (watch.isEmpty ? ["paper account:", "paper fill", "paper order", "paper position:"] : ["paper account:"]))
  }

  @Test func `a table in place has lines for orders and fills above it`() async throws {
    let screen = FakeTerminal(columns: 80, rows: 24)
    let harness = PluginHarness(id: "screen", clock: clock, services: Services(screen.terminal))
    let running = try harness.start(
      Plugin.consoleViewer, options: "{ state: '-', screen: inline }", taking: [AccountState.self, Order.self, Fill.self])
    try await running.send([account()])
    try await running.send([order(3, .buy, 10, "AAPL", at: 18_000)], toInput: 1)
    try await running.send([fill(1, .buy, 100, "AAPL", at: 18_900)], toInput: 2)
    await running.delivered()
    try await clock.running { try await running.stop() }
    #expect(screen.rows.contains { $0.contains("paper order 3: buy 10 AAPL at 180.00 gtc, working") })
    #expect(screen.rows.contains { $0.contains("paper fill 1: buy 100 AAPL at 189.00, fee 1.00, realised 0.00") })
    #expect(!screen.rows.contains { $0.contains("paper account") })
  }
}
