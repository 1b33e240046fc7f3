import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusTrading
import StockbusViewing
import Testing

@testable import ConsoleViewer

/// Buying, selling and cancelling by keys.
@Suite struct TradingKeyTests {
  private func driver() -> Driver {
    var driver = Driver(80, 24, sorting: Sorting(.symbol))
    morning(&driver)
    trading(&driver)
    return driver
  }

  private let preview = ScreenEffect.preview(
    Command(verb: "preview", arguments: ["buy", "AAPL", "100", "at", "189.25"]), on: "broker", number: 1)

  @Test func `an order is asked for, previewed, drawn and then confirmed`() {
    var driver = driver()
    driver.press(.down)
    driver.type("b100 at 189.25")
    #expect(driver.takeEffects() == [])
    driver.press(.enter)
    #expect(driver.takeEffects() == [preview])
    driver.press(.enter)
    driver.send(.preview(1, "at 189.25: value 18925, fee 1", isError: false))
    // Not drawn yet.
    driver.press(.enter)
    #expect(driver.takeEffects() == [])
    driver.advance(34)
    driver.press(.enter)
    #expect(driver.takeEffects() == [.perform(Command(verb: "buy", arguments: ["AAPL", "100", "at", "189.25"]), on: "broker")])
    #expect(driver.state.prompt == nil)
  }

  @Test func `v sells from the page of a symbol`() {
    var driver = driver()
    driver.send(.open("TSLA"))
    driver.type("v5")
    driver.press(.enter)
    #expect(driver.takeEffects() == [.preview(Command(verb: "preview", arguments: ["sell", "TSLA", "5"]), on: "broker", number: 1)])
    driver.send(.preview(1, "at 260.48", isError: false))
    driver.advance(34)
    driver.press(.enter)
    #expect(driver.takeEffects() == [.perform(Command(verb: "sell", arguments: ["TSLA", "5"]), on: "broker")])
    #expect(driver.state.page == .detail("TSLA"))
  }

  @Test func `Escape leaves at each step, and nothing is sent`() {
    for step in 0..<4 {
      var driver = driver()
      driver.press(.down)
      driver.type("b100")
      if step > 0 { driver.press(.enter) }
      if step > 1 { driver.send(.preview(1, "cost", isError: false)) }
      if step > 2 { driver.advance(34) }
      _ = driver.takeEffects()
      driver.press(.escape)
      #expect(driver.state.prompt == nil)
      // A reply that comes late opens nothing.
      driver.send(.preview(1, "cost", isError: false))
      driver.advance(34)
      driver.press(.enter)
      #expect(driver.takeEffects() == [])
      #expect(driver.state.prompt == nil)
    }
  }

  @Test func `a text that changed is previewed again`() {
    var driver = driver()
    driver.press(.down)
    driver.type("b100")
    driver.press(.enter)
    driver.send(.preview(1, "cost", isError: false))
    driver.advance(34)
    _ = driver.takeEffects()
    driver.type("0")
    driver.press(.enter)
    #expect(driver.takeEffects() == [.preview(Command(verb: "preview", arguments: ["buy", "AAPL", "1000"]), on: "broker", number: 2)])
    // The reply to the first one is not that of this order.
    driver.send(.preview(1, "cost", isError: false))
    driver.advance(34)
    driver.press(.enter)
    #expect(driver.takeEffects() == [])
  }

  @Test(arguments: ["", "x", "0", "-5", "at 5", "99999999999999"])
  func `a text without a quantity stays, with the reason`(text: String) {
    var driver = driver()
    driver.press(.down)
    driver.type("b" + text)
    driver.press(.enter)
    #expect(driver.takeEffects() == [])
    #expect(driver.state.prompt?.stage == .typing(fault: "write a quantity first, such as 100, or 100 at 189.25"))
    #expect(driver.state.prompt?.text == text)
  }

  @Test func `a refusal of the preview stays with the text`() {
    var driver = driver()
    driver.press(.down)
    driver.type("b100")
    driver.press(.enter)
    _ = driver.takeEffects()
    driver.send(.preview(1, "which account? write 'in paper' at the end", isError: true))
    driver.advance(34)
    #expect(driver.frame().text[23].contains("which account? write 'in paper' at the end"))
    driver.type(" in paper")
    driver.press(.enter)
    #expect(
      driver.takeEffects() == [
        .preview(Command(verb: "preview", arguments: ["buy", "AAPL", "100", "in", "paper"]), on: "broker", number: 2)
      ])
  }

  @Test func `without a broker or a symbol nothing is asked`() {
    var driver = Driver()
    morning(&driver)
    driver.press(.down)
    driver.type("b")
    #expect(driver.state.prompt == nil)
    #expect(driver.state.messages.first?.text == "no component of this run takes the command 'buy'")
    trading(&driver)
    driver.press(.escape)
    driver.type("v")
    #expect(driver.state.prompt == nil)
    #expect(driver.state.messages.first?.text == "choose a symbol first: arrows, or a click")
  }

  @Test func `of several brokers it is the one that the screen reads from`() {
    func broker(_ id: String, isRunning: Bool = true) -> RunComponent {
      RunComponent(id: id, kind: .processor, plugin: "paper_broker", doors: [DoorID((any OrderDesk).self)], isRunning: isRunning)
    }
    let screen = RunComponent(id: "screen", kind: .sink, plugin: "console_viewer", inputs: ["ticks", "b.fills"])
    func chosen(_ components: [RunComponent]) -> String? { RunSample(components, [], at: 0, after: RunSample()).broker(of: "screen")?.id }
    #expect(chosen([broker("a"), broker("b"), screen]) == "b")
    #expect(chosen([broker("a"), broker("b", isRunning: false), screen]) == "a")
    #expect(chosen(components) == nil)
  }

  // MARK: The portfolio's page

  @Test func `x cancels the chosen order after a confirmation`() {
    var driver = driver()
    driver.type("7x")
    #expect(driver.state.messages.first?.text == "choose an order first: arrows")
    driver.press(.down, .down)
    driver.type("x")
    #expect(driver.takeEffects() == [])
    driver.press(.enter)
    #expect(driver.takeEffects() == [.perform(Command(verb: "cancel", arguments: ["key-4", "in", "paper"]), on: "broker")])
    driver.send(.reply("cancelled order 4", isError: false))
    #expect(driver.frame().text[23] == " cancelled order 4")
  }

  @Test(arguments: [Key.escape, .character("n"), .character("q"), .up])
  func `any other key keeps the order`(key: Key) {
    var driver = driver()
    driver.type("7")
    driver.press(.down)
    driver.type("x")
    driver.press(key)
    #expect(driver.takeEffects() == [])
    #expect(driver.state.prompt == nil)
    #expect(driver.state.messages.first?.text == "the order was not cancelled")
  }

  @Test func `e replaces the chosen order after a question`() {
    var driver = driver()
    driver.type("e7e")
    #expect(driver.state.messages.first?.text == "choose an order first: arrows")
    driver.press(.up)
    driver.type("e")
    #expect(driver.state.prompt?.text == "at 490.00")
    for _ in 0..<"90.00".count { driver.press(.backspace) }
    driver.type("85")
    driver.press(.enter, .enter)
    #expect(driver.takeEffects() == [])
    driver.advance(34)
    #expect(driver.frame().text[21] == " sell 20 NVDA at 490.00 gtc, filled 5, becomes: at 485, for what is left")
    driver.press(.enter)
    #expect(
      driver.takeEffects() == [
        .perform(Command(verb: "replace", arguments: ["key-4", "at", "485", "in", "paper"]), on: "broker")
      ])
    driver.type("e")
    driver.send(.key(KeyPress(.character("u"), .control)))
    driver.press(.enter)
    #expect(driver.state.prompt?.stage == .typing(fault: "write what to change, such as at 189.25, quantity 100"))
    driver.press(.escape)
    #expect(driver.takeEffects() == [])
  }

  @Test func `a replacement begins with the prices that the order has`() {
    var stopped = order(5, .sell, 10, "AAPL", at: 17_900)
    stopped.type = .stopLimit
    stopped.stop = Price(raw: 180_500_000_000)
    #expect(OrderDraft(replacing: stopped).text == "stop 180.50 at 179.00")
    stopped.type = .trailingStop
    stopped.limit = 0
    stopped.trail = 2
    #expect(OrderDraft(replacing: stopped).text == "")
  }

  @Test func `an order that is done meanwhile is not cancelled`() {
    var driver = driver()
    driver.type("7")
    driver.press(.down)
    driver.type("x")
    driver.state.portfolio.take([order(3, .buy, 10, "AAPL", at: 18_000, state: .filled, filled: 10)])
    #expect(driver.frame().text.contains { $0.contains("the order is already closed") })
    driver.press(.enter)
    #expect(driver.takeEffects() == [])
    #expect(driver.state.messages.first?.isError == true)
  }

  @Test func `arrows choose orders, then scroll; Enter opens the order's symbol, b buys it`() {
    var driver = driver()
    driver.send(.resize(TerminalSize(columns: 80, rows: 8)))
    driver.type("7")
    driver.press(.down, .down)
    #expect(driver.state.orderInHand?.number == 4)
    #expect(driver.frame().text.contains { $0.hasPrefix("▸ 4") })
    let offset = driver.state.offset
    driver.press(.down)
    #expect(driver.state.orderInHand?.number == 4 && driver.state.offset == offset + 1)
    driver.type("b")
    #expect(driver.state.prompt == .order(OrderDraft(verb: "buy", symbol: "NVDA")))
    driver.press(.escape, .enter)
    #expect(driver.state.page == .detail("NVDA"))
    driver.press(.escape, .escape)
    #expect(driver.state.chosenOrder == nil)
    driver.press(.up)
    #expect(driver.state.orderInHand?.number == 4)
    driver.press(.up)
    #expect(driver.state.orderInHand?.number == 3)
  }

  @Test func `a click chooses an order`() throws {
    var driver = driver()
    driver.type("7")
    let line = try #require(driver.frame().text.firstIndex { $0.hasPrefix("  4 ") })
    driver.send(.mouse(MouseEvent(.press(0), row: line, column: 10)))
    #expect(driver.state.orderInHand?.number == 4)
    driver.send(.mouse(MouseEvent(.press(0), row: 1, column: 10)))
    #expect(driver.state.orderInHand?.number == 4)
  }

  // MARK: Frames

  @Test(arguments: [(80, 24), (120, 40), (40, 12)])
  func `the portfolio's page`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    morning(&driver)
    trading(&driver)
    driver.type("7")
    driver.press(.down)
    try expect(driver.frame().text, is: "portfolio-\(columns)x\(rows)")
  }

  @Test func `several accounts`() throws {
    var driver = Driver(100, 24)
    morning(&driver)
    trading(&driver)
    driver.state.portfolio.take([account("momentum")])
    driver.state.portfolio.take([position("AAPL", 10, cost: 1900, mark: 18_925, in: "momentum")])
    driver.type("7")
    try expect(driver.frame().text, is: "portfolio-accounts-100x24")
  }

  @Test(arguments: [(80, 24), (120, 40), (40, 12)])
  func `an order is typed, previewed and cancelled`(columns: Int, rows: Int) throws {
    var driver = Driver(columns, rows)
    morning(&driver)
    trading(&driver)
    driver.press(.down)
    driver.type("b")
    var lines = driver.frame().text.suffix(1)
    driver.type("100 at 189.25")
    lines += driver.frame().text.suffix(1)
    driver.press(.enter)
    lines += driver.frame().text.suffix(1)
    driver.send(
      .preview(
        driver.state.previews, "at 189.25: value 18925, fee 1, sets aside 18926, leaves 40978 to trade with", isError: false))
    driver.advance(34)
    lines += driver.frame().text
    driver.press(.escape)
    driver.type("7")
    driver.press(.down)
    driver.type("x")
    lines += driver.frame().text
    driver.press(.escape)
    driver.type("e quantity 7")
    lines += driver.frame().text.suffix(1)
    driver.press(.enter)
    lines += driver.frame().text.suffix(6)
    try expect(Array(lines), is: "order-\(columns)x\(rows)")
  }

  @Test func `the page of a symbol has what accounts hold of it`() {
    var driver = driver()
    driver.state.portfolio.take([position("AAPL", -10, cost: -1900, mark: 18_925, in: "momentum")])
    driver.send(.open("AAPL"))
    let lines = driver.frame().text.filter { $0.contains("holds") }.map { $0.split(separator: " ").suffix(4).joined(separator: " ") }
    // 100 × 0.65; -10 × -0.35.
    #expect(lines == ["paper holds 100 +65.00", "momentum holds -10 +3.50"])
    driver.send(.open("MSFT"))
    #expect(!driver.frame().text.contains { $0.contains("holds") })
  }

  @Test func `profit and loss have their colours`() throws {
    var driver = Driver(80, 12)
    morning(&driver)
    trading(&driver)
    driver.type("7")
    let frame = driver.frame()
    try expect((2...7).map { looks(frame, row: $0) }, is: "portfolio-colours")
  }
}
