internal import Measuring
internal import PaperBroker
internal import StockbusPlugin
internal import StockbusTrading

extension MarketBench {
  /// Quotes of a symbol with many resting orders, none of which is reached: limits on both sides or, with `trails`, stops that follow a
  /// price that rises again and again. Stops that have moved are sent when everything is valued: never, or with `told` once a minute, in
  /// which 60,000 quotes come.
  ///
  /// Two lives are measured: the difference is what the quotes take. A third one, with fewer quotes, is read: every order has to be open at
  /// its end, and nothing filled.
  static func broker(quotes count: Int, orders orderCount: Int, trails: Bool, told: Bool) async throws {
    let orders = Workload.orders(orderCount, trails: trails)
    let quotes = Workload.quotes(1 + count, rising: trails)
    func life(_ events: Int, readBy read: ((BrokerRecord) -> Void)? = nil) async throws -> Double {
      let (quoteTopic, fillQuotes) = filled(Array(quotes[..<events]))
      let (orderTopic, fillOrders) = filled(orders)
      let subject = try Subject(
        .paperBroker,
        options: "{ open_orders: \(orderCount), value_every: \(told ? "1m" : "24h"), accounts: [{ name: paper, deposit: 1000000000 }] }",
        reading: [quoteTopic, orderTopic], outputCapacity: read == nil ? 1 << 13 : 1 << 20)
      let reader = try read.map { _ in try subject.reader(of: BrokerRecord.self) }
      fillQuotes()
      fillOrders()
      let took = try await seconds { try await subject.live() }
      guard subject.done == events else { throw HotPathError("\(subject.done) of \(events) quotes") }
      if let read { reader?.results(read) }
      return took
    }
    let (short, long) = (try await life(1), try await life(1 + count))
    var states: [Int64: OrderState] = [:]
    var fills = 0
    _ = try await life(1 + min(count, 200_000)) { record in
      switch record.content {
      case .order(let order): states[order.number] = order.state
      case .fill: fills += 1
      default: break
      }
    }
    var report = Report()
    report.add("cpu", long - short)
    report.add("events", count)
    report.add("right", fills == 0 && states.count == orderCount && states.values.allSatisfy(\.isOpen))
    report.print()
  }
}

extension Workload {
  private static let begin: Int64 = 1_719_840_600_000_000_000

  /// A quote each millisecond, a cent wide. The bid is between 100.00 and 100.49, or rises by up to a cent in steps of a thousandth.
  static func quotes(_ count: Int, rising: Bool) -> [Quote] {
    let symbol: Symbol = "AAPL"
    var random = RandomStream(seed: 11)
    var mills: Int64 = 100_000
    return (0..<count).map { i in
      if rising {
        mills += Int64.random(in: -4...5, using: &random)
      } else {
        mills = 100_000 + Int64.random(in: 0...49, using: &random) * 10
      }
      let time = Timestamp(ns: begin + 1_000_000_000 + Int64(i) * 1_000_000)
      return Quote(
        symbol: symbol, bid: Price(raw: mills * 1_000_000), ask: Price(raw: (mills + 10) * 1_000_000), bidSize: 100, askSize: 100,
        time: time, received: time)
    }
  }

  /// Limits from 99.99 downwards and from 101.00 upwards by the cent, or sales with stops that trail by 50.00 and more.
  static func orders(_ count: Int, trails: Bool) -> [Order] {
    let (account, symbol): (Symbol, Symbol) = ("paper", "AAPL")
    let time = Timestamp(ns: begin)
    return (0..<count).map { i in
      let cents = Int64(i / 2 % 5000)
      let side: Side = i % 2 == 0 ? .buy : .sell
      if trails {
        return Order(
          account: account, key: "o\(i)", symbol: symbol, side: .sell, type: .trailingStop, quantity: 1,
          trail: Price(raw: (5000 + cents) * 10_000_000), timeInForce: .gtc, time: time, received: time)
      }
      return Order(
        account: account, key: "o\(i)", symbol: symbol, side: side, type: .limit, quantity: 1,
        limit: Price(raw: (side == .buy ? 9999 - cents : 10_100 + cents) * 10_000_000), timeInForce: .gtc, time: time, received: time)
    }
  }
}
