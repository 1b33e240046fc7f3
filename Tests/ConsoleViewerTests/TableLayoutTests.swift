import MarketData
import StockbusPlugin
import StockbusTerminal
import Testing

@testable import ConsoleViewer

@Suite struct TableLayoutTests {
  private var board: Board {
    var board = Board(flash: .seconds(1))
    let events = [
      Ranked(
        symbol: "NVDA", rank: 1, previousRank: 0, price: Price(raw: 354_430_000_000), change: Price(raw: -2_620_000_000),
        percent: Percent(raw: -733_790_785), volume: 1000, time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: 2),
      Ranked(
        symbol: "AAPL", rank: 2, previousRank: 0, price: Price(raw: 87_700_000_000), change: Price(raw: 130_000_000),
        percent: Percent(raw: 148_453_000), volume: 12_345_678, time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: 2),
    ]
    board.update(ranked: events.span, at: .zero)
    return board
  }

  @Test func `a table has a head, a line a symbol, and a foot`() {
    let lines = TableLayout(columns: 100, rows: 10).lines(board, at: .zero).map(\.text)
    #expect(
      lines == [
        "    #  SYMBOL             PRICE      CHANGE        %    VOLUME  TREND",
        "    1  NVDA              354.43       -2.62   -0.73%      1000  ▄",
        "    2  AAPL               87.70       +0.13   +0.15%     12.3M  ▄",
        "2 of 2 symbols · 2 events · Ctrl-C stops and prints the ledger",
      ])
  }

  @Test func `a small window cuts rows and columns`() {
    let lines = TableLayout(columns: 20, rows: 1).lines(board, at: .zero).map(\.text)
    #expect(lines == ["    #  SYMBOL       ", "    1  NVDA         ", "1 of 2 symbols · 2 e"])
  }

  @Test func `an empty table says that it waits`() {
    let lines = TableLayout(columns: 80, rows: 5).lines(Board(flash: .zero), at: .zero).map(\.text)
    #expect(lines.last == "waiting for prices …")
  }

  @Test func `a price that rose is marked, and the mark fades`() {
    var board = board
    board.update(
      Trade(symbol: "AAPL", price: 88, size: 0, time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: 2), at: .seconds(10))
    func style(at time: Duration) -> Style? {
      TableLayout(columns: 100, rows: 10).lines(board, at: time)[2].runs.first { $0.text.contains("88.00") }?.style
    }
    #expect(style(at: .seconds(10)) == Style(.brightGreen, bold: true, inverse: true))
    #expect(style(at: .milliseconds(10_300)) == Style(.brightGreen, bold: true))
    #expect(style(at: .milliseconds(10_600)) == Style(.green))
    #expect(style(at: .seconds(11)) == .plain)
  }

  @Test func `a sparkline goes from the lowest to the highest block`() {
    #expect(TableLayout.sparkline([1, 2, 3, 4, 5, 6, 7, 8]) == "▁▂▃▄▅▆▇█")
    #expect(TableLayout.sparkline([5, 5, 5]) == "▄▄▄")
    #expect(TableLayout.sparkline([]) == "")
    #expect(TableLayout.sparkline([.min, .max]) == "▁█")
  }

  @Test(arguments: [(0, "0"), (9999, "9999"), (10_000, "10.0k"), (1_234_567, "1234k"), (12_345_678, "12.3M"), (5_000_000_000, "5000M")])
  func `amounts are short`(units: Int64, text: String) {
    #expect(PlainText.amount(Quantity(raw: units * 1_000_000_000)) == text)
  }

  @Test func `plain lines have time, price and change`() {
    let event = Ranked(
      symbol: "NVDA", rank: 3, previousRank: 5, price: Price(raw: 354_430_000_000), change: Price(raw: -2_620_000_000),
      percent: Percent(raw: -733_790_785), volume: 0, time: Timestamp(ns: 1_381_239_000_401_000_000), received: Timestamp(ns: 0),
      priceDecimals: 2)
    #expect(PlainText.line(event) == "13:30:00.401 3 (was 5) NVDA 354.43 -2.62 -0.73%")
    let trade = Trade(symbol: "A", price: 10, size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: 2)
    #expect(PlainText.line(trade, change: Price(raw: 250_000_000)) == "00:00:00.000 A 10.00 +0.25")
  }
}
