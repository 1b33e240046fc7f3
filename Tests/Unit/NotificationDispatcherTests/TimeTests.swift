import EventBus
import MarketData
import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// Rules that wait for time, by hand: `for`, `silent_for`, `expires` and `resolve`.
@Suite(.timeLimit(.minutes(15))) struct TimeTests {
  /// A trade of AAPL at a second, received `late` seconds later.
  private func trade(_ second: Double, _ price: Int64, of symbol: Symbol = "AAPL", late: Double = 0) -> Trade {
    Trade(
      symbol: symbol, price: Price(raw: price * 1_000_000_000), size: 1, time: Timestamp(ns: Int64(second * 1e9)),
      received: Timestamp(ns: Int64((second + late) * 1e9)))
  }

  private func lines(_ alerts: [Alert]) -> [String] {
    alerts.map { "\(Double($0.time.ns) / 1e9) \($0.status == .firing ? "" : "resolved ")\($0.message)" }
  }

  /// What these rules say of trades, all of which wait at the beginning.
  private func said(
    _ rules: String, _ trades: [Trade], more: String = "", harness: PluginHarness = PluginHarness(id: "alerts")
  ) async throws -> [String] {
    lines(try await harness.output(of: Plugin.notificationDispatcher, options: "rules: [\(rules)]\n\(more)", inputs: [trades]))
  }

  private func quote(_ second: Double, _ bid: Int64, _ ask: Int64) -> Quote {
    let time = Timestamp(ns: Int64(second * 1e9))
    return Quote(
      symbol: "AAPL", bid: 10, ask: 10, bidSize: Quantity(raw: bid * 1_000_000_000), askSize: Quantity(raw: ask * 1_000_000_000),
      time: time,
      received: time)
  }

  // MARK: for

  @Test func `a condition must be true that long, and then the rule fires although nothing comes`() async throws {
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher,
      options: "rules: [{ name: bids, when: '(bid_size - ask_size) / (bid_size + ask_size) > 0.6', for: 3s }]", taking: Quote.self,
      emitting: Alert.self)
    func why() async -> String? { await running.explain("AAPL", last: nil).first?.reason }
    let rule = "rule 'bids' (when (bid_size - ask_size) / (bid_size + ask_size) > 0.6 for 3s)"
    // 0, 0.8, and after 2.5 seconds 0 again.
    try await running.send([quote(0, 500, 500), quote(5, 900, 100), quote(7.5, 500, 500)])
    await running.delivered()
    #expect(await why() == "\(rule) has not been true yet")
    // 0.8 from 10 on, 0.92 at 12.
    try await running.send([quote(10, 900, 100), quote(12, 960, 40)])
    await running.delivered()
    #expect(await why() == "\(rule) has been true for 2s of 3s, and fires at 1970-01-01T00:00:13Z if it stays so")
    await running.advance(to: Timestamp(ns: 12_999_999_999))
    await running.delivered()
    #expect(running.output == [])
    await running.advance(to: Timestamp(ns: 13_000_000_000))
    #expect(lines(await running.output(count: 1)) == ["13.0 AAPL meets (bid_size - ask_size) / (bid_size + ask_size) > 0.6 for 3s: 10"])
    #expect(await why() == "\(rule) has fired, and waits until it is false")
    try await running.stop()
    #expect(running.output.count == 1)
  }

  @Test func `a hole between two runs is no silence, and does not make a condition last`() throws {
    func book() throws -> RuleBook {
      var settings = [RuleSettings(), RuleSettings()]
      (settings[0].symbols, settings[0].silentFor) = (["AAPL"], .seconds(30))
      (settings[1].above, settings[1].for) = (.amount(15), .seconds(20))
      var book = RuleBook(settings.map { Rule($0) }, windowLimit: 10)
      let fired = book.processInTime([trade(0, 10), trade(1, 20)].span, nil, isSilent: false)
      #expect(fired.isEmpty)
      return book
    }
    func fired(_ book: inout RuleBook, until second: Int64) -> [String] {
      var fired: [RuleBook.Firing] = []
      book.advance(to: second * 1_000_000_000, isSilent: false, &fired)
      return fired.map { "\($0.rule) at \($0.time.ns / 1_000_000_000)" }
    }
    // In one run.
    var one = try book()
    let whole = fired(&one, until: 1000)
    #expect(whole == ["1 at 21", "0 at 31"])
    // The other run begins at 1000, and time is there with its first event or without one.
    var other = try book()
    other.resume(at: Timestamp(ns: 1_000_000_000_000))
    let later = [1000, 1019, 1020, 1029, 1030].map { fired(&other, until: $0) }
    #expect(later == [[], [], ["1 at 1020"], [], ["0 at 1030"]])
    // A replay goes on in the time of its recording.
    var replay = try book()
    replay.resume(at: Timestamp(ns: 1_000_000_000_000))
    let again = fired(&replay, until: 999)
    #expect(again == whole)
  }

  @Test func `the next event of any symbol shows what was due before it, the moment is the same`() async throws {
    let trades = [trade(0, 10), trade(1, 20), trade(60, 5, of: "MSFT"), trade(61, 10)]
    #expect(try await said("{ symbol: AAPL, above: 15, for: 3s }", trades) == ["4.0 AAPL has been above 15 for 3s: 20"])
    // Exactly three seconds are enough, shown by the event that ends it; one nanosecond less is not.
    #expect(try await said("{ above: 15, for: 3s }", [trade(0, 10), trade(1, 20), trade(4, 10)]).count == 1)
    #expect(try await said("{ above: 15, for: 3s }", [trade(0, 10), trade(1, 20), trade(3.999999999, 10)]).count == 0)
    // At the end it is unknown how long it would have lasted.
    #expect(try await said("{ above: 15, for: 3s }", [trade(0, 10), trade(1, 20), trade(3, 20)]) == [])
  }

  @Test func `it is measured by the events' own times, and by receipts while nothing comes`() async throws {
    // Received in a burst: by the events' times it was true from 1 to 5.
    let burst = [trade(0, 10, late: 100), trade(1, 20, late: 99), trade(2, 20, late: 98), trade(5, 10, late: 95)]
    #expect(try await said("{ above: 15, for: 3s }", burst) == ["4.0 AAPL has been above 15 for 3s: 20"])
    // By the receipts alone, all of them at 100, it would have lasted no time; and by the receipt alone of the next one 99 seconds.
    #expect(try await said("{ above: 15, for: 3s }", [trade(0, 10, late: 100), trade(1, 20, late: 99), trade(2, 10, late: 98)]) == [])
    // True from 1 on, which came at 1.5: due at 4.5, if nothing comes before.
    let slow = [trade(0, 10), trade(1, 20, late: 0.5), trade(3.9, 10, late: 0.7)]
    #expect(try await said("{ above: 15, for: 3s }", slow) == ["4.0 AAPL has been above 15 for 3s: 20"])
    #expect(try await said("{ above: 15, for: 3s }", [trade(0, 10), trade(1, 20, late: 0.5), trade(3.9, 10, late: 0.6)]) == [])
  }

  @Test func `what is undecided in between begins anew`() async throws {
    // The quotient of nothing by nothing has no result.
    let rule = "rules: [{ when: 'bid_size / ask_size > 2', for: 3s }]"
    func fired(_ quotes: [Quote]) async throws -> [Double] {
      let alerts: [Alert] = try await PluginHarness(id: "alerts").output(of: Plugin.notificationDispatcher, options: rule, inputs: [quotes])
      return alerts.map { Double($0.time.ns) / 1e9 }
    }
    #expect(try await fired([quote(0, 1, 1), quote(1, 3, 1), quote(3, 0, 0), quote(3.5, 3, 1), quote(9, 1, 1)]) == [6.5])
    #expect(try await fired([quote(0, 1, 1), quote(1, 3, 1), quote(3, 3, 1), quote(9, 1, 1)]) == [4])
  }

  @Test func `what was true at the first event does not fire without 'initial', and a cooldown counts from the firing`() async throws {
    let trades = [trade(0, 20), trade(10, 10), trade(11, 20), trade(20, 10), trade(21, 20), trade(30, 20), trade(40, 20)]
    #expect(try await said("{ above: 15, for: 3s }", trades).map { $0.prefix(4) } == ["14.0", "24.0"])
    #expect(try await said("{ above: 15, for: 3s, initial: true }", trades).map { $0.prefix(4) } == ["3.0 ", "14.0", "24.0"])
    // The second would be at 24, and the cooldown lasts until 29; the next event after that is at 30.
    let harness = PluginHarness(id: "alerts")
    #expect(try await said("{ above: 15, for: 3s, cooldown: 15s }", trades, harness: harness).map { $0.prefix(4) } == ["14.0", "30.0"])
    #expect(harness.counter("in cooldown") == 1)
    // A rule that is off does not fire, and has not forgotten.
    let off = PluginHarness(id: "alerts")
    #expect(try await said("{ above: 15, for: 3s, enabled: false }", trades, harness: off) == [])
    #expect(off.counter("silenced") == 2)
  }

  @Test func `a move over a window says from where`() async throws {
    let trades = [trade(0, 100), trade(1, 110), trade(5, 111), trade(9, 111)]
    #expect(
      try await said("{ rises_by: 5%, window: 1m, for: 2s }", trades) == ["3.0 AAPL rose by 10 (10.00%) in 1m for 2s: 100 → 110"])
  }

  // MARK: silent_for

  @Test func `a symbol from which nothing comes is reported, also one that never comes`() async throws {
    let harness = PluginHarness(id: "alerts")
    let trades = [trade(10, 20), trade(30, 21), trade(60, 1, of: "MSFT"), trade(75, 22), trade(105, 22)]
    // The first time that is known is just before 10.
    #expect(
      try await said("{ symbols: [AAPL, NEVER], silent_for: 30s, resolve: true }", trades, harness: harness) == [
        "39.999999999 NEVER has been silent for 30s; it has not come yet", "60.0 AAPL has been silent for 30s; its last price was 21",
        "75.0 resolved over: AAPL is heard again: 22",
      ])
    #expect(harness.counter("alerts") == 2)
    #expect(harness.counter("resolved") == 1)
    #expect(harness.notes == ["'NEVER' never came"])
    // Without names it is about the symbols that have come; a nanosecond decides.
    #expect(try await said("{ silent_for: 30s }", [trade(10, 20), trade(40, 21), trade(41, 1, of: "MSFT")]) == [])
    #expect(
      try await said("{ silent_for: 30s, cooldown: 1m }", [trade(0, 1), trade(50, 1), trade(500, 1)]).map { $0.prefix(5) } == [
        "30.0 ", "90.0 ",
      ])
    #expect(try await said("{ silent_for: 30s, once: true }", [trade(0, 1), trade(50, 1), trade(500, 1)]).count == 1)
  }

  @Test func `closed hours do not count`() throws {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,calendar\nAAPL,us_equities\n".utf8), file: "instruments.csv")
    let sessions = InstrumentSessions(builder.finish(), .all)
    func deadline(_ time: String, _ words: [String], _ symbol: Symbol = "AAPL", _ counted: CountedSessions = .all) throws -> String? {
      var book = RuleBook(
        [Rule(try RuleWords.rule([symbol.description] + words))], windowLimit: 10, sessions: sessions, counted: counted)
      let time = try Timestamp(iso8601: time)
      let trades = [Trade(symbol: symbol, price: 1, size: 1, time: time, received: time)]
      _ = book.processInTime(trades.span, nil, isSilent: false)
      return book.deadline(of: 0, symbol).map { "\(Timestamp(ns: $0))" }
    }
    let regular = ["silent_for", "30s", "sessions", "regular"]
    #expect(try deadline("2024-01-02T20:59:00Z", regular) == "2024-01-02T20:59:30Z")
    #expect(try deadline("2024-01-02T20:59:30Z", regular) == "2024-01-02T21:00:00Z")
    // 10 seconds before the close, and 20 after the next opening; over a weekend and a holiday too.
    #expect(try deadline("2024-01-02T20:59:50Z", regular) == "2024-01-03T14:30:20Z")
    #expect(try deadline("2024-01-12T20:59:50Z", regular) == "2024-01-16T14:30:20Z")
    // A trade outside of the session does not count for it, but is not silence either.
    #expect(try deadline("2024-01-02T22:00:00Z", regular) == "2024-01-03T14:30:30Z")
    // All sessions; the component's own; and without a calendar there are no closed hours.
    #expect(try deadline("2024-01-02T20:59:50Z", ["silent_for", "30s"]) == "2024-01-02T21:00:20Z")
    #expect(try deadline("2024-01-02T20:59:50Z", ["silent_for", "30s"], "AAPL", .regular) == "2024-01-03T14:30:20Z")
    #expect(try deadline("2024-01-02T23:59:50Z", regular, "BTC") == "2024-01-03T00:00:20Z")
  }

  @Test func `in a live run the clock moves time while nothing comes`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: rung } }
      sinks:
        alerts: { plugin: notification_dispatcher, inputs: [ticks], rules: [{ symbols: [AAPL, NEVER], silent_for: 30s, resolve: true }] }
        out: { plugin: kept_alerts, inputs: [alerts], run: 1 }
      """, plugins: [Rung.plugin, .notificationDispatcher, KeptAlerts.plugin])
    async let report = harness.run()
    // The clock of the test begins at 13:30:00; just before it is the first time that is known.
    await harness.clock.waitForSleeper(until: .seconds(30))
    harness.clock.advance(by: .seconds(30))
    await KeptAlerts.alerts.wait { $0[1]?.count == 2 }
    _ = try await harness.perform("ticks ring")
    await KeptAlerts.alerts.wait { $0[1]?.count == 3 }
    await harness.clock.waitForSleeper(until: .seconds(60) + .nanoseconds(1))
    harness.clock.advance(by: .seconds(30) + .nanoseconds(1))
    await KeptAlerts.alerts.wait { $0[1]?.count == 4 }
    _ = try await harness.perform("ticks end")
    _ = await report
    #expect(
      KeptAlerts.alerts.value[1]?.map { "\($0.time) \($0.message)" } == [
        "2013-10-08T13:30:29.999999999Z AAPL has been silent for 30s; it has not come yet",
        "2013-10-08T13:30:29.999999999Z NEVER has been silent for 30s; it has not come yet",
        "2013-10-08T13:30:30Z over: AAPL is heard again: 1", "2013-10-08T13:31:00Z AAPL has been silent for 30s; its last price was 1",
      ])
  }

  @Test func `the recording of a live run, at full speed, gives the alerts of the live run`() async throws {
    let rules =
      "[{ name: high, above: 100, for: 3s, resolve: true, cooldown: 20s }, { name: all, silent_for: 1m, cooldown: 5m }, "
      + "{ name: dead, symbols: [AAPL, NEVER], silent_for: 30s, resolve: true }]"
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: restless } }
      sinks:
        alerts: { plugin: notification_dispatcher, inputs: [ticks], rules: \(rules) }
        out: { plugin: kept_alerts, inputs: [alerts], run: 2 }
      """, plugins: [Restless.plugin, .notificationDispatcher, KeptAlerts.plugin])
    _ = await harness.runThroughTime()
    let live = try #require(KeptAlerts.alerts.value[2])
    let trades = Restless.sent.value
    let replayed: [Alert] = try await PluginHarness(id: "alerts").output(
      of: Plugin.notificationDispatcher, options: "rules: \(rules)", inputs: [trades])
    #expect(trades.count == 300)
    #expect(live == replayed)
    #expect(live.count > 20 && Set(live.map(\.rule)).count == 3)
    #expect(live.map(\.time) == live.map(\.time).sorted())
  }

  // MARK: resolve and expires

  @Test func `an alert that is over has the id of the one that fired, and a delivery of its own`() async throws {
    let folder = TemporaryFolder()
    let harness = PluginHarness(id: "alerts")
    let trades = [trade(0, 10), trade(1, 20), trade(2, 20), trade(3, 14), trade(4, 20), trade(5, 10)]
    #expect(
      try await said(
        "{ name: high, above: 15, rearm: 2, resolve: true, remind: 1s }", trades,
        more: "channels: [{ file: { path: '\(folder.file("a.jsonl"))', format: jsonl } }]", harness: harness) == [
          "1.0 AAPL is above 15: 20", "2.0 AAPL is above 15: 20", "4.0 AAPL is above 15: 20",
          "5.0 resolved over: AAPL is no longer above 15: 10",
        ])
    let ids = folder.content("a.jsonl").split(separator: "\n").map { String($0.prefix(41)) }
    #expect(ids.count == 4 && Set(ids).count == 1, "\(ids)")
    #expect(
      folder.content("a.jsonl").hasSuffix(
        #","status":"resolved","rule":"high","symbol":"AAPL","price":10,"message":"over: AAPL is no longer above 15: 10","#
          + #""time":"1970-01-01T00:00:05Z"}"# + "\n"))
    let alert = Alert.schema.example
    let first = Notification(alert, component: "alerts", number: 1)
    let last = Notification(alert, component: "alerts", number: 2, id: first.id)
    #expect(first.id == first.delivery && last.id == first.id && last.delivery != first.id)
    #expect(last.values(channel: "c")["status"] == "firing")
  }

  @Test func `a rule that expires ends its alerts at that moment, although nothing comes`() async throws {
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher, options: "rules: [{ name: day, above: 15, resolve: true, expires: 1970-01-01T00:00:10Z }]",
      taking: Trade.self, emitting: Alert.self)
    try await running.send([trade(0, 10), trade(1, 20), trade(2, 10, of: "MSFT")])
    await running.delivered()
    #expect(try await running.perform("rules").hasSuffix("\ton"))
    await running.advance(to: Timestamp(ns: 9_999_999_999))
    #expect(lines(await running.output(count: 1)) == ["1.0 AAPL is above 15: 20"])
    await running.advance(to: Timestamp(ns: 10_000_000_000))
    #expect(lines(await running.output(count: 2)).last == "10.0 resolved over: AAPL, because the rule has ended")
    #expect(try await running.perform("rules").hasSuffix("\texpired"))
    try await running.send([trade(11, 10), trade(12, 20), trade(13, 20, of: "MSFT")])
    try await running.stop()
    #expect(running.output.count == 2)
  }

  @Test func `an alert whose rule is removed or written otherwise is over`() async throws {
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher,
      options:
        "rules: [{ name: a, above: 15, resolve: true }, { name: b, above: 15, resolve: true }, { name: c, above: 15, resolve: true }]",
      taking: Trade.self, emitting: Alert.self)
    try await running.send([trade(0, 10), trade(1, 20)])
    _ = await running.output(count: 3)
    _ = try await running.perform("remove a")
    #expect(lines(await running.output(count: 4)).last == "1.0 resolved over: AAPL, because the rule has ended")
    try await running.replace(options: "rules: [{ name: b, above: 16, resolve: true }, { name: c, above: 15, resolve: true }]")
    #expect(await running.output(count: 5).last?.rule == "b")
    // What is written as before goes on.
    try await running.send([trade(2, 10)])
    #expect(await running.output(count: 6).last?.rule == "c")
    try await running.stop()
    #expect(running.output.map(\.status) == [.firing, .firing, .firing, .resolved, .resolved, .resolved])
  }

  @Test func `a rule that waits for time can be added where the component has time`() async throws {
    let without: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher, options: "rules: [{ above: 15 }]", taking: Trade.self, emitting: Alert.self)
    await #expect(
      throws: CommandError(
        "a rule with 'for' or 'silent_for', or with 'resolve' and 'expires', waits for time, which alerts gets only if its configuration has such a rule"
      )
    ) { try await without.perform("add AAPL above 15 for 3s") }
    try await without.stop()
    let with: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher, options: "rules: [{ name: high, above: 15, for: 3s }]", taking: Trade.self, emitting: Alert.self)
    try await with.send([trade(0, 10)])
    await with.delivered()
    #expect(try await with.perform("add AAPL,MSFT silent_for 5s resolve") == "rule 'AAPL,MSFT silent_for 5s' is on")
    #expect(
      await with.explain("AAPL").map(\.reason) == [
        "rule 'high' (above 15 for 3s) has not been true yet",
        "rule 'AAPL,MSFT silent_for 5s' (silent_for 5s) has heard of it, and fires at 1970-01-01T00:00:04.999999999Z if nothing comes",
      ])
    #expect(
      await with.explain("MSFT").map(\.reason).last
        == "rule 'AAPL,MSFT silent_for 5s' (silent_for 5s) has heard nothing of it yet, and fires at 1970-01-01T00:00:04.999999999Z if nothing comes"
    )
    await with.advance(to: Timestamp(ns: 5_000_000_000))
    #expect(await with.output(count: 2).map(\.symbol) == ["AAPL", "MSFT"])
    try await with.stop()
  }

  @Test(arguments: [
    ("{ crosses_above: 1, for: 3s }", "1:29: 'rules[0]': 'for' is for a condition that lasts; write 'above'"),
    (
      "{ silent_for: 3s, for: 3s }",
      "1:27: 'rules[0]': 'for' is not for 'silent_for', which ends with the next event"
    ),
    ("{ silent_for: 3s, above: 1 }", "1:11: 'rules[0]': a rule has one condition, not 'above' and 'silent_for'"),
    (
      "{ above: 1, sessions: regular }",
      "1:21: 'rules[0]': 'sessions' of a rule is for 'silent_for'; for windows such as session it is an option of the component"
    ),
    ("{ above: 1, once: true, resolve: true }", "1:33: 'rules[0]': a rule with 'once' is never armed again, so 'resolve' has no effect"),
    ("{ silent_for: 8d }", "1:23: 'rules[0].silent_for' must be between 1ns and 7d, got 8d"),
  ])
  func `what contradicts itself is an error at its place`(rule: String, message: String) async throws {
    do {
      _ = try await said(rule, [])
      Issue.record("nothing was wrong")
    } catch let problems as Problems {
      #expect(problems.sorted.map { "\($0.mark.line):\($0.mark.column): \($0.message)" } == [message])
    }
  }

  @Test func `keeps the contract`() async {
    let trades = [trade(0, 10), trade(1, 20), trade(3, 20), trade(9, 10), trade(9, 20), trade(30, 10)]
    #expect(
      await checkContract(
        .notificationDispatcher,
        options:
          "rules: [{ name: a, when: 'price > 15', for: 2s, resolve: true }, { symbols: [AAPL, NEVER], silent_for: 5s, resolve: true }]",
        inputs: [Feed(trades), Feed([trade(2, 10, of: "MSFT")])]) == [])
  }
}

/// A live source: publishes a trade whenever a test rings, and waits meanwhile.
private actor Rung: Source, CommandableComponent {
  static let plugin = Plugin("rung", "Sends a trade when it is told to.", .source(Rung.self))
  static var commands: [CommandInfo] { [CommandInfo("ring", "Sends a trade."), CommandInfo("end", "Ends the source.")] }
  private let context: Context
  private let parker = Parker()
  private var left = 0
  private var isOver = false

  init(_: NoOptions, _ context: Context) { self.context = context }

  func run(into output: inout Outlet<Trade>) async throws {
    while !isOver {
      while left > 0 {
        left -= 1
        let now = output.receipt(context.clock.now)
        output.send(Trade(symbol: "AAPL", price: 1, size: 1, time: now, received: now))
      }
      try await output.whileIdle { await parker.sleepCancellably() }
      try Task.checkCancellation()
    }
  }

  func perform(_ command: Command) -> String {
    if command.verb == "end" { isOver = true } else { left += 1 }
    parker.wake()
    return "done"
  }
}

/// Keeps alerts where a test can see them, by the number of the run.
private actor KeptAlerts: Sink {
  struct Settings: Options {
    @Setting("Which run.") var run: Int
    init() {}
  }
  static let alerts = Watched<[Int: [Alert]]>([:])
  static let plugin = Plugin("kept_alerts", "Keeps alerts.", .sink(KeptAlerts.self))
  private let run: Int
  init(_ settings: Settings, _: Context) { run = settings.run }
  func receive(_ events: Span<Alert>) { for i in events.indices { Self.alerts.update { $0[run, default: []].append(events[i]) } } }
}

/// A live source of trades at random intervals, and what it has sent.
private actor Restless: Source {
  static let sent = Watched<[Trade]>([])
  static let plugin = Plugin("restless", "Sends trades now and then.", .source(Restless.self))
  private let context: Context
  private var random: RandomStream

  init(_: NoOptions, _ context: Context) {
    self.context = context
    random = context.random()
  }

  func run(into output: inout Outlet<Trade>) async throws {
    for number in 0..<300 {
      if number > 0 {
        let pause = [0, 1, 2, 5, 40].randomElement(using: &random) ?? 0
        try await output.whileIdle { try await context.clock.sleep(until: context.clock.uptime + .seconds(pause)) }
      }
      let now = output.receipt(context.clock.now)
      let symbol: Symbol = ["AAPL", "MSFT", "NVDA"].randomElement(using: &random) ?? "AAPL"
      let trade = Trade(symbol: symbol, price: [90, 110, 120].randomElement(using: &random) ?? 90, size: 1, time: now, received: now)
      Self.sent.update { $0.append(trade) }
      output.send(trade)
    }
  }
}
