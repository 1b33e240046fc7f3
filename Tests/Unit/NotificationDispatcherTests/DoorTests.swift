import MarketData
import StockbusPlugin
import StockbusTestKit
import StockbusViewing
import Testing

@testable import NotificationDispatcher

/// Rules through the dispatcher's door.
@Suite(.timeLimit(.minutes(15))) struct DoorTests {
  private func start(_ options: String) throws -> RunningPlugin<Alert> {
    try PluginHarness(id: "alerts").start(Plugin.notificationDispatcher, options: options, taking: Trade.self, emitting: Alert.self)
  }

  private func refusal(_ ask: () async throws(CommandError) -> RuleChange) async -> String {
    do throws(CommandError) { return "done: " + (try await ask().text) } catch { return error.description }
  }

  @Test func `rules are added, listed, muted and removed, and commands see the same`() async throws {
    let running = try start("rules: [{ name: high, symbols: [AAPL, B*], above: 200 }]")
    let desk = try await running.door((any RuleDesk).self)
    let added = try await desk.add(RuleRequest(.symbol("A B"), [.init("crosses_below", "3"), .init("once", "true")]))
    #expect(added == RuleChange("A B crosses_below 3", is: .on))
    #expect(try await running.perform("disable high") == "rule 'high' is off")
    #expect(
      await desk.rules() == [
        WatchedRule(component: "alerts", name: "high", symbols: "AAPL,B*", condition: "above 200", state: .off),
        WatchedRule(component: "alerts", name: "A B crosses_below 3", symbols: "A B", condition: "crosses_below 3", state: .on),
      ])
    #expect(try await desk.mute(RuleOwner(name: nil, title: "high"), false).text == "rule 'high' is on")
    #expect(try await desk.remove(RuleOwner(name: nil, title: "A B crosses_below 3")).text == "rule 'A B crosses_below 3' is gone")
    #expect(try await running.perform("rules") == "high\tAAPL,B*\tabove 200\ton")
    try await running.stop()
    let late = await refusal { () throws(CommandError) in try await desk.add(RuleRequest(.all, [.init("above", "1")])) }
    #expect(late == "'alerts' is not running")
  }

  /// The name of a channel, or no name at all, would switch more off by a command.
  @Test func `a rule's name is that of a rule, whatever else is called so`() async throws {
    let running = try start("{ rules: [{ name: console, above: 200 }], channels: [{ console: { name: other } }, { console: {} }] }")
    let desk = try await running.door((any RuleDesk).self)
    func mute(_ name: String) async -> String {
      await refusal { () throws(CommandError) in try await desk.mute(RuleOwner(name: nil, title: name), true) }
    }
    #expect(await mute("") == "there is no rule ''")
    #expect(await mute("other") == "there is no rule 'other'")
    #expect(await mute("channel other") == "there is no rule 'channel other'")
    #expect(await mute("console") == "done: rule 'console' is off")
    #expect(
      try await running.perform("list").split(separator: "\n").map(String.init) == [
        "alerts are on", "rule console: off, 0 symbols", "channel other (console): on, 0 delivered, 0 waiting",
        "channel console (console): on, 0 delivered, 0 waiting",
      ])
    try await running.stop()
  }

  @Test func `a person's rules are called as the person calls them, and those of others are not suggested`() async throws {
    let running = try start("rules: [{ name: dear, above: 2 }]")
    let desk = try await running.door((any RuleDesk).self)
    func add(_ name: String, _ owner: String?) async -> String {
      let rule = RuleRequest(.symbol("AAPL"), [.init("above", "1"), .init("name", name)], owner: owner)
      return await refusal { () throws(CommandError) in try await desk.add(rule) }
    }
    func remove(_ name: String, _ owner: String?) async -> String {
      await refusal { () throws(CommandError) in try await desk.remove(RuleOwner(name: owner, title: name)) }
    }
    #expect(await add("@otto dear", "hannah") == "done: rule '@otto dear' is on")
    #expect(await add("dear", "hannah") == "done: rule 'dear' is on")
    #expect(await add("dear", "hannah") == "the rule 'dear' exists already")
    #expect(await add("cheap", "otto") == "done: rule 'cheap' is on")
    #expect(await add("dear", nil) == "the rule 'dear' exists already")
    // The command says what the rule is called in the run.
    await #expect(throws: CommandError.refused("the rule '@hannah dear' exists already")) {
      try await running.perform("add AAPL exactly above 1 owner hannah name dear")
    }
    #expect(await remove("cheep", "hannah") == "there is no rule 'cheep'")
    #expect(await remove("deer", "hannah") == "there is no rule 'deer'; did you mean 'dear'?")
    #expect(await remove("dear", "hannah") == "done: rule 'dear' is gone")
    #expect(await desk.rules().map(\.name) == ["dear", "@hannah @otto dear", "@otto cheap"])
    try await running.stop()
  }

  @Test func `an option that is none is refused with what was meant`() async throws {
    let running = try start("rules: [{ above: 2 }]")
    let desk = try await running.door((any RuleDesk).self)
    func add(_ options: [RuleRequest.Option]) async -> String {
      await refusal { () throws(CommandError) in try await desk.add(RuleRequest(.symbol("AAPL"), options)) }
    }
    #expect(await add([.init("over", "1")]) == "a rule has no 'over'; did you mean 'above'?")
    #expect(await add([.init("above", "1"), .init("name", "@x y")]) == "a name begins with '@' only if the rule has an 'owner'")
    try await running.stop()
  }
}
