import EventBus
import MarketData
import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// Rules whose condition is an expression.
@Suite(.timeLimit(.minutes(15))) struct WhenTests {
  /// The rules that fire, each with the number of its event: trades of these prices, one each second.
  private func fired(
    _ rules: String, _ prices: [Int64], more: String = "", of symbol: Symbol = "AAPL", harness: PluginHarness = PluginHarness(id: "alerts")
  ) async throws -> [String] {
    let alerts: [Alert] = try await harness.output(
      of: Plugin.notificationDispatcher, options: "rules: [\(rules)]\n\(more)", inputs: [trades(prices.map { $0 * 100 }, of: symbol)])
    return alerts.map { "\($0.rule) \($0.time.ns / 1_000_000_000)" }
  }

  @Test func `fires when the condition becomes true, and again after it was false`() async throws {
    // Means of two: 15, 20, 25, 15, 15, 25. The price is above its mean at 1, 3 and 5; at 2 it is equal, at 4 above again.
    #expect(
      try await fired("{ name: up, when: 'price > sma(price, 2)', initial: true }", [10, 20, 20, 30, 0, 30, 20]) == [
        "up 1", "up 3", "up 5",
      ])
    // The first verdict that is known is true, so that it does not fire for it.
    #expect(try await fired("{ name: up, when: 'price > sma(price, 2)' }", [10, 20, 20, 30, 0, 30, 20]) == ["up 3", "up 5"])
    #expect(try await fired("{ name: once, when: 'price > 15', once: true }", [10, 20, 10, 20]) == ["once 1"])
    #expect(try await fired("{ name: cool, when: 'price > 15', cooldown: 3s }", [10, 20, 10, 20, 20, 20]) == ["cool 1", "cool 4"])
    #expect(try await fired("{ name: again, when: 'price > 15', remind: 2s }", [10, 20, 20, 20, 20]) == ["again 1", "again 3"])
  }

  @Test func `a crossing of two means fires once`() async throws {
    // Means of two and of three: at 3 they are 8 and 8.333, at 4 13.5 and 12.
    #expect(
      try await fired("{ name: golden, when: 'crosses_above(sma(price, 2), sma(price, 3))' }", [9, 9, 9, 7, 20, 21, 22]) == ["golden 4"])
  }

  @Test func `after firing, the rule waits for the condition that arms it again`() async throws {
    let rule = "{ name: lost, when: 'price < 10', rearm_when: 'price > 12' }"
    // 11 is not below 10, and arms nothing; 13 does.
    #expect(try await fired(rule, [11, 9, 11, 9, 13, 11, 9]) == ["lost 1", "lost 6"])
    // It arms a rule with a level as well, in place of the price that has gone back.
    #expect(try await fired("{ name: high, above: 15, rearm_when: 'price < 5' }", [10, 20, 10, 20, 1, 20]) == ["high 1", "high 5"])
    // What has become true within the cooldown, and is over when that ends, does not fire without being armed.
    #expect(
      try await fired("{ name: cool, when: 'price < 10', rearm_when: 'price > 12', cooldown: 4s }", [11, 9, 13, 9, 11, 11, 11, 9, 13, 9])
        == ["cool 1", "cool 9"])
  }

  @Test func `once per session is once in each trading date, by the calendar of the instrument or a day`() async throws {
    let rule = "{ name: out, when: 'price > 15', once_per: session }"
    #expect(try await fired(rule, [10, 20, 10, 20]) == ["out 1"])
    // The second day begins after 86,400 seconds.
    func alerts(_ seconds: [Int64], _ services: Services = Services()) async throws -> [String] {
      let all = seconds.flatMap { trades([1000, 2000], from: $0) }
      let alerts: [Alert] = try await PluginHarness(id: "alerts", services: services).output(
        of: Plugin.notificationDispatcher, options: "rules: [\(rule)]", inputs: [all])
      return alerts.map { "\($0.time.ns / 1_000_000_000)" }
    }
    #expect(try await alerts([0, 86_390, 86_400, 90_000]) == ["1", "86401"])
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,calendar\nAAPL,us_equities\n".utf8), file: "instruments.csv")
    // The trading date of 1970-01-02 ends at 20:00 in New York, which is 01:00 in UTC. What comes before it belongs to it.
    #expect(try await alerts([100_000, 119_000, 150_000, 176_390, 176_400], Services(builder.finish())) == ["100001", "176401"])
  }

  @Test func `all events are judged, of all symbols and within a cooldown`() async throws {
    // Above the mean at 3, and from 6 on, when the cooldown lasts until 8. The means at 6 to 8 have events from within it.
    #expect(
      try await fired("{ name: up, when: 'price > sma(price, 3)', cooldown: 5s }", [10, 10, 10, 20, 0, 0, 5, 30, 20, 60]) == [
        "up 3", "up 8",
      ])
    let size = "{ name: block, when: 'size > 5', initial: true }"
    let odd = Trade(
      symbol: "AAPL", price: 3, size: 9, time: Timestamp(ns: 1), received: Timestamp(ns: 1), condition: .oddLot)
    let alerts: [Alert] = try await PluginHarness(id: "alerts").output(
      of: Plugin.notificationDispatcher, options: "rules: [\(size), { name: level, above: 1, initial: true }]", inputs: [[odd]])
    #expect(alerts.map(\.rule) == ["block"])
    #expect(alerts.first?.message == "AAPL meets size > 5: 3")
  }

  @Test func `verdicts that are open because a function is not ready are counted`() async throws {
    let harness = PluginHarness(id: "alerts")
    #expect(
      try await fired(
        "{ name: up, symbol: AAPL, when: 'price > sma(price, 3)' }, { name: other, symbol: NVDA, when: 'price > sma(price, 9)' }",
        [1, 2, 3, 1], harness: harness) == [])
    #expect(harness.counter("not ready") == 2)
  }

  @Test func `what rules remember stays when others change, and when rules are added and removed`() async throws {
    func options(_ other: String) -> String {
      "rules:\n  - { name: up, when: 'price > sma(price, 4)', initial: true }\n  - { name: other, symbol: NVDA, \(other) }\n"
    }
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher, options: options("above: 5"), taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([100]))
    await running.delivered()
    try await running.replace(options: options("when: 'price > 5'"))
    try await running.send(trades([100], from: 1))
    await running.delivered()
    _ = try await running.perform("add AAPL above 900 name mine")
    try await running.send(trades([100], from: 2))
    await running.delivered()
    _ = try await running.perform("remove mine")
    // The mean of four is 1.50.
    try await running.send(trades([300], from: 3))
    #expect(await running.output(count: 1).map(\.rule) == ["up"])
    try await running.stop()
  }

  @Test func `a rule with a condition can be added, and is listed and explained`() async throws {
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher, options: "rules: [{ name: up, when: 'price > sma(price, 3)' }]", taking: Trade.self,
      emitting: Alert.self)
    try await running.send(trades([100, 100]))
    await running.delivered()
    let added = try await running.perform("add AAPL cooldown 1m when price > sma(price, 3) and price > 0")
    #expect(added == "rule 'AAPL when price > sma(price, 3) and price > 0' is on")
    #expect(
      try await running.perform("rules") == "up\t*\twhen price > sma(price, 3)\ton\n"
        + "AAPL when price > sma(price, 3) and price > 0\tAAPL\twhen price > sma(price, 3) and price > 0\ton")
    await #expect(throws: CommandError("'when': trade has no field 'prise'; did you mean 'price'?")) {
      try await running.perform("add AAPL when prise > 1")
    }
    let last = trades([100], from: 1)[0]
    #expect(
      await running.explain("AAPL", last: last).first?.reason
        == "rule 'up' (when price > sma(price, 3); sma(price, 3) is not ready: 2 of 3 values) could not be decided yet")
    // The mean of three is 1.333 at the third price, because the first two have not been lost.
    try await running.send(trades([200], from: 2))
    await running.delivered()
    try await running.send(trades([50, 500], from: 3))
    let all = await running.output(count: 2)
    #expect(all.map(\.rule) == ["up", "AAPL when price > sma(price, 3) and price > 0"])
    #expect(try await running.perform("remove up") == "rule 'up' is gone")
    try await running.stop()
  }

  @Test(arguments: [
    ("{ when: 'prise > 1' }", "options.yaml:1:18: error: 'rules[0]': 'when': trade has no field 'prise'; did you mean 'price'?"),
    ("{ when: 'price >' }", "options.yaml:1:25: error: 'rules[0]': 'when': expected a value, found the end"),
    (
      "{ above: 1, rearm: 0.5, rearm_when: 'price < 1' }",
      "options.yaml:1:33: error: 'rules[0]': either 'rearm' or 'rearm_when', not both"
    ),
    ("{ when: 'price > 1', above: 3 }", "options.yaml:1:11: error: 'rules[0]': a rule has one condition, not 'above' and 'when'"),
    (
      "{ when: 'price > 1', rearm: 1 }",
      "options.yaml:1:30: error: 'rules[0]': 'rearm' moves a threshold, which 'when' does not have; write 'rearm_when'"
    ),
    (
      "{ above: 1, once: true, rearm_when: 'price < 1' }",
      "options.yaml:1:33: error: 'rules[0]': a rule with 'once' is never armed again, so 'rearm_when' has no effect"
    ),
    (
      "{ above: 1, remind: 1s, rearm_when: 'price < 1' }",
      "options.yaml:1:33: error: 'rules[0]': 'remind' fires again without being armed; either it or 'rearm_when', not both"
    ),
    ("{ above: 1, once: true, once_per: session }", "options.yaml:1:33: error: 'rules[0]': either 'once' or 'once_per', not both"),
    ("{ when: 'price > 1', owner: ann }", "options.yaml:1:11: error: 'rules[0]': 'when' is not for a rule with an 'owner'"),
    (
      "{ name: x }",
      "options.yaml:1:11: error: 'rules[0]': a rule needs one of 'above', 'below', 'crosses_above', 'crosses_below', 'rises_by', 'falls_by', 'when', 'silent_for'"
    ),
  ])
  func `what contradicts itself is an error at its place`(rule: String, message: String) async throws {
    do {
      _ = try await fired(rule, [1])
      Issue.record("nothing was wrong")
    } catch let problems as Problems { #expect(problems.description == message) }
  }

  @Test func `rules that together remember too much for each instrument are refused`() async throws {
    // 8 bytes for each of 10,000 values, of 105 arguments.
    let rules = (1...105).map { "{ name: r\($0), when: 'price > sma(price + \($0), 10000)' }" }.joined(separator: ", ")
    do {
      _ = try await fired(rules, [1])
      Issue.record("nothing was wrong")
    } catch let problems as Problems {
      #expect(
        problems.description.contains("'rules': the rules together remember 84")
          && problems.description.hasSuffix("bytes for each instrument; at most 8388608 are possible"), "\(problems.description)")
    }
  }

  @Test func `keeps the contract`() async {
    #expect(
      await checkContract(
        .notificationDispatcher, options: "rules: [{ when: 'price > sma(price, 3)', rearm_when: 'price < lowest(price, 5)' }]",
        inputs: [Feed(trades([100, 200, 300]))]) == [])
  }
}
