import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusViewing

/// Columns beside events in a table: which values a row has, what they are called, sorted and filtered by, and how they are written.
@Suite struct RowColumnTests {
  private let layout = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("hot", .flag)])

  private func market(_ reader: ColumnReader<Trade>) -> Market {
    var market = Market()
    market.keep(reader.columns)
    return market
  }

  private func values(_ market: Market, _ symbol: Symbol) -> [Int64?] {
    market.place(of: symbol).map { at in market.columns.columns.indices.map { market.beside?[at, $0] } } ?? []
  }

  @Test func `a row has the values of its last event, and none where that has none`() {
    let reader = ColumnReader<Trade>(layout)
    var market = market(reader)
    reader.read([trade("A", 10), trade("B", 20), trade("A", 11)], [[7, 1], [8, nil], [9, 0]]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [9, 0])
    #expect(values(market, "B") == [8, nil])
    reader.read([trade("A", 12)], [[nil, 1]]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [nil, 1])
    #expect(values(market, "B") == [8, nil])
    market.beginRun()
    #expect(values(market, "B") == [nil, nil])
  }

  @Test func `a trade whose price does not count changes no value`() {
    let reader = ColumnReader<Trade>(layout)
    var market = market(reader)
    var odd = trade("A", 99)
    odd.condition = .oddLot
    reader.read([trade("A", 10), odd], [[7, 1], [8, 0]]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [7, 1])
  }

  @Test func `an input without a column leaves what another one has told`() {
    let all = ColumnLayout(layout.columns + [ColumnInfo("spread", .number)])
    let reader = ColumnReader<Trade>(layout, among: all)
    var market = market(reader)
    let quotes = reader.other(Quote.self, ColumnLayout([ColumnInfo("spread", .number)]))
    let quote = Quote(symbol: "A", bid: 9, ask: 11, bidSize: 1, askSize: 1, time: Timestamp(ns: opening), received: Timestamp(ns: opening))
    let bars = reader.other(Bar.self, ColumnLayout())
    reader.read([trade("A", 10)], [[7, 1]]) { market.take($0, at: 0) }
    quotes.read([quote], [[2]]) { market.take($0, at: 0) }
    bars.read([bar(at: 0)]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [7, 1, 2])
  }

  @Test func `a bar of trades that were shown before, and a symbol that leaves a ranking, change no value`() {
    let reader = ColumnReader<Trade>(layout)
    var market = market(reader)
    let bars = reader.other(Bar.self, layout)
    reader.read([trade("A", 10)], [[7, 1]]) { market.take($0, at: 0) }
    bars.read([bar(at: -60)], [[8, 0]]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [7, 1])
    bars.read([bar(at: 60)], [[9, 0]]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [9, 0])
    let ranks = reader.other(Ranked.self, layout)
    ranks.read([rank(1), rank(0)], [[10, 1], [11, 0]]) { market.take($0, at: 0) }
    #expect(values(market, "A") == [10, 1])
  }

  private func bar(at seconds: Int64) -> Bar {
    let time = Timestamp(ns: opening + seconds * second)
    return Bar(
      symbol: "A", open: 10, high: 10, low: 10, close: 10, volume: 1, time: time, received: time, length: BarLength("1m") ?? .unknown)
  }

  private func rank(_ rank: UInt32) -> Ranked {
    Ranked(
      symbol: "A", rank: rank, previousRank: 0, price: 10, change: 0, percent: 0, volume: 0, time: Timestamp(ns: opening + 60 * second),
      received: Timestamp(ns: opening + 60 * second))
  }

  @Test func `a name that every table has gets another one, which nobody else has`() {
    let layout = ColumnLayout(["bid", "age", "event_bid", "price"].map { ColumnInfo($0, .number) })
    #expect(RowColumns.named(layout).names == ["event_event_bid", "age", "event_bid", "event_price"])
    #expect(Column("bid") == .bid && Column("event_price") == .beside("event_price"))
  }

  @Test func `rows are sorted by a column, those without a value last in both directions`() {
    let reader = ColumnReader<Trade>(layout)
    var market = market(reader)
    let events: [Trade] = (["A", "B", "C", "D"] as [Symbol]).map { trade($0, 10) }
    reader.read(events, [[5, nil], [nil, nil], [-7, nil], [5, nil]]) { market.take($0, at: 0) }
    #expect(Sorting(.beside("vwap")).sorted([3, 2, 1, 0], of: market) == [0, 3, 2, 1])
    #expect(Sorting(.beside("vwap"), isDescending: false).sorted([3, 2, 1, 0], of: market) == [2, 0, 3, 1])
    #expect(Sorting(.beside("gone")).sorted([1, 0], of: market) == [1, 0])
  }

  @Test func `a filter knows the columns, and a row without a value does not pass`() {
    let reader = ColumnReader<Trade>(layout)
    var market = market(reader)
    let events: [Trade] = (["A", "B", "C"] as [Symbol]).map { trade($0, 10) }
    reader.read(events, [[9_000_000_000, 1], [11_000_000_000, 1], [nil, 0]]) { market.take($0, at: 0) }
    func passing(_ text: String) -> [Int] {
      let filter = RowFilter(text, reading: market.columns)
      #expect(filter.problem == nil)
      return (0..<3).filter { filter.matches($0, of: market) }
    }
    #expect(passing("price > vwap") == [0])
    #expect(passing("hot and vwap > 1") == [0, 1])
    #expect(passing("vwap < 100") == [0, 1])
    let problem = RowFilter("price > vwpa", reading: market.columns).problem
    #expect(problem?.character == 8)
    #expect(problem?.description.contains("vwap") == true)
  }

  @Test func `an option that names no column says which it may mean`() {
    #expect(Column("vwap").fault(reading: layout) == nil)
    #expect(Column("price").fault(reading: layout) == nil)
    #expect(Column("vwpa").fault(reading: layout) == "there is no column 'vwpa'; did you mean 'vwap'?")
    #expect(Column("zzzzzzzzz").fault(reading: layout)?.hasSuffix("open, updates, time, vwap, hot") == true)
  }

  @Test(
    arguments: [
      (ColumnKind.number, 102_000_000_000, "102"), (.number, 102_333_333_333, "102.3333"), (.number, 19_607_843, "0.019608"),
      (.number, -2_500_000_000, "-2.5"), (.number, 120, "0.00000012"), (.number, 9_999_999_999, "10"),
      (.number, 1_234_567_890_123_456_789, "1234567890"), (.number, 0, "0"),
      (.percent, 1_254_000_000, "+1.25%"), (.percent, -5_000_000, "-0.01%"), (.percent, 1, "0.00%"),
      (.duration, 850_000, "850µs"), (.duration, 1_250_000, "1.2ms"), (.duration, -3_000_000_000, "-3s"),
      (.duration, 600_000_000_000, "10m"),
      (.time, 1_381_239_000_000_000_000, "13:30:00"), (.flag, 1, "yes"), (.flag, 0, "no"),
    ] as [(ColumnKind, Int64, String)])
  func `a value is written by its kind`(kind: ColumnKind, value: Int64, text: String) { #expect(kind.text(value, zone: .utc) == text) }
}
