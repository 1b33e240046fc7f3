import MarketData
import StockbusPlugin
import StockbusTerminal
import Testing

@testable import FlashLogger

@Suite struct PriceChangeTests {
  private let rise = PriceChange(
    symbol: "AIG", old: Price(raw: 48_800_000_000), new: Price(raw: 48_900_000_000), decimals: 2,
    time: Timestamp(ns: 1_381_239_000_401_000_000))
  private let fall = PriceChange(
    symbol: "BRK.B", old: Price(raw: 100_000_000_000), new: Price(raw: 99_995_000_000), decimals: 2,
    time: Timestamp(ns: 1_381_239_000_000_000_000))

  @Test func `a line has time, direction, symbol, old, new, change and per cent`() {
    // 0.10 of 48.80 is 0.2049 per cent; 0.005 of 100 is 0.005 per cent, which rounds to 0.01.
    #expect(rise.text(in: .utc) == "13:30:00.401Z ▲ AIG 48.80 → 48.90 +0.10 (+0.20%)")
    #expect(fall.text(in: .utc) == "13:30:00.000Z ▼ BRK.B 100.00 → 99.995 -0.005 (-0.01%)")
  }

  @Test func `a JSON line has the same, exactly`() {
    var out = ByteWriter()
    rise.encode(to: &out)
    #expect(
      out.string == #"{"time":"2013-10-08T13:30:00.401Z","symbol":"AIG","direction":"up","old":48.80,"new":48.90,"#
        + #""change":0.10,"percent":0.204918032}"#)
  }

  @Test func `a change from zero has no per cent`() {
    let change = PriceChange(symbol: "A", old: 0, new: 1, decimals: 0, time: Timestamp(ns: 0))
    #expect(change.text(in: .utc) == "00:00:00.000Z ▲ A 0 → 1 +1")
  }

  @Test func `a change that does not fit is the largest there is`() {
    let change = PriceChange(symbol: "A", old: Price(raw: .min), new: Price(raw: .max), decimals: 0, time: Timestamp(ns: 0))
    #expect(change.change == Price(raw: .max))
  }

  @Test(arguments: [
    (0, Style(.brightGreen, bold: true, inverse: true)), (249, Style(.brightGreen, bold: true, inverse: true)),
    (250, Style(.brightGreen, bold: true)), (500, Style(.green)), (999, Style(.green)), (1000, Style(.green, dim: true)),
  ])
  func `a line fades in steps`(milliseconds: Int, style: Style) {
    let line = rise.line(age: .milliseconds(milliseconds), fade: .seconds(1), zone: .utc)
    #expect(line.runs.map(\.style) == [style])
  }

  @Test func `a line that does not fade is dim from the beginning`() {
    #expect(fall.line(age: .zero, fade: .zero, zone: .utc).runs.map(\.style) == [Style(.red, dim: true)])
  }
}
