import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusViewing
import Testing

@testable import ConsoleViewer

/// The screen frame by frame; the golden files are reviewed by people.
@Suite struct GoldenTests {
  @Test(arguments: [(80, 24), (120, 40), (20, 6), (40, 10), (1, 1), (3, 2)])
  func `the table in windows of all sizes`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    morning(&driver)
    driver.send(.panes([ScreenPane(owner: "flashes", lines: ["13:30:08.000 ▲ AAPL 189.25 → 189.29 +0.04 (+0.02%)"])]))
    try expect(driver.frame().text, is: "table-\(columns)x\(rows)")
  }

  @Test func `all columns in a wide window`() throws {
    var driver = Driver(200, 10, columns: Column.own, sorting: Sorting(.percent))
    morning(&driver)
    driver.quote("AAPL", 18_920, 18_930)
    driver.press(.down)
    driver.type("w")
    driver.press(.down)
    driver.type(" ")
    driver.advance(300)
    try expect(driver.frame().text, is: "columns-200x10")
  }

  @Test func `nothing has come yet`() throws { try expect(Driver(80, 8).frame().text, is: "waiting-80x8") }

  @Test(arguments: ColorDepth.allCases)
  func `a price that moved flashes and fades in steps`(colors: ColorDepth) throws {
    var driver = Driver(60, 6, columns: [.symbol, .price])
    driver.trade("AAPL", 10_000)
    driver.trade("MSFT", 20_000)
    driver.advance(10_000)
    driver.trade("AAPL", 10_100)
    driver.trade("MSFT", 19_900)
    var lines: [String] = []
    for _ in 0...10 {
      lines.append("\((driver.state.now - 10 * second) / 1_000_000) ms")
      lines += [looks(driver.frame(colors), row: 2), looks(driver.frame(colors), row: 3)]
      driver.advance(100)
    }
    try expect(lines, is: "flash-\(colors)")
  }

  @Test(arguments: ThemeName.allCases)
  func `the themes`(theme: ThemeName) throws {
    var driver = Driver(60, 7, columns: [.symbol, .price, .percent], theme: theme)
    morning(&driver)
    driver.press(.down, .down)
    driver.advance(2000)
    driver.trade("AAPL", 19_000)
    let frame = driver.frame()
    try expect((0..<frame.rows).map { looks(frame, row: $0) }, is: "theme-\(theme.rawValue)")
  }

  @Test func `a filter as it is typed`() throws {
    var driver = Driver(80, 10)
    morning(&driver)
    var lines: [String] = []
    for text in ["/", "a", "p"] {
      driver.type(text)
      lines += driver.frame().text
    }
    driver.press(.enter)
    lines += driver.frame().text
    try expect(lines, is: "filter-80x10")
  }

  @Test func `a filter by a condition, and one that is wrong`() throws {
    var driver = Driver(80, 8)
    morning(&driver)
    driver.type("/price > 200")
    var lines = driver.frame().text
    driver.type(" and prise > 1")
    lines += driver.frame().text
    try expect(lines, is: "condition-80x8")
  }

  @Test(arguments: [(80, 24), (120, 40), (40, 16), (20, 6)])
  func `a symbol's page`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    morning(&driver)
    driver.quote("AAPL", 18_920, 18_930)
    driver.send(.open("AAPL"))
    driver.type("a")
    driver.press(.up)
    driver.advance(5000)
    try expect(driver.frame().text, is: "detail-\(columns)x\(rows)")
  }

  @Test func `an alert is set in two keystrokes, and fires`() throws {
    var driver = Driver(80, 10)
    morning(&driver)
    driver.press(.down)
    driver.type("a")
    var lines = driver.frame().text
    driver.press(.up)
    lines += driver.frame().text
    driver.trade("AAPL", 19_200)
    driver.advance(50)
    lines += driver.frame().text
    driver.type("4")
    driver.advance(5000)
    lines += driver.frame().text
    try expect(lines, is: "alert-80x10")
  }

  @Test(arguments: [(80, 24), (80, 12), (20, 6)])
  func `help`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    driver.type("?")
    try expect(driver.frame().text, is: "help-\(columns)x\(rows)")
  }

  @Test func `the choice of columns`() throws {
    var driver = Driver(60, 12)
    morning(&driver)
    driver.type("c")
    driver.press(.down, .down)
    driver.type(" ")
    var lines = driver.frame().text
    driver.press(.escape)
    lines += driver.frame().text
    try expect(lines, is: "choice-60x12")
  }

  @Test(arguments: [(80, 10), (40, 12)])
  func `gainers and losers`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    morning(&driver)
    driver.type("3")
    try expect(driver.frame().text, is: "movers-\(columns)x\(rows)")
  }

  @Test(arguments: [(110, 9), (80, 12), (40, 14)])
  func `the lists of movers, and those of the next period`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    morning(&driver)
    driver.mover("AAPL", .gainers, .week, 1, 49_300, from: 48_303)
    driver.mover("WM", .gainers, .week, 2, 4174, from: 4079, mark: .split)
    driver.mover("FB", .losers, .week, 1, 4912, from: 5104)
    driver.mover("USO", .losers, .week, 2, 3676, from: 3731)
    driver.mover("USO", .losers, .week, 0, 3676, from: 3731)
    driver.mover("SPY", .active, .week, 1, 17_030, from: 16_889)
    driver.mover("NEW", .active, .week, 2, 100, mark: .new)
    driver.mover("IBM", .gainers, .day, 1, 18_616, from: 18_410)
    driver.type("3")
    var lines = driver.frame().text
    driver.type("m")
    lines += driver.frame().text
    try expect(lines, is: "mover-lists-\(columns)x\(rows)")
    // With as many periods as there are, the first follows the last.
    driver.type("m")
    #expect(driver.state.moverPeriod == .day)
  }

  /// Nine bars of a minute, the last of them issued again, and two of five minutes.
  private func candles(_ columns: Int, _ rows: Int) -> Driver {
    var driver = Driver(columns, rows)
    let bars: [(Int64, Int64, Int64, Int64)] = [
      (1000, 1040, 990, 1030), (1030, 1090, 1030, 1080), (1080, 1085, 1000, 1010), (1010, 1010, 960, 970), (970, 1020, 970, 1020),
      (1020, 1060, 1015, 1020), (1020, 1120, 1020, 1120), (1120, 1200, 1100, 1150), (1150, 1150, 1150, 1150),
    ]
    for (minute, bar) in bars.enumerated() { driver.bar("AAPL", "1m", at: Int64(minute) * 60, bar, volume: Int64(minute + 1) * 10) }
    driver.bar("AAPL", "5m", at: 0, (1000, 1090, 960, 1020), volume: 150)
    driver.bar("AAPL", "5m", at: 300, (1020, 1200, 1015, 1150), volume: 300)
    driver.bar("AAPL", "1m", at: 480, (1150, 1160, 1100, 1110), volume: 200)
    driver.send(.open("AAPL"))
    return driver
  }

  @Test(arguments: [(90, 18), (60, 20), (30, 8)])
  func `candles, their lengths and the crosshair`(columns: Int, rows: Int) throws {
    var driver = candles(columns, rows)
    var lines = driver.frame().text
    driver.type(",,")
    lines += driver.frame().text
    driver.press(.right)
    lines += driver.frame().text
    try expect(lines, is: "candles-\(columns)x\(rows)")
    // Beyond the last length there is none; a crosshair is taken away first, then the page.
    driver.press(.right, .left, .left)
    #expect(driver.state.chart.barLength == BarLength("1m"))
    driver.type(".")
    driver.press(.escape)
    #expect(driver.state.chart.crosshair == nil && driver.state.page == .detail("AAPL"))
    driver.press(.escape)
    #expect(driver.state.page == .list)
  }

  @Test func `a click puts the crosshair on a candle, and l shows the line`() throws {
    var driver = candles(90, 18)
    let chart = try #require(ScreenGeometry(driver.state).candles)
    #expect(chart.bars.count == 9)
    for index in chart.bars.indices {
      for column in [chart.plot.column(of: index), chart.plot.column(of: index) + 1] {
        driver.send(.mouse(MouseEvent(.press(0), row: 5, column: column + 1)))
        #expect(driver.state.chart.crosshair == chart.bars[index].time)
      }
    }
    driver.send(.mouse(MouseEvent(.press(0), row: 5, column: 89)))
    #expect(driver.state.chart.crosshair == chart.bars[8].time)
    driver.type("l")
    #expect(ScreenGeometry(driver.state).candles == nil)
    driver.type("l")
    #expect(ScreenGeometry(driver.state).candles?.bars.last?.close == Price(raw: 11_100_000_000))
  }

  @Test func `a bar of trades that were shown is a candle, and changes no price`() {
    var driver = Driver(90, 18)
    driver.advance(61_000)
    driver.trade("AAPL", 1234, size: 7)
    driver.bar("AAPL", "1m", at: 0, (1000, 1040, 990, 1030), volume: 500)
    let row = driver.state.market.row(of: "AAPL")
    #expect(row?.price == Price(raw: 12_340_000_000) && row?.volume == 7)
    driver.send(.open("AAPL"))
    #expect(ScreenGeometry(driver.state).candles?.bars.count == 1)
    // Without trades a bar is the price.
    driver.bar("IBM", "1m", at: 0, (1000, 1040, 990, 1030))
    driver.bar("IBM", "1m", at: 60, (1030, 1090, 1030, 1080))
    #expect(driver.state.market.row(of: "IBM")?.price == Price(raw: 10_800_000_000))
    #expect(driver.state.market.row(of: "IBM")?.volume == 200)
  }

  @Test func `only the last bars are kept, in the order of their times, each time once`() {
    var series = BarSeries()
    for time in [5, 3, 4, 5, 1] + Array(6..<2000) {
      var bar = Bar.schema.example
      bar.time = Timestamp(ns: Int64(time))
      series.add(bar, to: 0)
    }
    #expect(series.last(Bar.schema.example.length, of: 0).map(\.time.ns) == Array(Int64(2000 - BarSeries.length)..<2000))
    for seconds in 1...20 {
      var bar = Bar.schema.example
      bar.length = .time(Int64(seconds) * second)
      series.add(bar, to: 1)
    }
    #expect(series.lengths(of: 1).count == BarSeries.lengths)
    #expect(series.lengths(of: 2) == [])
  }

  @Test func `the log and the graph`() throws {
    var driver = Driver(90, 12)
    morning(&driver)
    let time = Timestamp(ns: opening)
    let lines = [
      RunLogLine(number: 1, time: time, level: .info, component: "echo", message: "connected"),
      RunLogLine(number: 2, time: time, level: .warning, component: "echo", message: "gap in AAPL"),
      RunLogLine(number: 3, time: time, level: .error, component: nil, message: "something is wrong"),
    ]
    driver.advance(1000)
    driver.send(.sample(components, [edge("ticks", "ranked", 145), edge("ranked", "screen", 145, dropped: 3, conflated: 20)], lines))
    driver.send(.printed(["a line of another sink"]))
    driver.type("5")
    var text = driver.frame().text
    driver.type("6")
    text += driver.frame().text
    try expect(text, is: "log-graph-90x12")
  }

  @Test func `what does not work stands first on the status line of every page`() {
    var driver = Driver(100, 12)
    morning(&driver)
    driver.send(.problems(["kept is degraded: the disk is full", "web is backing off: the port is in use"]))
    for key in "12345" {
      driver.type(String(key))
      #expect(driver.frame().text(row: 11).hasPrefix(" ✕ kept is degraded: the disk is full (and 1 more)  ● ticks"), "\(key)")
    }
    driver.send(.problems([]))
    #expect(driver.frame().text(row: 11).hasPrefix(" ● ticks"))
    // It is looked for where nothing else happens too.
    driver.advance(60_000)
    driver.send(.sample(components, edges, []))
    #expect(driver.state.nextChange(steps: 8).map { $0 - driver.state.now <= 5 * second } == true)
  }

  @Test func `the lag is how late a price was when it came, and not how old it is`() {
    var driver = Driver()
    let time = Timestamp(ns: opening)
    driver.advance(30)
    driver.state.market.take([Trade(symbol: "AAPL", price: 1, size: 1, time: time, received: time)].span, at: driver.state.now)
    driver.advance(5000)
    driver.send(.sample(components, edges, []))
    #expect(driver.state.lag == 30_000_000)
  }

  @Test func `the status line says what is wrong`() throws {
    var driver = Driver(110, 4)
    morning(&driver)
    func status(_ state: ConnectionStatus.State) -> ConnectionStatus {
      ConnectionStatus(component: "echo", state: state, reason: "", time: Timestamp(ns: opening))
    }
    var lines: [String] = []
    for state in [ConnectionStatus.State.connecting, .connected, .failed] {
      driver.send(.status([status(state)]))
      lines.append(driver.frame().text(row: 3))
    }
    driver.type("p")
    lines.append(driver.frame().text(row: 0))
    driver.send(.reply("ticks: no symbol 'X'", isError: true))
    lines.append(driver.frame().text(row: 3))
    try expect(lines, is: "status-110x4")
  }

  @Test func `a window that changes its size keeps what was chosen in sight`() throws {
    var driver = Driver(80, 24)
    for i in 0..<40 { driver.trade((try? Symbol("S\(i)")) ?? "X", Int64(1000 + i)) }
    driver.advance(1000)
    driver.press(.end)
    var lines: [String] = []
    for (columns, rows) in [(80, 24), (40, 8), (20, 5), (80, 24)] {
      driver.send(.resize(TerminalSize(columns: columns, rows: rows)))
      lines += driver.frame().text
    }
    try expect(lines, is: "resize")
  }
}
