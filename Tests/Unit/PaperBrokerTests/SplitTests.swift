import TestSupport
import StockbusPlugin
import StockbusTestKit
import StockbusTrading
import Testing

@testable import PaperBroker

/// Splits of the instruments' files, worked out by hand. A trading date begins at 4:00 in New York.
@Suite struct SplitTests {
  @Test func `AAPL's seven for one is applied when its date begins, before what is received then`() async throws {
    // A Friday, and the Monday of the split; New York is four hours behind UTC.
    let records = try await InstrumentDesk("AAPL,us_equities,0.01,1,USD,2014-06-09 7:1").run(
      Feed([
        try trade(645, "2014-06-06T14:00:00Z"), try trade(645, "2014-06-06T14:00:02Z"),
        try trade(644, "2014-06-06T19:00:00Z", side: .buy), try trade(91, "2014-06-09T13:30:00Z", size: 50, side: .sell),
      ]),
      Feed([
        try order("have", .buy, 10, .gtc, "2014-06-06T14:00:01Z"), try order("more", .buy, 10, limit: 640, .gtc, "2014-06-06T14:00:03Z"),
      ]))
    #expect(
      InstrumentDesk.summary(records) == [
        "2014-06-06T14:00:01Z order have working", "2014-06-06T14:00:02Z order have filled",
        "2014-06-06T14:00:02Z fill 1 buy 10 at 645 next_trade", "2014-06-06T14:00:03Z order more working",
        "2014-06-09T08:00:00Z order more working split", "2014-06-09T13:30:00Z order more partially_filled",
        "2014-06-09T13:30:00Z fill 2 buy 50 at 91 limit_trade",
      ])
    let split = records.first { $0.received.description == "2014-06-09T08:00:00Z" }.flatMap { OrdersPart.part(of: $0) }
    #expect(split?.quantity == 70)
    // 640 / 7 = 91.428…, rounded down to ticks.
    #expect(split?.limit == (try Price("91.42")))
    let positions = records.compactMap { PositionsPart.part(of: $0) }
    let after = try #require(positions.first { $0.received.description == "2014-06-09T08:00:00Z" })
    #expect(after.quantity == 70)
    #expect(after.cost == 6450)
    // 644 / 7 = 92, and 70 of them.
    #expect(after.mark == 92)
    #expect(after.value == 6440)
    #expect(positions.last?.quantity == 120)
  }

  @Test func `AIG's one for twenty pays the fraction out, once, however often the run starts again`() async throws {
    let folder = TemporaryFolder()
    var desk = InstrumentDesk("AIG,us_equities,0.01,1,USD,2009-07-01 1:20")
    desk.options += "\npath: \(folder.file("paper.db"))"
    let prices = [
      try trade(1, "2009-06-30T14:00:00Z", "AIG"), try trade(1, "2009-06-30T14:00:02Z", "AIG"),
      try trade(2, "2009-06-30T19:00:00Z", "AIG"), try trade(40, "2009-07-01T13:30:00Z", "AIG"),
      try trade(41, "2009-07-01T13:30:02Z", "AIG"),
    ]
    let orders = [
      try order("have", .buy, 110, .gtc, "2009-06-30T14:00:01Z", "AIG"), try order("rest", .sell, 5, .gtc, "2009-07-01T13:30:01Z", "AIG"),
    ]
    var records: [BrokerRecord] = []
    for count in [3, 4, 4, 5] {
      records += try await desk.run(Feed(Array(prices.prefix(count))), Feed(Array(orders.prefix(count == 5 ? 2 : 1))))
    }
    // 5.5 shares are left: half a share at 2 × 20.
    #expect(
      InstrumentDesk.summary(records).filter { $0.contains("fill ") } == [
        "2009-06-30T14:00:02Z fill 1 buy 110 at 1 next_trade", "2009-07-01T08:00:00Z fill 0 sell 0.5 at 40 cash_in_lieu",
        "2009-07-01T13:30:02Z fill 2 sell 5 at 41 next_trade",
      ])
    let last = try #require(records.compactMap { AccountsPart.part(of: $0) }.last)
    // 100,000 - 110 + 20 + 205, all of it realised.
    #expect(last.cash == 100_115)
    #expect(last.realised == 115)
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }

  /// Without a calendar a date begins at midnight in UTC; a date on which nothing is traded is that of the next session.
  @Test(arguments: [("", "2014-06-07T00:00:00Z"), ("us_equities", "2014-06-09T08:00:00Z"), ("24/7", "2014-06-07T00:00:00Z")])
  func `a split on a Saturday`(calendar: String, expected: String) async throws {
    let records = try await InstrumentDesk("AAPL,\(calendar),0.01,1,USD,2014-06-07 2:1").run(
      Feed([try quote(100, 100, "2014-06-06T15:00:00Z"), try quote(50, 50, "2014-06-10T15:00:00Z")]),
      Feed([try order("have", .buy, 10, .gtc, "2014-06-06T15:00:01Z")]))
    let doubled = records.compactMap { PositionsPart.part(of: $0) }.first { $0.quantity == 20 }
    #expect(doubled?.received.description == expected)
    #expect(doubled?.mark == 50)
  }

  @Test func `a split that leaves the range halts the instrument and says so`() async throws {
    let desk = InstrumentDesk("AAPL,,0.000000001,1,USD,2014-06-07 1000000:1")
    let harness = desk.harness()
    let penny = try Price("0.000001")
    let feeds = [
      Feed([
        try trade(penny, "2014-06-06T15:00:00Z"), try trade(penny, "2014-06-06T15:00:02Z", size: 9_000_000),
        try trade(penny, "2014-06-07T15:00:00Z"), try trade(penny, "2014-06-07T15:00:02Z"),
      ]),
      Feed([
        try order("have", .buy, 9_000_000, .gtc, "2014-06-06T15:00:01Z"), try order("sell", .sell, 1, .gtc, "2014-06-07T15:00:01Z"),
      ]),
    ]
    let records: [BrokerRecord] = try await harness.output(of: Plugin.paperBroker, options: desk.options, feeds: feeds)
    #expect(records.compactMap { FillsPart.part(of: $0) }.count == 1)
    #expect(
      harness.log.lines.contains {
        $0.message.contains("split of 'AAPL': the position of 'paper' would be out of range; trading in it is halted")
      })
  }

  // MARK: Any stream

  private struct Stream {
    var trades: [Trade] = []
    var orders: [Order] = []
  }

  /// Three symbols over six days with splits, by minutes; the account is long and short.
  private func stream(_ seed: Int) throws -> Stream {
    var random = SplitMix(seed)
    var result = Stream()
    var now = try time("2014-06-05T13:00:00Z").ns
    let symbols: [Symbol] = ["A", "B", "C"]
    for number in 0..<400 {
      now += Int64(1 + random.upTo(40)) * 60_000_000_000
      let symbol = symbols[random.upTo(2)]
      let at = Timestamp(ns: now)
      result.trades.append(
        Trade(
          symbol: symbol, price: Price(raw: Int64(9000 + random.upTo(2000)) * 10_000_000),
          size: Quantity(raw: Int64(random.upTo(50)) * 1_000_000_000),
          time: at, received: at, side: [.unknown, .buy, .sell][random.upTo(2)]))
      guard random.oneIn(2) else { continue }
      let limit = random.oneIn(2) ? Price(raw: Int64(9000 + random.upTo(2000)) * 10_000_000) : 0
      result.orders.append(
        Order(
          account: "paper", key: "\(number)", symbol: symbols[random.upTo(2)], side: random.oneIn(2) ? .buy : .sell,
          type: limit.raw == 0 ? .market : .limit, quantity: Quantity(raw: Int64(1 + random.upTo(20)) * 1_000_000_000), limit: limit,
          timeInForce: TimeInForce.allCases[random.upTo(2)], time: at, received: at))
    }
    return result
  }

  private var desk: InstrumentDesk {
    InstrumentDesk(
      "A,us_equities,0.01,1,USD,2014-06-06 7:1; 2014-06-10 1:3", "B,24/7,0.01,1,USD,2014-06-07 2:3", "C,,0.01,1,USD,2014-06-08 1:20")
  }

  /// What a run cut short and begun anew books is what the run books as a whole: fills, the last state of each order, money. And cash and
  /// the cost of all positions are what was paid in, booked and charged.
  @Test(arguments: 0..<rounds(12))
  func `a run that starts again in the middle books the same`(seed: Int) async throws {
    let stream = try stream(seed)
    var desk = desk
    desk.options =
      "accounts: [{ name: paper, deposit: 100000, margin: { long: 50%, short_margin: 50% }, fees: { per_order: 1 } }]\nvalue_every: 1h"
    let whole = try await desk.run(Feed(stream.trades), Feed(stream.orders))
    let folder = TemporaryFolder()
    desk.options += "\npath: \(folder.file("paper.db"))"
    var random = SplitMix(seed + 1000)
    var parts: [BrokerRecord] = []
    var cut = 0
    while cut < stream.trades.count {
      cut = min(stream.trades.count, cut + 1 + random.upTo(150))
      let until = stream.trades[cut - 1].received
      // Between the last price and the orders at its moment, or after them.
      let isBetween = cut < stream.trades.count && random.oneIn(2)
      let orders = stream.orders.filter { isBetween ? $0.received < until : $0.received <= until }
      parts += try await desk.run(Feed(Array(stream.trades.prefix(cut))), Feed(orders))
    }
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
    #expect(parts.compactMap { FillsPart.part(of: $0) } == whole.compactMap { FillsPart.part(of: $0) })
    #expect(lastOrders(parts) == lastOrders(whole))
    let account = try #require(whole.compactMap { AccountsPart.part(of: $0) }.last)
    let resumed = try #require(parts.compactMap { AccountsPart.part(of: $0) }.last)
    #expect(resumed.cash == account.cash && resumed.realised == account.realised && resumed.fees == account.fees)
    var costs: [Symbol: Amount] = [:]
    for position in whole.compactMap({ PositionsPart.part(of: $0) }) { costs[position.symbol] = position.cost }
    let cost = try costs.values.reduce(Amount.zero) { try #require($0.adding($1)) }
    #expect(account.cash.adding(cost) == account.deposits.adding(account.realised)?.subtracting(account.fees))
  }

  private func lastOrders(_ records: [BrokerRecord]) -> [Int64: Order] {
    var result: [Int64: Order] = [:]
    for order in records.compactMap({ OrdersPart.part(of: $0) }) { result[order.number] = order }
    return result
  }
}
