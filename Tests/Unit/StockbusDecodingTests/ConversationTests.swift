import MarketData
import StockbusPlugin
import Testing

@testable import StockbusDecoding

@Suite struct ConversationTests {
  private func texts(_ preset: VenuePreset, _ symbols: [Symbol], _ event: EventKind?, _ change: (inout DecodingSpec) -> Void = { _ in })
    throws
    -> [String]
  {
    var own = DecodingSpec()
    change(&own)
    return try Conversation(.whole(preset, own), symbols: symbols, event: event).subscriptions.map(\.text)
  }

  @Test func `every preset subscribes as its venue asks`() throws {
    #expect(
      try texts(.binance, ["BTC-USDT", "ETHUSDT"], .trade) == [
        #"{"method":"SUBSCRIBE","params":["btcusdt@trade","ethusdt@trade"],"id":1}"#
      ])
    #expect(
      try texts(.coinbaseExchange, ["BTC-USD", "eth/eur"], .quote) == [
        #"{"type":"subscribe","product_ids":["BTC-USD","ETH-EUR"],"channels":["ticker"]}"#,
        #"{"type":"subscribe","product_ids":["BTC-USD","ETH-EUR"],"channels":["heartbeat"]}"#,
      ])
    #expect(
      try texts(.coinbaseAdvanced, ["BTC-USD"], nil) == [
        #"{"type":"subscribe","channel":"heartbeats"}"#,
        #"{"type":"subscribe","product_ids":["BTC-USD"],"channel":"market_trades"}"#,
        #"{"type":"subscribe","product_ids":["BTC-USD"],"channel":"ticker"}"#,
        #"{"type":"subscribe","product_ids":["BTC-USD"],"channel":"candles"}"#,
      ])
    #expect(
      try texts(.kraken, ["BTC-USD"], .bar) == [#"{"method":"subscribe","params":{"channel":"ohlc","symbol":["BTC/USD"]},"req_id":1}"#])
    #expect(
      try texts(.krakenV1, ["BTC/USD", "DOGE/BTC"], .trade) == [
        #"{"event":"subscribe","pair":["XBT/USD","XDG/XBT"],"subscription":{"name":"trade"}}"#
      ])
    #expect(
      try texts(.bitfinex, ["BTCUSD", "DOGE:USD"], .trade) == [
        #"{"event":"conf","flags":65536}"#, #"{"event":"subscribe","channel":"trades","symbol":"tBTCUSD"}"#,
        #"{"event":"subscribe","channel":"trades","symbol":"tDOGE:USD"}"#,
      ])
    #expect(try texts(.gemini, ["BTCUSD"], .trade) == [#"{"type":"subscribe","subscriptions":[{"name":"l2","symbols":["BTCUSD"]}]}"#])
    let secrets: (inout DecodingSpec) -> Void = { $0.credentials = ["key": Secret("k"), "secret": Secret("s"), "token": Secret("t")] }
    #expect(try texts(.alpaca, ["AAPL", "MSFT"], .quote, secrets) == [#"{"action":"subscribe","quotes":["AAPL","MSFT"]}"#])
    #expect(try texts(.finnhub, ["AAPL", "MSFT"], .trade, secrets).map { $0.suffix(7) } == [#"AAPL"}"#, #"MSFT"}"#].map { "\"" + $0 })
    #expect(try texts(.massive, ["AAPL", "MSFT"], .bar, secrets) == [#"{"action":"subscribe","params":"AM.AAPL,AM.MSFT"}"#])
  }

  @Test func `long lists of symbols go in several messages`() throws {
    let symbols = try (1...5).map { try Symbol("S\($0)") }
    let found = try texts(.binance, symbols, .trade) {
      $0.subscribe = [SubscriptionRule(#"{"p":{items},"id":{id}}"#, item: "{symbol:lower}@{channel}", chunk: 2)]
    }
    #expect(found == [#"{"p":["s1@trade","s2@trade"],"id":1}"#, #"{"p":["s3@trade","s4@trade"],"id":2}"#, #"{"p":["s5@trade"],"id":3}"#])
  }

  @Test func `credentials go into messages and the address, escaped, and are never shown`() throws {
    var own = DecodingSpec()
    own.credentials = ["key": Secret(#"a"b"#), "secret": Secret("xyz")]
    let alpaca = try Conversation(.whole(.alpaca, own), symbols: ["AAPL"], event: .trade)
    #expect(alpaca.authentication.map(\.text) == [#"{"action":"auth","key":"a\"b","secret":"xyz"}"#])
    #expect("\(alpaca.authentication)" == "[***]" && alpaca.waitsForAuthentication)
    #expect(alpaca.address?.text == "wss://stream.data.alpaca.markets/v2/iex" && alpaca.address?.isSecret == false)
    own.credentials = ["token": Secret("abc")]
    let finnhub = try Conversation(.whole(.finnhub, own), symbols: ["AAPL"], event: .trade)
    #expect(finnhub.address?.text == "wss://ws.finnhub.io?token=abc" && finnhub.address?.description == "***")
    #expect(!finnhub.waitsForAuthentication)
  }

  @Test func `what is missing is said, all of it`() {
    #expect(throws: DecodingSpecError.self) { try texts(.alpaca, [], .trade) }
    let faults = VenuePreset.alpaca.spec.conversationFaults(symbols: [], event: .trade)
    #expect(
      faults.map(\.message) == ["'credentials' needs 'key'", "'credentials' needs 'secret'", "symbols are needed to subscribe"])
    #expect(
      VenuePreset.coinbaseExchange.spec.conversationFaults(symbols: ["BTCUSD"], event: .bar).map(\.message) == [
        "'channels' has none for bar",
        "'BTCUSD' needs a -, /, _ or : between its two parts, because the venue's names consist of base and quote",
      ])
  }

  @Test func `a connection is kept open, and its silence has an end`() throws {
    let binance = try Conversation(VenuePreset.binance.spec, symbols: ["BTCUSDT"], event: .trade)
    #expect(binance.keepaliveInterval == .seconds(30) && binance.silence == .seconds(90) && binance.pace == .milliseconds(250))
    #expect(binance.keepalive(3)?.text == #"{"method":"LIST_SUBSCRIPTIONS","id":3}"#)
    let kraken = try Conversation(VenuePreset.kraken.spec, symbols: ["BTC/USD"], event: .trade)
    #expect(kraken.keepalive(1) == nil && kraken.keepaliveInterval == nil)
  }

  @Test func `symbols are written the venue's way`() {
    let form = SymbolForm(template: "t{base}{quote}", letters: .lower, rename: ["BTC": "XBT"])
    #expect(form.venueName("BTC-USD") == "txbtusd")
    #expect(form.venueName("BTCUSD") == "tbtcusd")
    #expect(SymbolForm(template: "{base}/{quote}").venueName("BTCUSD") == nil)
    #expect(SymbolForm(template: "X:{symbol}").venueName("BTC-USD") == "X:BTC-USD")
  }
}
