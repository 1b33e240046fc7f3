import MarketData
import StockbusPlugin
import StockbusSQLite
import StockbusTestKit
import Testing

@testable import PaperBroker
@testable import StockbusTrading

/// The broker's door, and its commands as one who uses it.
@Suite(.timeLimit(.minutes(15))) struct DoorTests {
  private func amount(_ text: String) throws -> Amount { try Amount(text) }

  private func quote(_ bid: Price, _ ask: Price, _ second: Int64, _ symbol: Symbol = "AAPL") -> Quote {
    let time = Timestamp(ns: second * 1_000_000_000)
    return Quote(symbol: symbol, bid: bid, ask: ask, bidSize: 1000, askSize: 1000, time: time, received: time)
  }

  private func terms(_ quantity: Quantity, at limit: Price = 0, key: String? = nil) -> OrderTerms {
    var terms = OrderTerms()
    (terms.quantity, terms.limit, terms.key) = (quantity, limit, key)
    return terms
  }

  private static let options = """
    accounts:
      - { name: paper, deposit: 10000, fees: { per_order: 1, basis_points: 10 }, margin: { long: 50% } }
      - { name: other, deposit: 500 }
    """

  private func start(_ more: String = "") async throws -> RunningPlugin<BrokerRecord> {
    let running = try PluginHarness(id: "broker").start(
      Plugin.paperBroker, options: Self.options + more, taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    return running
  }

  /// 10 at the ask of 101: a value of 1010, a fee of 1 + 1.01. Half of the value is set aside, and the fee. Once filled, 8987.99 are left in
  /// cash; the position is worth 10 × 100, of which half is margin: 8987.99 + 1000 − 500.
  @Test func `a preview has exact numbers, and the booking is the same`() async throws {
    let running = try await start()
    let desk = try await running.door((any OrderDesk).self)
    let preview = try await desk.preview(OrderRequest(.buy, "AAPL", terms(10)), in: "paper")
    #expect(preview.refusal == nil && preview.wait == nil)
    #expect(preview.estimate.price == 101)
    #expect(preview.estimate.value == 1010)
    #expect(try preview.estimate.fee == amount("2.01"))
    #expect(try preview.estimate.reserved == amount("507.01"))
    let after = try #require(preview.estimate.after)
    #expect(try after == .init(position: 10, cash: amount("8987.99"), buyingPower: amount("9487.99")))
    #expect(
      preview.text == "at 101.00: value 1010.00, fee 2.01; reserves 507.01; once filled: position 10, cash 8987.99, buying power 9487.99")

    let answer = try await desk.submit(OrderRequest(.buy, "AAPL", terms(10, key: "a")), in: "paper")
    #expect(answer == OrderAnswer(.submit, OrderReply(number: 1, isAccepted: true), key: "a"))
    let records = await running.output(count: 7)
    let fill = try #require(records.compactMap { FillsPart.part(of: $0) }.first)
    #expect(fill.price == preview.estimate.price && fill.fee == preview.estimate.fee && fill.position == after.position)
    let account = try #require(records.compactMap { AccountsPart.part(of: $0) }.last { $0.account == "paper" })
    #expect(account.cash == after.cash && account.buyingPower == after.buyingPower)
    try await running.stop()
  }

  @Test func `what would be refused has its reason beside the numbers that are known`() async throws {
    let running = try await start()
    let desk = try await running.door((any OrderDesk).self)
    let dear = try await desk.preview(OrderRequest(.buy, "AAPL", terms(1000)), in: "other")
    #expect(dear.estimate.reason == .insufficientBuyingPower && dear.refusal == "the buying power is not sufficient")
    #expect(dear.estimate.value == 101_000 && dear.estimate.after?.cash == -100_500)
    let unknown = try await desk.preview(OrderRequest(.buy, "AAPL", terms(1, at: 0)), in: "other")
    #expect(unknown.refusal == nil)
    let silent = try await desk.preview(OrderRequest(.buy, "APPL", terms(1)), in: "other")
    #expect(silent.estimate.price == 0 && silent.estimate.after == nil)
    #expect(silent.wait == "APPL has no price so far; did you mean 'AAPL'?" && silent.text == silent.wait)
    #expect(running.output.allSatisfy { OrdersPart.part(of: $0) == nil })
    try await running.stop()
  }

  @Test func `orders are replaced and cancelled by number and key, and commands see the same`() async throws {
    let running = try await start()
    let desk = try await running.door((any OrderDesk).self)
    #expect(try await running.perform("buy AAPL 10 at 90 gtc key low in paper") == "order 1, key low")
    let higher = try await desk.replace("low", by: terms(9, at: 91), in: "paper")
    #expect(higher == OrderAnswer(.replace(1), OrderReply(number: 2, isAccepted: true)))
    #expect(try higher.words() == "order 2, replaces order 1")
    let waiting = try await desk.submit(OrderRequest(.buy, "NVDA", terms(1, at: 5, key: "wait")), in: "paper")
    #expect(waiting.wait == "NVDA has no price so far" && waiting.key == "wait")
    let again = try await desk.submit(OrderRequest(.buy, "NVDA", terms(1, at: 5, key: "wait")), in: "paper")
    #expect(again.reply == OrderReply(number: 3, isAccepted: true, isRepeated: true) && again.wait == nil)
    #expect(try again.words() == "already done: order 3, key wait")
    #expect(try await desk.cancel("2", in: "paper").words() == "cancelled order 2")
    let twice = try await desk.cancel("2", in: "paper")
    #expect(twice.reply == OrderReply(number: 2, isAccepted: false, reason: .alreadyDone))
    let done = CommandError.refused("not done: the order is already closed")
    #expect(throws: done) { try twice.words() }
    await #expect(throws: done) { try await running.perform("cancel 2 in paper") }
    let dear = try await desk.submit(OrderRequest(.buy, "AAPL", terms(1000, key: "dear")), in: "other")
    #expect(dear.reply.reason == .insufficientBuyingPower && dear.refusal == "the buying power is not sufficient")
    await #expect(throws: CommandError.refused("no open order '77'")) { try await desk.replace("77", by: terms(1), in: "paper") }
    await #expect(throws: CommandError.refused("write 'replace ORDER' and what to change, such as 'replace 2 at 190'")) {
      try await desk.replace("wait", by: OrderTerms(), in: "paper")
    }
    await #expect(throws: CommandError.refused("which account? write 'in paper' at the end")) { try await desk.cancel("1", in: nil) }
    await #expect(throws: CommandError.refused("no account 'papr'; did you mean 'paper'?")) { try await desk.cancel("1", in: "papr") }
    for (name, isThere) in [("paper", true), ("other", true), ("papr", false)] {
      let has = try await desk.hasAccount(name)
      #expect(has == isThere, "\(name)")
    }
    try await running.stop()
  }

  /// Between finding a door and coming in the broker may have ended; an order that it took then would be kept nowhere.
  @Test func `who comes in after the end is told so`() async throws {
    let folder = TemporaryFolder()
    let running = try await start("\npath: \(folder.file("paper.db"))\nnewcomers: paper")
    let desk = try await running.door((any OrderDesk).self)
    #expect(try await desk.open("hannah") == OpenedAccount("hannah", deposit: 10_000, currency: "USD", isNew: true))
    #expect(try await desk.open("hannah").text == "account hannah is open already")
    #expect(try await desk.fills(of: nil) == [])
    try await running.stop()
    let order = OrderRequest(.buy, "AAPL", terms(1))
    let over = CommandError.notRunning("broker")
    await #expect(throws: over) { try await desk.submit(order, in: "paper") }
    await #expect(throws: over) { try await desk.fills(of: nil) }
    await #expect(throws: over) { try await running.door((any OrderDesk).self) }
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }
}
