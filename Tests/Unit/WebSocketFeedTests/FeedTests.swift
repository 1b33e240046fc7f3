import MarketData
import StockbusDecoding
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import WebSocketFeed

private func trade(_ id: Int, _ price: String, _ symbol: String = "BTCUSDT") -> String {
  #"{"e":"trade","E":1700000000001,"s":"\#(symbol)","t":\#(id),"p":"\#(price)","q":"0.5","T":1700000000000,"m":true,"M":true}"#
}

@Suite(.timeLimit(.minutes(15))) struct FeedTests {
  let harness = PluginHarness(id: "live")

  private func start<E: Event>(_ venue: Venue, _ options: String = "", preset: String = "binance", as _: E.Type = E.self) throws
    -> RunningPlugin<E>
  {
    try harness.start(
      Plugin.webSocketFeed, options: "preset: \(preset)\nurl: \"\(venue.url)\"\nsymbols: [BTC-USDT]\n\(options)", emitting: E.self)
  }

  private var states: [ConnectionStatus.State] { harness.notices.connections.value.map(\.state) }

  /// Advances the clock in steps until the condition is true. The steps must be small if sockets, which do not follow the clock, have to
  /// keep up.
  private func passTime(_ step: Duration, until isSo: () -> Bool) async {
    while !isSo() {
      harness.clock.advance(by: step)
      await networkTurn()
    }
  }

  @Test func `a feed subscribes and its messages become events under the names of the configuration`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(#"{"result":null,"id":1}"#, trade(7, "61685.99000000"), trade(8, "61686.00"))
      await visit.stay()
    }
    let running = try start(venue, as: Trade.self)
    let trades = await running.output(count: 2)
    #expect(
      trades.map { "\($0.symbol) \($0.price.formatted(decimals: Int($0.priceDecimals))) \($0.side)" } == [
        "BTC-USDT 61685.99000000 sell", "BTC-USDT 61686.00 sell",
      ])
    #expect(trades[0].time == Timestamp(ns: 1_700_000_000_000_000_000))
    #expect(venue.said.value == [#"{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}"#])
    try await running.stop()
    #expect(harness.notices.connections.value.map(\.state) == [.connecting, .connected, .disconnected])
    #expect(harness.counter("messages") == 3)
    await venue.server.stop()
  }

  @Test(arguments: [false, true]) func `a venue that closes after its first words is left alone for longer each time`(
    sendsEvent: Bool
  ) async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(#"{"result":null,"id":1}"#)
      if sendsEvent { try await visit.say(trade(1, "1")) }
      visit.connection.drop()
    }
    let running = try start(venue, as: Trade.self)
    var pauses: [Duration] = []
    for round in 1...4 {
      await harness.notices.connections.wait { $0.count == 3 * round }
      await harness.clock.waitForSleepers(1)
      pauses.append((harness.clock.deadlines.first ?? .zero) - harness.clock.uptime)
      harness.clock.advanceToNextDeadline()
    }
    // Drawn from the upper halves of 250, 500, 1000 and 2000 ms.
    let bounds: [Duration] = [.milliseconds(125), .milliseconds(250), .milliseconds(500), .seconds(1)]
    #expect(zip(pauses, bounds).allSatisfy { $0 >= $1 }, "\(pauses)")
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `texts that are no JSON are said once each, and not at all where the configuration names them`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say("pong", "h", "pong", trade(7, "1"), "pong", "\u{feff}" + trade(8, "2"))
      await visit.stay()
    }
    let running = try start(venue, "decoding: { ignore: [h] }", as: Trade.self)
    _ = await running.output(count: 2)
    try await running.stop()
    #expect(harness.deadLetters.map(\.reason) == ["'pong' is not JSON; if it is a heartbeat, write ignore: [pong] in 'decoding'"])
    #expect(harness.deadLetters.map(\.payload) == ["pong"])
    #expect(harness.counter("unknown") == 3 && harness.counter("heartbeats") == 1 && harness.counter("malformed") == 0)
    await venue.server.stop()
  }

  /// `{"e":"trade","s":"BTCUSDT","t":7,"p":"61685.99","q":"0.5","T":1700000000000,"m":true}`, compressed by gzip.
  private static let gzip: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0x4a, 0x55, 0xb2, 0x52, 0x2a, 0x29, 0x4a, 0x4c, 0x49, 0x55,
    0xd2, 0x51, 0x2a, 0x06, 0xb2, 0x9d, 0x42, 0x9c, 0x43, 0x83, 0x5d, 0x42, 0x80, 0xbc, 0x12, 0x25, 0x2b, 0x73, 0x1d, 0xa5, 0x02, 0xa0,
    0x98, 0x99, 0xa1, 0x99, 0x85, 0xa9, 0x9e, 0xa5, 0x25, 0x50, 0xb0, 0x10, 0xc8, 0x35, 0xd0, 0x33, 0x05, 0xb2, 0x42, 0x94, 0xac, 0x0c,
    0xcd, 0x0d, 0x10, 0x40, 0x47, 0x29, 0x57, 0xc9, 0xaa, 0xa4, 0xa8, 0x34, 0xb5, 0x16, 0x00, 0x91, 0xf3, 0x89, 0x6a, 0x55, 0x00, 0x00,
    0x00,
  ]

  @Test func `binary messages are read as text, or decompressed, and anything else is said once`() async throws {
    let (gzip, json) = (Self.gzip, Array(trade(8, "2").utf8))
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      for bytes in [gzip, [0x0a, 0x00, 0x15], Array(gzip.dropLast(4)), [0x0a, 0x01, 0x15], Array("ping".utf8), json] {
        visit.connection.send(binary: bytes)
      }
      await visit.stay()
    }
    let running = try start(venue, as: Trade.self)
    #expect(await running.output(count: 2).map(\.price.description) == ["61685.99", "2"])
    try await running.stop()
    #expect(
      harness.deadLetters.map(\.reason) == [
        "a binary message of 3B that is neither text nor gzip nor deflate; further ones are only counted", "gzip that ends too early",
        "'ping' is not JSON; if it is a heartbeat, write ignore: [ping] in 'decoding'",
      ])
    #expect(harness.deadLetters.first?.payload == "0a 00 15")
    #expect(harness.counter("unknown") == 3 && harness.counter("malformed") == 1)
    await venue.server.stop()
  }

  @Test func `a recording of compressed messages has their contents`() async throws {
    let gzip = Self.gzip
    let venue = try await Venue(clock: harness.clock) { visit in
      visit.connection.send(binary: gzip)
      await visit.stay()
    }
    let running = try start(venue, "event: raw", as: RawMessage.self)
    let text = #"{"e":"trade","s":"BTCUSDT","t":7,"p":"61685.99","q":"0.5","T":1700000000000,"m":true}"#
    #expect(await running.output(count: 1).map(\.text) == [text])
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `symbols that never came are told at the end, but not those that the venue has refused`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(
        #"{"result":null,"id":1}"#, #"{"error":{"code":2,"msg":"Invalid symbol: nopeusdt"},"id":1}"#, trade(1, "1", "ETHUSDT"),
        trade(7, "61685.99"))
      await visit.stay()
    }
    let running = try harness.start(
      Plugin.webSocketFeed,
      options: "preset: binance\nurl: \"\(venue.url)\"\nsymbols: [BTC-USDT, NOPE-USDT, ETH-USTD, SOL-USDT]", emitting: Trade.self)
    _ = await running.output(count: 2)
    try await running.stop()
    #expect(harness.notes == ["'ETH-USTD' never came; did you mean 'ETHUSDT'?", "'SOL-USDT' never came"])
    await venue.server.stop()
  }

  @Test func `a lost connection is made again, the subscription said again, and what was missed is a gap`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      if visit.number == 1 {
        try await visit.say(trade(7, "1"), trade(8, "2"))
        visit.connection.drop()
      } else {
        try await visit.say(trade(12, "3"))
        await visit.stay()
      }
    }
    let running = try start(venue, as: Trade.self)
    await harness.notices.connections.wait { $0.last?.state == .disconnected }
    await passTime(.milliseconds(1)) { states.last == .connected }
    #expect(await running.output(count: 3).map(\.price) == [1, 2, 3])
    #expect(venue.said.value.count == 2)
    #expect(harness.notices.gaps.value.map { [$0.expected, $0.got] } == [[9, 12]])
    #expect(harness.notices.gaps.value.map(\.stream) == ["trade BTC-USDT"])
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `silence of the whole connection ends it, heartbeats do not let it come to that`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      if visit.number > 1 { try await visit.say(trade(1, "5")) }
      await visit.stay()
    }
    let running = try start(venue, "connection: { ping: 24h, connect_deadline: 10m, handshake_deadline: 10m }", as: Trade.self)
    await venue.said.wait { $0.count == 1 }
    await passTime(.seconds(10)) { states.last == .disconnected }
    await passTime(.milliseconds(1)) { states.last == .connected }
    #expect(await running.output(count: 1).count == 1)
    #expect(
      harness.notices.connections.value.filter { $0.state == .disconnected }.map(\.reason) == ["no message came for 1m30s ('silence')"])
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `subscriptions wait until the venue knows us`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.say(#"[{"T":"success","msg":"connected"}]"#)
      try await visit.hear(1)
      try await visit.say(#"[{"T":"success","msg":"authenticated"}]"#)
      try await visit.hear(1)
      try await visit.say(
        #"[{"T":"t","S":"AAPL","i":1,"x":"V","p":189.25,"s":100,"c":["@"],"z":"C","t":"2024-01-02T15:00:00.123456789Z"}]"#)
      await visit.stay()
    }
    let running = try harness.start(
      Plugin.webSocketFeed,
      options: """
        preset: alpaca
        url: "\(venue.url)"
        symbols: [AAPL]
        credentials: { key: k1, secret: s1 }
        """, emitting: Trade.self)
    let trades = await running.output(count: 1)
    #expect(trades[0].price.formatted(decimals: 2) == "189.25")
    #expect(
      venue.said.value == [
        #"{"action":"auth","key":"k1","secret":"s1"}"#, #"{"action":"subscribe","trades":["AAPL"]}"#,
      ])
    #expect(!harness.log.lines.contains { "\($0)".contains("s1") })
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `a venue that does not let us in is not asked again`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(#"[{"T":"error","code":402,"msg":"auth failed"}]"#)
      await visit.stay()
    }
    let running = try harness.start(
      Plugin.webSocketFeed,
      options: """
        preset: alpaca
        url: "\(venue.url)"
        symbols: [AAPL]
        credentials: { key: k1, secret: s1 }
        """, emitting: Trade.self)
    await harness.notices.connections.wait { $0.last?.state == .disconnected }
    await #expect { try await running.stop() } throws: {
      "\($0)".hasSuffix("the venue rejected the login: auth failed") && ($0 as? any EnvironmentError)?.isPermanent == true
    }
    #expect(harness.deadLetters.map(\.reason) == ["the venue reports an error: auth failed"])
    await venue.server.stop()
  }

  @Test func `refusals, damaged messages and unknown ones are told and do no harm`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(
        #"{"error":{"code":2,"msg":"Invalid request"},"id":1}"#, "{\"e\":\"trade\"", #"{"x":1,"y":[2]}"#, #"{"x":5,"y":[6]}"#,
        trade(1, "1e99"), trade(2, "4"))
      await visit.stay()
    }
    let running = try start(venue, as: Trade.self)
    let trades = await running.output(count: 1)
    #expect(trades.map(\.price) == [4])
    #expect(harness.deadLetters.count == 3)
    #expect(harness.deadLetters.first?.reason == "the venue reports an error: Invalid request")
    #expect(harness.counter("refusals") == 1)
    #expect(harness.counter("unknown") == 2)
    #expect(harness.counter("malformed") == 2)
    #expect(harness.log.texts(.warning).count { $0.contains("unknown message") } == 1)
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `a feed of unknown messages only is a dead letter at its end, with what its messages are like`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(#"{"result":null,"id":1}"#, #"{"z":1}"#, #"{"x":1,"y":[2]}"#, #"{"x":5,"y":[6]}"#, #"{"last":1}"#)
      await visit.stay()
    }
    let running = try start(venue, as: Trade.self)
    await harness.log.wait(for: "{last}")
    #expect(harness.deadLetters.isEmpty)
    try await running.stop()
    #expect(
      harness.deadLetters.map(\.reason) == [
        "4 messages fit no 'when' in the decoding, and none was of a kind with events: compare 'when' with 2 × {x,y}, 1 × {z}, 1 × {last}"
      ])
    #expect(harness.deadLetters.map(\.payload) == [#"{"z":1}"#])
    await venue.server.stop()
  }

  @Test(arguments: ["trade", "raw"])
  func `an unknown message beside events, or where messages are not decoded, is no failure`(event: String) async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      if event == "trade" { try await visit.hear(1) }
      try await visit.say(trade(1, "4"), #"{"last":1}"#)
      await visit.stay()
    }
    if event == "trade" {
      let running = try start(venue, as: Trade.self)
      await harness.log.wait(for: "{last}")
      try await running.stop()
    } else {
      let running = try start(venue, "event: raw", as: RawMessage.self)
      _ = await running.output(count: 2)
      try await running.stop()
    }
    #expect(harness.deadLetters.isEmpty)
    await venue.server.stop()
  }

  @Test func `messages that are known and passed over are counted by kind`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(#"{"e":"avgPrice","s":"BTCUSDT"}"#, #"{"e":"depthUpdate","s":"BTCUSDT"}"#, #"{"e":"avgPrice"}"#, trade(1, "4"))
      await visit.stay()
    }
    let running = try start(venue, as: Trade.self)
    _ = await running.output(count: 1)
    try await running.stop()
    #expect(harness.counter("passed over: other") == 2 && harness.counter("passed over: depth") == 1)
    #expect(harness.notes == [])
    await venue.server.stop()
  }

  @Test func `a message that ends the connection is a dead letter with its beginning, and a state`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      switch visit.number {
      case 1: visit.connection.sendRaw([0x81, 0x7f, 0, 0, 0, 0, 4, 0, 0, 0] + Array(#"{"e":"trade","#.utf8))
      case 2: visit.connection.sendRaw([0x81, 0x04, 0x68, 0x69, 0xc3, 0x28])
      case 3: visit.connection.sendRaw([0xf1, 0x00])
      default: try await visit.say(trade(1, "4"))
      }
      await visit.stay()
    }
    let running = try start(venue, "connection: { ping: 24h, connect_deadline: 10m, handshake_deadline: 10m }", as: Trade.self)
    await passTime(.milliseconds(1)) { harness.counter("connections") == 4 }
    #expect(await running.output(count: 1).map(\.price) == [4])
    let reasons = [
      "a message of 64MiB or more; the limit is 1MiB", "a text that is not UTF-8",
      "the peer broke the protocol: a frame with reserved bits",
    ]
    #expect(harness.deadLetters.map(\.reason) == reasons)
    #expect(harness.deadLetters.map(\.payload) == [#"{"e":"trade","#, "hi\u{fffd}(", ""])
    #expect(harness.notices.connections.value.filter { $0.state == .disconnected }.map(\.reason) == reasons)
    #expect(harness.counter("malformed") == 3)
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `raw messages are handed on as they came`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(1)
      try await visit.say(#"{"result":null,"id":1}"#, trade(7, "1.50"), "nonsense")
      await visit.stay()
    }
    let running = try start(venue, "event: raw", as: RawMessage.self)
    let messages = await running.output(count: 3)
    #expect(messages.map(\.text) == [#"{"result":null,"id":1}"#, trade(7, "1.50"), "nonsense"])
    #expect(messages.allSatisfy { $0.component == "live" })
    try await running.stop()
    await venue.server.stop()
  }

  @Test func `many subscriptions keep the venue's pace, and then a message keeps the connection open`() async throws {
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(4)
      await visit.stay()
    }
    let symbols = (0..<250).map { "A\($0)-USDT" }.joined(separator: ", ")
    let running = try harness.start(
      Plugin.webSocketFeed,
      options: "preset: binance\nurl: \"\(venue.url)\"\nsymbols: [\(symbols)]\nconnection: { ping: 24h, idle_deadline: 24h }",
      emitting: Trade.self)
    let before = harness.clock.uptime
    await venue.said.wait { $0.count == 1 }
    await passTime(.milliseconds(20)) { venue.said.value.count >= 4 }
    #expect(harness.clock.uptime - before >= .milliseconds(500) + .seconds(30))
    #expect(venue.said.value[0].contains("a99usdt@trade") && !venue.said.value[0].contains("a100usdt@trade"))
    #expect(venue.said.value[2].contains("a249usdt@trade"))
    #expect(venue.said.value[3] == #"{"method":"LIST_SUBSCRIPTIONS","id":4}"#)
    try await running.stop()
    await venue.server.stop()
  }
}

@Suite struct FeedSettingsTests {
  private func problems(_ options: String) throws -> [String] {
    do {
      _ = try PipelineHarness(
        """
        sources:
          live:
            plugin: websocket
        \(options.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
        sinks: { end: { plugin: end, inputs: [live] } }
        """, plugins: [.webSocketFeed, .end])
      return []
    } catch { return error.list.map { "\($0.mark.line): \($0.message)" } }
  }

  @Test(arguments: VenuePreset.allCases)
  func `every preset is whole for what it can become`(preset: VenuePreset) throws {
    let symbols = [VenuePreset.alpaca, .finnhub, .massive, .bitfinex].contains(preset) ? "[AAPL]" : "[BTC-USD]"
    for event in preset.events {
      let credentials = "{ key: a, secret: b, token: c }"
      #expect(
        try problems("preset: \(preset.optionText)\nsymbols: \(symbols)\nevent: \(event.rawValue)\ncredentials: \(credentials)") == [])
    }
  }

  @Test func `what is wrong in a description of messages is said with its key, and at its place`() throws {
    #expect(
      try problems("event: raw\ndecoding:\n  url: example.com/feed?key=x") == [
        "6: source 'live': 'decoding.url' must be a WebSocket URL such as wss://host/path; write wss:// before it"
      ])
    #expect(
      try problems(
        """
        symbols: [A-B]
        decoding:
          url: wss://example.com
          sequence: { path: n, per: symbol }
          messages:
            a.b:
              when: { t: 1 }
              event: trade
              each: [$.rows]
              fields:
                symbol: s
                bid: b
            c: { event: trade, fields: { symbol: "@s", price: p } }
        """) == [
          "14: source 'live': 'decoding.messages.a.b.fields' has no 'price', which a trade needs",
          "15: source 'live': 'decoding.messages.a.b.fields.bid' is no field of a trade",
          "12: source 'live': 'decoding.messages.a.b.each' has '$.rows': the path must begin at the item",
          "16: source 'live': 'decoding.messages.c' needs a 'when'",
          "16: source 'live': 'decoding.messages.c' uses '@s', which no message remembers",
          "7: source 'live': 'decoding.sequence' is of all messages and needs 'per: connection'",
        ])
  }

  @Test func `gaps are filled only where missed trades can be fetched`() throws {
    for preset in ["binance", "binance_futures", "coinbase_exchange", "kraken"] {
      #expect(try problems("preset: \(preset)\nsymbols: [BTC-USD]\ngaps: fill") == [])
    }
    #expect(
      try problems("preset: gemini\nsymbols: [BTC-USD]\ngaps: fill") == [
        "6: source 'live': 'gaps: fill' needs 'fill' in 'decoding': the preset 'gemini' does not describe how missed trades are fetched"
      ])
    #expect(
      try problems("preset: binance\nsymbols: [BTC-USD]\nevent: quote\ngaps: fill") == [
        "7: source 'live': 'gaps: fill' fetches missed trades, and this source gives none"
      ])
    #expect(
      try problems(
        """
        preset: kraken
        symbols: [BTC-USD]
        gaps: fill
        decoding:
          fill:
            trade: { url: "ftp://x/{symbol}?{from}" }
            trades: { url: "https://x/{symbol}" }
        """) == [
          "10: source 'live': 'decoding.fill.trades': 'url': it needs either {from}, {before} or {since:ns}"
        ])
    #expect(
      try problems(
        """
        preset: kraken
        symbols: [BTC-USD]
        gaps: fill
        decoding:
          fill:
            trade: { url: "ftp://x/{symbol}?{from}" }
        """) == [
          "9: source 'live': 'decoding.fill.trade.url': an address begins with https:// or http://"
        ])
  }

  @Test func `what is missing is said at its place`() throws {
    #expect(
      try problems("symbols: [A]") == [
        "2: source 'live': 'messages' is needed: the kinds of messages, as in decoding: { messages: { ticks: { when: { type: trade }, event: trade, fields: { symbol: data.s, price: data.p } } } }",
        "2: source 'live': a 'preset' or a 'url' is needed",
      ])
    #expect(
      try problems("preset: alpaca")
        == [
          "4: source 'live': 'credentials' needs 'key'", "4: source 'live': 'credentials' needs 'secret'",
          "4: source 'live': symbols are needed to subscribe",
        ].map { $0.replacing("4: ", with: "2: ") })
    #expect(
      try problems("preset: finnhub\nsymbols: [A]\nevent: quote\ncredentials: { token: x }").first
        == "4: source 'live': none of the messages becomes a quote; they become trade")
    #expect(try problems("preset: binanc\nsymbols: [A]").first?.contains("did you mean 'binance'?") == true)
  }
}

extension Plugin {
  fileprivate static let end = Plugin("end", "Ends.", .sink(End.self))
}

private actor End: MultiSink {
  init(_: NoOptions, _: Context) {}
  static var handlers: [Handler<End>] {
    [Handler(Trade.self) { _, _ in }, Handler(Quote.self) { _, _ in }, Handler(Bar.self) { _, _ in }, Handler(RawMessage.self) { _, _ in }]
  }
}
