import EventBus
import MarketData
import StockbusDecoding
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing
import TestServers
import TestSupport

@testable import HTTPPoll

/// The plugin against a scripted server on loopback, with a manual clock.
@Suite(.timeLimit(.minutes(15))) struct HTTPPollTests {
  private func options(_ server: ScriptedServer, _ more: String = "", path: String = "/prices?key=s3cret") -> String {
    """
    url: "\(server.origin)\(path)"
    interval: 10s
    timeout: 10m
    headers: { X-Key: s3cret }
    decoding:
      time: ms
      messages:
        failed: { when: { error: "*" }, role: error, text: error }
        prices:
          when: { data: "[]" }
          each: [data]
          event: trade
          fields: { symbol: s, price: p, size: q, time: t }
    \(more)
    """
  }

  private func start(_ harness: PluginHarness, _ options: String) throws -> RunningPlugin<Trade> {
    try harness.start(Plugin.httpPoll, options: options, emitting: Trade.self)
  }

  private func states(_ harness: PluginHarness) -> [String] {
    harness.notices.connections.value.map { "\($0.state.fieldName): \($0.reason)" }
  }

  /// The next fetch from a server without failures: ten seconds later.
  private func nextFetch(_ harness: PluginHarness, _ server: ScriptedServer, number: Int) async {
    // During a fetch there is a sleeper for the time-out of ten minutes.
    while !(harness.clock.deadlines.first.map { $0 - harness.clock.uptime <= .seconds(10) } ?? false) { await Task.yield() }
    harness.clock.advanceToNextDeadline()
    await server.waitForRequests(number)
  }

  private let first = #"{"data":[{"s":"AAPL","p":189.250,"q":100,"t":1381239000012},{"s":"NVDA","p":"355.95","q":"5","t":1381239000013}]}"#

  @Test func `the last document is written with its validators`() throws {
    var document = Document()
    #expect(try written(document) == document)
    var response = HTTPResponse(status: 200, fields: HTTPFields(), body: [0, 255, 123])
    try response.fields.set("ETag", "\"v1\"")
    document.remember(response, events: 3)
    #expect(try written(document) == document && document.body == [0, 255, 123])
  }

  @Test func `symbols that no document had are told at the end`() async throws {
    let first = first
    let server = try await ScriptedServer { _, _ in .answer(200, [:], first) }
    let harness = PluginHarness(id: "prices")
    let running = try start(harness, options(server, "symbols: [AAPL, NVAD, TSLA]\nfetches: 1"))
    _ = await running.output(count: 2)
    try await running.stop()
    await server.close()
    #expect(harness.notes == ["'NVAD' never came; did you mean 'NVDA'?", "'TSLA' never came"])
  }

  @Test func `publishes a document once, asks for changes only, and publishes what is new`() async throws {
    let first = first
    let server = try await ScriptedServer { request, number in
      switch number {
      case 0: .answer(200, ["ETag": "\"v1\"", "Last-Modified": "Tue, 08 Oct 2013 13:30:00 GMT"], first)
      case 1: .answer(304)
      // Another tag for the same bytes.
      case 2: .answer(200, ["ETag": "\"v2\""], first)
      case 3: .answer(200, [:], #"{"data":[{"s":"AAPL","p":190,"q":1,"t":1381239030000}]}"#)
      default: .answer(200, [:], #"{"data":[]}"#)
      }
    }
    let harness = PluginHarness(id: "prices")
    let running = try start(harness, options(server))
    let trades = await running.output(count: 2)
    #expect(
      trades[0]
        == Trade(
          symbol: "AAPL", price: Price(raw: 189_250_000_000), size: 100, time: Timestamp(ns: 1_381_239_000_012_000_000),
          received: Timestamp(ns: 1_381_239_000_000_000_000), priceDecimals: 3))
    #expect(trades[1].symbol == "NVDA" && trades[1].price == Price(raw: 355_950_000_000))
    for number in 2...5 { await nextFetch(harness, server, number: number) }
    await harness.notices.connections.wait { $0.last?.state == .empty }
    try await running.stop()
    await server.close()

    #expect(running.output.map(\.price.description) == ["189.25", "355.95", "190"])
    let requests = server.received.value
    #expect(requests.map { $0.headers["if-none-match"] } == [nil, "\"v1\"", "\"v1\"", "\"v2\"", nil])
    #expect(requests.map { $0.headers["if-modified-since"] != nil } == [false, true, true, false, false])
    #expect(requests[0].path == "/prices?key=s3cret" && requests[0].headers["x-key"] == "s3cret")
    #expect(states(harness) == ["loading: fetching from \(server.origin)", "loaded: events: 2", "empty: nothing in it"])
    #expect(harness.counters == ["fetches": 5, "unchanged": 2, "failures": 0, "malformed": 0])
    #expect(harness.clock.uptime == .seconds(40))
  }

  @Test func `survives refusals and silence, and keeps away as long as it is asked to`() async throws {
    let first = first
    let server = try await ScriptedServer { _, number in
      switch number {
      case 0: .answer(429, ["Retry-After": "120"])
      case 1: .answer(503, ["Retry-After": "Tue, 08 Oct 2013 13:40:00 GMT"])
      case 2: .hang
      case 3: .cut
      case 4: .answer(200, [:], #"{"error":"come back tomorrow"}"#)
      default: .answer(200, [:], first)
      }
    }
    let harness = PluginHarness(id: "prices")
    let running = try start(harness, options(server))
    await server.waitForRequests(1)
    await harness.clock.waitForSleeper(until: .seconds(120))
    harness.clock.advance(by: .seconds(120))
    await server.waitForRequests(2)
    // Ten minutes after the half hour at which the clock began.
    await harness.clock.waitForSleeper(until: .seconds(600))
    harness.clock.advance(by: .seconds(480))
    await server.waitForRequests(3)
    await harness.clock.waitForSleeper(until: .seconds(1200))
    harness.clock.advance(by: .seconds(600))
    // The third, fourth and fifth failure in a row: pauses of at most 4, 8 and 16 s.
    for number in 4...6 {
      while !(harness.clock.deadlines.first.map { $0 - harness.clock.uptime <= .seconds(16) } ?? false) { await Task.yield() }
      harness.clock.advanceToNextDeadline()
      await server.waitForRequests(number)
    }
    #expect(await running.output(count: 2).count == 2)
    try await running.stop()
    await server.close()
    let loading = "loading: fetching from \(server.origin)"
    #expect(
      states(harness) == [
        loading, "failed: \(server.origin) answers with status 429; asked to wait 120 s", loading,
        "failed: \(server.origin) answers with status 503; asked to wait 480 s", loading,
        "failed: \(server.origin) did not respond within 10m", loading,
        "failed: \(server.origin) closed the connection before the end of the response", loading,
        "failed: \(server.origin) refuses: come back tomorrow",
        loading, "loaded: events: 2",
      ])
    #expect(harness.counter("failures") == 5)
    #expect(!"\(harness.log.lines)".contains("s3cret"))
  }

  @Test func `what one item lacks costs only that item, and the others are not published again`() async throws {
    let document =
      #"{"count":NaN,"data":[{"s":"AAPL","p":1,"x":Infinity},{"s":"NVDA","p":NaN},{"s":"TSLA","p":null},{"s":"MSFT","p":2}]}"#
    let server = try await ScriptedServer { _, number in .answer(200, [:], number == 2 ? "\u{feff}" + document : document) }
    let harness = PluginHarness(id: "prices")
    let running = try start(harness, options(server, "fetches: 3").replacing(", time: t", with: ""))
    _ = await running.output(count: 2)
    await nextFetch(harness, server, number: 2)
    await nextFetch(harness, server, number: 3)
    _ = await running.output(count: 4)
    try await running.stop()
    #expect(running.output.map { "\($0.symbol) \($0.price)" } == ["AAPL 1", "MSFT 2", "AAPL 1", "MSFT 2"])
    let reason = "'price' is not a number: 'NaN' (byte 70); and 1 more items"
    #expect(harness.deadLetters.map(\.reason) == [reason, reason.replacing("70", with: "73")])
    #expect(harness.counters == ["fetches": 3, "unchanged": 1, "failures": 0, "malformed": 2])
    #expect(states(harness) == ["loading: fetching from \(server.origin)", "loaded: events: 2"])
    await server.close()
  }

  @Test func `a document that is not what it should be is a dead letter, and the next one is looked at`() async throws {
    let first = first
    let server = try await ScriptedServer { _, number in
      switch number {
      case 0: .answer(200, ["ETag": "\"v1\""], #"{"data":[{"s":"AAPL","p":"dear"}]}"#)
      case 1: .answer(200, [:], "<html>")
      case 2: .answer(200, [:], #"{"prices":[]}"#)
      case 3: .answer(200, [:], first)
      case 4: .answer(500)
      // The same as before the failure.
      case 5: .answer(200, [:], first)
      default: .answer(200, [:], "  \n")
      }
    }
    let harness = PluginHarness(id: "prices")
    let running = try start(harness, options(server))
    await server.waitForRequests(1)
    for number in 2...7 { await nextFetch(harness, server, number: number) }
    await harness.notices.connections.wait { $0.last?.state == .empty }
    try await running.stop()
    await server.close()
    #expect(running.output.count == 2)
    #expect(harness.deadLetters.count == 3)
    #expect(harness.deadLetters.allSatisfy { $0.origin == server.origin })
    #expect(harness.deadLetters[1].payload == "<html>")
    #expect(server.received.value[1].headers["if-none-match"] == nil)
    let kinds = harness.notices.connections.value.map(\.state)
    #expect(
      kinds == [.loading, .malformed, .loading, .malformed, .loading, .malformed, .loading, .loaded, .failed, .loading, .loaded, .empty])
  }

  @Test func `ends after so many fetches, and keeps to its limits`() async throws {
    let server = try await ScriptedServer { _, _ in .flood }
    let harness = PluginHarness(id: "prices")
    let running = try start(harness, options(server, "fetches: 1\nlimit: 1KiB"))
    await harness.notices.connections.wait { $0.count == 2 }
    try await running.stop()
    #expect(running.output.isEmpty)
    #expect(states(harness).last == "failed: \(server.origin) answers with more than 1024 bytes")
    // The document is a dead letter too, with its beginning.
    #expect(harness.deadLetters.map(\.reason) == ["\(server.origin) answers with more than 1024 bytes"])
    #expect(harness.deadLetters.map(\.payload) == [String(repeating: "x", count: 512)])
    await server.close()
  }

  @Test func `quotes and bars come the same way`() async throws {
    let server = try await ScriptedServer { _, _ in .answer(200, [:], #"{"bids":[["100.5","2"]],"asks":[["100.7","3"]],"sym":"X"}"#) }
    let harness = PluginHarness(id: "book")
    let running: RunningPlugin<Quote> = try harness.start(
      Plugin.httpPoll,
      options: """
        { url: "\(server.origin)", event: quote, fetches: 1, decoding: { messages: { book: { when: { sym: "*" }, event: quote, fields: {
          symbol: sym, bid: "bids[0][0]", bid_size: "bids[0][1]", ask: "asks[0][0]", ask_size: "asks[0][1]" } } } } }
        """, emitting: Quote.self)
    let quote = try #require(await running.output(count: 1).first)
    #expect(quote.bid == Price(raw: 100_500_000_000) && quote.askSize == 3)
    try await running.stop()
    await server.close()
  }

  @Test func `an address that is none and a spec that makes no such event are found before anything starts`() {
    func problems(_ text: String) -> String {
      do {
        let _: RunningPlugin<Trade> = try PluginHarness().start(Plugin.httpPoll, options: text, emitting: Trade.self)
        return ""
      } catch { return "\(error)" }
    }
    #expect(problems(#"{ url: "ftp://s3cret" }"#) == "options.yaml:1:3: error: 'url': an address begins with https:// or http://")
    #expect(
      problems(#"{ url: "https://a.test" }"#)
        == "options.yaml:1:1: error: 'messages' is needed: the kinds of messages, as in decoding: { messages: { ticks: { when: { type: trade }, event: trade, fields: { symbol: data.s, price: data.p } } } }"
    )
    let quotes =
      #"{ url: "https://a.test", decoding: { messages: { q: { when: { a: 1 }, event: quote, fields: { symbol: s, bid: b, ask: a } } } } }"#
    #expect(problems(quotes) == "options.yaml:1:48: error: none of the messages becomes a trade; they become quote")
    #expect(problems(#"{ url: "https://a.test", headers: { Host: x } }"#).contains("stockbus sets this header itself"))
  }

  @Test func `keeps the contract`() async {
    let options = """
      { url: "http://127.0.0.1:1/", fetches: 1, decoding: {
        messages: { t: { when: { s: "*" }, event: trade, fields: { symbol: s, price: p } } } } }
      """
    let violations = await checkContract(.httpPoll, options: options, isDeterministic: false)
    #expect(violations == [])
  }

  @Test func `a schedule keeps its pace, backs off, and does not make up for what it missed`() {
    var schedule = PollSchedule(
      interval: .seconds(10), pauses: RetryPauses(first: .seconds(1), most: .seconds(8), random: RandomStream(seed: 1)))
    schedule.begin(at: .seconds(100))
    #expect(schedule.next(after: .done, at: .seconds(103)) == .seconds(110))
    #expect(schedule.next(after: .done, at: .seconds(111)) == .seconds(120))
    #expect(schedule.next(after: .done, at: .seconds(145)) == .seconds(145))
    let first = schedule.next(after: .failed(nil), at: .seconds(150))
    #expect(first > .seconds(150) && first <= .seconds(151))
    #expect(schedule.next(after: .failed(RetryAfter(.seconds(60))), at: .seconds(151)) == .seconds(211))
    #expect(schedule.next(after: .failed(RetryAfter(.seconds(1_000_000))), at: .seconds(0)) == .seconds(86_400))
    #expect(schedule.next(after: .done, at: .seconds(86_400)) == .seconds(86_410))
  }
}
