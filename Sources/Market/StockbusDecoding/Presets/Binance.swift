internal import StockbusPlugin

/// Binance: combined streams (`{"stream":…,"data":…}`) and plain ones.
enum Binance {
  static let spot = makeSpec { spec in
    shared(&spec)
    spec.url = "wss://stream.binance.com:9443/stream"
    spec.channels = EventChannels(trade: ["trade"], quote: ["bookTicker"], bar: ["kline_1m"])
    spec.fill = spotFill
    spec.messages = [
      "trade": .event(.trade, when: ["e": ["trade"]], .trade("s", time: "T", price: "p", size: "q", side: "m")) { rule in
        rule.sides = maker
        rule.sequence = SequenceRule("t")
      },
      "agg_trade": aggregated,
      // The only stream without an event name and a time.
      "book_ticker": .event(
        .quote, when: ["e": ["!*"], "u": ["*"], "b": ["*"], "B": ["*"], "a": ["*"], "A": ["*"]],
        .quote("s", time: nil, bid: "b", ask: "a", bidSize: "B", askSize: "A")
      ) { $0.sequence = SequenceRule("u", step: .rising) },
      "kline": bar,
      "subscribed": .talk(.acknowledgement, when: ["result": ["null"]]),
      "alive": .talk(.heartbeat, when: ["result": ["[]"]]),
      "error": .talk(.error, when: ["error": ["{}"]], text: ["error.msg"]),
      "refused": .talk(.error, when: ["code": ["*"], "msg": ["*"]], text: ["msg"]),
      "depth": .talk(.other, when: ["e": ["depthUpdate"]]),
      "other": .talk(
        .other, when: ["e": ["24hrTicker", "24hrMiniTicker", "1hTicker", "4hTicker", "1dTicker", "avgPrice", "serverShutdown"]]),
    ]
  }

  /// By number, ascending; see https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints. A request for old
  /// trades weighs 25 and one for aggregated trades 4, of 6000 in a minute: at two requests in a second half of that stays for others.
  private static let spotFill: Mapping<FillSpec> = [
    "trade": FillSpec(
      "https://api.binance.com/api/v3/historicalTrades?symbol={symbol}&fromId={from}&limit=1000", pace: .milliseconds(500),
      messages: [
        "trades": .rows(time: "time", price: "price", size: "qty", side: "isBuyerMaker", number: "id") { $0.sides = maker },
        "error": .talk(.error, when: ["code": ["*"], "msg": ["*"]], text: ["msg"]),
      ]),
    "agg_trade": aggregatedFill("https://api.binance.com/api/v3/aggTrades", pace: .milliseconds(500)),
  ]

  private static func aggregatedFill(_ url: String, pace: Duration) -> FillSpec {
    FillSpec(
      "\(url)?symbol={symbol}&fromId={from}&limit=1000", pace: pace,
      messages: [
        "trades": .rows(time: "T", price: "p", size: "q", side: "m", number: "a") { $0.sides = maker },
        "error": .talk(.error, when: ["code": ["*"], "msg": ["*"]], text: ["msg"]),
      ])
  }

  static let futures = makeSpec { spec in
    shared(&spec)
    spec.url = "wss://fstream.binance.com/stream"
    spec.channels = EventChannels(trade: ["aggTrade"], quote: ["bookTicker"], bar: ["kline_1m"])
    // See https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api: a request weighs 20, of 2400 in a minute.
    spec.fill = ["agg_trade": aggregatedFill("https://fapi.binance.com/fapi/v1/aggTrades", pace: .seconds(1))]
    spec.messages = [
      "agg_trade": aggregated,
      "book_ticker": .event(
        .quote, when: ["e": ["bookTicker"]], .quote("s", time: "T", bid: "b", ask: "a", bidSize: "B", askSize: "A")
      ) { $0.sequence = SequenceRule("u", step: .rising) },
      "kline": bar,
      "subscribed": .talk(.acknowledgement, when: ["result": ["null"]]),
      "alive": .talk(.heartbeat, when: ["result": ["[]"]]),
      "error": .talk(.error, when: ["error": ["{}"]], text: ["error.msg"]),
      "refused": .talk(.error, when: ["code": ["*"], "msg": ["*"]], text: ["msg"]),
      "depth": .talk(.other, when: ["e": ["depthUpdate"]]),
      "liquidation": .talk(.other, when: ["e": ["forceOrder"]]),
      "other": .talk(
        .other, when: ["e": ["markPriceUpdate", "24hrTicker", "24hrMiniTicker", "continuous_kline", "compositeIndex"]]),
    ]
  }

  /// `m` is true if the buyer was the maker, so that a seller took the liquidity.
  private static let maker = SideWords(buy: ["false"], sell: ["true"])

  private static let aggregated = MessageRule.event(
    .trade, when: ["e": ["aggTrade"]], .trade("s", time: "T", price: "p", size: "q", side: "m")
  ) { rule in
    rule.sides = maker
    rule.sequence = SequenceRule("a")
  }

  /// A bar is sent while it is forming; only the closed one becomes an event.
  private static let bar = MessageRule.event(
    .bar, when: ["e": ["kline"]], .bar("s", time: "k.t", open: "k.o", high: "k.h", low: "k.l", close: "k.c", volume: "k.v", length: "k.i")
  ) { $0.only = ["k.x": ["true"]] }

  private static func shared(_ spec: inout DecodingSpec) {
    spec.symbol = SymbolForm(template: "{base}{quote}", letters: .upper)
    spec.subscribe = [
      SubscriptionRule(#"{"method":"SUBSCRIBE","params":{items},"id":{id}}"#, item: "{symbol:lower}@{channel}", chunk: 100)
    ]
    spec.pace = .milliseconds(250)  // five messages per second are allowed
    spec.keepalive = Keepalive(#"{"method":"LIST_SUBSCRIPTIONS","id":{id}}"#, every: .seconds(30))
    spec.silence = .seconds(90)
    spec.unwrap = "data"
    spec.time = .ms
  }
}
