import Foundation
import StockbusHistory
import StockbusPlugin
import StockbusSQLite
import StockbusTestKit
import StockbusTrading
import Testing

@testable import PaperBroker

@Suite struct PaperBrokerTests {
  private func time(_ seconds: Int) -> Timestamp { Timestamp(ns: Int64(seconds) * 1_000_000_000) }

  private func trade(_ price: Price, _ seconds: Int, size: Quantity = 1000, side: Side = .unknown) -> Trade {
    Trade(symbol: "AAPL", price: price, size: size, time: time(seconds), received: time(seconds), side: side)
  }

  private func quote(_ bid: Price, _ ask: Price, _ seconds: Int, size: Quantity = 1000) -> Quote {
    Quote(symbol: "AAPL", bid: bid, ask: ask, bidSize: size, askSize: size, time: time(seconds), received: time(seconds))
  }

  private func order(_ key: String, _ side: Side, _ quantity: Quantity, limit: Price = 0, _ seconds: Int) -> Order {
    Order(
      account: "paper", key: key, symbol: "AAPL", side: side, type: limit.raw == 0 ? .market : .limit, quantity: quantity, limit: limit,
      timeInForce: .gtc, time: time(seconds), received: time(seconds))
  }

  private let one = "accounts: [{ name: paper, deposit: 10000, fees: { per_order: 1 } }]"

  private func summary(_ records: [BrokerRecord]) -> [String] {
    records.map { record in
      let at = record.received.ns / 1_000_000_000
      switch record.content {
      case .order(let order): return "\(at) order \(order.key) \(order.state.fieldName) \(order.filled)"
      case .fill(let fill):
        return "\(at) fill \(fill.order) \(fill.side.fieldName) \(fill.quantity) at \(fill.price) \(fill.reason.fieldName)"
      case .position(let position): return "\(at) position \(position.quantity) cost \(position.cost) unrealised \(position.unrealised)"
      case .account(let account): return "\(at) account cash \(account.cash) equity \(account.equity)"
      }
    }
  }

  /// Worked out by hand: bought at the ask, marked by the bid and ask's middle, sold at the bid; a fee of 1 for each order.
  @Test func `an order is filled at the touch, and booked`() async throws {
    let feeds = [
      Feed([quote(99, 101, 1), quote(103, 105, 5)]), Feed([order("a", .buy, 10, 2), order("b", .sell, 10, 6)]),
    ]
    let records: [BrokerRecord] = try await PluginHarness().output(
      of: Plugin.paperBroker, options: one + "\nvalue_every: 10s", feeds: feeds)
    #expect(
      summary(records).prefix(5) == [
        "1 account cash 10000 equity 10000", "2 order a working 0", "2 order a filled 10", "2 fill 1 buy 10 at 101 touch",
        "2 position 10 cost 1010 unrealised -10",
      ])
    let fills = records.compactMap { FillsPart.part(of: $0) }
    #expect(fills.map { "\($0.side.fieldName) \($0.price) \($0.realised) \($0.fee)" } == ["buy 101 0 1", "sell 103 20 1"])
    let accounts = records.compactMap { AccountsPart.part(of: $0) }
    #expect(accounts.last?.cash == 10_018)
    #expect(accounts.last?.equity == 10_018)
    #expect(accounts.first?.cash == 10_000)
  }

  @Test func `an order never gets more than what was shown, and waits for the rest`() async throws {
    let feeds = [
      Feed([quote(99, 101, 1, size: 4), quote(99, 101, 3, size: 4), quote(99, 102, 4, size: 4)]), Feed([order("a", .buy, 10, 2)]),
    ]
    let records: [BrokerRecord] = try await PluginHarness().output(of: Plugin.paperBroker, options: one, feeds: feeds)
    let fills = records.compactMap { FillsPart.part(of: $0) }
    // The second quote repeats the first, whose size is used up.
    #expect(fills.map { "\($0.quantity) at \($0.price)" } == ["4 at 101", "4 at 102"])
    #expect(records.compactMap { OrdersPart.part(of: $0) }.last?.state == .partiallyFilled)
  }

  @Test func `positions are valued at the time asked for, not at each price`() async throws {
    let feeds = [Feed([quote(100, 100, 1), quote(110, 110, 3), quote(120, 120, 4), quote(130, 130, 20)]), Feed([order("a", .buy, 10, 2)])]
    let records: [BrokerRecord] = try await PluginHarness().output(
      of: Plugin.paperBroker, options: one + "\nvalue_every: 5s", feeds: feeds)
    let values = records.compactMap { PositionsPart.part(of: $0) }.map { "\($0.received.ns / 1_000_000_000) \($0.unrealised)" }
    // At the fill; 5 s after the first price; and at the end.
    #expect(values == ["2 0", "6 200", "20 300"])
  }

  @Test func `commands trade, and say why not`() async throws {
    let running = try PluginHarness().start(Plugin.paperBroker, options: one, taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    #expect(
      try await running.perform("preview buy AAPL 10")
        == "at 101.00: value 1010.00, fee 1.00; reserves 1011.00; once filled: position 10, cash 8989.00, buying power 8989.00")
    #expect(try await running.perform("buy AAPL 10 key first") == "order 1, key first")
    #expect(try await running.perform("buy AAPL 10 key first") == "already done: order 1, key first")
    #expect(try await running.perform("buy AAPL 10 at 90 gtc key low") == "order 2, key low")
    #expect(try await running.perform("replace low at 91 key higher") == "order 3, replaces order 2, key higher")
    #expect(try await running.perform("cancel 3") == "cancelled order 3")
    // An order is meant by its number or its key; without a key it has a number only.
    #expect(try await running.perform("buy AAPL 2 at 90 gtc") == "order 4")
    #expect(try await running.perform("replace 4 quantity 3") == "order 5, replaces order 4")
    #expect(
      try await running.perform("show").split(separator: "\n") == [
        "account paper\tequity 9989.00 USD\tcash 8989.00\tbuying power 8718.00\trealised 0.00\tunrealised -10.00\tfees 1.00",
        "AAPL\t10\tcost 1010.00\tat 100.00\tvalue 1000.00\tunrealised -10.00\t",
        "order 5\tbuy 3 AAPL\tat 90.00\tgtc\tfilled 0\t\t",
      ])
    #expect(
      try await running.perform("preview sell AAPL 4")
        == "at 99.00: value 396.00, fee 1.00; reserves 1.00; once filled: position 6, cash 9384.00, buying power 9113.00")
    #expect(try await running.perform("cancel 5") == "cancelled order 5")
    for (line, reason) in [
      ("buy AAPL 1000000", "not done: the buying power is not sufficient"), ("buy AAPL ten", "'ten' is not a quantity above zero"),
      ("buy AAPL 1 att 5", "unknown word 'att'; did you mean 'at'?"),
      ("preview buy AAPL 1000000", "at 101.00: value 101000000.00, fee 1.00; it would be rejected: the buying power is not sufficient"),
      ("cancel nothing", "not done: there is no such order"),
      ("cancel 5", "not done: the order is already closed"),
      ("cancel 77", "not done: there is no such order"),
      ("buy AAPL 1 in papr", "no account 'papr'; did you mean 'paper'?"),
      ("sell AAPL", "write 'sell SYMBOL QUANTITY', such as 'sell AAPL 100 at 189.25'"),
    ] {
      do {
        let reply = try await running.perform(line)
        Issue.record("\(line): \(reply)")
      } catch { #expect("\(error)" == reason) }
    }
    #expect(try await running.perform("halt AAPL") == "AAPL is halted")
    let records = await running.output(count: 6)
    #expect(records.compactMap { FillsPart.part(of: $0) }.map(\.price) == [101])
    try await running.stop()
  }

  @Test func `a broker that starts again goes on where it was, and books nothing twice`() async throws {
    let folder = TemporaryFolder()
    let options = one + "\npath: \(folder.file("paper.db"))\nvalue_every: 1h"
    let quotes = [quote(99, 101, 1), quote(103, 105, 5), quote(103, 105, 5), quote(107, 109, 9)]
    let orders = [order("a", .buy, 10, 2), order("b", .sell, 4, 6), order("c", .sell, 6, 10)]
    // The first run ends between two events at one receipt.
    let first: [BrokerRecord] = try await PluginHarness().output(
      of: Plugin.paperBroker, options: options, feeds: [Feed(Array(quotes.prefix(2))), Feed(Array(orders.prefix(2)))])
    let harness = PluginHarness()
    let second: [BrokerRecord] = try await harness.output(of: Plugin.paperBroker, options: options, feeds: [Feed(quotes), Feed(orders)])
    let whole: [BrokerRecord] = try await PluginHarness().output(
      of: Plugin.paperBroker, options: one + "\nvalue_every: 1h", feeds: [Feed(quotes), Feed(orders)])
    let fills = (first + second).compactMap { FillsPart.part(of: $0) }
    #expect(fills == whole.compactMap { FillsPart.part(of: $0) })
    #expect(fills.count == 3)
    #expect(
      (first + second).compactMap { AccountsPart.part(of: $0) }.last?.cash == whole.compactMap { AccountsPart.part(of: $0) }.last?.cash)
    #expect((harness.counter("passed over") ?? 0) > 0)
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }

  /// The same replay twice: the first run has booked all of it.
  @Test func `a replay that was booked trades nothing, and both its start and its end say so`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("paper.db")
    let feeds = { [Feed([quote(99, 101, 1), quote(99, 101, 3)]), Feed([order("a", .buy, 10, 2)])] }
    let options = one + "\npath: \(path)\nvalue_every: 1s"
    let first: [BrokerRecord] = try await PluginHarness().output(of: Plugin.paperBroker, options: options, feeds: feeds())
    let harness = PluginHarness()
    let second: [BrokerRecord] = try await harness.output(of: Plugin.paperBroker, options: options, feeds: feeds())
    #expect(second.compactMap { AccountsPart.part(of: $0) }.last?.cash == first.compactMap { AccountsPart.part(of: $0) }.last?.cash)
    #expect(second.compactMap { FillsPart.part(of: $0) } == [])
    #expect(harness.counter("passed over") == 3)
    #expect(
      harness.log.texts(.notice) == [
        "notice plugin: '\(path)' is booked up to 1970-01-01T00:00:03Z: what was received before is passed over, from 1970-01-01T00:00:01Z on; to begin anew, remove the file"
      ])
    #expect(
      harness.notes == ["nothing was traded: all events were received before 1970-01-01T00:00:03Z, up to which '\(path)' is booked"])
  }

  @Test func `after a run with a clock that was ahead live prices are used at once, and a recording is passed over`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("paper.db")
    let options = one + "\npath: \(path)\nvalue_every: 1h"
    let right = ManualTimekeeper().now
    let wrong = Timestamp(ns: right.ns + 3_600_000_000_000)
    func quote(_ ask: Price, at time: Timestamp) -> Quote {
      Quote(symbol: "AAPL", bid: 90, ask: ask, bidSize: 1000, askSize: 1000, time: time, received: time)
    }
    func run(_ quotes: [Quote], _ line: String, clock: Timestamp) async throws -> (fills: [Fill], harness: PluginHarness) {
      let harness = PluginHarness(clock: ManualTimekeeper(start: clock))
      let running = try harness.start(Plugin.paperBroker, options: options, taking: Quote.self, emitting: BrokerRecord.self)
      #expect(try await running.perform(line).hasPrefix("order "))
      for quote in quotes {
        try await running.send([quote])
        await running.delivered()
      }
      try await running.stop()
      return (running.output.compactMap { FillsPart.part(of: $0) }, harness)
    }
    let ahead = try await run([quote(100, at: wrong)], "buy AAPL 1 gtc", clock: wrong)
    #expect(ahead.fills.map(\.price) == [100] && ahead.harness.log.texts(.warning) == [])
    let warning =
      "warning plugin: '\(path)' is booked up to 2013-10-08T14:30:00Z, which is 1h ahead of this machine's clock: live prices are used at once, a recording is passed over up to then; to begin anew, remove the file"
    // What was received long before now is no live price.
    let recorded = try await run([quote(101, at: Timestamp(ns: right.ns - 60_000_000_000))], "buy AAPL 2 gtc", clock: right)
    #expect(recorded.fills == [] && recorded.harness.counter("passed over") == 1)
    #expect(recorded.harness.log.texts(.warning) == [warning])
    let live = try await run(
      [quote(102, at: right), quote(103, at: Timestamp(ns: right.ns + 1))], "buy AAPL 3 gtc", clock: right)
    #expect(live.fills.map { "\($0.quantity) at \($0.price)" } == ["2 at 102", "3 at 102"])
    #expect(live.harness.counter("passed over") == 0 && live.harness.log.texts(.warning) == [warning])
    #expect(live.fills.map(\.received) == [right, right])
    // The book has the right time again.
    #expect(try TradingReader(path).saved()?.position.time == Timestamp(ns: right.ns + 1))
  }

  /// Another program locks the file: what was asked for meanwhile has not happened, prices wait, and then all goes on.
  @Test func `while the file is locked orders are refused at once, prices wait, and nothing is lost`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("paper.db")
    let harness = PluginHarness()
    let running = try harness.start(
      Plugin.paperBroker, options: one + "\npath: \(path)\nvalue_every: 1h", taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    #expect(try await running.perform("buy AAPL 10 at 95 gtc key low") == "order 1, key low")
    let other = try SQLiteConnection(path, .writing)
    try other.execute("BEGIN EXCLUSIVE")
    let refusal = CommandError.busy("not done: '\(path)' is locked by another program; try again later")
    await #expect(throws: refusal) { try await running.perform("buy AAPL 10 key second") }
    // A question is answered, and does not show that writing works again.
    #expect(try await running.perform("show").hasPrefix("account paper\t"))
    #expect(harness.trouble == "'\(path)' is locked by another program" && harness.log.texts(.notice) == [])
    // Fills the waiting order.
    try await running.send([quote(94, 95, 2)])
    await harness.clock.waitForSleeper(until: .milliseconds(100))
    await #expect(throws: refusal) { try await running.perform("cancel 1") }
    await #expect(throws: refusal) { try await running.perform("buy AAPL 10 key third") }
    #expect(!running.output.contains { FillsPart.part(of: $0) != nil })
    try other.execute("ROLLBACK")
    // Orders are taken at once then, prices with the next attempt.
    #expect(try await running.perform("buy AAPL 10 key third") == "order 2, key third")
    #expect(harness.trouble == nil)
    harness.clock.advance(by: .milliseconds(100))
    await running.delivered()
    try await running.stop()
    #expect(running.output.compactMap { FillsPart.part(of: $0) }.map { "\($0.order) \($0.price)" } == ["1 95", "2 95"])
    #expect(try TradingReader(path).history(of: "paper").fills.count == 2)
    #expect(harness.lost == 0)
    try other.close()
  }

  @Test func `a lock that lasts longer than patience ends the broker, and what is not kept is lost by number`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("paper.db")
    let harness = PluginHarness()
    let running = try harness.start(
      Plugin.paperBroker, options: one + "\npath: \(path)\nvalue_every: 1h\npatience: 3s", taking: Quote.self,
      emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    let other = try SQLiteConnection(path, .writing)
    #expect(try await running.perform("buy AAPL 10 at 95 gtc") == "order 1")
    try other.execute("BEGIN EXCLUSIVE")
    try await running.send([quote(94, 95, 2)])
    _ = await harness.clock.running { await #expect(throws: EnvironmentFailure.self) { try await running.stop() } }
    // The order, its fill, the position and the account.
    #expect(harness.lost == 4)
    try other.close()
  }

  @Test func `a file that has gone is noticed within a second, and no order is taken that is not kept`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("paper.db")
    let harness = PluginHarness()
    let running = try harness.start(
      Plugin.paperBroker, options: one + "\npath: \(path)\nvalue_every: 1h\npatience: 3s", taking: Quote.self,
      emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    await harness.clock.waitForSleeper(until: .seconds(1))
    let reason = "'\(path)' is not the file that was opened: another file has taken its place"
    let refusal = CommandError.busy("not done: \(reason); try again later")
    rename(folder.file("paper.db"), folder.file("aside.db"))
    folder.put("", in: "paper.db")
    await #expect(throws: refusal) { try await running.perform("buy AAPL 10 key a") }
    rename(folder.file("aside.db"), folder.file("paper.db"))
    #expect(try await running.perform("buy AAPL 10 key a") == "order 1, key a")
    #expect(harness.trouble == nil)
    rename(folder.file("paper.db"), folder.file("aside.db"))
    folder.put("", in: "paper.db")
    harness.clock.advance(by: .seconds(1))
    await harness.clock.waitForSleeper(until: .seconds(2))
    #expect(harness.trouble == reason)
    await #expect(throws: refusal) { try await running.perform("buy AAPL 10 key b") }
    // An order that was taken is not said to be kept either.
    await #expect(throws: refusal) { try await running.perform("buy AAPL 10 key a") }
    _ = await harness.clock.running { await #expect(throws: DrainError.self) { try await running.stop() } }
    #expect(harness.log.lines.contains { $0.description.contains("another file has taken its place") })
  }

  @Test func `another deposit for an account that is in the file is said to do nothing`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("paper.db")
    let harness = PluginHarness()
    for deposit in [10_000, 10_000, 20_000] {
      #expect(harness.log.texts(.warning).isEmpty)
      let _: [BrokerRecord] = try await harness.output(
        of: Plugin.paperBroker, options: "path: \(path)\naccounts: [{ name: paper, deposit: \(deposit) }]",
        feeds: [Feed([trade(100, 1)]), Feed([order("a", .buy, 1, 2)])])
    }
    #expect(
      harness.log.texts(.warning) == [
        "warning plugin: account 'paper': 'deposit: 20000' has no effect, because '\(path)' already has the account with a deposit of 10000; to start again, remove the file"
      ])
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }

  /// Without a file the next instance of the run goes on with accounts, positions and open orders.
  @Test func `another instance goes on with what the first one had`() async throws {
    let running = try PluginHarness().start(Plugin.paperBroker, options: one, taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    _ = try await running.perform("buy AAPL 10 key first")
    _ = try await running.perform("buy AAPL 5 at 90 gtc key low")
    try await running.replace(options: one + "\nvalue_every: 1h")
    try await running.send([quote(88, 89, 2)])
    await running.delivered()
    #expect(try await running.perform("buy AAPL 10 key first") == "already done: order 1, key first")
    try await running.stop()
    let fills = running.output.compactMap { FillsPart.part(of: $0) }
    #expect(fills.map { "\($0.number) \($0.quantity) at \($0.price)" } == ["1 10 at 101", "2 5 at 89"])
  }

  /// They are not sent again, because files of fills would have them twice; who has begun later asks for them.
  @Test func `the fills of runs before can be asked for`() async throws {
    let folder = TemporaryFolder()
    let options =
      "path: \(folder.file("paper.db"))\naccounts: [{ name: one, deposit: 10000 }, { name: two, deposit: 10000 }]"
    let running = try PluginHarness().start(Plugin.paperBroker, options: options, taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    for account in ["one", "two", "one"] { _ = try await running.perform("buy AAPL 1 in \(account)") }
    try await running.stop()
    let told = running.output.compactMap { FillsPart.part(of: $0) }

    let again = try PluginHarness().start(Plugin.paperBroker, options: options, taking: Quote.self, emitting: BrokerRecord.self)
    try await again.send([quote(99, 101, 2)])
    await again.delivered()
    #expect(try await again.perform("fills") == told.map { Fill.schema.json($0) }.joined(separator: "\n"))
    #expect(try await again.perform("fills in two") == Fill.schema.json(told[1]))
    #expect(try await again.perform("fills in three") == "")
    try await again.stop()
    #expect(again.output.compactMap { FillsPart.part(of: $0) } == [])
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }

  /// Opened by a command, kept, and with what was saved even where the terms have changed meanwhile.
  @Test func `newcomers get an account with the terms of another`() async throws {
    let folder = TemporaryFolder()
    let terms = "path: \(folder.file("paper.db"))\nnewcomers: paper\naccounts: [{ name: paper, deposit: DEPOSIT, fees: { per_order: 1 } }]"
    let options = terms.replacing("DEPOSIT", with: "10000")
    let running = try PluginHarness().start(Plugin.paperBroker, options: options, taking: Quote.self, emitting: BrokerRecord.self)
    try await running.send([quote(99, 101, 1)])
    await running.delivered()
    await #expect(throws: CommandError.refused("no account 'hannah'")) { try await running.perform("buy AAPL 10 in hannah") }
    #expect(try await running.perform("open hannah") == "account hannah is open, with 10000.00 USD")
    #expect(try await running.perform("open hannah") == "account hannah is open already")
    #expect(try await running.perform("buy AAPL 10 in hannah") == "order 1")
    await #expect(throws: CommandError.refused("which account? write 'in paper' at the end")) { try await running.perform("show") }
    // It needs no account, however many there are.
    #expect(try await running.perform("halt AAPL") == "AAPL is halted")
    try await running.stop()

    let again = try PluginHarness().start(
      Plugin.paperBroker, options: terms.replacing("DEPOSIT", with: "20000"), taking: Quote.self, emitting: BrokerRecord.self)
    try await again.send([quote(99, 101, 1)])
    await again.delivered()
    #expect(
      try await again.perform("show in hannah").hasPrefix("account hannah\tequity 9989.00 USD\tcash 8989.00\tbuying power 8989.00\t"))
    #expect(try await again.perform("open otto") == "account otto is open, with 20000.00 USD")
    try await again.stop()
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }

  @Test func `without newcomers no account is opened`() async throws {
    let running = try PluginHarness().start(Plugin.paperBroker, options: one, taking: Quote.self, emitting: BrokerRecord.self)
    await #expect(throws: CommandError.refused("accounts cannot be opened: 'newcomers' does not name the account whose terms they get")) {
      try await running.perform("open hannah")
    }
    try await running.stop()
    do {
      _ = try PluginHarness().start(
        Plugin.paperBroker, options: one + "\nnewcomers: papre", taking: Quote.self, emitting: BrokerRecord.self)
      Issue.record("accepted")
    } catch { #expect("\(error)" == "options.yaml:2:1: error: no account 'papre'; did you mean 'paper'?") }
  }

  @Test func `keeps the contract`() async {
    #expect(await checkContract(.paperBroker, options: one) == [])
  }
}
