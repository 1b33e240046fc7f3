import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusViewing
import Testing

@testable import ConsoleViewer

@Suite struct KeyTests {
  private func driver(_ rows: Int = 24) -> Driver {
    var driver = Driver(80, rows, sorting: Sorting(.symbol))
    morning(&driver)
    return driver
  }

  @Test func `q stops the run`() {
    var driver = driver()
    driver.type("q")
    #expect(driver.takeEffects() == [.stop])
  }

  @Test func `plus, minus and r act on the generator`() {
    var driver = driver()
    driver.type("+")
    #expect(driver.takeEffects() == [])
    #expect(driver.state.messages.first?.isError == true)
    driver.press(.down)
    driver.type("+-r")
    #expect(
      driver.takeEffects() == [
        .perform(Command(verb: "raise", arguments: ["AAPL"]), on: "ticks"),
        .perform(Command(verb: "lower", arguments: ["AAPL"]), on: "ticks"),
        .perform(Command(verb: "randomise", arguments: ["AAPL"]), on: "ticks"),
      ])
  }

  @Test func `w puts on and off the watchlist, which is a tab`() {
    var driver = driver()
    driver.press(.down, .down)
    driver.type("w")
    #expect(driver.takeEffects() == [.save])
    driver.type("2")
    #expect(driver.shown == ["BRK.B"])
    driver.type("w")
    #expect(driver.shown == [])
    #expect(driver.state.watchlist == [])
  }

  @Test func `lists of the configuration are tabs of their own`() {
    var driver = Driver(80, 24, sorting: Sorting(.symbol), lists: [("tech", ["NVDA", "AAPL", "OTHER"])])
    morning(&driver)
    driver.type("3")
    #expect(driver.shown == ["AAPL", "NVDA"])
    #expect(driver.state.tabs.map(\.title) == ["Prices", "Watchlist", "tech", "Movers", "Alerts", "Log", "Graph"])
  }

  @Test func `the address of the page is beside the clock, where there is room`() {
    for (columns, isShown) in [(98, true), (85, false)] {
      var driver = Driver(columns, 24)
      morning(&driver)
      driver.send(.page("http://127.0.0.1:8080/"))
      #expect(driver.frame().text[0].contains(" http://127.0.0.1:8080/  ") == isShown, "\(driver.frame().text[0])")
    }
  }

  @Test func `the address is asked for again, as a change of the run may move the page or end it`() {
    var driver = Driver()
    let page = RunComponent(id: "page", kind: .sink, plugin: "dashboard", doors: [DoorID((any PageDesk).self)])
    driver.send(.sample([page], [], []))
    #expect(driver.takeEffects() == [.askPage("page", known: nil)])
    driver.send(.page("http://127.0.0.1:8080/"))
    driver.send(.sample([page], [], []))
    #expect(driver.takeEffects() == [.askPage("page", known: "http://127.0.0.1:8080/")])
    driver.send(.sample([], [], []))
    #expect(driver.takeEffects() == [] && driver.state.address == nil)
  }

  @Test func `s sorts by the next column, S turns the order`() {
    var driver = driver()
    driver.type("s")
    #expect(driver.state.sorting == Sorting(.price))
    #expect(driver.shown == ["NVDA", "MSFT", "TSLA", "AAPL", "BRK.B"])
    driver.type("S")
    #expect(driver.shown == ["BRK.B", "AAPL", "TSLA", "MSFT", "NVDA"])
    driver.type("<")
    #expect(driver.state.sorting == Sorting(.symbol))
  }

  @Test func `pinned rows stand first, whatever the order`() {
    var driver = driver()
    driver.press(.end)
    driver.type(" ")
    #expect(driver.shown == ["TSLA", "AAPL", "BRK.B", "MSFT", "NVDA"])
    driver.type(" ")
    #expect(driver.shown == ["AAPL", "BRK.B", "MSFT", "NVDA", "TSLA"])
  }

  @Test func `arrows, pages and ends move the choice and scroll`() {
    var driver = driver(6)  // three rows of table
    driver.press(.down)
    #expect(driver.state.selection == "AAPL")
    driver.press(.pageDown)
    #expect(driver.state.selection == "MSFT")
    driver.press(.end)
    #expect(driver.state.selection == "TSLA" && driver.state.offset == 2)
    driver.press(.down)
    #expect(driver.state.selection == "TSLA")
    driver.press(.home)
    #expect(driver.state.selection == "AAPL" && driver.state.offset == 0)
    driver.press(.escape)
    #expect(driver.state.selection == nil)
  }

  @Test func `the filter follows the keys, Escape takes back, Enter keeps`() {
    var driver = driver()
    driver.type("/brk")
    #expect(driver.shown == ["BRK.B"])
    driver.press(.backspace, .backspace, .backspace)
    #expect(driver.shown.count == 5)
    driver.type("A")
    driver.press(.enter)
    #expect(driver.shown == ["AAPL", "NVDA", "TSLA"])
    driver.type("/zzz")
    #expect(driver.shown == [])
    driver.press(.escape)
    #expect(driver.shown == ["AAPL", "NVDA", "TSLA"])
    driver.press(.escape)
    #expect(driver.shown.count == 5)
  }

  @Test(arguments: ["\r", "\r?", "\rc", "3", "4", "5", "6", "?", "c", "4?"])
  func `a filter begins wherever somebody is, and nothing of it acts as a key`(way: String) {
    var driver = driver()
    driver.press(.down)
    for key in way { driver.press(key == "\r" ? .enter : .character(key)) }
    driver.type("/q")
    #expect(driver.takeEffects() == [])
    #expect(driver.state.page == .list)
    #expect(driver.state.current == .prices)
    #expect(driver.state.prompt == .filter("q", before: ""))
    driver.press(.backspace)
    driver.type("nv")
    driver.press(.enter)
    #expect(driver.shown == ["NVDA"])
  }

  @Test func `a filter stays with the list that is shown`() {
    var driver = Driver(80, 24, sorting: Sorting(.symbol), lists: [("tech", ["NVDA", "AAPL"])])
    morning(&driver)
    driver.type("3")
    driver.press(.down, .enter)
    driver.type("/a")
    #expect(driver.state.current == .named("tech", ["NVDA", "AAPL"]))
    #expect(driver.shown == ["AAPL", "NVDA"])
  }

  @Test func `Enter does not open what a filter hides`() {
    var driver = driver()
    driver.press(.down, .enter)
    driver.type("/s")
    driver.press(.enter, .enter)
    #expect(driver.shown == ["MSFT", "TSLA"])
    #expect(driver.state.page == .list)
    driver.press(.down, .enter)
    #expect(driver.state.page == .detail("MSFT"))
  }

  @Test func `a condition filters once it is complete`() {
    var driver = driver()
    driver.type("/price")
    #expect(driver.shown.count == 5)
    driver.type(" > 300")
    #expect(driver.shown == ["MSFT", "NVDA"])
    driver.type(" and symbol == MSFT")
    #expect(driver.shown == ["MSFT"])
  }

  @Test func `p pauses the screen and not the prices`() {
    var driver = driver()
    let before = driver.frame().text
    driver.type("p")
    driver.trade("AAPL", 99_900)
    driver.advance(10_000)
    #expect(driver.frame().text[2] == before[2])
    driver.type("p")
    #expect(driver.frame().text[2] != before[2])
    #expect(driver.state.market.row(of: "AAPL")?.high == Price(raw: 999_000_000_000))
  }

  @Test func `the page of a symbol goes through the list and its spans`() {
    var driver = driver()
    driver.press(.down, .enter)
    #expect(driver.state.page == .detail("AAPL"))
    driver.press(.down)
    #expect(driver.state.page == .detail("BRK.B"))
    driver.press(.right, .right)
    #expect(driver.state.chart.span == .hour)
    driver.press(.left, .left, .left, .left, .left)
    #expect(driver.state.chart.span == .minute)
    driver.press(.escape)
    #expect(driver.state.page == .list)
  }

  @Test func `a click chooses, a second one opens, a head sorts, a tab opens`() {
    var driver = driver()
    driver.send(.mouse(MouseEvent(.press(0), row: 3, column: 10)))
    #expect(driver.state.selection == "BRK.B")
    driver.send(.mouse(MouseEvent(.press(0), row: 3, column: 10)))
    #expect(driver.state.page == .detail("BRK.B"))
    driver.press(.escape)
    let price = ScreenGeometry(driver.state).columns[2]
    driver.send(.mouse(MouseEvent(.press(0), row: 1, column: price.begin + 1)))
    #expect(driver.state.sorting == Sorting(.price))
    driver.send(.mouse(MouseEvent(.press(0), row: 1, column: price.begin + 1)))
    #expect(driver.state.sorting == Sorting(.price, isDescending: false))
    driver.send(.mouse(MouseEvent(.press(0), row: 0, column: ScreenGeometry(driver.state).tabs[4].columns.lowerBound + 2)))
    #expect(driver.state.current == .log)
  }

  @Test func `the wheel scrolls and holds the order`() {
    var driver = driver(6)
    driver.send(.mouse(MouseEvent(.wheelDown, row: 3, column: 3)))
    #expect(driver.state.offset == 2)
    #expect(driver.state.isReading)
    driver.send(.mouse(MouseEvent(.wheelUp, row: 3, column: 3)))
    #expect(driver.state.offset == 0)
  }

  @Test func `no key and no click in any size of window does harm`() {
    var random = RandomStream(seed: 11)
    let keys: [Key] =
      "q?tp+-raxbvew f/cCsS<>123456789jkgG0zé".map { .character($0) }
      + [.up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .escape, .tab, .backspace, .function(1), .delete]
    for round in 0..<60 {
      var driver = Driver(Int(random.next() % 90) + 1, Int(random.next() % 30) + 1)
      if round % 3 > 0 { morning(&driver) }
      if round % 2 > 0 { trading(&driver) }
      for _ in 0..<60 {
        switch random.next() % 6 {
        case 0: driver.send(.resize(TerminalSize(columns: Int(random.next() % 130), rows: Int(random.next() % 40))))
        case 1:
          driver.send(
            .mouse(
              MouseEvent(random.next() % 2 == 0 ? .press(0) : .wheelDown, row: Int(random.next() % 40), column: Int(random.next() % 130))))
        case 2:
          driver.advance(Int64(random.next() % 2000))
          driver.trade("AAPL", Int64(random.next() % 30_000) + 1)
        default: driver.press(keys[Int(random.next() % UInt64(keys.count))])
        }
        let frame = driver.frame(ColorDepth.allCases[Int(random.next() % 4)])
        #expect(frame.size == driver.state.size)
      }
    }
  }

  @Test func `Enter after a filter opens the only match`() {
    var driver = Driver()
    morning(&driver)
    driver.type("/aapl")
    driver.press(.enter)
    #expect(driver.state.page == .list)
    driver.press(.enter)
    #expect(driver.state.page == .detail("AAPL"))
    // With several symbols nothing is opened until one is chosen.
    driver.press(.escape, .escape, .escape)
    driver.type("/s")
    driver.press(.enter, .enter)
    #expect(driver.shown.count > 1)
    #expect(driver.state.page == .list)
  }

  @Test func `a symbol that never came is named, with what was meant`() {
    var driver = Driver(lists: [("tech", ["AAPL", "MSTF"])])
    driver.send(.watch(["aapl"]))
    #expect(!driver.frame().text.contains { $0.contains("never came") })
    morning(&driver)
    #expect(driver.frame().text.contains { $0.contains("'aapl' never came; did you mean 'AAPL'?") })
    // Together with a symbol that came.
    driver.type("3")
    #expect(driver.shown == ["AAPL"])
    #expect(driver.frame().text.contains { $0.contains("'MSTF' never came; did you mean 'MSFT'?") })
    driver.type("1/nvad")
    driver.press(.enter)
    #expect(driver.frame().text.contains { $0.contains("'NVAD' never came; did you mean 'NVDA'?") })
  }

  @Test func `the page of a symbol that never came says so, with what was meant`() {
    var driver = Driver()
    driver.send(.open("appl"))
    driver.advance(0)
    #expect(driver.frame().text[1] == " appl: no price yet")
    morning(&driver)
    #expect(driver.frame().text[1] == " 'appl' never came; did you mean 'AAPL'?")
    driver.trade("appl", 100)
    driver.advance(1000)
    #expect(driver.frame().text[1].hasPrefix(" appl  1.00 "))
    // The names that the page asked for do not affect the list.
    driver.press(.escape)
    driver.advance(1000)
    #expect(!driver.frame().text.contains { $0.contains("never came") })
  }

  @Test func `the rate is that of some seconds, not of a burst`() {
    var driver = Driver()
    var rates: [Double] = []
    // 25 events every two seconds, counted every half second: 12.5 a second.
    for step in 0..<40 {
      if step % 4 == 0 { for i in 0..<25 { driver.trade("A", 10_000 + Int64(i)) } }
      driver.advance(500)
      driver.send(.sample(components, edges, []))
      rates.append(driver.state.meter.rate ?? 0)
    }
    #expect(rates.dropFirst(10).allSatisfy { $0 == 12.5 })
    for _ in 0..<10 {
      driver.advance(500)
      driver.send(.sample(components, edges, []))
    }
    #expect(driver.state.meter.rate == 0)
  }

  @Test func `times are shown as clocks showed them at the event's date, and the zone is named`() {
    // New York until the first Sunday of November 2013 and after it.
    let zone = DisplayZone(name: "America/New_York") { $0 < 1_383_458_400 ? -14_400 : -18_000 }
    var state = ScreenState(size: TerminalSize(columns: 80, rows: 24), columns: [.symbol, .price, .time], zone: zone)
    let time = Timestamp(ns: 1_381_239_421_000_000_000)  // 2013-10-08T13:37:01Z
    _ = state.reduce(.tick(1, wall: Timestamp(ns: 1_384_000_000_000_000_000)))  // 2013-11-09T12:26:40Z
    state.market.take([Trade(symbol: "AAPL", price: 1, size: 1, time: time, received: time)].span, at: 0)
    state.arrange(force: true)
    let frame = ScreenLayout.frame(state, colors: .none).text
    #expect(frame[0].hasSuffix("07:26 New York"))
    #expect(frame[2].hasSuffix("09:37:01"))
    #expect(CellText.seconds(time, zone: .utc) == "13:37:01")
  }

  @Test func `an event dated ahead does not stop the past of its symbol`() {
    var market = Market()
    func take(_ second: Int64, received: Int64? = nil) {
      let trade = Trade(
        symbol: "DATED", price: Price(raw: 1_000_000_000 + second), size: 1, time: Timestamp(ns: opening + second * 1_000_000_000),
        received: Timestamp(ns: opening + (received ?? second) * 1_000_000_000))
      market.take([trade].span, at: 0)
    }
    take(0)
    take(86_400, received: 1)
    for second in 2...5 { take(Int64(second)) }
    #expect(market.rows[0].time.ns == opening + 5_000_000_000)
    #expect(market.history(of: 0, span: 60_000_000_000).map { ($0.time - opening) / 1_000_000_000 } == [0, 1, 2, 3, 4, 5])
    #expect(market.datedAhead == 1)
    // Without times of receipt three events set the clock back.
    take(172_800)
    for second in 7...12 { take(Int64(second)) }
    let seconds = market.history(of: 0, span: 60_000_000_000).map { ($0.time - opening) / 1_000_000_000 }
    #expect(seconds.suffix(4) == [9, 10, 11, 12])
    #expect(seconds.allSatisfy { $0 <= 12 })
    #expect(market.datedAhead == 2)
  }

  @Test func `what came and has no row is not said to be missing, and is shown once it is typed`() {
    var driver = Driver()
    driver.state.market = Market(limits: MarketLimits(symbols: 1, memory: 64 << 20))
    for symbol in ["JUNK1", "LATE1"] as [Symbol] { driver.trade(symbol, 100) }
    driver.advance(3000)
    driver.press(.character("/"))
    driver.type("LATE1")
    driver.advance(1000)
    #expect(!driver.frame().text.contains { $0.contains("never came") })
    driver.trade("LATE1", 200)
    driver.advance(1000)
    #expect(driver.state.listedSymbols == ["LATE1"])
  }
}
