internal import Measuring
internal import Movers
internal import StockbusPlugin

extension MarketBench {
  /// The lists of gainers, losers and most active, of trades whose prices change by small steps or jump anywhere.
  ///
  /// The result is compared with all symbols sorted at the end. For that, and for leaving out the first price of each symbol, two lives are
  /// measured: the difference is what the updates take.
  static func movers(_ count: Int, symbols symbolCount: Int, options: String, jumps: Bool) async throws {
    let symbols = try Workload.symbols(symbolCount)
    let trades = Workload.trades(symbolCount + count, symbols: symbols, jumps: jumps)
    var lives: [Double] = []
    var isRight = true
    for events in [symbolCount, trades.count] {
      let (topic, fill) = filled(Array(trades[..<events]))
      let subject = try Subject(.movers, options: options, reading: [topic], outputCapacity: 1 << 21)
      let reader = try subject.reader(of: Mover.self)
      fill()
      lives.append(try await seconds { try await subject.live() })
      var lists: [MoverList: [Symbol: UInt32]] = [:]
      reader.results { mover in lists[mover.list, default: [:]][mover.symbol] = mover.rank }
      let found = lists.mapValues { list in list.filter { $0.value > 0 }.sorted { $0.value < $1.value }.map(\.key) }
      isRight = isRight && subject.done == events && found == expected(trades[..<events]).filter { !$0.value.isEmpty }
    }
    var report = Report()
    report.add("cpu", lives[1] - lives[0])
    report.add("events", count)
    report.add("right", isRight)
    report.print()
  }

  /// The twenty best of each list, with the first price as what is compared with.
  private static func expected(_ trades: ArraySlice<Trade>) -> [MoverList: [Symbol]] {
    struct State {
      let first: Price
      var last: Price
      var volume: Int64 = 0
      var percent: Percent { Percent.change(from: first, to: last) ?? 0 }
    }
    var states: [Symbol: State] = [:]
    var order: [Symbol] = []
    for trade in trades {
      if states[trade.symbol] == nil {
        order.append(trade.symbol)
        states[trade.symbol] = State(first: trade.price, last: trade.price)
      }
      states[trade.symbol]!.last = trade.price
      states[trade.symbol]!.volume += trade.size.raw
    }
    func best(_ key: (State) -> Int64) -> [Symbol] {
      let keys = order.enumerated().map { (key(states[$0.element]!), $0.offset, $0.element) }.filter { $0.0 > 0 }
      return keys.sorted { ($1.0, $0.1) < ($0.0, $1.1) }.prefix(20).map(\.2)
    }
    return [.gainers: best { $0.percent.raw }, .losers: best { -$0.percent.raw }, .active: best { $0.volume }]
  }
}
