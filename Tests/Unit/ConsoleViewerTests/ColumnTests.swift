import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusTestKit
import StockbusViewing
import TestTerminal
import Testing

@testable import ConsoleViewer

/// Columns beside events on the screen and behind plain lines.
@Suite(.timeLimit(.minutes(15))) struct ColumnTests {
  private static let layout = ColumnLayout([
    ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("age", .duration), ColumnInfo("seen", .time),
    ColumnInfo("hot", .flag), ColumnInfo("bid", .number),
  ])

  private func trade(_ symbol: Symbol, _ hundredths: Int64) -> Trade {
    Trade(
      symbol: symbol, price: Price(raw: hundredths * 10_000_000), size: 100, time: Timestamp(ns: opening),
      received: Timestamp(ns: opening), priceDecimals: 2)
  }

  private var trades: [Trade] { [trade("AAPL", 18_925), trade("MSFT", 33_310), trade("NVDA", 48_780), trade("TSLA", 26_000)] }

  private static let rows: [[Int64?]] = [
    [188_333_333_333, 486_726_000, 1_250_000, opening - second, 1, 189_240_000_000],
    [334_000_000_000, -269_461_000, 0, opening, 0, nil],
    [0, 0, -second, nil, nil, 487_750_000_000],
    [nil, nil, nil, nil, nil, nil],
  ]

  private func driver(_ columns: Int, _ rows: Int, _ chosen: [Column]? = nil, sorting: Sorting = Sorting(.symbol)) -> Driver {
    let reader = ColumnReader<Trade>(Self.layout)
    var driver = Driver(
      columns, rows, columns: chosen ?? Column.usual(with: RowColumns.named(Self.layout)), sorting: sorting)
    driver.state.market.keep(reader.columns)
    reader.read(trades, Self.rows) { driver.state.market.take($0, at: 0) }
    driver.state.arrange(force: true)
    driver.advance(1000)
    return driver
  }

  @Test(arguments: [(160, 8), (100, 8), (80, 8)])
  func `columns are shown behind the usual ones where there is room`(columns: Int, rows: Int) throws {
    try expect(driver(columns, rows).frame().text, is: "beside-\(columns)x\(rows)")
  }

  @Test func `columns are chosen, sorted by and filtered by`() throws {
    var driver = driver(80, 8, [.symbol, .price, .beside("away"), .beside("event_bid")], sorting: Sorting(.beside("away")))
    try expect(driver.frame().text, is: "beside-sorted-80x8")
    #expect(driver.shown == ["AAPL", "NVDA", "MSFT", "TSLA"])
    driver.type("S")
    #expect(driver.shown == ["MSFT", "NVDA", "AAPL", "TSLA"])
    driver.type("s")
    #expect(driver.state.sorting == Sorting(.beside("event_bid")))
    #expect(driver.shown == ["NVDA", "AAPL", "MSFT", "TSLA"])
    driver.type("/price > vwap")
    driver.press(.enter)
    #expect(driver.shown == ["NVDA", "AAPL"])
    driver.type("/ and hot")
    driver.press(.enter)
    #expect(driver.shown == ["AAPL"])
    driver.press(.escape)
    driver.type("c")
    driver.press(.down, .down)
    driver.type(" ")
    #expect(driver.state.columns == [.symbol, .price, .beside("event_bid")])
  }

  @Test func `the choice of columns has those beside the events before those that are seldom chosen`() throws {
    var driver = driver(60, 24, [.symbol, .price])
    driver.type("c")
    try expect(driver.frame().text, is: "beside-choice-60x24")
  }

  @Test func `a symbol's page has the values of its last event`() throws {
    var driver = driver(80, 24)
    driver.press(.down, .enter)
    try expect(driver.frame().text, is: "beside-detail-80x24")
  }

  @Test func `plain lines have the values behind them, or those of the columns that are chosen`() async throws {
    func lines(_ options: String) async throws -> [String] {
      let screen = FakeTerminal()
      try await PluginHarness(services: Services(screen.terminal)).consume(
        [Feed(trades, columns: Self.layout, rows: Self.rows)], by: Plugin.consoleViewer, options: "{ plain: true, state: '-'\(options) }")
      return screen.rows.filter { !$0.isEmpty }
    }
    #expect(
      try await lines(", columns: [away, price, event_bid]") == [
        "13:30:00.000Z AAPL 189.25 0.00 away=+0.49% event_bid=189.24", "13:30:00.000Z MSFT 333.10 0.00 away=-0.27%",
        "13:30:00.000Z NVDA 487.80 0.00 away=0.00% event_bid=487.75", "13:30:00.000Z TSLA 260.00 0.00",
      ])
    #expect(
      try await lines(", watch: MSFT") == ["13:30:00.000Z MSFT 333.10 0.00 vwap=334 away=-0.27% age=0µs seen=13:30:00 hot=no"])
  }

  @Test func `a name that is not there is an error at its place in the options`() {
    var settings = ConsoleViewerSettings()
    settings.columns = [.price, Column("vwap"), Column("awya")]
    settings.sort = Column("prce")
    let faults = ConsoleViewer.textFaults(in: settings, reading: Self.layout)
    #expect(
      faults.map(\.message) == [
        "'columns': there is no column 'awya'; did you mean 'away'?", "'sort': there is no column 'prce'; did you mean 'price'?",
      ])
    settings.columns = [.symbol, .beside("event_bid")]
    settings.sort = .beside("vwap")
    #expect(ConsoleViewer.textFaults(in: settings, reading: Self.layout) == [])
    #expect(ConsoleViewer.textFaults(in: settings, reading: ColumnLayout()).count == 2)
  }
}
