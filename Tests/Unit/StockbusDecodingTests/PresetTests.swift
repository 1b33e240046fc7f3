import MarketData
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// Messages of every preset, written by hand from the venues' documentation.
@Suite struct PresetTests {
  @Test func `Binance: trades, best prices, closed bars, answers`() throws {
    let trade = #"{"e":"trade","E":1672515782136,"s":"BNBBTC","t":12345,"p":"0.00100000","q":"100.5","T":1672515782136,"m":true,"M":true}"#
    let found = try decode(
      [
        trade, #"{"stream":"bnbbtc@trade","data":{"e":"trade","s":"BNBBTC","t":12346,"p":"0.0011","q":"1","T":1672515782137,"m":false}}"#,
        #"{"e":"aggTrade","s":"BNBBTC","a":7,"p":"0.001","q":"2","f":1,"l":2,"T":1672515782136,"m":false}"#,
        #"{"result":null,"id":1}"#, #"{"result":["bnbbtc@trade"],"id":2}"#, #"{"error":{"code":2,"msg":"Invalid request"},"id":3}"#,
        #"{"code":0,"msg":"Unknown property"}"#, #"{"e":"depthUpdate","s":"BNBBTC"}"#,
        #"{"u":1,"s":"BNBBTC","b":"1","B":"2","a":"3","A":"4"}"#,
        #"{"e":"news","x":1}"#,
      ], VenuePreset.binance.spec, as: Trade.self, symbols: ["BNB/BTC"])
    #expect(
      found == [
        Result(.events(1), ["BNB/BTC 0.00100000 x100.5 sell @2022-12-31T19:43:02.136Z"]),
        Result(.events(1), ["BNB/BTC 0.0011 x1 buy @2022-12-31T19:43:02.137Z"]),
        Result(.events(1), ["BNB/BTC 0.001 x2 buy @2022-12-31T19:43:02.136Z"]), Result(.acknowledgement(kind: "subscribed")),
        Result(.heartbeat(kind: "alive")), Result(.refusal(kind: "error", text: "Invalid request")),
        Result(.refusal(kind: "refused", text: "Unknown property")), Result(.other(kind: "depth")), Result(.other(kind: "book_ticker")),
        Result(.unknown(shape: "{e,x}")),
      ])
    let quotes = try decode(
      [#"{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21","a":"25.36520000","A":"40.66"}"#, trade],
      VenuePreset.binance.spec, as: Quote.self)
    #expect(quotes == [Result(.events(1), ["BNBUSDT 25.35190000 x31.21 / 25.36520000 x40.66 @-"]), Result(.other(kind: "trade"))])
    let kline = { (closed: String) in
      #"{"e":"kline","E":1,"s":"BNBBTC","k":{"t":1672515780000,"T":1672515839999,"s":"BNBBTC","i":"1m","o":"0.001","c":"0.002","h":"0.0025","l":"0.0009","v":"1000","x":"#
        + closed + "}}"
    }
    #expect(
      try decode([kline("true"), kline("false")], VenuePreset.binance.spec, as: Bar.self) == [
        Result(.events(1), ["BNBBTC 0.001 0.0025 0.0009 0.002 x1000 1m @2022-12-31T19:43:00Z"]), Result(.events(0)),
      ])
  }

  @Test func `Binance Futures: aggregated trades and quotes with a time`() throws {
    #expect(
      try decode(
        [
          #"{"stream":"sushiusdt@bookTicker","data":{"e":"bookTicker","u":1,"s":"SUSHIUSDT","b":"7.6110","B":"2","a":"7.6120","A":"297","T":1626992741012,"E":1626992741017}}"#,
          #"{"stream":"x@aggTrade","data":{"e":"aggTrade","a":5,"s":"CTKUSDT","p":"1.01100","q":"10","T":1626992741421,"m":false}}"#,
        ], VenuePreset.binanceFutures.spec, as: Quote.self) == [
          Result(.events(1), ["SUSHIUSDT 7.6110 x2 / 7.6120 x297 @2021-07-22T22:25:41.012Z"]), Result(.other(kind: "agg_trade")),
        ])
  }

  @Test func `Coinbase Exchange: the maker's side is turned round`() throws {
    let found = try decode(
      [
        #"{"type":"last_match","trade_id":10,"side":"sell","size":"5.23512","price":"400.23","product_id":"BTC-USD","sequence":50,"time":"2014-11-07T08:19:27.028459Z"}"#,
        #"{"type":"match","trade_id":11,"side":"buy","size":"1","price":"400.2","product_id":"BTC-USD","sequence":51,"time":"2014-11-07T08:19:28Z"}"#,
        #"{"type":"heartbeat","sequence":90,"last_trade_id":20,"product_id":"BTC-USD","time":"2014-11-07T08:19:28.464459Z"}"#,
        #"{"type":"subscriptions","channels":[]}"#,
        #"{"type":"error","message":"Failed to subscribe","reason":"nope is not a valid product"}"#,
        #"{"type":"l2update","product_id":"BTC-USD","changes":[]}"#,
      ], VenuePreset.coinbaseExchange.spec, as: Trade.self)
    #expect(
      found == [
        Result(.events(1), ["BTC-USD 400.23 x5.23512 buy @2014-11-07T08:19:27.028459Z"]),
        Result(.events(1), ["BTC-USD 400.2 x1 sell @2014-11-07T08:19:28Z"]), Result(.heartbeat(kind: "heartbeat")),
        Result(.acknowledgement(kind: "subscriptions")), Result(.refusal(kind: "error", text: "nope is not a valid product")),
        Result(.other(kind: "level2")),
      ])
    #expect(
      try decode(
        [
          #"{"type":"ticker","sequence":9,"product_id":"BTC-USD","price":"7","best_bid":"6.5","best_bid_size":"3","best_ask":"7.25","best_ask_size":"4","time":"2014-11-07T08:19:28Z"}"#
        ], VenuePreset.coinbaseExchange.spec, as: Quote.self) == [
          Result(.events(1), ["BTC-USD 6.50 x3 / 7.25 x4 @2014-11-07T08:19:28Z"])
        ])
  }

  @Test func `Coinbase Advanced: lists in lists, and the envelope's number`() throws {
    let messages = [
      #"{"channel":"market_trades","timestamp":"2023-02-09T20:19:35.39Z","sequence_num":0,"events":[{"type":"snapshot","trades":[{"product_id":"ETH-USD"}]}]}"#,
      #"{"channel":"market_trades","timestamp":"2023-02-09T20:19:35.39Z","sequence_num":1,"events":[{"type":"update","trades":[{"trade_id":"2","product_id":"ETH-USD","price":"1260.01","size":"0.3","side":"BUY","time":"2019-08-14T20:42:27.265Z"},{"trade_id":"3","product_id":"ETH-USD","price":"1260","size":"1","side":"SELL","time":"2019-08-14T20:42:28Z"}]},{"type":"update","trades":[]}]}"#,
      #"{"channel":"heartbeats","sequence_num":3,"events":[{"heartbeat_counter":1}]}"#,
      #"{"channel":"subscriptions","sequence_num":4,"events":[{"subscriptions":{}}]}"#, #"{"type":"error","message":"bad"}"#,
    ]
    #expect(
      try decode(messages, VenuePreset.coinbaseAdvanced.spec, as: Trade.self) == [
        Result(.other(kind: "snapshot")),
        Result(.events(2), ["ETH-USD 1260.01 x0.3 buy @2019-08-14T20:42:27.265Z", "ETH-USD 1260 x1 sell @2019-08-14T20:42:28Z"]),
        Result(.heartbeat(kind: "heartbeat")), Result(.acknowledgement(kind: "subscriptions")),
        Result(.refusal(kind: "error", text: "bad")),
      ])
    var reader = try MessageReader(VenuePreset.coinbaseAdvanced.spec, event: nil)
    let gaps = messages.map { message in
      var message = message
      _ = message.withUTF8 { reader.read($0, received: received) { _ in } }
      return reader.gaps
    }
    #expect(gaps == [[], [], [SequenceGap(stream: "messages", expected: 2, got: 3)], [], []])
    #expect(
      try decode(
        [
          #"{"channel":"ticker","timestamp":"2023-02-09T20:30:37.167359596Z","sequence_num":0,"events":[{"type":"snapshot","tickers":[{"product_id":"BTC-USD","price":"2","best_bid":"1.5","best_bid_quantity":"7","best_ask":"2.5","best_ask_quantity":"8"}]}]}"#
        ], VenuePreset.coinbaseAdvanced.spec, as: Quote.self) == [
          Result(.events(1), ["BTC-USD 1.5 x7 / 2.5 x8 @2023-02-09T20:30:37.167359596Z"])
        ])
    #expect(
      try decode(
        [
          #"{"channel":"candles","sequence_num":0,"events":[{"type":"update","candles":[{"start":"1688998200","high":"4","low":"1","open":"2","close":"3","volume":"5.5","product_id":"ETH-USD"}]}]}"#
        ], VenuePreset.coinbaseAdvanced.spec, as: Bar.self) == [Result(.events(1), ["ETH-USD 2 4 1 3 x5.5 5m @2023-07-10T14:10:00Z"])])
  }

  @Test func `Kraken, version 2: numbers are taken from their text`() throws {
    #expect(
      try decode(
        [
          #"{"channel":"trade","type":"update","data":[{"symbol":"MATIC/USD","side":"sell","price":0.5117,"qty":40.0,"ord_type":"market","trade_id":4665906,"timestamp":"2023-09-25T07:49:37.708706Z"}]}"#,
          #"{"channel":"trade","type":"snapshot","data":[]}"#, #"{"channel":"heartbeat"}"#,
          #"{"method":"subscribe","result":{"channel":"trade"},"success":true}"#,
          #"{"error":"Currency pair not supported","method":"subscribe","success":false}"#,
          #"{"channel":"status","type":"update","data":[]}"#,
          #"{"method":"pong","req_id":1}"#,
        ], VenuePreset.kraken.spec, as: Trade.self) == [
          Result(.events(1), ["MATIC/USD 0.5117 x40.0 sell @2023-09-25T07:49:37.708706Z"]), Result(.other(kind: "snapshot")),
          Result(.heartbeat(kind: "heartbeat")), Result(.acknowledgement(kind: "subscribed")),
          Result(.refusal(kind: "error", text: "Currency pair not supported")), Result(.other(kind: "status")),
          Result(.heartbeat(kind: "pong")),
        ])
    let ticker = { (time: String) in
      #"{"channel":"ticker","type":"update","data":[{"symbol":"ALGO/USD","bid":0.10025,"bid_qty":740.0,"ask":0.10036,"ask_qty":1361.44813783"#
        + time + "}]}"
    }
    #expect(
      try decode([ticker(#","timestamp":"2023-09-25T09:04:31.742648Z""#), ticker("")], VenuePreset.kraken.spec, as: Quote.self) == [
        Result(.events(1), ["ALGO/USD 0.10025 x740 / 0.10036 x1361.44813783 @2023-09-25T09:04:31.742648Z"]),
        Result(.events(1), ["ALGO/USD 0.10025 x740 / 0.10036 x1361.44813783 @-"]),
      ])
    let bar = { (interval: String) in
      #"{"channel":"ohlc","type":"update","data":[{"symbol":"ALGO/USD","open":1,"high":4,"low":0.5,"close":2,"volume":3,"interval_begin":"2023-10-04T16:25:00.000000000Z"#
        + #"","interval":\#(interval)}]}"#
    }
    #expect(
      try decode([bar("1"), bar("5")], VenuePreset.kraken.spec, as: Bar.self) == [
        Result(.events(1), ["ALGO/USD 1 4 0.5 2 x3 1m @2023-10-04T16:25:00Z"]),
        Result(.events(1), ["ALGO/USD 1 4 0.5 2 x3 @2023-10-04T16:25:00Z"]),
      ])
  }

  @Test func `Kraken, version 1: lists whose end tells the channel`() throws {
    #expect(
      try decode(
        [
          #"[0,[["5541.20000","0.15850568","1534614057.321597","s","l",""],["6060.00000","0.02455000","1534614057.324998","b","l",""]],"trade","XBT\/USD"]"#,
          #"[1360,{"as":[],"bs":[]},"book-1000","ADA/XBT"]"#, #"[1,{"a":[]},{"b":[]},"book-10","ADA/XBT"]"#, #"{"event":"heartbeat"}"#,
          #"{"channelID":1664,"channelName":"trade","event":"subscriptionStatus","pair":"XBT/USD","status":"subscribed"}"#,
          #"{"errorMessage":"Subscription depth not supported","event":"subscriptionStatus","status":"error"}"#,
        ], VenuePreset.krakenV1.spec, as: Trade.self, symbols: ["BTC/USD"]) == [
          Result(
            .events(2),
            [
              "BTC/USD 5541.20000 x0.15850568 sell @2018-08-18T17:40:57.321597Z",
              "BTC/USD 6060.00000 x0.02455000 buy @2018-08-18T17:40:57.324998Z",
            ]
          ), Result(.other(kind: "book")), Result(.other(kind: "book")), Result(.heartbeat(kind: "heartbeat")),
          Result(.acknowledgement(kind: "subscribed")), Result(.refusal(kind: "refused", text: "Subscription depth not supported")),
        ])
    #expect(
      try decode(
        [#"[0,["5698.40000","5700.00000","1542057299.545897","1.01234567","0.98765432"],"spread","XBT/USD"]"#], VenuePreset.krakenV1.spec,
        as: Quote.self) == [Result(.events(1), ["XBT/USD 5698.40000 x1.01234567 / 5700.00000 x0.98765432 @2018-11-12T21:14:59.545897Z"])])
    #expect(
      try decode(
        [
          #"[42,["1542057314.748456","1542057360.435743","3586.7","3586.8","3586.6","3586.65","3586.68894","0.03373","2"],"ohlc-1","XBT/USD"]"#
        ], VenuePreset.krakenV1.spec, as: Bar.self) == [
          Result(.events(1), ["XBT/USD 3586.7 3586.8 3586.6 3586.65 x0.03373 1m @2018-11-12T21:15:00.435743Z"])
        ])
  }

  @Test func `Bitfinex: a channel's id stands for what was subscribed`() throws {
    let messages = [
      #"{"event":"info","version":2}"#, #"{"event":"conf","status":"OK","flags":65536}"#,
      #"{"event":"subscribed","channel":"trades","chanId":19111,"symbol":"tBTCUSD","pair":"BTCUSD"}"#,
      "[19111,[[1,1574694475039,0.005,7244.9]],1]", #"[19111,"te",[401597395,1574694478808,-0.005,7245.3],2]"#,
      #"[19111,"tu",[401597395,1574694478808,-0.005,7245.3],3]"#, #"[19111,"hb",4]"#, #"[19111,"te",[401597396,1574694478809,2,7245],6]"#,
      #"[7,"te",[1,1574694478809,2,7245],7]"#, #"{"event":"error","msg":"symbol: invalid","code":10300}"#,
    ]
    #expect(
      try decode(messages, VenuePreset.bitfinex.spec, as: Trade.self) == [
        Result(.other(kind: "info")), Result(.acknowledgement(kind: "configured")), Result(.acknowledgement(kind: "subscribed")),
        Result(.other(kind: "trades_snapshot")), Result(.events(1), ["BTCUSD 7245.3 x0.005 sell @2019-11-25T15:07:58.808Z"]),
        Result(.other(kind: "trade_update")), Result(.heartbeat(kind: "heartbeat")),
        Result(.events(1), ["BTCUSD 7245 x2 buy @2019-11-25T15:07:58.809Z"]), Result(.malformed(reason: "'symbol' is missing")),
        Result(.refusal(kind: "error", text: "symbol: invalid")),
      ])
    #expect(
      try decode(
        [
          #"{"event":"subscribed","channel":"ticker","chanId":5,"symbol":"tDOGE:USD"}"#,
          "[5,[0.068965,60157.36709703,0.0774,48578.50804052,0.001969,0.0262,0.076989,101459.39453471,0.0828,0.068961],1]",
        ], VenuePreset.bitfinex.spec, as: Quote.self) == [
          Result(.acknowledgement(kind: "subscribed")), Result(.events(1), ["DOGE:USD 0.068965 x0 / 0.077400 x0 @-"]),
        ])
  }

  @Test func `Gemini: trades among order books`() throws {
    #expect(
      try decode(
        [
          #"{"type":"trade","symbol":"ANKRUSD","event_id":45465818387,"timestamp":1624493670759,"price":"0.07946","quantity":"1020.482111","side":"buy"}"#,
          #"{"type":"l2_updates","symbol":"ANKRUSD","changes":[["buy","0.07","0"]]}"#, #"{"type":"heartbeat","timestamp":1624493666869}"#,
          #"{"result":"error","reason":"InvalidJson"}"#, #"{"type":"auction_open","symbol":"X"}"#,
        ], VenuePreset.gemini.spec, as: Trade.self) == [
          Result(.events(1), ["ANKRUSD 0.07946 x1020.482111 buy @2021-06-24T00:14:30.759Z"]), Result(.other(kind: "level2")),
          Result(.heartbeat(kind: "heartbeat")), Result(.refusal(kind: "error", text: "InvalidJson")), Result(.other(kind: "auction")),
        ])
  }

  @Test func `Alpaca: a list of messages of several kinds`() throws {
    let mixed =
      #"[{"T":"t","i":96921,"S":"AAPL","x":"D","p":126.55,"s":1,"t":"2021-02-22T15:51:44.208Z","c":["@","I"],"z":"C"},{"T":"q","S":"AMD","bp":87.66,"bs":1,"ap":87.67,"as":2,"t":"2021-02-22T15:51:45.335689322Z"},{"T":"t","S":"BTC/USD","p":1,"s":2,"t":"2021-02-22T15:51:44.208Z","tks":"S"}]"#
    #expect(
      try decode(
        [
          #"[{"T":"success","msg":"connected"}]"#, #"[{"T":"success","msg":"authenticated"}]"#,
          #"[{"T":"subscription","trades":["AAPL"]}]"#,
          mixed, #"[{"T":"error","code":402,"msg":"auth failed"}]"#, #"[{"T":"t"},{"T":"new"}]"#, "[]",
        ], VenuePreset.alpaca.spec, as: Trade.self) == [
          Result(.other(kind: "connected")), Result(.authenticated(kind: "authenticated")), Result(.acknowledgement(kind: "subscribed")),
          Result(.events(2), ["AAPL 126.55 x1 unknown @2021-02-22T15:51:44.208Z", "BTC/USD 1 x2 sell @2021-02-22T15:51:44.208Z"]),
          Result(.refusal(kind: "error", text: "auth failed")),
          Result(.several([.malformed(reason: "'symbol' is missing; the object has 'T'"), .unknown(shape: "{T}")])), Result(.events(0)),
        ])
    #expect(
      try decode([mixed], VenuePreset.alpaca.spec, as: Quote.self) == [
        Result(.events(1), ["AMD 87.66 x1 / 87.67 x2 @2021-02-22T15:51:45.335689322Z"])
      ])
    #expect(
      try decode(
        [#"[{"T":"b","S":"SPY","o":388.985,"h":389.13,"l":388.975,"c":389.12,"v":49378,"t":"2021-02-22T19:15:00Z"}]"#],
        VenuePreset.alpaca.spec, as: Bar.self) == [
          Result(.events(1), ["SPY 388.985 389.13 388.975 389.12 x49378 1m @2021-02-22T19:15:00Z"])
        ])
  }

  @Test func `Alpaca: corrections and cancels are told apart from what is of no use`() throws {
    var decoder = try MessageDecoder<Trade>(VenuePreset.alpaca.spec)
    for message in [
      #"[{"T":"t","S":"AAPL","p":1,"s":1,"t":"2021-02-22T15:51:44.208Z"},{"T":"c","S":"AAPL","op":1,"cp":2},{"T":"x","S":"AAPL","p":1}]"#,
      #"[{"T":"c","S":"AAPL"},{"T":"l","S":"AAPL"},{"T":"q","S":"AAPL","bp":1,"ap":2,"t":"2021-02-22T15:51:44.208Z"}]"#,
      #"[{"T":"success","msg":"authenticated"}]"#,
    ] { _ = decoder.decode(message, received: received) { _ in } }
    let tally = decoder.tally
    let passed = zip(tally.kinds, tally.fates).filter { $0.count > 0 && $1.isPassedOver }.map { "\($0.name) \($0.count) \($1)" }
    #expect(passed == ["quote 1 passedOver", "correction 2 correction", "cancel 1 correction", "limits 1 passedOver"])
    #expect(tally["trade"] == 1 && tally.events == 1)
  }

  @Test func `Finnhub: several trades in a message`() throws {
    #expect(
      try decode(
        [
          #"{"data":[{"p":7296.89,"s":"BINANCE:BTCUSDT","t":1575526691134,"v":0.011467,"c":["1"]},{"p":1e2,"s":"AAPL","t":1575526691135,"v":0,"c":null}],"type":"trade"}"#,
          #"{"type":"ping"}"#, #"{"type":"error","msg":"Invalid symbol"}"#,
        ], VenuePreset.finnhub.spec, as: Trade.self) == [
          Result(
            .events(2),
            ["BINANCE:BTCUSDT 7296.89 x0.011467 unknown @2019-12-05T06:18:11.134Z", "AAPL 100 x0 unknown @2019-12-05T06:18:11.135Z"]),
          Result(.heartbeat(kind: "ping")), Result(.refusal(kind: "error", text: "Invalid symbol")),
        ])
  }

  @Test func `Massive: authentication, then trades, quotes and bars`() throws {
    #expect(
      try decode(
        [
          #"[{"ev":"status","status":"connected","message":"Connected Successfully"}]"#,
          #"[{"ev":"status","status":"auth_success","message":"authenticated"}]"#,
          #"[{"ev":"status","status":"success","message":"subscribed to: T.MSFT"}]"#,
          #"[{"ev":"status","status":"auth_failed","message":"authentication failed"}]"#,
          #"[{"ev":"T","sym":"MSFT","x":4,"i":"12345","z":3,"p":114.125,"s":100,"c":[0,12],"t":1536036818784,"q":3681328}]"#,
        ], VenuePreset.massive.spec, as: Trade.self) == [
          Result(.other(kind: "connected")), Result(.authenticated(kind: "authenticated")), Result(.acknowledgement(kind: "subscribed")),
          Result(.refusal(kind: "error", text: "authentication failed")),
          Result(.events(1), ["MSFT 114.125 x100 unknown @2018-09-04T04:53:38.784Z"]),
        ])
    #expect(
      try decode(
        ["AM", "A"].map { #"[{"ev":"\#($0)","sym":"GTE","v":4110,"o":0.4,"c":0.41,"h":0.42,"l":0.39,"s":1610144640000}]"# },
        VenuePreset.massive.spec, as: Bar.self)
        == ["1m", "1s"].map {
          Result(.events(1), ["GTE 0.4 0.42 0.39 0.41 x4110 \($0) @2021-01-08T22:24:00Z"])
        })
  }

  @Test(arguments: VenuePreset.allCases) func `a preset has no faults, and can be written as options and read again`(preset: VenuePreset)
    throws
  {
    let spec = preset.spec
    for event in preset.events { #expect(spec.decodingFaults(event: event).isEmpty) }
    #expect(!preset.events.isEmpty && spec.url != nil && spec.silence != nil)
    // A secret is never written; everything else is read back unchanged.
    var open = spec
    open.authenticate = nil
    let node = ConfigNode(open.optionJSON, at: .init(line: 1, column: 1))
    let again = try DecodingSpec.decode(node, at: .init(line: 1, column: 1))
    #expect(again.optionText == open.optionText)
  }
}

extension ConfigNode {
  /// The node with the contents of `json`.
  init(_ json: JSONValue, at mark: Mark) {
    switch json {
    case .null: self.init(.scalar("null"), at: mark)
    case .bool(let value): self.init(.scalar(value ? "true" : "false"), at: mark)
    case .number(let text): self.init(.scalar(text), at: mark)
    case .string(let text): self.init(.scalar(text), at: mark, isQuoted: true)
    case .array(let items): self.init(.list(items.map { ConfigNode($0, at: mark) }), at: mark)
    case .object(let members):
      self.init(.map(members.map { Entry(key: $0.name, mark: mark, value: ConfigNode($0.value, at: mark)) }), at: mark)
    }
  }
}
