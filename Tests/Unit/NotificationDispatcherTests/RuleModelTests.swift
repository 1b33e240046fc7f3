import MarketData
import StockbusPlugin
import TestSupport
import Testing

@testable import NotificationDispatcher

/// Windows and rules, compared with a slow model that stores every price.
@Suite struct RuleModelTests {
  /// All prices, searched from the beginning every time.
  private struct Model {
    var prices: [(price: Int64, time: Int64)] = []

    /// The prices that were in force at some time in the period that ends now.
    func window(_ span: Int64?) -> [Int64] {
      guard let span, let now = prices.last?.time else { return prices.map(\.price) }
      return prices.indices.filter { $0 == prices.count - 1 || prices[$0 + 1].time > now - span }.map { prices[$0].price }
    }
  }

  private func steps(_ random: inout RandomStream, count: Int) -> [(price: Int64, time: Int64)] {
    var price: Int64 = 1000
    var time: Int64 = 0
    return (0..<count).map { _ in
      price = max(1, price + Int64.random(in: -9...9, using: &random))
      // Several events at the same time, and long pauses.
      time += [0, 0, 1, 2, 5, 40].randomElement(using: &random) ?? 0
      return (price, time)
    }
  }

  @Test(arguments: 0..<20)
  func `a window answers what all the prices together say`(seed: Int) {
    var random = RandomStream(seed: UInt64(seed))
    let span: Int64? = [nil, 1, 7, 50, 1000].randomElement(using: &random) ?? nil
    var lowest = PriceWindow(.lowest, span: span, limit: 10_000)
    var highest = PriceWindow(.highest, span: span, limit: 10_000)
    var oldest = PriceWindow(.oldest, span: span, limit: 10_000)
    var model = Model()
    var room = Int.max
    for step in steps(&random, count: 300) {
      model.prices.append(step)
      let all = model.window(span)
      #expect(lowest.push(step.price, at: step.time, room: &room) == all.min())
      #expect(highest.push(step.price, at: step.time, room: &room) == all.max())
      #expect(oldest.push(step.price, at: step.time, room: &room) == all.first)
    }
    #expect(lowest.cut + highest.cut + oldest.cut == 0)
  }

  @Test func `rules fire where a model of sentences says so`() throws {
    let counts = try (0..<60).map { try compareWithModel(seed: $0) }
    // Most rules fire with these series.
    #expect(counts.count { $0 > 0 } > 40)
  }

  /// How often the rule of this seed has fired.
  private func compareWithModel(seed: Int) throws -> Int {
    var random = RandomStream(seed: UInt64(1000 + seed))
    let kind = RuleSettings.Condition.Kind.allCases.randomElement(using: &random) ?? .above
    let isMove = kind == .risesBy || kind == .fallsBy
    let level = isMove ? Int64.random(in: 5...40, using: &random) : Int64.random(in: 980...1020, using: &random)
    let margin = Int64.random(in: 0...10, using: &random)
    let cooldown = [0, 0, 30].randomElement(using: &random) ?? 0
    let span = isMove ? Int64(Int.random(in: 1...200, using: &random)) : nil
    let once = Int.random(in: 0...9, using: &random) == 0
    var words = ["A", kind.rawValue, "\(level)", "rearm", "\(margin)", "cooldown", "\(cooldown)s"]
    if let span { words += ["window", "\(span)s"] }
    if once { words.append("once") }
    var book = RuleBook([Rule(try RuleWords.rule(words))], windowLimit: 10_000)

    var model = Model()
    var isArmed = false
    var isWaiting = false
    var last: Int64?
    var count = 0
    for (i, step) in steps(&random, count: 300).enumerated() {
      model.prices.append(step)
      let all = model.window(span)
      let value = kind == .risesBy ? step.price - (all.min() ?? 0) : kind == .fallsBy ? (all.max() ?? 0) - step.price : step.price
      let isUp = kind == .above || kind == .crossesAbove
      let holds = isMove ? value >= level : isUp ? value > level : value < level
      let isClear = isMove ? value < level - margin : isUp ? value <= level - margin : value >= level + margin
      var expected = false
      if once, last != nil {
      } else if i == 0 {
        isArmed = !holds
      } else if isArmed || isWaiting {
        if holds {
          let isCooling = last.map { step.time - $0 < cooldown } ?? false
          expected = !isCooling
          isWaiting = isCooling && kind != .crossesAbove && kind != .crossesBelow
          isArmed = false
          if expected { last = step.time }
        } else if isClear {
          isArmed = true
          isWaiting = false
        }
      } else if isClear {
        isArmed = true
      }
      // Some books end, and another run goes on.
      if i % 50 == seed % 50 { book = try written(book) }
      let fired = process(&book, raw: step.price * 1_000_000_000, "A", ns: step.time * 1_000_000_000)
      #expect(!fired.isEmpty == expected, "\(words) at \(i)")
      count += fired.count
    }
    return count
  }

  @Test func `a window without room counts what it cuts, and keeps to its limit`() {
    var window = PriceWindow(.lowest, span: 1000, limit: 4)
    var room = Int.max
    for i in 0..<10 { _ = window.push(Int64(i), at: Int64(i), room: &room) }
    #expect(window.count == 4)
    #expect(window.cut == 6)
    // 6 is the oldest price for which there was room.
    #expect(window.push(10, at: 10, room: &room) == 7)
  }

  @Test func `all windows together keep to their memory, the first price each has a place, and a rule that goes gives its places back`()
    throws
  {
    let rules = try ["A", "B"].map { Rule(try RuleWords.rule([$0, "rises_by", "50", "window", "100s"])) }
    var book = RuleBook(rules, windowLimit: 1000, windowRoom: 8)
    for i in 0..<20 { #expect(process(&book, "A", 100 + Int64(i), at: Int64(i)).isEmpty) }
    // Eight places; there is no room for the next doubling.
    #expect((book.windowRoom, book.cut) == (0, 12))
    // B has one place, so only its last price is stored.
    #expect(process(&book, "B", 1000, at: 0).isEmpty)
    #expect(process(&book, "B", 1500, at: 1).isEmpty)
    #expect(book.cut == 13)
    book.remove(0)
    #expect(book.windowRoom == 8)
    for i in 2..<10 { #expect(process(&book, "B", 1500 + Int64(i), at: Int64(i)).isEmpty) }
    // Seven places in addition to the first one.
    #expect(book.windowRoom == 1)
  }

  @Test func `an alert keeps prices apart by symbol, and knows patterns`() throws {
    let rule = Rule(try RuleWords.rule(["BTC*,ETH?SD", "above", "10"]))
    #expect(rule.concerns("BTCUSD") && rule.concerns("BTC") && rule.concerns("ETHUSD"))
    #expect(!rule.concerns("ETHUSDT") && !rule.concerns("XBTC"))
    var book = RuleBook([rule], windowLimit: 10)
    #expect(process(&book, "BTCUSD", 900, at: 0).isEmpty)
    #expect(process(&book, "ETHUSD", 1100, at: 0).isEmpty)
    #expect(process(&book, "XRP", 1100, at: 0).isEmpty)
    #expect(process(&book, "BTCUSD", 1100, at: 1).map(\.symbol) == ["BTCUSD"])
    #expect(book.symbols(of: 0).watched == 2)
  }

  @Test func `a rule that comes later sees prices from then on, and one that is gone none`() throws {
    var book = RuleBook([], windowLimit: 10)
    #expect(process(&book, "LATE", 900, at: 0).isEmpty)
    book.add(Rule(try RuleWords.rule(["LATE", "above", "10"])))
    #expect(process(&book, "LATE", 1100, at: 1).isEmpty)
    #expect(process(&book, "LATE", 900, at: 2).isEmpty)
    #expect(process(&book, "LATE", 1100, at: 3).count == 1)
    book.add(Rule(try RuleWords.rule(["*", "below", "10"])))
    #expect(process(&book, "LATE", 900, at: 4).isEmpty)
    book.remove(0)
    #expect(process(&book, "LATE", 1100, at: 5).isEmpty)
    #expect(process(&book, "LATE", 900, at: 6).map(\.rule) == [1])
  }

  @Test func `a rule that is off goes on looking, and does not fire late`() throws {
    var book = RuleBook([Rule(try RuleWords.rule(["OFF", "above", "10", "once"]))], windowLimit: 10)
    #expect(process(&book, "OFF", 900, at: 0).isEmpty)
    book.setEnabled(0, false)
    #expect(process(&book, "OFF", 1100, at: 1).isEmpty)
    book.setEnabled(0, true)
    #expect(process(&book, "OFF", 1200, at: 2).isEmpty)
    #expect(process(&book, "OFF", 900, at: 3).isEmpty)
    #expect(process(&book, "OFF", 1100, at: 4).count == 1)
    #expect(book.takeAsides().silenced == 1)
  }
}
