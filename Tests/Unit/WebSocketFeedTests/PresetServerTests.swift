import MarketData
import StockbusDecoding
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import WebSocketFeed

/// The conversation of a venue, in its own messages.
private struct Talk: Sendable {
  let preset: VenuePreset
  /// The symbol as written in a configuration.
  let symbol: String
  var credentials = "{}"
  /// The messages that the feed sends on every connection, in order.
  let heard: [String]
  /// After how many of these the venue accepts the authentication, and its message.
  var welcome: (after: Int, text: String)?
  /// The venue's reply to these messages.
  let acknowledgement: String
  let heartbeat: String
  let refusal: (text: String, words: String)
  /// Two trades, of price 10.5 and 11.
  let first: String
  let second: String
}

private let talks: [Talk] = [
  Talk(
    preset: .binance, symbol: "BTC-USDT", heard: [#"{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}"#],
    acknowledgement: #"{"result":null,"id":1}"#, heartbeat: #"{"result":["btcusdt@trade"],"id":2}"#,
    refusal: (#"{"error":{"code":2,"msg":"Invalid request"},"id":1}"#, "Invalid request"),
    first: #"{"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":1,"p":"10.5","q":"2","T":1700000000000,"m":true}}"#,
    second: #"{"e":"trade","s":"BTCUSDT","t":2,"p":"11","q":"2","T":1700000000001,"m":false}"#),
  Talk(
    preset: .binanceFutures, symbol: "BTC-USDT", heard: [#"{"method":"SUBSCRIBE","params":["btcusdt@aggTrade"],"id":1}"#],
    acknowledgement: #"{"result":null,"id":1}"#, heartbeat: #"{"result":["btcusdt@aggTrade"],"id":2}"#,
    refusal: (#"{"code":2,"msg":"Invalid"}"#, "Invalid"),
    first: #"{"e":"aggTrade","s":"BTCUSDT","a":1,"p":"10.5","q":"2","T":1700000000000,"m":true}"#,
    second: #"{"e":"aggTrade","s":"BTCUSDT","a":2,"p":"11","q":"2","T":1700000000001,"m":true}"#),
  Talk(
    preset: .coinbaseExchange, symbol: "BTC-USD",
    heard: [
      #"{"type":"subscribe","product_ids":["BTC-USD"],"channels":["matches"]}"#,
      #"{"type":"subscribe","product_ids":["BTC-USD"],"channels":["heartbeat"]}"#,
    ], acknowledgement: #"{"type":"subscriptions","channels":[]}"#,
    heartbeat: #"{"type":"heartbeat","sequence":90,"last_trade_id":1,"product_id":"BTC-USD","time":"2023-11-14T22:13:20Z"}"#,
    refusal: (#"{"type":"error","message":"Failed to subscribe","reason":"X is not a valid product"}"#, "X is not a valid product"),
    first:
      #"{"type":"match","trade_id":1,"side":"sell","size":"2","price":"10.5","product_id":"BTC-USD","time":"2023-11-14T22:13:20Z"}"#,
    second:
      #"{"type":"last_match","trade_id":2,"side":"sell","size":"2","price":"11","product_id":"BTC-USD","time":"2023-11-14T22:13:21Z"}"#),
  Talk(
    preset: .coinbaseAdvanced, symbol: "BTC-USD",
    heard: [
      #"{"type":"subscribe","channel":"heartbeats"}"#,
      #"{"type":"subscribe","product_ids":["BTC-USD"],"channel":"market_trades"}"#,
    ], acknowledgement: #"{"channel":"subscriptions","sequence_num":0,"events":[{"subscriptions":{}}]}"#,
    heartbeat: #"{"channel":"heartbeats","sequence_num":1,"events":[{"heartbeat_counter":1}]}"#,
    refusal: (#"{"type":"error","message":"bad"}"#, "bad"),
    first:
      #"{"channel":"market_trades","sequence_num":2,"events":[{"type":"update","trades":[{"product_id":"BTC-USD","price":"10.5","size":"2","side":"BUY","time":"2023-11-14T22:13:20Z"}]}]}"#,
    second:
      #"{"channel":"market_trades","sequence_num":2,"events":[{"type":"update","trades":[{"product_id":"BTC-USD","price":"11","size":"2","side":"SELL","time":"2023-11-14T22:13:20Z"}]}]}"#
  ),
  Talk(
    preset: .kraken, symbol: "BTC-USD",
    heard: [#"{"method":"subscribe","params":{"channel":"trade","symbol":["BTC/USD"]},"req_id":1}"#],
    acknowledgement: #"{"method":"subscribe","result":{"channel":"trade"},"success":true}"#, heartbeat: #"{"channel":"heartbeat"}"#,
    refusal: (#"{"error":"Currency pair not supported","method":"subscribe","success":false}"#, "Currency pair not supported"),
    first:
      #"{"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"sell","price":10.5,"qty":2,"trade_id":1,"timestamp":"2023-11-14T22:13:20.708706Z"}]}"#,
    second:
      #"{"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"sell","price":11,"qty":2,"trade_id":2,"timestamp":"2023-11-14T22:13:20.708706Z"}]}"#
  ),
  Talk(
    preset: .krakenV1, symbol: "BTC-USD", heard: [#"{"event":"subscribe","pair":["XBT/USD"],"subscription":{"name":"trade"}}"#],
    acknowledgement: #"{"channelID":1,"channelName":"trade","event":"subscriptionStatus","pair":"XBT/USD","status":"subscribed"}"#,
    heartbeat: #"{"event":"heartbeat"}"#,
    refusal: (#"{"errorMessage":"no such pair","event":"subscriptionStatus","status":"error"}"#, "no such pair"),
    first: #"[0,[["10.5","2","1700000000.321597","s","l",""]],"trade","XBT/USD"]"#,
    second: #"[0,[["11","2","1700000000.321598","b","l",""]],"trade","XBT/USD"]"#),
  Talk(
    preset: .bitfinex, symbol: "BTCUSD",
    heard: [#"{"event":"conf","flags":65536}"#, #"{"event":"subscribe","channel":"trades","symbol":"tBTCUSD"}"#],
    acknowledgement: #"{"event":"subscribed","channel":"trades","chanId":7,"symbol":"tBTCUSD","pair":"BTCUSD"}"#,
    heartbeat: #"[7,"hb",1]"#, refusal: (#"{"event":"error","msg":"symbol: invalid","code":10300}"#, "symbol: invalid"),
    first: #"[7,"te",[1,1700000000000,-2,10.5],2]"#, second: #"[7,"te",[2,1700000000001,2,11],2]"#),
  Talk(
    preset: .gemini, symbol: "BTC-USD",
    heard: [#"{"type":"subscribe","subscriptions":[{"name":"l2","symbols":["BTCUSD"]}]}"#],
    acknowledgement: #"{"type":"l2_updates","symbol":"BTCUSD","changes":[]}"#,
    heartbeat: #"{"type":"heartbeat","timestamp":1700000000000}"#,
    refusal: (#"{"result":"error","reason":"InvalidJson","message":"no"}"#, "no"),
    first:
      #"{"type":"trade","symbol":"BTCUSD","event_id":1,"timestamp":1700000000000,"price":"10.5","quantity":"2","side":"sell"}"#,
    second: #"{"type":"trade","symbol":"BTCUSD","event_id":2,"timestamp":1700000000001,"price":"11","quantity":"2","side":"buy"}"#),
  Talk(
    preset: .alpaca, symbol: "AAPL", credentials: "{ key: k, secret: s }",
    heard: [#"{"action":"auth","key":"k","secret":"s"}"#, #"{"action":"subscribe","trades":["AAPL"]}"#],
    welcome: (1, #"[{"T":"success","msg":"authenticated"}]"#), acknowledgement: #"[{"T":"subscription","trades":["AAPL"]}]"#,
    heartbeat: #"[{"T":"success","msg":"connected"}]"#,
    refusal: (#"[{"T":"error","code":405,"msg":"symbol limit exceeded"}]"#, "symbol limit exceeded"),
    first: #"[{"T":"t","S":"AAPL","i":1,"p":10.5,"s":2,"t":"2023-11-14T22:13:20.123456789Z"}]"#,
    second: #"[{"T":"t","S":"AAPL","i":2,"p":11,"s":2,"t":"2023-11-14T22:13:21Z"}]"#),
  Talk(
    preset: .finnhub, symbol: "AAPL", credentials: "{ token: t0k }", heard: [#"{"type":"subscribe","symbol":"AAPL"}"#],
    acknowledgement: #"{"type":"ping"}"#, heartbeat: #"{"type":"ping"}"#,
    refusal: (#"{"type":"error","msg":"Invalid symbol"}"#, "Invalid symbol"),
    first: #"{"type":"trade","data":[{"s":"AAPL","p":10.5,"t":1700000000000,"v":2}]}"#,
    second: #"{"type":"trade","data":[{"s":"AAPL","p":11,"t":1700000000001,"v":2}]}"#),
  Talk(
    preset: .massive, symbol: "AAPL", credentials: "{ key: k }",
    heard: [#"{"action":"auth","params":"k"}"#, #"{"action":"subscribe","params":"T.AAPL"}"#],
    welcome: (1, #"[{"ev":"status","status":"auth_success","message":"authenticated"}]"#),
    acknowledgement: #"[{"ev":"status","status":"success","message":"subscribed to: T.AAPL"}]"#,
    heartbeat: #"[{"ev":"status","status":"connected","message":"Connected"}]"#,
    refusal: (#"[{"ev":"status","status":"error","message":"not authorized"}]"#, "not authorized"),
    first: #"[{"ev":"T","sym":"AAPL","p":10.5,"s":2,"t":1700000000000,"q":1}]"#,
    second: #"[{"ev":"T","sym":"AAPL","p":11,"s":2,"t":1700000000001,"q":2}]"#),
]

@Suite(.timeLimit(.minutes(15))) struct PresetServerTests {
  @Test func `there is a script for every preset`() {
    #expect(talks.map(\.preset).sorted { "\($0)" < "\($1)" } == VenuePreset.allCases.sorted { "\($0)" < "\($1)" })
  }

  @Test(arguments: VenuePreset.allCases)
  func `acknowledgement, heartbeat, trade, close, reconnection, refusal, silence`(preset: VenuePreset) async throws {
    let talk = try #require(talks.first { $0.preset == preset })
    let harness = PluginHarness(id: "live")
    let venue = try await Venue(clock: harness.clock) { visit in
      if let welcome = talk.welcome {
        try await visit.hear(welcome.after)
        try await visit.say(welcome.text)
        try await visit.hear(talk.heard.count - welcome.after)
      } else {
        try await visit.hear(talk.heard.count)
      }
      try await visit.say(talk.acknowledgement, talk.heartbeat)
      switch visit.number {
      case 1:
        try await visit.say(talk.first)
        await visit.connection.close(.goingAway, within: .seconds(2))
      case 2:
        try await visit.say(talk.refusal.text, talk.second)
        await visit.stay()
      default: await visit.stay()
      }
    }
    let running = try harness.start(
      Plugin.webSocketFeed,
      options: """
        preset: \(preset.optionText)
        url: "\(venue.url)"
        symbols: [\(talk.symbol)]
        credentials: \(talk.credentials)
        connection: { ping: 24h, connect_deadline: 10m, handshake_deadline: 10m }
        """, emitting: Trade.self)
    func states() -> [ConnectionStatus.State] { harness.notices.connections.value.map(\.state) }
    func passTime(_ step: Duration, until isSo: () -> Bool) async {
      while !isSo() {
        harness.clock.advance(by: step)
        await networkTurn()
      }
    }

    // The pause between two messages needs time on the clock too.
    await passTime(.milliseconds(1)) { running.output.count == 1 && states().last == .disconnected }
    await passTime(.milliseconds(1)) { running.output.count == 2 }
    #expect(
      running.output.map { "\($0.symbol) \($0.price.formatted(decimals: 1)) \($0.size)" } == [
        "\(talk.symbol) 10.5 2", "\(talk.symbol) 11.0 2",
      ])
    #expect(venue.said.value == talk.heard + talk.heard)
    #expect(harness.deadLetters.map(\.reason) == ["the venue reports an error: \(talk.refusal.words)"])
    #expect(harness.counter("unknown") == 0)
    #expect(harness.counter("malformed") == 0)
    #expect(harness.notices.gaps.value == [])

    // No more messages come.
    let silence = try #require(preset.spec.silence)
    await passTime(.seconds(5)) { states().count { $0 == .disconnected } == 2 }
    #expect(
      harness.notices.connections.value.last { $0.state == .disconnected }?.reason
        == "no message came for \(silence.optionText) ('silence')")
    try await running.stop()
    await venue.server.stop()
  }
}
