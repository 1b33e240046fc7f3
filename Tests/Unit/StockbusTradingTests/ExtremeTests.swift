import MarketData
import TestSupport
import StockbusTrading
import Testing

/// Numbers from the whole range: nothing traps or hangs, and what is booked stays exact.
@Suite struct ExtremeTests {
  private struct Numbers {
    var random: SplitMix

    mutating func any() -> Int64 {
      switch random.upTo(5) {
      case 0: [.min, .min + 1, -1, 0, 1, .max - 1, .max].randomElement(using: &random)!
      case 1: Int64(truncatingIfNeeded: random.next())
      default: (Int64(truncatingIfNeeded: random.next()) & .max) >> Int64(random.upTo(62))
      }
    }

    mutating func time() -> Timestamp { Timestamp(ns: random.oneIn(20) ? any() : Int64(random.upTo(1_000_000))) }
    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
  }

  @Test func `any numbers at all leave the books exact`() throws {
    for seed in 0..<rounds(30, cost: 100) {
      var numbers = Numbers(random: SplitMix(seed))
      var broker = Broker(BrokerRules(openOrders: 50, keys: 100))
      var out = Outcomes()
      let accounts: [Symbol] = ["a", "b"]
      let symbols: [Symbol] = ["X", "Y", "Z"]
      for account in accounts {
        let fees = FeeRule(
          perUnit: Price(raw: max(0, numbers.any())), perOrder: Price(raw: max(0, numbers.any())),
          rate: Percent(raw: max(0, numbers.any())),
          decimals: UInt8(truncatingIfNeeded: numbers.any()))
        let margin = MarginRule(
          long: Percent(raw: max(1, numbers.any())), short: numbers.random.oneIn(3) ? nil : Percent(raw: max(1, numbers.any())))
        let rich = Amount(raw: Int128(max(0, numbers.any())) * Int128(max(0, numbers.any())))
        try broker.open(
          AccountRules(
            account, currency: "USD", deposit: numbers.random.oneIn(4) ? Amount(raw: .max) : rich, margin: margin,
            fees: numbers.random.oneIn(2) ? FeeRule() : fees, slippage: UInt16(truncatingIfNeeded: numbers.any())), at: numbers.time(),
          into: &out)
      }
      for symbol in symbols.dropLast() {
        try broker.define(
          symbol,
          TradingTerms(
            lot: Quantity(raw: numbers.random.oneIn(2) ? 1 : max(1, numbers.any())), tick: Price(raw: max(0, numbers.any())),
            multiplier: numbers.random.oneIn(2) ? 1 : Quantity(raw: max(1, numbers.any())), market: numbers.random.upTo(2)))
      }
      for step in 0..<300 {
        let symbol = numbers.pick(symbols)
        let (time, received) = (numbers.time(), numbers.time())
        switch numbers.random.upTo(11) {
        case 0, 1, 2:
          broker.take(
            quote: Quote(
              symbol: symbol, bid: Price(raw: numbers.any()), ask: Price(raw: numbers.any()), bidSize: Quantity(raw: numbers.any()),
              askSize: Quantity(raw: numbers.any()), time: time, received: received), into: &out)
        case 3, 4:
          broker.take(
            trade: Trade(
              symbol: symbol, price: Price(raw: numbers.any()), size: Quantity(raw: numbers.any()), time: time, received: received,
              side: numbers.pick(Side.allCases)), into: &out)
        case 5, 6, 7:
          let type = numbers.pick(OrderType.allCases)
          let order = Order(
            account: numbers.pick(accounts), key: "\(numbers.random.upTo(step))", symbol: symbol, side: numbers.pick([.buy, .sell]),
            type: type,
            quantity: Quantity(raw: numbers.any()), limit: type == .limit || type == .stopLimit ? Price(raw: numbers.any()) : 0,
            stop: type == .stop || type == .stopLimit ? Price(raw: numbers.any()) : 0,
            trail: type == .trailingStop && step % 2 == 0 ? Price(raw: numbers.any()) : 0,
            trailPercent: type == .trailingStop && step % 2 == 1 ? Percent(raw: numbers.any()) : 0,
            timeInForce: numbers.pick(TimeInForce.allCases), replaces: numbers.random.oneIn(5) ? "\(numbers.random.upTo(step))" : "",
            time: time, received: received)
          _ = broker.estimate(order)
          broker.submit(order, into: &out)
        case 8:
          if numbers.random.oneIn(2) {
            broker.halt(symbol, at: received, into: &out)
          } else {
            broker.resume(symbol, at: received, into: &out)
          }
        case 9:
          let market = numbers.random.upTo(2)
          if numbers.random.oneIn(3) {
            try broker.close(market: market, isBreak: numbers.random.oneIn(2), at: received, into: &out)
          } else {
            try broker.open(market: market, until: numbers.random.oneIn(2) ? nil : numbers.time(), at: received, into: &out)
          }
        case 10:
          let (new, old) = (Int64(numbers.random.upTo(20)), Int64(numbers.random.upTo(20)))
          do throws(BrokerError) { try broker.split(symbol, new: new, old: old, at: received, into: &out) } catch { continue }
        default:
          broker.advance(to: received, into: &out)
          broker.revalue(at: received, into: &out)
          broker.reportTrails(at: received, into: &out)
        }
        for account in accounts {
          let state = broker.state(of: account)!
          let cost = symbols.reduce(Int128(0)) { $0 + (broker.position(of: account, in: $1)?.cost.raw ?? 0) / 4 }
          // In quarters, because the sums may be out of range.
          let difference = state.cash.raw / 4 + cost - (state.deposits.raw / 4 + state.realised.raw / 4 - state.fees.raw / 4)
          #expect(difference.magnitude < 8, "seed \(seed), step \(step)")
        }
      }
      for order in out.orders {
        #expect(order.filled.raw >= 0 && order.filled <= order.quantity || order.state == .rejected)
      }
      for fill in out.fills { #expect(fill.quantity.raw > 0 && fill.price.raw > 0 && fill.shown.raw > 0) }
      let snapshot = broker.snapshot()
      #expect(snapshot.orders.count == broker.openOrders)
    }
  }

  @Test func `progress without end leaves sessions open that have no end`() throws {
    var desk = try Desk()
    desk.submit("day", .buy, "1", .limit, limit: "1", for: .day)
    desk.out.clear()
    desk.broker.advance(to: Timestamp(ns: .max), into: &desk.out)
    #expect(desk.happened() == [])
    try desk.broker.open(market: 0, until: Timestamp(ns: 5), at: Timestamp(ns: 0), into: &desk.out)
    desk.broker.advance(to: Timestamp(ns: .max), into: &desk.out)
    #expect(desk.happened() == ["order 1: expired sessionEnd"])
  }
}
