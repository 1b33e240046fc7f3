import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// What becomes of rules and their state when the options change while the plugin runs.
@Suite(.timeLimit(.minutes(15))) struct RuleChangeTests {
  @Test func `rules that are written as before keep their state when others change, and so do those that were added`() async throws {
    let harness = PluginHarness(id: "alerts")
    func options(_ other: String, _ more: String = "") -> String {
      """
      rules:
        - { name: plain, symbol: AAPL, crosses_above: 2 }
        - { name: once, symbol: AAPL, crosses_above: 2, once: true }
        - { name: cool, symbol: AAPL, crosses_above: 2, cooldown: 1h }
        - \(other)
      \(more)
      """
    }
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher, options: options("{ name: other, symbol: AAPL, crosses_above: 3 }"), taking: Trade.self,
      emitting: Alert.self)
    /// The rules that fire when the price goes below 2, and then to 2.50.
    var seen = 0
    func fired(at second: Int64, _ count: Int) async throws -> [String] {
      try await running.send(trades([100, 250], from: second))
      await running.delivered()
      let all = await running.output(count: seen + count)
      defer { seen = all.count }
      return all.dropFirst(seen).map(\.rule).sorted()
    }
    let added = try await running.perform("add AAPL crosses_above 2 once name mine")
    #expect(added.hasPrefix("rule 'mine' is on"))
    let first = try await fired(at: 0, 4)
    #expect(first == ["cool", "mine", "once", "plain"])

    try await running.replace(options: options("{ name: other, symbol: AAPL, crosses_above: 2 }"))
    let second = try await fired(at: 10, 2)
    #expect(second == ["other", "plain"], "once is spent, and so is mine; cool is cooling")
    #expect(try await running.perform("list").contains("rule mine: on, 1 symbol, 1 spent"))

    // A mute goes on, and a rule that is written otherwise begins anew.
    let muted = try await running.perform("mute 10m")
    #expect(muted == "alerts are off for 10m")
    try await running.replace(
      options: options("{ name: once, symbol: AAPL, crosses_above: 2 }").replacing(
        "name: once, symbol: AAPL, crosses_above: 2, once: true", with: "name: gone, symbol: AAPL, crosses_above: 9"))
    let third = try await fired(at: 20, 0)
    #expect(third == [])
    harness.clock.advance(by: .seconds(600))
    let fourth = try await fired(at: 30, 2)
    #expect(fourth == ["once", "plain"], "other is not there any more")

    // A written rule has its name to itself, and alerts that are switched off stay off.
    try await running.replace(options: options("{ name: mine, symbol: AAPL, crosses_above: 2 }", "enabled: false"))
    let last = try await fired(at: 40, 0)
    #expect(last == [])
    #expect(try await running.perform("list").hasPrefix("all alerts are off\n"))

    // With other windows all begin anew, also what was added.
    _ = try await running.perform("add AAPL crosses_above 2 once name yours")
    _ = try await running.perform("disable rule plain")
    try await running.replace(options: options("{ name: mine, symbol: AAPL, crosses_above: 2 }", "window_prices: 10"))
    let anew = try await fired(at: 50, 5)
    #expect(anew == ["cool", "mine", "once", "plain", "yours"])
    try await running.stop()
  }
}
