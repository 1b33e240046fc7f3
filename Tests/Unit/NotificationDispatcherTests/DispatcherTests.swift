import EventBus
import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// The plugin as a whole, with files for channels.
@Suite(.timeLimit(.minutes(15))) struct DispatcherTests {
  private let folder = TemporaryFolder()

  @Test func `publishes an alert and writes it to a file, with one id`() async throws {
    let harness = PluginHarness(id: "alerts")
    let alerts: [Alert] = try await harness.output(
      of: Plugin.notificationDispatcher,
      options: """
        rules: [{ name: AAPL above 200, symbol: AAPL, crosses_above: 200, rearm: 0.5%, cooldown: 1m }]
        channels:
          - file: { path: '\(folder.file("a.jsonl"))', format: jsonl }
          - file: { path: '\(folder.file("b.jsonl"))', format: jsonl, name: second }
        """, inputs: [trades([19_990, 20_010, 19_990, 20_010])])
    #expect(
      alerts == [
        Alert(
          symbol: "AAPL", rule: "AAPL above 200", message: "AAPL crossed above 200: 200.10", price: Price(raw: 200_100_000_000),
          time: Timestamp(ns: 1_000_000_000), priceDecimals: 2)
      ])
    let id = Notification(alerts[0], component: "alerts", number: 1).id
    #expect(id.count == 32)
    #expect(
      folder.content("a.jsonl") == #"{"id":"\#(id)","rule":"AAPL above 200","symbol":"AAPL","price":200.10,"#
        + #""message":"AAPL crossed above 200: 200.10","time":"1970-01-01T00:00:01Z"}"# + "\n")
    #expect(folder.content("b.jsonl") == folder.content("a.jsonl"))
    #expect(harness.counter("alerts") == 1)
    #expect(harness.counter("second delivered") == 1)
    #expect(harness.counter("in cooldown") == 0)
  }

  @Test func `a second run over the same events gives its alerts the same ids, whatever the batches`() async throws {
    var contents: Set<String> = []
    // It crosses 20 times, four times at each moment and price.
    let events: [Trade] = (0..<40).map { number in
      let price: Price = number % 2 == 0 ? 1 : 2
      return Trade(symbol: "AAPL", price: price, size: 1, time: Timestamp(ns: Int64(number) / 8), received: Timestamp(ns: Int64(number)))
    }
    for batch in [1, 3, 100] {
      let path = folder.file("\(batch).jsonl")
      let running: RunningPlugin<Alert> = try PluginHarness().start(
        Plugin.notificationDispatcher,
        options: "{ rules: [{ name: up, symbol: AAPL, crosses_above: 1.5 }], channels: [{ file: { path: '\(path)', format: jsonl } }] }",
        taking: Trade.self, emitting: Alert.self)
      for start in stride(from: 0, to: events.count, by: batch) {
        try await running.send(Array(events[start..<min(start + batch, events.count)]))
        await running.delivered()
      }
      try await running.stop()
      contents.insert(folder.content("\(batch).jsonl"))
    }
    let lines = (contents.first ?? "").split(separator: "\n")
    #expect(contents.count == 1 && lines.count == 20 && Set(lines).count == 20)
  }

  @Test func `says how each rule stands for a symbol`() async throws {
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher,
      options: """
        rules:
          - { name: high, symbol: AAPL, above: 200, rearm: 1%, cooldown: 10s }
          - { name: once, symbol: AAPL, above: 150, once: true, initial: true }
          - { name: low, below: 300 }
          - { name: off, enabled: false, above: 1 }
          - { name: other, symbol: MSFT, above: 1 }
        """, taking: Trade.self, emitting: Alert.self)
    func said(_ symbol: Symbol = "AAPL") async -> [String] {
      await running.explain(symbol).map { said in
        "\(said.verdict) \(said.reason) by \(said.setting?.description ?? "")" + (said.time.map { " at \($0.ns / 1_000_000_000)" } ?? "")
      }
    }
    #expect(
      await said("NVDA") == [
        "waits rule 'low' (below 300) has received no price of it yet by rules[2]", "filters rule 'off' (above 1) is off by rules[3]",
      ])
    func tell(_ prices: [Int64], from second: Int64) async throws {
      try await running.send(trades(prices, from: second))
      await running.delivered()
    }
    try await tell([19_000], from: 0)
    let others = [
      "alerts rule 'once' (above 150) has fired, and fires only once by rules[1] at 0",
      "filters rule 'low' (below 300) was true at the first price, and waits until the price has gone back by rules[2]",
      "filters rule 'off' (above 1) is off by rules[3]",
    ]
    #expect(await said() == ["waits rule 'high' (above 200) has not been true yet by rules[0]"] + others)
    try await tell([20_100], from: 1)
    #expect(await said() == ["alerts rule 'high' (above 200) has fired, and waits until the price has gone back by rules[0] at 1"] + others)
    try await tell([19_700], from: 2)
    #expect(await said() == ["waits rule 'high' (above 200) has fired, and is armed again by rules[0] at 1"] + others)
    try await tell([20_200], from: 3)
    #expect(await said() == ["filters rule 'high' (above 200) was true again within its cooldown by rules[0] at 1"] + others)
    _ = try await running.perform("remove low")
    #expect(await said("IBM") == ["filters rule 'off' (above 1) is off by rules[3]"])
    _ = try await running.perform("remove off")
    #expect(await said("IBM") == ["filters no rule is about it by rules"])
    try await running.stop()
  }

  @Test func `works for every event that tells a price`() async throws {
    let options = "rules: [{ above: 1, initial: true }]"
    let quotes: [Alert] = try await PluginHarness().output(
      of: Plugin.notificationDispatcher, options: options, inputs: [[Quote.schema.example]])
    #expect(quotes.map(\.message) == ["AAPL is above 1: 189.25"])
    let ranked: [Alert] = try await PluginHarness().output(
      of: Plugin.notificationDispatcher, options: options, inputs: [[Ranked.schema.example], [Ranked.schema.example]])
    #expect(ranked.map(\.rule) == ["* above 1"])
  }

  @Test func `a rule goes to the channels it names, in its own words`() async throws {
    let harness = PluginHarness(id: "alerts")
    let _: [Alert] = try await harness.output(
      of: Plugin.notificationDispatcher,
      options: """
        rules:
          - { name: first, symbols: [A*], rises_by: 5%, window: 10s, channels: [one], message: "{symbol} {change} from {reference}" }
          - { name: both, symbol: AAPL, falls_by: 1.50 }
        channels:
          - file: { path: '\(folder.file("one"))', name: one }
          - file: { path: '\(folder.file("two"))', name: two }
        """, inputs: [trades([10_000, 10_500, 10_300])])
    #expect(
      folder.content("one") == """
        1970-01-01T00:00:01Z first: AAPL +5.00 from 100.00
        1970-01-01T00:00:02Z both: AAPL fell by 2.00 (1.90%): 105.00 → 103.00

        """)
    #expect(folder.content("two") == "1970-01-01T00:00:02Z both: AAPL fell by 2.00 (1.90%): 105.00 → 103.00\n")
  }

  @Test func `says its rules for a screen, and takes one about a symbol that looks like a pattern`() async throws {
    let running: RunningPlugin<Alert> = try PluginHarness(id: "alerts").start(
      Plugin.notificationDispatcher,
      options: "rules: [{ name: high, symbols: [AAPL, B*], above: 200 }, { rises_by: 1%, window: 1m, enabled: false }]",
      taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([100], of: "FIRST"))
    await running.delivered()
    #expect(try await running.perform("add * exactly crosses_below 3 name only the star") == "rule 'only the star' is on")
    #expect(
      try await running.perform("rules")
        == "high\tAAPL,B*\tabove 200\ton\n* rises_by 1% in 1m\t*\trises_by 1% in 1m\toff\nonly the star\t*\tcrosses_below 3\ton")
    try await running.send(trades([400], of: "OTHER") + trades([400], of: "*") + trades([200], of: "OTHER") + trades([200], of: "*"))
    #expect(await running.output(count: 1).map(\.symbol) == ["*"])
    try await running.stop()
  }

  @Test func `a person's own rule is called by its owner, and goes to no channel`() async throws {
    let folder = TemporaryFolder()
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: "{ rules: [{ name: dear, symbol: AAPL, above: 2 }], channels: [{ file: { path: \(folder.file("alerts.txt")) } }] }",
      taking: Trade.self, emitting: Alert.self)
    #expect(try await running.perform("add AAPL exactly above 1.5 owner hannah name dear") == "rule '@hannah dear' is on")
    #expect(try await running.perform("add AAPL exactly above 1.5 owner hannah") == "rule '@hannah AAPL above 1.5' is on")
    await #expect(throws: CommandError.refused("the rule '@hannah dear' exists already")) {
      try await running.perform("add AAPL exactly above 1 owner hannah name dear")
    }
    await #expect(throws: CommandError.refused("a name begins with '@' only if the rule has an 'owner'")) {
      try await running.perform("add AAPL exactly above 1 name @otto dear")
    }
    await #expect(throws: CommandError.refused("either 'owner' or 'channels', not both")) {
      try await running.perform("add AAPL exactly above 1 channels x owner hannah")
    }
    try await running.send(trades([100], of: "AAPL") + trades([300], of: "AAPL"))
    #expect(await running.output(count: 3).map(\.rule).sorted() == ["@hannah AAPL above 1.5", "@hannah dear", "dear"])
    #expect(try await running.perform("disable rule @hannah dear") == "rule 'rule @hannah dear' is off")
    #expect(try await running.perform("remove @hannah dear") == "rule '@hannah dear' is gone")
    try await running.stop()
    #expect(folder.content("alerts.txt").split(separator: "\n").count == 1)
  }

  @Test func `symbols that rules name and that never came are told at the end`() async throws {
    func notes(_ rules: String) async throws -> [String] {
      let harness = PluginHarness()
      let _: [Alert] = try await harness.output(
        of: Plugin.notificationDispatcher, options: "rules: \(rules)", inputs: [trades([100, 101]) + trades([5], of: "BRK.B")])
      return harness.notes
    }
    #expect(try await notes("[{ symbol: APPL, above: 1 }]") == ["'APPL' never came; did you mean 'AAPL'?"])
    #expect(
      try await notes("[{ symbols: [brk.b, AAPL], above: 1 }, { name: off, symbol: XYZ, below: 1, enabled: false }]")
        == ["'brk.b' never came; did you mean 'BRK.B'?", "'XYZ' never came"])
    #expect(try await notes("[{ symbols: ['MS*', 'BRK.?'], above: 1 }]") == ["no symbol that came matches 'MS*'"])
    #expect(try await notes("[{ above: 1 }, { symbol: AAPL, above: 1 }, { symbols: [AAPL, 'B*'], below: 9 }]") == [])
  }

  @Test func `a rule that is added for a symbol that has not come says what was meant, and at the end what is missing still`() async throws
  {
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher, options: "rules: [{ name: gone, symbol: XYZ, above: 1 }]", taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([100]) + trades([100], of: "NVDA"))
    await running.delivered()
    #expect(try await running.perform("add aapl above 2") == "rule 'aapl above 2' is on; 'aapl' has no price so far; did you mean 'AAPL'?")
    #expect(try await running.perform("add MSFT,NVDA above 2") == "rule 'MSFT,NVDA above 2' is on")
    #expect(try await running.perform("remove gone") == "rule 'gone' is gone")
    // The rules for NVDA are found again when it next comes; it still counts as a symbol that has come.
    try await running.stop()
    #expect(harness.notes == ["'aapl' never came; did you mean 'AAPL'?", "'MSFT' never came"])
  }

  @Test func `events dated ahead are counted`() async throws {
    let harness = PluginHarness()
    var events = trades([100, 300])
    events[1].time = Timestamp(ns: 1_000_000_000_000)
    let alerts: [Alert] = try await harness.output(
      of: Plugin.notificationDispatcher, options: "rules: [{ above: 2 }]", inputs: [events])
    // The time of receipt is used.
    #expect(alerts.map(\.time) == [Timestamp(ns: 1_000_000_000)])
    #expect(harness.counter("dated ahead") == 1)
  }

  @Test func `takes commands while it runs`() async throws {
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: """
        rules: [{ name: high, symbol: AAPL, above: 200 }]
        channels: [{ file: { path: '\(folder.file("log"))' } }, { desktop: { enabled: false } }]
        """, taking: Trade.self, emitting: Alert.self)
    func say(_ line: String) async -> String {
      do throws(CommandError) { return try await running.perform(line) } catch { return "error: \(error)" }
    }
    try await running.send(trades([19_900]))
    await running.delivered()
    #expect(await say("add AAPL,MSFT below 150 name low price") == "rule 'low price' is on")
    #expect(await say("add AAPL below 150 name low price") == "error: the rule 'low price' exists already")
    #expect(await say("add AAPL") == "error: write a rule such as AAPL above 200 rearm 0.5% cooldown 1m")
    #expect(
      await say("add AAPL abov 200")
        == "error: unknown option 'abov'; did you mean 'above'?")
    #expect(await say("add AAPL over 200") == "error: a rule has no 'over'; did you mean 'above'?")
    #expect(await say("add AAPL ABOVE 200") == "error: a rule has no 'ABOVE'; did you mean 'above'?")
    #expect(await say("add AAPL above $200").hasSuffix("; write 200, without the currency"))
    #expect(await say("disable high") == "rule 'high' is off")
    #expect(await say("disable hihg") == "error: there is no rule or channel 'hihg'; did you mean 'high'?")
    try await running.send(trades([20_100], from: 1))
    await running.delivered()
    #expect(running.output.isEmpty)
    #expect(await say("enable high") == "rule 'high' is on")
    try await running.send(trades([19_900, 20_100], from: 2))
    #expect(await running.output(count: 1).map(\.message) == ["AAPL is above 200: 201.00"])

    #expect(await say("mute 10m") == "alerts are off for 10m")
    try await running.send(trades([19_900, 20_100], from: 4))
    await running.delivered()
    harness.clock.advance(by: .seconds(600))
    try await running.send(trades([19_900, 20_200], from: 6))
    #expect(await running.output(count: 2).map(\.message).last == "AAPL is above 200: 202.00")

    #expect(await say("disable file") == "channel 'file' is off")
    try await running.send(trades([19_900, 20_300], from: 8))
    _ = await running.output(count: 3)
    #expect(await say("enable file") == "channel 'file' is on")
    #expect(await say("test file").hasPrefix("a test alert was sent to channel 'file': "))
    #expect(await say("test fil") == "error: there is no channel 'fil'; did you mean 'file'?")
    #expect(await say("remove low price") == "rule 'low price' is gone")
    let list = await say("list")
    #expect(list.hasPrefix("alerts are on\nrule high: on, 1 symbol\nchannel file (file): on, "))
    try await running.stop()
    #expect(
      folder.content("log") == """
        1970-01-01T00:00:03Z high: AAPL is above 200: 201.00
        1970-01-01T00:00:07Z high: AAPL is above 200: 202.00
        2013-10-08T13:40:00Z test: This is a test of channel file.

        """)
    #expect(harness.counter("silenced") == 2)
    #expect(harness.counter("file silenced") == 1)
  }

  @Test func `a channel without an address or a program is off, and says so once`() async throws {
    let harness = PluginHarness(id: "alerts")
    try await harness.consume(
      [trades([100, 300])], by: Plugin.notificationDispatcher,
      options: """
        rules: [{ above: 2 }]
        channels: [{ webhook: { url: "" } }, { ntfy: { topic: "" } }, { command: { run: [no-such-program-anywhere] } }]
        """)
    #expect(
      harness.log.texts(.notice) == [
        "notice alerts: channel 'webhook' is off: its url is empty", "notice alerts: channel 'ntfy' is off: its topic is empty",
        "notice alerts: channel 'command' is off: there is no program 'no-such-program-anywhere'",
      ])
    #expect(harness.counter("alerts") == 1)
    #expect(harness.counter("webhook failed") == nil)
  }

  @Test func `keeps the contract`() async {
    let options = """
      rules: [{ symbol: AAPL, crosses_above: 100, rearm: 1% }, { rises_by: 3%, window: 1m }]
      channels: [{ file: { path: /dev/null } }, { webhook: { url: "" } }]
      """
    let inputs = [Feed(trades((0..<300).map { Int64(9000 + ($0 * 37 % 23) * 100) }))]
    let violations = await checkContract(.notificationDispatcher, options: options, inputs: inputs)
    #expect(violations == [])
  }

  @Test func `everything wrong with a configuration is said at once`() {
    let text = """
      rules:
        - { symbol: AAPL }
        - { symbol: AAPL, above: 1, below: 2 }
        - { above: 5% }
        - { rises_by: -1%, rearm: 1.00, of: change }
        - { above: 1, channels: [dektop], message: "{symbl}" }
        - { crosses_above: 1, remind: 1m, symbols: ["a,b"] }
      """
    #expect(
      problems(text) == [
        "2:5: 'rules[0]': a rule needs one of 'above', 'below', 'crosses_above', 'crosses_below', 'rises_by', 'falls_by', 'when', 'silent_for'",
        "3:31: 'rules[1]': a rule has one condition, not 'above' and 'below'",
        "4:7: 'rules[2]': 'above' must be an amount, as 'of' is price; for a percentage write of: percent",
        "5:7: 'rules[3]': 'rises_by' must be more than zero",
        "5:22: 'rules[3]': 'rearm' must be a percentage, because the threshold is one",
        "5:35: 'rules[3]': 'of' is for 'above', 'below', 'crosses_above', 'crosses_below'; 'rises_by' compares a change by itself",
        "6:37: 'rules[4]': 'message': there is no placeholder {symbl}; did you mean {symbol}?",
        "7:25: 'rules[5]': 'remind' is not for a crossing, which fires once when it happens",
        "7:47: 'rules[5]': 'symbols': a symbol cannot contain control characters, quotation marks, backslashes or commas",
      ])
  }

  @Test func `names that do not exist or are doubled are found`() {
    #expect(
      problems(
        """
        rules:
          - { above: 1, channels: [dektop] }
          - { above: 1 }
        channels: [{ desktop: {} }, { webhook: { url: "" } }, { file: { path: x, name: desktop } }]
        """
      ).count == 2)
  }

  @Test func `secrets are in no message about a configuration`() {
    let text = """
      channels:
        - webhook:
            url: "ftp://example.com/s3cret"
            headers: { "Bad Name": s3cret, Authorization: "s3cret\\nX: y" }
            secret: "whsec_s3cret!"
        - ntfy: { topic: "s3cret/topic", token: "s3cret\\n" }
        - email: { to: ["a@b", "x\\ny@z"], from: -oQ@example.com }
      """
    let found = problems(text)
    #expect(found.count == 8)
    #expect(!found.joined().contains("s3cret"))
  }

  /// `LINE:COLUMN: message` for every problem of these options.
  private func problems(_ text: String) -> [String] {
    do {
      let _: RunningPlugin<Alert> = try PluginHarness().start(
        Plugin.notificationDispatcher, options: text, taking: Trade.self, emitting: Alert.self)
      return []
    } catch let problems as Problems {
      return problems.sorted.map { "\($0.mark.line):\($0.mark.column): \($0.message)" }
    } catch { return ["\(error)"] }
  }
}
