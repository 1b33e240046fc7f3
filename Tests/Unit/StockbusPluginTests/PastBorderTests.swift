import MarketData
import StockbusPlugin
import Testing

@Suite struct PastBorderTests {
  private func trade(_ symbol: Symbol, _ seconds: Int64) -> Trade {
    Trade(symbol: symbol, price: 1, size: 1, time: Timestamp(ns: seconds * 1_000_000_000), received: Timestamp(ns: 99))
  }

  @Test func `what is before the end of a symbol's past was in there, and at that time as many as it had`() {
    let registry = CounterRegistry()
    let context = context(counters: registry)
    context.remember(
      PastEnd(symbols: [
        .init(symbol: "A", time: Timestamp(ns: 5_000_000_000), count: 2), .init(symbol: "B", time: Timestamp(ns: 3_000_000_000), count: 1),
      ]), PastEnd.memory)
    var border = PastBorder(context)
    func admitted(_ symbol: Symbol, _ seconds: Int64) -> Bool { border.admits(trade(symbol, seconds)) }
    #expect(!admitted("A", 4))
    #expect(!admitted("A", 5))
    #expect(!admitted("A", 5))
    // The third at that time was not in there.
    #expect(admitted("A", 5))
    #expect(!admitted("A", 1))
    #expect(admitted("C", 1))
    #expect(admitted("A", 6))
    // From now on its times are its own.
    #expect(admitted("A", 5))
    #expect(!border.isOver)
    #expect(!admitted("B", 3))
    #expect(admitted("B", 4))
    #expect(border.isOver)
    #expect(registry.entries.map(\.name) == ["doubles"] && registry.entries[0].counter.total == 5)
  }

  @Test func `without a past everything passes, and nothing is counted`() {
    let registry = CounterRegistry()
    var border = PastBorder(context(counters: registry))
    let admits = border.admits(trade("A", 1))
    #expect(border.isOver && admits && registry.entries.isEmpty)
  }
}
