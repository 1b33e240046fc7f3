import MarketData
import StockbusPlugin
import StockbusTerminal
import Testing

@testable import ConsoleViewer
@testable import StockbusViewing

@Suite struct TextTests {
  @Test(arguments: [(0, "0"), (9999, "9999"), (10_000, "10.0k"), (1_234_567, "1234k"), (12_345_678, "12.3M"), (5_000_000_000, "5000M")])
  func `amounts are short`(units: Int64, text: String) {
    #expect(PlainText.amount(Quantity(raw: units * 1_000_000_000)) == text)
  }

  @Test(
    arguments: [
      ("0.5", "0.5"), ("0.02549", "0.0254"), ("0.0001", "0.0001"), ("0.000099999", "<.0001"), ("0.000000001", "<.0001"),
      ("1.23456", "1.2345"),
      ("9.99999", "9.9999"), ("12.34567", "12.345"), ("999.999", "999.99"), ("1000.5", "1000"), ("7", "7"), ("-0.5", "0.5"),
    ] as [(String, String)])
  func `parts of a unit are shown as far as there is room`(text: String, shown: String) throws {
    #expect(PlainText.amount(try Quantity(text)) == shown)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (9999, "9999"), (12_345, "12.3k"), (4_100_000, "4.1M"), (2_500_000_000, "2.5G")])
  func `counts are short`(count: Double, text: String) {
    #expect(CellText.count(count) == text)
  }

  @Test(arguments: [(850_000, "850µs"), (1_200_000, "1.2ms"), (45_000_000, "45ms"), (3_000_000_000, "3s"), (150_000_000_000, "2m")])
  func `durations are short`(ns: Int64, text: String) {
    #expect(CellText.duration(ns) == text)
  }

  @Test func `a sparkline goes from the lowest to the highest block`() {
    #expect(Charts.sparkline([1, 2, 3, 4, 5, 6, 7, 8]) == "▁▂▃▄▅▆▇█")
    #expect(Charts.sparkline([5, 5, 5]) == "▄▄▄")
    #expect(Charts.sparkline([]) == "")
    #expect(Charts.sparkline([.min, .max]) == "▁█")
  }

  @Test func `a line of braille joins its points`() {
    let rising = Charts.line(
      [.init(time: 0, price: 0), .init(time: 7, price: 7)], columns: 4, rows: 2, times: 0...7, prices: 0...7)
    // A diagonal of eight dots: two by four a character.
    #expect(rising == ["  ⡠⠊", "⡠⠊  "])
    let flat = Charts.line([.init(time: 0, price: 5), .init(time: 3, price: 5)], columns: 2, rows: 1, times: 0...3, prices: 5...5)
    #expect(flat == ["⠒⠒"] || flat == ["⠤⠤"])
    #expect(Charts.line([.init(time: .min / 4, price: .min)], columns: 1, rows: 1, times: 0...1, prices: 0...1).count == 1)
  }

  @Test func `plain lines have time, price and change`() {
    let event = Ranked(
      symbol: "NVDA", rank: 3, previousRank: 5, price: Price(raw: 354_430_000_000), change: Price(raw: -2_620_000_000),
      percent: Percent(raw: -733_790_785), volume: 0, time: Timestamp(ns: 1_381_239_000_401_000_000), received: Timestamp(ns: 0),
      priceDecimals: 2)
    #expect(PlainText.line(event, zone: .utc) == "13:30:00.401Z 3 (was 5) NVDA 354.43 -2.62 -0.73%")
    let trade = Trade(symbol: "A", price: 10, size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: 2)
    #expect(PlainText.line(trade, change: Price(raw: 250_000_000), zone: .utc) == "00:00:00.000Z A 10.00 +0.25")
  }
}
