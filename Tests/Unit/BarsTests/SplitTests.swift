import StockbusTestKit
import Testing

@testable import Bars
@testable import StockbusInstruments

/// Bars in progress when shares are split: two for one on Wednesday 15 July 2026, worked out by hand.
@Suite struct SplitTests {
  private func harness() throws -> PluginHarness {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,splits\nSPLT,2026-07-15 2:1\n".utf8), file: "instruments.csv")
    return PluginHarness(services: Services(builder.finish()))
  }

  private func line(_ bar: Bar) -> String {
    "\(bar.length) \(bar.time) \(bar.open)/\(bar.high)/\(bar.low)/\(bar.close) x\(bar.volume) \(bar.turnover) vwap \(bar.vwap)"
  }

  private let days: [(day: Int, price: Price, size: Quantity)] = [(13, 100, 10), (14, 102, 10), (15, 51, 20), (16, 50, 20), (20, 49, 1)]

  @Test func `a week and a number of trades are turned into new shares, and days before the split stay`() async throws {
    let trades = try days.map { day, price, size in
      let time = try Timestamp(iso8601: "2026-07-\(day)T14:00:00Z")
      return Trade(symbol: "SPLT", price: price, size: size, time: time, received: time)
    }
    let bars: [Bar] = try await harness().output(of: Plugin.bars, options: "lengths: [1w, 4t, 1d]", inputs: [trades])
    #expect(
      bars.filter { $0.status == .complete }.map(line) == [
        "1d 2026-07-13T00:00:00Z 100/100/100/100 x10 1000 vwap 100", "1d 2026-07-14T00:00:00Z 102/102/102/102 x10 1020 vwap 102",
        "1d 2026-07-15T00:00:00Z 51/51/51/51 x20 1020 vwap 51", "4t 2026-07-13T14:00:00Z 50/51/50/50 x80 4040 vwap 50.5",
        "1d 2026-07-16T00:00:00Z 50/50/50/50 x20 1000 vwap 50", "1w 2026-07-13T00:00:00Z 50/51/50/50 x80 4040 vwap 50.5",
      ])
  }

  @Test func `a week made of days too, also where a day is issued again`() async throws {
    var bars = try days.map { day, price, size in
      let time = try Timestamp(iso8601: "2026-07-\(day)T00:00:00Z")
      return Bar(
        symbol: "SPLT", open: price, high: price, low: price, close: price, volume: size, time: time,
        received: Timestamp(ns: time.ns + BarLength.day.raw), length: .day,
        turnover: Amount(price, times: size))
    }
    var again = bars[3]
    (again.low, again.close, again.revision, again.turnover) = (49, 49, 1, Amount(49, times: 20))
    bars.insert(again, at: 4)
    let weeks: [Bar] = try await harness().output(of: Plugin.bars, options: "lengths: 1w", inputs: [bars])
    #expect(
      weeks.filter { $0.status == .complete }.map(line) == ["1w 2026-07-13T00:00:00Z 50/51/49/49 x80 4020 vwap 50.25"])
  }
}
