import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusViewing
import Testing

@testable import ConsoleViewer

@Suite struct OrderTests {
  private func order(_ driver: Driver) -> [String] {
    driver.state.market.standings.order.map { driver.state.market.rows[Int($0)].symbol.description }
  }

  @Test func `follows a ranking's moves`() {
    var driver = Driver()
    driver.rank("A", 1)
    driver.rank("B", 1)
    driver.rank("C", 3)
    driver.rank("D", 2)  // B D A C
    driver.rank("C", 1, was: 4)  // C B D A
    driver.rank("B", 4, was: 2)  // C D A B
    driver.rank("A", 3, was: 3)
    #expect(order(driver) == ["C", "D", "A", "B"])
  }

  @Test func `a random ranking is followed exactly`() {
    var random = RandomStream(seed: 7)
    var model: [Symbol] = []
    var driver = Driver()
    let symbols = (0..<60).map { (try? Symbol("R\($0)")) ?? "X" }
    for _ in 0..<3000 {
      let symbol = symbols[Int(random.next() % 60)]
      let old = model.firstIndex(of: symbol)
      if let old { model.remove(at: old) }
      let new = Int(random.next() % UInt64(model.count + 1))
      model.insert(symbol, at: new)
      driver.rank(symbol, UInt32(new + 1), was: old.map { UInt32($0 + 1) } ?? 0)
    }
    #expect(order(driver) == model.map(\.description))
  }

  @Test func `a symbol with rank 0 has left`() {
    var driver = Driver()
    driver.rank("A", 1)
    driver.rank("B", 1)
    driver.rank("C", 1)
    driver.rank("A", 0, was: 3)
    #expect(order(driver) == ["C", "B"])
    #expect(!driver.state.market.standings.isPartial)
  }

  @Test func `of a filtered ranking every symbol stands by the rank it told last`() {
    var driver = Driver()
    driver.rank("A", 25)
    driver.rank("N", 14)
    driver.rank("T", 9)
    driver.rank("A", 3, was: 25)
    driver.rank("N", 14, was: 14)
    #expect(driver.state.market.standings.isPartial)
    #expect(order(driver) == ["A", "T", "N"])
    driver.advance(300)
    let rows = driver.frame().text[2...4]
    #expect(rows.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == ["3 A", "9 T", "14 N"])
  }

  @Test func `two that keep overtaking each other do not move`() {
    var driver = Driver(80, 24, sorting: Sorting(.price))
    driver.trade("A", 200)
    driver.trade("B", 100)
    driver.advance(300)
    #expect(driver.shown == ["A", "B"])
    for round in 0..<20 {
      driver.trade("B", round % 2 == 0 ? 300 : 100)
      driver.advance(300)
      #expect(driver.shown == ["A", "B"])
    }
    // A row that stays ahead for a second moves.
    driver.trade("B", 300)
    driver.advance(300)
    #expect(driver.shown == ["A", "B"])
    driver.advance(600)
    #expect(driver.shown == ["A", "B"])
    driver.advance(500)
    #expect(driver.shown == ["B", "A"])
  }

  @Test func `without calm the order is the true one at once`() {
    var driver = Driver(80, 24, sorting: Sorting(.price), settings: .init(calm: 0))
    driver.trade("A", 200)
    driver.trade("B", 100)
    driver.advance(300)
    driver.trade("B", 300)
    driver.advance(300)
    #expect(driver.shown == ["B", "A"])
  }

  @Test func `while somebody reads the order is held, and new symbols come in at the end`() {
    var driver = Driver(80, 24, sorting: Sorting(.price))
    driver.trade("A", 200)
    driver.trade("B", 100)
    driver.advance(300)
    driver.press(.down)
    driver.trade("B", 300)
    driver.trade("C", 900)
    for _ in 0..<15 {
      driver.advance(300)
      #expect(driver.shown == ["A", "B", "C"])
    }
    driver.advance(2000)
    driver.advance(2000)
    #expect(driver.shown == ["C", "B", "A"])
    #expect(driver.state.selection == "A")
  }

  @Test func `calm never loses or doubles a row, and settles on the true order`() {
    var random = RandomStream(seed: 3)
    var calm = CalmOrder()
    var target: [Int32] = []
    var now: Int64 = 0
    for step in 0..<2000 {
      if random.next() % 10 == 0 { target.append(Int32(step)) }
      if random.next() % 17 == 0, !target.isEmpty { target.remove(at: Int(random.next() % UInt64(target.count))) }
      if target.count > 1, random.next() % 2 == 0 {
        target.swapAt(Int(random.next() % UInt64(target.count)), Int(random.next() % UInt64(target.count)))
      }
      now += 250
      calm.follow(target, at: now, delay: 1000)
      #expect(calm.rows.sorted() == target.sorted())
    }
    for _ in 0..<10 {
      now += 1000
      calm.follow(target, at: now, delay: 1000)
    }
    #expect(calm.rows == target)
  }
}
