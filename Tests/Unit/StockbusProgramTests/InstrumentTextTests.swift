import MarketData
import StockbusConfig
import StockbusInstruments
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// What `stockbus instruments` prints.
@Suite struct InstrumentTextTests {
  private static func instruments() throws -> Instruments {
    let text = """
      instruments:
        - { symbol: ACME, name: Acme Corporation, kind: equity, venue: NYSE, tick_size: 0.01, calendar: us_equities, splits: 2012-06-01 3:1 }
        - { symbol: ANVIL-Z4, name: "Anvils, \\"heavy\\"", kind: future, tick_size: 0.25, multiplier: 50, currency: USD, calendar: futures }
        - { symbol: PLAIN }
      calendars:
        futures: { zone: America/Chicago, sessions: [{ from: 17:00, to: 16:00 }], early_closes: [2024-11-29 12:15] }
      sinks: { a: { plugin: null_sink, inputs: [dead_letters] } }
      """
    return try Topology.check(ConfigLoader(environment: { _ in nil }).load(text: text), catalogue: fixedCatalogue).instruments
  }

  @Test(arguments: PrintFormat.allCases)
  func `instruments in each format`(_ format: PrintFormat) throws {
    let lines = InstrumentText.lines(try Self.instruments().all, format, width: nil)
    try expect(lines.joined(separator: "\n"), is: "instruments-\(format).txt")
  }

  @Test(arguments: PrintFormat.allCases)
  func `the sessions of a week in each format`(_ format: PrintFormat) throws {
    let instruments = try Self.instruments()
    let thanksgiving = try #require(TradingDate(year: 2024, month: 11, day: 29))
    let futures = try #require(instruments.calendar(for: "ANVIL-Z4"))
    let lines = SessionText.lines(ofWeek: thanksgiving, futures, format, width: nil)
    try expect(lines.joined(separator: "\n"), is: "sessions-\(format).txt")
  }

  @Test func `a list in CSV is a file of instruments`() throws {
    let instruments = try Self.instruments().all.filter { $0.calendar != "futures" }
    var builder = InstrumentsBuilder()
    builder.add(csv: Array(InstrumentText.lines(instruments, .csv, width: nil).joined(separator: "\n").utf8), file: "again.csv")
    #expect(builder.problems.isEmpty && builder.warnings.isEmpty)
    #expect(builder.finish().all == instruments)
  }

  @Test func `nothing in JSON is no line`() {
    #expect(InstrumentText.lines([], .json, width: nil) == [])
    #expect(InstrumentText.lines([], .table, width: nil) == ["SYMBOL"])
  }
}
