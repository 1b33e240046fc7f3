import MarketData
import StockbusExpressions
import StockbusPlugin
import StockbusViewing
import TestSupport
import Testing

@testable import NotificationDispatcher

/// Rules pass over the events that leave them as they are. They are compared with rules each of which looks at every event.
@Suite struct RuleCalmTests {
  private static let symbols: [Symbol] = ["A", "B", "C"]

  /// What has fired: rule, symbol and number of the event.
  private struct Fired: Hashable { let rule: Int, symbol: Symbol, event: Int }

  /// Every rule and symbol by itself.
  private struct Model {
    private var rules: [Rule] = []
    private var expressions: [(when: Expression<Trade>?, rearm: Expression<Trade>?)] = []
    private var watches: [[RuleWatch]]
    private var room = Int.max
    private(set) var notReady = 0

    init(_ rules: [Rule]) throws {
      watches = symbols.map { _ in [] }
      for k in rules.indices { try set(rules[k], k) }
    }

    /// A rule in the place of another, or a further one.
    mutating func set(_ rule: Rule, _ k: Int) throws {
      let own = (when: try rule.when.map { try Expression<Trade>($0) }, rearm: try rule.rearmWhen.map { try Expression<Trade>($0) })
      let watch = RuleWatch(rule: k, of: rule, windowLimit: 100)
      if k < rules.count {
        (rules[k], expressions[k]) = (rule, own)
        for place in watches.indices { watches[place][k] = watch }
      } else {
        rules.append(rule)
        expressions.append(own)
        for place in watches.indices { watches[place].append(watch) }
      }
    }

    mutating func take(_ trade: Trade, _ number: Int, off: Set<Int>) -> [Fired] {
      guard let place = symbols.firstIndex(of: trade.symbol) else { return [] }
      return rules.indices.filter { k in
        guard rules[k].concerns(trade.symbol) else { return false }
        let when = expressions[k].when?.verdict(of: trade)
        if when == .undecided { notReady += 1 }
        return watches[place][k].step(
          trade.condition.countsForLast ? trade.price.raw : nil, when: when, rearm: expressions[k].rearm?.verdict(of: trade),
          at: trade.time.ns, isSilent: off.contains(k), room: &room
        ).outcome == .fires
      }.map { Fired(rule: $0, symbol: trade.symbol, event: number) }
    }
  }

  private func rule(_ random: inout RandomStream) throws -> Rule {
    func level() -> Int { Int.random(in: 985...1015, using: &random) }
    func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
    let condition = pick([
      "above \(level())", "below \(level())", "crosses_above \(level())", "crosses_below \(level())", "rises_by 12 window 9s",
      "falls_by 1%", "when price > \(level())", "when price <= \(level())", "when size > 900", "when price / (size - 500) > 2",
      "when price > \(level()) and size < 900",
    ])
    let isMove = condition.contains("_by")
    let isCrossing = condition.hasPrefix("crosses")
    var words = [pick(["*", "A", "A,C", "B"])]
    words += pick(["", "", "cooldown 5s", "once", isCrossing ? "" : "remind 4s"]).split(separator: " ").map(String.init)
    if pick(["", "", "initial"]) != "" { words.append("initial") }
    if !condition.hasPrefix("when"), pick(["", "rearm"]) != "" {
      words += ["rearm", condition.contains("%") ? "0.2%" : isMove ? "3" : "\(Int.random(in: 1...9, using: &random))"]
    }
    let parts = condition.split(separator: " ", maxSplits: 1).map(String.init)
    // The rest of a line is an expression.
    words += parts[0] == "when" ? parts : condition.split(separator: " ").map(String.init)
    var request = try RuleWords.request(words)
    let isArmedOtherwise = ["rearm", "once", "remind"].contains { words.contains($0) }
    if !isArmedOtherwise, pick(["", "", "rearm_when"]) != "" { request.options.append(.init("rearm_when", "size < 100")) }
    return Rule(try RuleSettings(request))
  }

  /// - Parameter count: more than 64 share bits.
  @Test(arguments: [1, 3, 10, 30, 80, 150], 0..<8)
  func `rules together fire where each fires that looks at every event`(count: Int, seed: Int) throws {
    var random = RandomStream(seed: UInt64(1000 * count + seed))
    let rules = try (0..<count).map { _ in try rule(&random) }
    var book = RuleBook(rules, windowLimit: 100)
    var conditions = RuleConditions<Trade>(rules, .init(), nil)
    var model = try Model(rules)
    var off: Set<Int> = []
    var prices = [1000, 1000, 1000]
    var (number, fired) = (0, 0)
    while number < 2000 {
      if Int.random(in: 0...9, using: &random) == 0 {
        let k = Int.random(in: 0..<count, using: &random)
        let isOff = off.remove(k) == nil
        if isOff { off.insert(k) }
        book.setEnabled(k, !isOff)
      } else if Int.random(in: 0...5, using: &random) == 0 {
        // Another rule takes its number, and the expressions get others.
        let k = Int.random(in: 0..<count, using: &random)
        let other = try rule(&random)
        book.remove(k)
        book.add(other)
        try model.set(other, k)
        off.remove(k)
        conditions = RuleConditions<Trade>(book.rules, .init(), nil)
      }
      let batch = (0..<Int.random(in: 1...400, using: &random)).map { i in
        let place = Int.random(in: 0...2, using: &random)
        prices[place] += Int.random(in: -4...4, using: &random)
        return Trade(
          symbol: Self.symbols[place], price: Price(raw: Int64(prices[place]) * 1_000_000_000),
          size: Quantity(raw: Int64.random(in: 0...1000, using: &random) * 1_000_000_000),
          time: Timestamp(ns: Int64(number + i) * 200_000_000),
          received: Timestamp(ns: Int64(number + i) * 200_000_000),
          condition: Int.random(in: 0...7, using: &random) == 0 ? .oddLot : .regular)
      }
      // Another run goes on with what was written.
      if Int.random(in: 0...4, using: &random) == 0 {
        let asides = book.asides
        book = try written(book)
        book.asides = asides
      }
      conditions?.judge(batch.span)
      let found = book.process(batch.span, conditions?.verdicts, isSilent: false)
      var expected: [Fired] = []
      for (i, trade) in batch.enumerated() { expected += model.take(trade, number + i, off: off) }
      let order = found.map { Fired(rule: $0.rule, symbol: $0.symbol, event: Int($0.time.ns / 200_000_000)) }
      #expect(order.map(\.event) == expected.map(\.event))
      #expect(Set(order) == Set(expected))
      number += batch.count
      fired += found.count
    }
    #expect(book.takeAsides().notReady == model.notReady)
    if count >= 10 { #expect(fired > 0) }
  }
}
