import MarketData
import StockbusHistory
import StockbusInstruments
import StockbusPlugin
import StockbusTerminal
import StockbusTestKit
import StockbusViewing
import Testing

@testable import ConsoleViewer

/// Prices and charts from before the run.
@Suite(.timeLimit(.minutes(15))) struct PastTests {
  private static let day: Int64 = 86_400 * second
  /// The day of the tests' start.
  private static let today = Int((opening / day))

  /// The last price of AAPL is 18 hours old, that of MSFT three days; IBM has no close before its price.
  private static let past = PastPrices(
    closes: ["AAPL": .init(day: today - 1, price: 188), "MSFT": .init(day: today - 4, price: 200)],
    prices: [
      "AAPL": .init(Price(raw: 189_100_000_000), at: Timestamp(ns: opening - 18 * 3600 * second), decimals: 2),
      "MSFT": .init(198, at: Timestamp(ns: opening - 3 * day), decimals: 2),
      "IBM": .init(50, at: Timestamp(ns: opening - 90 * second), decimals: 2),
    ]
  ) { symbol, day in symbol == "AAPL" && day > today - 2 ? .init(day: today - 2, price: 187) : nil }

  private func driver(_ columns: Int, _ rows: Int, sorting: Sorting = Sorting(.rank), hasHistory: Bool = false) -> Driver {
    var settings = ScreenState.Preferences()
    settings.hasHistory = hasHistory
    var driver = Driver(columns, rows, sorting: sorting, settings: settings)
    driver.state.market = Market(Self.past)
    driver.state.market.begin(withLastPricesOf: Self.past.symbols)
    driver.advance(0)
    return driver
  }

  @Test func `the screen begins with the last prices and their age, until live ones come`() throws {
    var driver = driver(80, 8)
    var lines = driver.frame().text
    driver.trade("MSFT", 20_100)
    driver.trade("NEW", 1000)
    driver.advance(300)
    lines += driver.frame().text
    try expect(lines, is: "stale-80x8")
    let market = driver.state.market
    #expect(market.total == 2)
    let row = try #require(market.row(of: "MSFT"))
    // It begins like the row of a new symbol.
    #expect(!row.isStale && row.reference == 201 && row.high == 201 && row.low == 201 && row.updates == 1 && row.volume == 100)
    #expect(market.row(of: "AAPL")?.isStale == true)
  }

  @Test func `stale prices take part in the order of a column, and come last in that of a feed`() {
    var driver = driver(80, 8, sorting: Sorting(.percent))
    // 189.10 against 187.00; 198 against 200; none.
    #expect(driver.state.market.row(of: "AAPL")?.change == Price(raw: 2_100_000_000))
    driver.state.arrange(force: true)
    #expect(driver.state.listedSymbols == ["AAPL", "IBM", "MSFT"])
    driver = self.driver(80, 8)
    driver.rank("MSFT", 1, 20_000)
    driver.rank("ZZZ", 2, 10_000)
    driver.state.arrange(force: true)
    #expect(driver.state.listedSymbols == ["MSFT", "ZZZ", "AAPL", "IBM"])
  }

  @Test func `an alert does not fire for a stale price, but for the first live one`() throws {
    var driver = driver(80, 8)
    driver.state.alerts = [PriceAlert(symbol: "AAPL", isAbove: true, level: 100)]
    for alert in driver.state.alerts { driver.state.arm(alert.symbol) }
    driver.advance(5000)
    #expect(driver.state.notifications.all.isEmpty)
    driver.trade("AAPL", 19_000)
    driver.advance(100)
    #expect(driver.state.notifications.all.map(\.text) == ["AAPL rose to 190.00"])
  }

  @Test func `a symbol's page names the previous close, and the first price of the run beside it`() {
    var driver = driver(60, 16)
    func facts() -> [String] {
      driver.frame().text.map { line in line.split(separator: " ").suffix(3).joined(separator: " ") }
    }
    // The price is of yesterday: its change counts from the close of the day before.
    driver.send(.open("AAPL"))
    #expect(facts().contains("previous close 187.00") && !facts().contains { $0.contains("open") })
    driver.trade("AAPL", 19_000)
    driver.advance(100)
    #expect(facts().contains("previous close 188.00") && facts().contains { $0.hasSuffix("open 190.00") })
    // A ranking that counts from the close.
    driver.rank("AAPL", 1, 19_000, change: 200)
    driver.advance(100)
    #expect(facts().contains("previous close 188.00") && !facts().contains { $0.contains("open") })
    // In a narrow terminal the number is whole.
    driver.send(.resize(TerminalSize(columns: 20, rows: 16)))
    #expect(driver.frame().text.contains { $0.contains("previous cl 188.00") }, "\(driver.frame().text)")
  }

  @Test func `a bar that is older than the stale price is the first price all the same`() {
    var driver = driver(80, 8)
    driver.bar("IBM", "1m", at: -3600, (4000, 4100, 3900, 4050))
    #expect(driver.state.market.row(of: "IBM")?.isStale == false)
    #expect(driver.state.market.row(of: "IBM")?.price == Price(raw: 40_500_000_000))
  }

  // MARK: Charts

  private let folder = TemporaryFolder()

  /// Ten daily bars up to yesterday, closing at 101, 102, …; 60 minutes of today.
  private func fill() throws {
    let writer = try HistoryWriter(folder.file("h.db"))
    var batch = HistoryBatch()
    for day in 0..<10 {
      let close = Int64(101 + day) * second
      let time = Timestamp(ns: Int64(Self.today - 10 + day) * Self.day)
      batch.add(
        Bar(
          symbol: "AAPL", open: Price(raw: close - second), high: Price(raw: close + second), low: Price(raw: close - 2 * second),
          close: Price(raw: close), volume: Quantity(raw: Int64(day + 1) * second), time: time, received: time, priceDecimals: 2,
          length: .day))
    }
    _ = try writer.write(batch)
    try writer.close()
  }

  @Test func `the spans of the history follow those of the run, and bars continue their candles`() async throws {
    try fill()
    var driver = driver(100, 16, hasHistory: true)
    driver.trade("AAPL", 19_000)
    driver.send(.open("AAPL"))
    // From five minutes on: 15m, 1h, 6h, 1d, and then the history's day.
    driver.press(.right, .right, .right, .right)
    #expect(driver.state.chart.span == .day && driver.state.chart.past == nil)
    driver.press(.right, .right, .right)
    #expect(driver.state.chart.past == .month)
    driver.advance(100)
    #expect(driver.state.past.isReading)
    var lines = driver.frame().text
    let reader = ChartReader(path: folder.file("h.db"))
    let request = try #require(driver.state.past.request)
    #expect(driver.effects.last == .readPast(request))
    driver.send(.past(request, await reader.read(request)))
    driver.advance(100)
    lines += driver.frame().text
    #expect(driver.state.pastBars(of: "AAPL")?.count == 10)

    // Bars of the run's day continue it: 190 to 195.
    driver.bar("AAPL", "1m", at: 60, (19_000, 19_400, 18_900, 19_300), volume: 5)
    driver.bar("AAPL", "1m", at: 120, (19_300, 19_500, 19_200, 19_500), volume: 6)
    driver.advance(100)
    lines += driver.frame().text
    let last = try #require(driver.state.pastBars(of: "AAPL")?.last)
    #expect(last.open == 190 && last.high == 195 && last.low == 189 && last.close == 195 && last.volume == 11)
    #expect(last.time.ns == Int64(Self.today) * Self.day)
    try expect(lines, is: "past-100x16")

    // It is asked again when more has come, after five seconds, and not before.
    let asked = driver.effects.count
    driver.advance(4000)
    #expect(driver.effects.count == asked)
    driver.advance(1000)
    #expect(driver.effects.count == asked + 1)
    // Back to the run's own spans.
    driver.press(.left, .left, .left)
    #expect(driver.state.chart.past == nil)
  }

  @Test func `what the history cannot say is one line`() async throws {
    let reader = ChartReader(path: folder.file("h.db"))
    let request = PastRequest(symbol: "MSFT", span: .day, count: 30)
    var driver = driver(100, 16, hasHistory: true)
    driver.send(.open("MSFT"))
    driver.state.chart.past = .day
    driver.state.past.request = request
    driver.send(.past(request, await reader.read(request)))
    #expect(driver.state.past.fault?.hasSuffix("there is no such file") == true)
    try fill()
    driver.send(.past(request, await reader.read(request)))
    #expect(driver.state.past.fault == "the history has no bars of MSFT for a day")
    #expect(driver.frame().text.contains { $0.contains("the history has no bars of MSFT for a day") })
    // An answer to an older question changes nothing.
    driver.send(.past(PastRequest(symbol: "AAPL", span: .all, count: 30), .fault("old")))
    #expect(driver.state.past.fault == "the history has no bars of MSFT for a day")
  }
}
