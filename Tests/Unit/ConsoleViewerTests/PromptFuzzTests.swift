import MarketData
import TestSupport
import StockbusPlugin
import StockbusTerminal
import StockbusViewing
import Testing

@testable import ConsoleViewer

/// Random input in the screen's prompts, by seed.
@Suite struct PromptFuzzTests {
  private static let words = [
    "above", "below", ">", "<", ">=", "<=", " ", " ", "+", "-", "%", "1", "200", "0.5", "99999999999", "9223372036.854775807", "1e9",
    "1e400",
    "AAPL", "brk", "price", "change", "percent", "symbol", "rank", "time", "and", "or", "not", "in", "[", "]", "(", ")", "\"", "matches",
    "*", ",", "é", "\u{301}", "東", "\u{1f1e9}\u{1f1ea}", "\u{202e}", "\u{85}", "\\u{41}", "2013-10-08T13:30:00Z", "5s",
  ]

  private static let keys: [Key] = [
    .enter, .escape, .tab, .backspace, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .function(1), .delete,
  ]

  private static func line(_ random: inout SplitMix) -> String {
    (0...random.upTo(random.oneIn(20) ? 80 : 5)).map { _ in words[random.upTo(words.count - 1)] }.joined()
  }

  /// A price or a distance, as is typed for an alert.
  private static func level(_ random: inout SplitMix) -> String {
    let side = ["", "", "above ", "below ", ">", "< "][random.upTo(5)]
    let number = "\(random.upTo(random.oneIn(3) ? 100_000 : 300))" + (random.oneIn(3) ? ".\(random.upTo(999))" : "")
    return side + ["", "", "+", "-"][random.upTo(3)] + number + (random.oneIn(3) ? "%" : "")
  }

  @Test func `whatever is typed, the screen keeps its size, and what is set is kept and still to come`() {
    var random = SplitMix(17)
    var costs = Costs("lines of the screen")
    var driver = Driver(80, 24, sorting: Sorting(.symbol), lists: [("tech", ["NVDA", "AAPL"])])
    morning(&driver)
    driver.trade("BTC", 6_000_000)
    driver.trade("BIG", 900_000_000_000)
    driver.trade("LOW", 1)
    var alerts = 0
    for round in 0..<rounds(1500) {
      if random.oneIn(50) { driver.send(.resize(TerminalSize(columns: 1 + random.upTo(160), rows: 1 + random.upTo(50)))) }
      if random.oneIn(40) { driver.trade(driver.state.market.rows[random.upTo(7)].symbol, Int64(random.upTo(20_000_000))) }
      // Opens a list, selects a row, opens a prompt.
      driver.press(.escape, .escape, .escape)
      driver.type(["1", "1", "2", "3", "5"][random.upTo(4)])
      for _ in 0..<random.upTo(9) { driver.press(.down) }
      let isAlert = random.oneIn(2)
      let text = isAlert && random.oneIn(2) ? Self.level(&random) : Self.line(&random)
      let before = driver.state.alerts.count
      _ = driver.takeEffects()
      driver.type(isAlert ? "a" : "/")
      driver.type(text)
      driver.press(Self.keys[random.oneIn(2) ? 0 : random.upTo(Self.keys.count - 1)])
      _ = costs.measure(size: text.utf8.count, text) { RowFilter(text) }
      for prompt in [driver.state.prompt].compactMap({ $0 }) { #expect(prompt.text.utf8.count < 300) }
      let frame = driver.frame()
      if frame.size != driver.state.size {
        Issue.record("round \(round): \(frame.size) on \(driver.state.size) after \(text.debugDescription)")
      }
      if driver.state.alerts.count > before, let alert = driver.state.alerts.last {
        alerts += 1
        if let row = driver.state.market.row(of: alert.symbol), alert.isAbove ? row.price >= alert.level : row.price <= alert.level {
          Issue.record("round \(round): \(alert.text) was set at \(row.price)")
        }
        var written = alert
        written.isDelegated = false
        if PriceAlert(alert.text) != written { Issue.record("round \(round): \(alert.text.debugDescription) is not read as it is written") }
        if driver.takeEffects().last != .save { Issue.record("round \(round): \(alert.text) is not kept") }
      }
      // Sometimes keys at any position.
      for _ in 0..<(random.oneIn(8) ? random.upTo(6) : 0) {
        if random.oneIn(2) {
          driver.press(Self.keys[random.upTo(Self.keys.count - 1)])
        } else {
          driver.type(["s", "S", "c", "p", "w", "x", "f", "?", "t", "+", "k", "G"][random.upTo(11)])
        }
      }
      driver.advance(Int64(random.upTo(2000)))
      if driver.state.alerts.count > 200 { driver.state.alerts.removeAll() }
    }
    #expect(alerts > 50)
    for line in costs.lines { print(line) }
  }

  @Test func `a distance in per cent is that of school, whatever the price`() {
    var random = SplitMix(18)
    for _ in 0..<rounds(500) {
      // From the smallest price to the largest, in hundredths, with one more digit each time.
      var largest: Int64 = 10
      for _ in 0..<random.upTo(13) { largest *= 10 }
      let hundredths = Int64.random(in: 1...min(largest, 900_000_000_000), using: &random)
      let share = Int64.random(in: 1...20_000, using: &random)
      let sign: Int128 = random.oneIn(2) ? 1 : -1
      let price = Price(raw: hundredths * 10_000_000)
      let row = Row("X", price: price, decimals: 2, time: Timestamp(ns: 0))
      let text = "\(sign > 0 ? "+" : "-")\(share / 100).\(share % 100 / 10)\(share % 10)%"
      // In units of 1e-9: exact, then rounded to the nearest hundredth, halves up.
      let distance = sign * Int128(hundredths) * 10_000_000 * Int128(share) / 10_000
      let exact = Int128(price.raw) + distance
      let rest = exact % 10_000_000
      let expected = rest * 2 >= 10_000_000 ? exact + 10_000_000 - rest : exact - rest
      let alert = ScreenState.alert(text, for: row)
      if Int64(exactly: distance) != nil, let level = Int64(exactly: expected) {
        #expect(alert?.level == Price(raw: level), "\(text) of \(price)")
        #expect(alert?.isAbove == (level > price.raw), "\(text) of \(price)")
      } else {
        #expect(alert == nil, "\(text) of \(price)")
      }
    }
  }
}
