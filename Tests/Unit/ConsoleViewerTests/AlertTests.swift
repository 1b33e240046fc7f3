import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusViewing
import Testing

@testable import ConsoleViewer

@Suite struct AlertTests {
  private var row: Row { Row("AAPL", price: Price(raw: 189_250_000_000), decimals: 2, time: Timestamp(ns: opening)) }

  @Test(arguments: [
    ("200", "AAPL above 200"), ("150.5", "AAPL below 150.5"), ("above 190", "AAPL above 190"), ("< 100", "AAPL below 100"),
    (">191", "AAPL above 191"), ("+1%", "AAPL above 191.14"), ("-1%", "AAPL below 187.36"), ("+5", "AAPL above 194.25"),
    ("-5", "AAPL below 184.25"), ("", "AAPL above 191.14"),
  ])
  func `an alert is a price, a side, or a distance`(text: String, alert: String) {
    #expect(ScreenState.alert(text, for: row)?.text == alert)
  }

  @Test(arguments: [
    ("", 922, "X above 931.22"), ("", 923, "X above 932.23"), ("-20%", 60_000, "X below 48000"),
    ("+100%", 4_000_000_000, "X above 8000000000"),
    ("50%", 700_000, "X above 1050000"),
  ])
  func `a distance in per cent is from any price`(text: String, price: Int64, alert: String) {
    let row = Row("X", price: Price(raw: price * 1_000_000_000), decimals: 2, time: Timestamp(ns: opening))
    #expect(ScreenState.alert(text, for: row)?.text == alert)
  }

  @Test(arguments: ["x", "above", "1 2 x", "+%", "99999999999", "--1", "1e400"])
  func `anything else is none`(text: String) {
    #expect(ScreenState.alert(text, for: row) == nil)
  }

  @Test func `a price between two frames fires, once`() {
    var driver = Driver()
    morning(&driver)
    driver.press(.down)
    driver.type("a200")
    driver.press(.enter)
    #expect(driver.takeEffects() == [.save])
    driver.trade("AAPL", 20_100)
    driver.trade("AAPL", 18_000)
    driver.advance(40)
    #expect(driver.takeEffects() == [.ring, .save])
    #expect(driver.state.notifications.all.map(\.text) == ["AAPL rose to 201.00"])
    #expect(driver.state.alerts == [])
    driver.trade("AAPL", 20_100)
    driver.advance(40)
    #expect(driver.takeEffects() == [])
  }

  @Test func `of several alerts the nearest fires first, the others stay`() {
    var driver = Driver()
    driver.trade("A", 10_000)
    driver.advance(10)
    driver.send(.open("A"))
    for level in ["101", "102", "99"] {
      driver.type("a" + level)
      driver.press(.enter)
    }
    driver.trade("A", 10_150)
    driver.advance(40)
    #expect(driver.state.alerts.map(\.text) == ["A above 102", "A below 99"])
    driver.trade("A", 9_000)
    driver.trade("A", 10_300)
    driver.advance(40)
    // Both levels were passed between two frames: the first alert is shown at once, the second when its price comes again.
    driver.trade("A", 10_301)
    driver.advance(40)
    #expect(driver.state.notifications.all.map(\.title) == ["A above 101", "A below 99", "A above 102"])
  }

  @Test func `what is true already is refused`() {
    var driver = Driver()
    driver.trade("A", 10_000)
    driver.send(.open("A"))
    driver.type("aabove 90")
    driver.press(.enter)
    #expect(driver.state.alerts == [])
    #expect(driver.state.prompt == .alert("A", "above 90", fault: "the price is already above 90"))
  }

  @Test func `a price that is none stays in the prompt, with what is wrong, until it is mended or given up`() {
    var driver = Driver()
    driver.trade("AAPL", 20_000)
    driver.send(.open("AAPL"))
    driver.type("a21o")
    driver.press(.enter)
    #expect(driver.state.prompt == .alert("AAPL", "21o", fault: "no price: 200, above 200, +1%, -5"))
    let status = driver.frame().text.last ?? ""
    #expect(status.hasPrefix(" alert AAPL (now 200.00): 21o▏"))
    #expect(status.contains("no price: 200, above 200, +1%, -5"))
    // The reason disappears with the next key, the prompt with a valid price.
    driver.press(.backspace)
    #expect(driver.frame().text.last?.contains("no price") == false)
    driver.type("0")
    driver.press(.enter)
    #expect(driver.state.alerts.map(\.text) == ["AAPL above 210"])
    #expect(driver.state.prompt == nil)
    driver.type("ax")
    driver.press(.enter, .escape)
    #expect(driver.state.prompt == nil)
    driver.type("a")
    #expect(driver.state.prompt == .alert("AAPL", ""))
  }

  @Test func `in a narrow window what is wrong is cut rather than kept quiet`() {
    var driver = Driver(30, 8)
    driver.trade("AAPL", 20_000)
    driver.send(.open("AAPL"))
    driver.type("a21o")
    driver.press(.enter)
    #expect(driver.frame().text.last == " 21o▏ no price: 200, above 20")
  }

  @Test func `a condition that is wrong stays in the prompt too`() {
    var driver = Driver()
    driver.trade("AAPL", 20_000)
    driver.type("/price >")
    driver.press(.enter)
    #expect(driver.state.prompt?.text == "price >")
    driver.type(" 1")
    driver.press(.enter)
    #expect(driver.state.prompt == nil && driver.state.filter.text == "price > 1")
  }

  @Test func `rules stand on the symbol's page by their names, and alerts that a dispatcher was told of name it`() {
    var driver = Driver()
    driver.trade("AAPL", 20_000)
    let dispatcher = RunComponent(id: "desk", kind: .sink, plugin: "notification_dispatcher", doors: [DoorID((any RuleDesk).self)])
    driver.send(.sample([dispatcher], [], []))
    func rule(_ name: String, _ symbols: String, _ condition: String, _ state: WatchedRule.State = .on) -> WatchedRule {
      WatchedRule(component: "desk", name: name, symbols: symbols, condition: condition, state: state)
    }
    driver.send(
      .rules(
        "desk",
        [
          rule("AAPL above 210", "AAPL", "above 210"), rule("high", "AAPL,B*", "above 300"),
          rule("AAPL falls quickly by a lot", "*", "falls_by 5% in 10m", .off), rule("other", "MSFT", "above 1"),
        ]))
    driver.send(.open("AAPL"))
    func rows(_ part: String) -> [String] { driver.frame().text.filter { $0.contains(part) } }
    #expect(rows("! AAPL above 210").count == 1)
    #expect(rows("! high: above 300").count == 1)
    #expect(rows("! AAPL falls quickly by a lot:").count == 1)
    #expect(rows("    falls_by 5% in 10m (off)").count == 1)
    #expect(rows("other").isEmpty)
    driver.type("a205")
    driver.press(.enter)
    driver.press(.escape)
    driver.state.go(to: driver.state.tabs.firstIndex(of: .alerts) ?? 0)
    #expect(rows("! AAPL above 205  (also watched by desk)").count == 1)
  }

  @Test func `a notification dispatcher is told too, and an alert is shown once, whoever fires first`() {
    var driver = Driver()
    driver.trade("A", 10_000)
    let dispatcher = RunComponent(id: "alerts", kind: .sink, plugin: "notification_dispatcher", doors: [DoorID((any RuleDesk).self)])
    driver.send(.sample([dispatcher], [], []))
    driver.send(.open("A"))
    func add(_ level: String) -> ScreenEffect { .addRule(RuleRequest(.symbol("A"), [.init("above", level)]), to: "alerts") }
    func alert(_ rule: String, _ message: String) -> Alert {
      Alert(symbol: "A", rule: rule, message: message, price: 120, time: Timestamp(ns: opening))
    }
    driver.type("a110")
    driver.press(.enter)
    #expect(driver.takeEffects() == [add("110"), .save])
    // The screen fires first.
    driver.trade("A", 12_000)
    driver.advance(40)
    #expect(driver.takeEffects() == [.ring, .save])
    driver.send(.alerts([alert("A above 110", "A rose to 120.00 (dispatcher)")]))
    #expect(driver.takeEffects() == [])
    #expect(driver.state.notifications.all.map(\.text) == ["A rose to 120.00"])
    // The dispatcher fires first.
    driver.type("a130")
    driver.press(.enter)
    driver.send(.alerts([alert("A above 130", "A rose to 131.00 (dispatcher)")]))
    #expect(driver.takeEffects() == [add("130"), .save, .ring, .save])
    driver.trade("A", 13_100)
    driver.advance(40)
    #expect(driver.takeEffects() == [])
    #expect(driver.state.notifications.all.map(\.text) == ["A rose to 120.00", "A rose to 131.00 (dispatcher)"])
    #expect(driver.state.notifications.unseen == 2)
    // The dispatcher's own rules are shown each time they fire.
    driver.send(.alerts([alert("big", "A is big"), alert("big", "A is big")]))
    #expect(driver.state.notifications.all.count == 4)
    driver.type("a140")
    driver.press(.enter)
    driver.type("x")
    #expect(
      driver.takeEffects() == [
        .ring, add("140"), .save, .removeRule("A above 140", from: "alerts"), .save,
      ])
  }

  @Test func `an alert on a symbol that looks like a pattern is about that symbol alone`() {
    var driver = Driver()
    driver.trade("*", 10_000)
    let dispatcher = RunComponent(id: "alerts", kind: .sink, plugin: "notification_dispatcher", doors: [DoorID((any RuleDesk).self)])
    driver.send(.sample([dispatcher], [], []))
    driver.send(.open("*"))
    driver.type("a110")
    driver.press(.enter)
    driver.type("x")
    #expect(
      driver.takeEffects() == [
        .addRule(RuleRequest(.symbol("*"), [.init("above", "110"), .init("name", "only * above 110")]), to: "alerts"), .save,
        .removeRule("only * above 110", from: "alerts"), .save,
      ])
  }

  @Test func `an answer is read before the next alert, which comes after it`() {
    var driver = Driver()
    driver.trade("A", 10_000)
    driver.advance(10)
    driver.send(.reply("rule 'x' is on", isError: false))
    driver.advance(1000)
    driver.send(.alerts([Alert(symbol: "A", rule: "big", message: "A is big", price: 120, time: Timestamp(ns: opening))]))
    #expect(driver.frame().text.last?.hasPrefix(" rule 'x' is on") == true)
    driver.advance(3100)
    #expect(driver.frame().text.last?.hasPrefix(" big: A is big") == true)
    // Four seconds from when it became visible.
    driver.advance(3800)
    #expect(driver.frame().text.last?.hasPrefix(" big: A is big") == true)
    driver.advance(100)
    #expect(driver.frame().text.last?.contains("big") == false)
  }

  @Test func `the rules of a dispatcher stand in the list and on the pages of their symbols before they fire`() {
    var driver = Driver()
    driver.trade("AAPL", 10_000)
    driver.trade("MSFT", 10_000)
    let rules = [
      WatchedRule(component: "alerts", name: "AAPL above 88", symbols: "AAPL", condition: "crosses_above 88", state: .on),
      WatchedRule(component: "alerts", name: "1% in a minute", symbols: "*", condition: "rises_by 1% in 1m", state: .off),
    ]
    driver.send(.rules("alerts", rules))
    driver.advance(10)
    driver.send(.open("AAPL"))
    #expect(driver.frame().text.contains { $0.contains("! AAPL above 88: crosses_above 88") })
    #expect(driver.frame().text.contains { $0.contains("! 1% in a minute:") })
    driver.send(.open("MSFT"))
    #expect(!driver.frame().text.contains { $0.contains("crosses_above 88") })
    driver.press(.escape)
    driver.state.go(to: driver.state.tabs.firstIndex(of: .alerts) ?? 0)
    #expect(driver.frame().text.contains { $0.contains("! AAPL above 88  AAPL: crosses_above 88  (alerts)") })
    #expect(driver.frame().text.contains { $0.contains("! 1% in a minute  all symbols: rises_by 1% in 1m  (alerts, off)") })
    // A new reply without rules removes the old ones.
    driver.send(.rules("alerts", []))
    #expect(driver.frame().text.contains { $0.contains("no alerts") })
  }
}
