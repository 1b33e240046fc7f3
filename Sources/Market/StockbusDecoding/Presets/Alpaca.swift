internal import StockbusPlugin

/// Alpaca's market data. Every message is a list of messages.
enum Alpaca {
  static let spec = makeSpec { spec in
    spec.url = "wss://stream.data.alpaca.markets/v2/iex"
    spec.authenticate = [Secret(#"{"action":"auth","key":"{credentials.key}","secret":"{credentials.secret}"}"#)]
    spec.subscribe = [SubscriptionRule(#"{"action":"subscribe","{channel}":{symbols}}"#)]
    spec.channels = EventChannels(trade: ["trades"], quote: ["quotes"], bar: ["bars"])
    spec.silence = .seconds(600)  // no messages while the market is closed
    spec.split = true
    spec.time = .iso8601
    spec.messages = [
      // Only crypto trades have the taker's side, and only trades of stocks have conditions. Those of tape C are read with the codes of
      // tapes A and B: the two differ only in B, which is stricter there.
      "trade": .event(.trade, when: ["T": ["t"]], .trade("S", time: "t", price: "p", size: "s", side: "tks", condition: "c")) {
        $0.conditionCodes = .cta
      },
      "quote": .event(.quote, when: ["T": ["q"]], .quote("S", time: "t", bid: "bp", ask: "ap", bidSize: "bs", askSize: "as")),
      "bar": .event(.bar, when: ["T": ["b"]], .bar("S", time: "t", open: "o", high: "h", low: "l", close: "c", volume: "v")) {
        $0.length = .time(60_000_000_000)
      },
      "authenticated": .talk(.authenticated, when: ["T": ["success"], "msg": ["authenticated"]]),
      "connected": .talk(.other, when: ["T": ["success"], "msg": ["connected"]]),
      "subscribed": .talk(.acknowledgement, when: ["T": ["subscription"]]),
      "error": .talk(.error, when: ["T": ["error"]], text: ["msg"]),
      // They arrive without a subscription, with the trades of stocks.
      "correction": .talk(.correction, when: ["T": ["c"]]),
      "cancel": .talk(.correction, when: ["T": ["x"]]),
      "daily_bar": .talk(.other, when: ["T": ["d"]]),
      "updated_bar": .talk(.other, when: ["T": ["u"]]),
      "status": .talk(.other, when: ["T": ["s"]]),
      "limits": .talk(.other, when: ["T": ["l"]]),
      "imbalance": .talk(.other, when: ["T": ["i"]]),
      "order_book": .talk(.other, when: ["T": ["o"]]),
    ]
  }
}
