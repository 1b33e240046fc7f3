import MarketData
import StockbusInstruments
import StockbusPlugin
import Testing

@testable import StockbusViewing

@Suite struct MarketTests {
  @Test func `a row knows first, highest, lowest and last price, and what was traded`() throws {
    var market = Market()
    for price: Int64 in [10_000, 10_300, 9_900, 10_100] { market.take([trade("A", Price(raw: price * 10_000_000), size: 5)].span, at: 0) }
    let row = try #require(market.row(of: "A"))
    #expect(row.reference == 100 && row.high == 103 && row.low == 99 && row.price == 101)
    #expect(row.change == 1 && row.percent == 1)
    #expect(row.volume == 20 && row.updates == 4)
    #expect(market.total == 4)
  }

  @Test func `a trade whose price does not count moves nothing but the volume`() throws {
    func trade(_ price: Price, _ size: Quantity, _ condition: TradeCondition) -> Trade {
      Trade(
        symbol: "A", price: price, size: size, time: Timestamp(ns: opening), received: Timestamp(ns: opening), condition: condition)
    }
    var market = Market()
    market.take([trade(900, 1, .oddLot)].span, at: 0)
    #expect(market.row(of: "A") == nil)
    market.take(
      [
        trade(100, 1, .regular), trade(900, 5, .oddLot), trade(1, 2, .outOfSequence), trade(800, 7, .officialPrice),
        trade(101, 9, .correctedClose),
      ].span, at: 0)
    let row = try #require(market.row(of: "A"))
    #expect(row.price == 101 && row.high == 101 && row.low == 100 && row.volume == 8 && row.updates == 2)
    #expect(market.tape.last(5, of: 0).map(\.price) == [101, 100])
    #expect(market.total == 6)
  }

  @Test func `after a split all that a row compares with is as it is for the new shares`() throws {
    var instrument = Instrument("S")
    instrument.splits = [try Split(option: "2013-10-09 10:1")]
    var market = Market(PastPrices(), Instruments([instrument]))
    func trade(_ price: Price, day: Int64, at seconds: Int64) -> Trade {
      let time = Timestamp(ns: opening + day * 86_400 * second + seconds * second)
      return Trade(symbol: "S", price: price, size: 1, time: time, received: time)
    }
    let bar = Bar(
      symbol: "S", open: 1000, high: 1200, low: 900, close: 1110, volume: 5, time: Timestamp(ns: opening), received: Timestamp(ns: opening),
      length: .time(60 * second))
    market.take([trade(1000, day: 0, at: 0), trade(1200, day: 0, at: 1), trade(1100, day: 0, at: 2)].span, at: 0)
    market.take([bar].span, at: 0)
    market.watch(0, above: Price(raw: 2000 * second).raw, below: Price(raw: 1000 * second).raw)
    market.take([trade(112, day: 1, at: 0)].span, at: 1)
    let row = try #require(market.row(of: "S"))
    #expect(row.reference == 100 && row.high == 120 && row.low == 100 && row.price == 112 && row.change == 12 && row.percent == 12)
    #expect(market.trend(of: 0, count: 4) == [100, 120, 110, 112].map { $0 * second })
    #expect(market.bars.last(.time(60 * second), of: 0).map(\.close) == [111])
    // The level of 1000 was not reached by a price, and is again when the price has been above it.
    #expect(market.takeReached().isEmpty)
    market.take([trade(1001, day: 1, at: 1)].span, at: 2)
    #expect(market.takeReached().map(\.price) == [1001])
  }

  @Test func `the previous close is the one from which a ranking counts: from the history, then from the run`() throws {
    let second: Int64 = 1_000_000_000
    let day = 86_400 * second
    let today = opening / day
    func trade(_ symbol: Symbol, _ price: Price, at time: Int64) -> Trade {
      Trade(symbol: symbol, price: price, size: 1, time: Timestamp(ns: time), received: Timestamp(ns: time))
    }
    var market = Market(PastPrices(closes: ["A": .init(day: Int(today) - 1, price: 188)]))
    market.take([trade("A", 190, at: opening), trade("B", 50, at: opening)].span, at: 0)
    #expect(market.previousClose(of: 0) == 188 && market.previousClose(of: 1) == nil)
    // Two prices in the last second of the date: the last one is its close.
    let midnight = (today + 1) * day
    market.take([trade("A", 191, at: midnight - second / 2), trade("A", 192, at: midnight - 1)].span, at: 0)
    #expect(market.previousClose(of: 0) == 188)
    market.take([trade("A", 193, at: midnight), trade("A", 194, at: midnight + 5 * second)].span, at: 0)
    #expect(market.previousClose(of: 0) == 192 && market.previousClose(of: 1) == nil)
    #expect(market.previousClose(of: 7) == nil)
  }

  @Test func `prices of a past are from before the run until their symbol's first event, and the chart goes on`() throws {
    let second: Int64 = 1_000_000_000
    let midnight = (opening / (86_400 * second) + 1) * 86_400 * second
    func trade(_ symbol: Symbol, _ price: Price, _ size: Quantity, at time: Int64) -> Trade {
      Trade(symbol: symbol, price: price, size: size, time: Timestamp(ns: time), received: Timestamp(ns: time))
    }
    var market = Market()
    market.take(
      [
        trade("A", 100, 5, at: midnight - 20 * second), trade("A", 120, 6, at: midnight - 10 * second), trade("B", 7, 1, at: midnight),
        trade("A", 110, 7, at: midnight - 10 * second),
      ].span, at: 1)
    let ranked = Ranked(
      symbol: "B", rank: 1, previousRank: 0, price: 8, change: 1, percent: 0, volume: 2, time: Timestamp(ns: midnight + second),
      received: Timestamp(ns: midnight + second))
    market.take([ranked].span, at: 2)
    market.beginRun()
    let old = try #require(market.row(of: "A"))
    #expect(old.isStale && old.price == 110 && old.reference == 110 && old.volume == 0 && old.updates == 0 && old.movedAt == Row.never)
    #expect(market.total == 0 && market.newest == nil && !market.isRanked && market.standings.ranks(market.rows) == [0, 0])
    func chart() -> [(Int64, Int64)] { market.parts(of: 0, length: second).map { ($0.price / second, $0.volume / second) } }
    #expect(chart().elementsEqual([(100, 5), (110, 13), (110, 0)], by: ==))
    #expect(market.tape.last(9, of: 0).map(\.price) == [110, 120, 100])
    // The run's own prices: the change counts from the first one, and the close is that of the past's date.
    market.take([trade("A", 115, 2, at: midnight + 5 * second), trade("A", 117, 3, at: midnight + 6 * second)].span, at: 3)
    let new = try #require(market.row(of: "A"))
    #expect(!new.isStale && new.price == 117 && new.reference == 115 && new.low == 115 && new.volume == 5 && new.updates == 2)
    #expect(market.previousClose(of: 0) == 110 && market.row(of: "B")?.isStale == true)
    #expect(chart().elementsEqual([(100, 5), (110, 13), (115, 2), (117, 3)], by: ==))
  }

  @Test func `a ranking's own change and volume count`() throws {
    var market = Market()
    let event = Ranked(
      symbol: "N", rank: 1, previousRank: 0, price: 350, change: -10, percent: 0, volume: 700, time: Timestamp(ns: opening),
      received: Timestamp(ns: opening))
    market.take([event].span, at: 0)
    let row = try #require(market.row(of: "N"))
    #expect(row.reference == 360 && row.change == -10 && row.volume == 700)
    #expect(market.tape.last(5, of: 0).map(\.size) == [0])
  }

  @Test func `a symbol that leaves a ranking keeps its row and its price, and is no trade`() throws {
    var market = Market()
    func told(_ symbol: Symbol, _ price: Price, rank: UInt32) -> Ranked {
      Ranked(
        symbol: symbol, rank: rank, previousRank: 0, price: price, change: 0, percent: 0, volume: 1, time: Timestamp(ns: opening),
        received: Timestamp(ns: opening))
    }
    market.take([told("A", 10, rank: 1), told("B", 9, rank: 2), told("A", 8, rank: 0), told("N", 7, rank: 0)].span, at: 0)
    let row = try #require(market.row(of: "A"))
    #expect(row.rank == 0 && row.price == 10 && row.updates == 1)
    #expect(market.row(of: "N") == nil)
    #expect(market.standings.ranks(market.rows) == [0, 1])
    #expect(market.total == 4)
  }

  @Test func `a bar brings its high and low, a quote its bid and ask`() throws {
    var market = Market()
    let time = Timestamp(ns: opening)
    let bar = Bar(symbol: "A", open: 10, high: 15, low: 8, close: 12, volume: 99, time: time, received: time)
    let quote = Quote(symbol: "A", bid: 11, ask: 13, bidSize: 3, askSize: 4, time: time, received: time)
    market.take([bar].span, at: 0)
    market.take([quote].span, at: 0)
    let row = try #require(market.row(of: "A"))
    #expect(row.high == 15 && row.low == 8 && row.volume == 99)
    #expect(row.spread == 2 && row.price == 12)
  }

  @Test func `the last trades are kept, the newest first`() {
    var market = Market()
    for price in 1...40 { market.take([trade("A", Price(raw: Int64(price) * 10_000_000))].span, at: 0) }
    let prints = market.tape.last(100, of: 0)
    #expect(prints.count == Tape.length)
    #expect(prints.first?.price == Price(raw: 400_000_000) && prints.last?.price == Price(raw: 90_000_000))
  }

  @Test func `the past is kept by seconds, then by quarters of a minute, then by five minutes`() {
    var series = PriceSeries()
    for i in 0..<7200 { series.add(Int64(i), second: Int64(i) * second) }
    let last = 7199 * second
    // The last 360 seconds have one sample each.
    let fine = series.samples(since: last - 300 * second)
    #expect(fine.count == 301 && fine.first?.price == 6899)
    // An hour needs the next coarser level: one sample for every fifteen seconds, with its last price.
    let hour = series.samples(since: last - 3600 * second)
    #expect(hour.count == 240 && hour.first == .init(time: 3600 * second, price: 3614))
    let day = series.samples(since: last - 86_400 * second)
    #expect(day.count == 24 && day.last == .init(time: 6900 * second, price: 7199))
    #expect(series.last(3) == [7197, 7198, 7199])
  }

  @Test func `time that goes back does not disturb the past`() {
    var series = PriceSeries()
    series.add(1, second: 10 * second)
    series.add(2, second: 5 * second)
    #expect(series.samples(since: 0) == [.init(time: 10 * second, price: 2)])
  }
}
