import MarketData
import StockbusInstruments
import StockbusPlugin
import Testing

@testable import StockbusViewing

/// More symbols and more of their past than there is room for.
@Suite struct MarketLimitTests {
  private static func trade(_ symbol: Symbol, _ price: Price = 1, size: Quantity = 1, second: Int64 = 0) -> Trade {
    Trade(
      symbol: symbol, price: price, size: size, time: Timestamp(ns: opening + second * 1_000_000_000),
      received: Timestamp(ns: opening + second * 1_000_000_000))
  }

  private static func market(_ symbols: Int, memory: Int = 64 << 20) -> Market {
    Market(limits: MarketLimits(symbols: symbols, memory: memory))
  }

  @Test func `more symbols than there is room for are counted`() throws {
    var market = Self.market(100)
    for i in 0..<103 {
      let trade = Self.trade(try Symbol("M\(i)"))
      market.take([trade, trade].span, at: 0)
    }
    #expect(market.rows.count == 100 && market.beyond == 3)
    #expect(market.total == 206)
    #expect(market.isBeyond("M101") && !market.isBeyond("M99") && !market.isBeyond("M-NEVER"))
  }

  @Test func `who is asked for has a row with its next event, however many came before`() throws {
    var market = Self.market(2)
    market.want("LIM-EARLY")
    market.take([Self.trade("JUNK1"), Self.trade("JUNK2"), Self.trade("JUNK3"), Self.trade("LIM-A")].span, at: 0)
    #expect(market.rows.count == 2 && market.beyond == 2)
    market.take([Self.trade("LIM-EARLY")].span, at: 0)
    #expect(market.row(of: "LIM-EARLY")?.updates == 1)
    market.want("LIM-A")
    // It has come, and goes on being known as one that has.
    #expect(market.isBeyond("LIM-A") && market.beyond == 2)
    market.take([Self.trade("LIM-A", 7), Self.trade("JUNK3")].span, at: 0)
    #expect(market.row(of: "LIM-A")?.price == 7 && market.beyond == 1)
    // There are no more of them than other rows.
    market.want("JUNK3")
    market.take([Self.trade("JUNK3")].span, at: 0)
    #expect(market.rows.count == 4 && market.isBeyond("JUNK3"))
  }

  @Test func `instruments of the configuration have a row, however many names came before`() {
    var market = Market(PastPrices(), Instruments([Instrument("LIM-REAL")]), limits: MarketLimits(symbols: 1, memory: 64 << 20))
    market.take([Self.trade("JUNK1"), Self.trade("JUNK2"), Self.trade("LIM-REAL")].span, at: 0)
    #expect(market.row(of: "LIM-REAL") != nil && market.beyond == 1)
  }

  @Test func `pasts stay within their memory, and what somebody looks at keeps the most`() throws {
    let memory = 1 << 19
    var market = Self.market(1000, memory: memory)
    let symbols = try (0..<200).map { try Symbol("PAST\($0)") }
    for second in 0..<100 {
      for symbol in symbols { market.take([Self.trade(symbol, second: Int64(second))].span, at: Int64(second)) }
      if second == 1 { market.look(at: 150, now: 1) }
    }
    #expect(market.pastBytes <= memory / 4 * 3 && market.pastBytes > memory / 2)
    #expect(market.forgotten > 0)
    // 99 seconds have ended. Who is looked at keeps them all; of the others the newest are left.
    #expect(market.history(of: 150, span: .max).count == 100)
    let others = symbols.indices.filter { $0 != 150 }.map { market.history(of: $0, span: .max) }
    #expect(others.allSatisfy { $0.count < 90 && $0.last?.time == opening + 99_000_000_000 })
    #expect(others.map(\.count).max()! <= 4 * others.map(\.count).min()! + 4, "all are shortened alike")
  }

  @Test func `bars stay within their memory`() throws {
    let memory = 1 << 20
    var market = Self.market(1000, memory: memory)
    for minute in 0..<100 {
      for row in 0..<100 {
        let time = Timestamp(ns: opening + Int64(minute) * 60_000_000_000)
        let bar = Bar(
          symbol: try Symbol("BARS\(row)"), open: 1, high: 1, low: 1, close: 1, volume: 1, time: time, received: time,
          length: .time(60_000_000_000))
        market.take([bar].span, at: 0)
      }
    }
    #expect(market.pastBytes <= memory / 4 * 3)
    #expect(
      (0..<100).allSatisfy { market.bars.last(.time(60_000_000_000), of: $0).last?.time == Timestamp(ns: opening + 99 * 60_000_000_000) })
  }

  @Test func `trades of a symbol that somebody looks at are kept, also where all places are taken`() {
    // Room for the trades of one symbol.
    var market = Self.market(1000, memory: 4 * Tape.length * MemoryLayout<Tape.Print>.stride)
    market.take([Self.trade("T1", 1), Self.trade("T2", 2)].span, at: 0)
    #expect(market.tape.count(of: 0) == 1 && market.tape.last(5, of: 1).isEmpty)
    market.look(at: 1, now: 0)
    market.take([Self.trade("T1", 3), Self.trade("T2", 4)].span, at: 0)
    #expect(market.tape.last(5, of: 0).isEmpty && market.tape.last(5, of: 1).map(\.price) == [4])
    // Nobody takes the place of one that is looked at.
    market.look(at: 0, now: 1)
    #expect(market.tape.count(of: 1) == 1)
  }

  @Test func `seconds have the volume that was traded in them`() {
    var market = Self.market(10)
    market.take(
      [
        Self.trade("VOL", 1, size: 5, second: 0), Self.trade("VOL", 2, size: 7, second: 0), Self.trade("VOL", 3, size: 1, second: 2),
        Self.trade("VOL", 4, size: 2, second: 17),
      ].span, at: 0)
    let parts = market.parts(of: 0, length: 1_000_000_000).map { [($0.time - opening) / second, $0.price, $0.volume] }
    #expect(parts == [[0, 2_000_000_000, 12_000_000_000], [2, 3_000_000_000, 1_000_000_000], [17, 4_000_000_000, 2_000_000_000]])
  }

  @Test func `bars are made of the shortest samples as far back as they reach, and of longer ones before`() {
    var series = PriceSeries()
    // A unit each second for ten minutes; seconds are kept for six.
    for second in 0..<Int64(600) { series.add(second, total: second + 1, second: second * 1_000_000_000) }
    #expect(series.samples(for: 1_000_000_000).map { $0.time / second } == Array(240..<600))
    let minutes = series.samples(for: 60_000_000_000)
    #expect(minutes.map { $0.time / second } == Array(stride(from: 0, to: 240, by: 15)) + Array(240..<600))
    #expect(minutes.reduce(0) { $0 + $1.volume } == 600)
  }

  @Test func `of very many rows the ranks of a few are those that all have`() {
    var market = Market()
    func rank(_ symbol: Symbol, _ rank: UInt32, was previous: UInt32 = 0) {
      let time = Timestamp(ns: opening)
      let ranked = Ranked(
        symbol: symbol, rank: rank, previousRank: previous, price: 10, change: 0, percent: 0, volume: 0, time: time, received: time)
      market.take([ranked].span, at: 0)
    }
    for (place, symbol) in (["R1", "R2", "R3"] as [Symbol]).enumerated() { rank(symbol, UInt32(place + 1)) }
    rank("R3", 1, was: 3)
    let all = market.standings.ranks(market.rows)
    #expect(market.standings.ranks(of: [0, 2], market.rows) == [0: all[0], 2: all[2]])
  }
}
