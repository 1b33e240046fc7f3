import TestSupport
import Testing

@testable import StockbusTerminal

@Suite struct CandleChartTests {
  private func text(_ candles: [Candle], columns: Int, rows: Int, isUTF8: Bool = true) -> [String] {
    var chart = CandleChart()
    chart.isUTF8 = isUTF8
    return chart.lines(candles, columns: columns, rows: rows, price: { "\($0)" }, ends: ("a", "z")).map { line in
      String(line.text.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test func `candles have their bodies and wicks in half characters`() {
    // Eight steps in four rows: 0 to 7.
    let candles = [
      Candle(open: 1, high: 7, low: 0, close: 4), Candle(open: 4, high: 5, low: 1, close: 2), Candle(open: 3, high: 3, low: 3, close: 3),
    ]
    #expect(text(candles, columns: 5, rows: 5) == ["│   7", "╽▄", "┃█╹", "╿╵  0", "a z"])
  }

  @Test func `without UTF-8 rising and falling candles differ too`() {
    let candles = [Candle(open: 0, high: 7, low: 0, close: 3), Candle(open: 3, high: 7, low: 0, close: 0)]
    #expect(text(candles, columns: 4, rows: 5, isUTF8: false) == ["|| 7", "||", "H#", "H# 0", "a"])
  }

  @Test func `volumes stand below in eighths of a character`() {
    let candles = [1, 8, 16, 0].map { Candle(open: 1, high: 1, low: 1, close: 1, volume: $0) }
    var chart = CandleChart()
    chart.volumeRows = 2
    let lines = chart.lines(candles, columns: 6, rows: 7, price: { "\($0)" }, ends: ("a", "z")).map(\.text)
    #expect(lines.count == 7)
    #expect(lines[4].hasPrefix("  █ ") && lines[5].hasPrefix("▁██ "))
  }

  @Test func `more candles than columns are joined, and no line is wider than asked for`() {
    var random = SplitMix(5)
    for _ in 0..<200 {
      let candles = (0...random.upTo(300)).map { _ in
        let prices = (0..<4).map { _ in [Int64.min, .max, 0, Int64(random.upTo(1000))][random.upTo(3)] }.sorted()
        let rises = random.oneIn(2)
        return Candle(
          open: prices[rises ? 1 : 2], high: prices[3], low: prices[0], close: prices[rises ? 2 : 1], volume: [0, .max, 5][random.upTo(2)])
      }
      let (columns, rows) = (1 + random.upTo(90), 1 + random.upTo(30))
      let lines = CandleChart().lines(candles, columns: columns, rows: rows, price: { "\($0)" }, ends: ("first", "last"))
      #expect(lines.allSatisfy { $0.displayWidth <= columns })
      #expect(lines.count >= 3)
    }
    #expect(CandleChart().lines([], columns: 10, rows: 10, price: { "\($0)" }, ends: ("", "")) == [])
  }
}
