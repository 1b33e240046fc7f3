internal import StockbusPlugin

/// Bitfinex, version 2: lists that begin with an id that an earlier message has assigned to a channel and symbol.
enum Bitfinex {
  static let spec = makeSpec { spec in
    spec.url = "wss://api-pub.bitfinex.com/ws/2"
    spec.symbol = SymbolForm(template: "t{symbol}")
    spec.subscribe = [
      SubscriptionRule(#"{"event":"conf","flags":65536}"#),  // number every message
      SubscriptionRule(#"{"event":"subscribe","channel":"{channel}","symbol":"{symbol}"}"#),
    ]
    spec.channels = EventChannels(trade: ["trades"], quote: ["ticker"])
    spec.silence = .seconds(45)  // every channel sends a heartbeat every 15 s
    spec.recall = "[0]"
    spec.sequence = SequenceRule("[-1]", per: .connection)
    spec.time = .ms
    spec.messages = [
      // Executed trades; `tu` repeats the same trade after its settlement.
      "trade": .event(.trade, when: ["[1]": ["te"]], .trade("@symbol", time: "[2][1]", price: "[2][3]", size: "[2][2]")) {
        $0.signed = true
      },
      // Its sizes are sums over 25 levels, not the sizes at bid and ask.
      "ticker": .event(
        .quote, when: ["[1]": ["[]"], "@channel": ["ticker"]], .quote("@symbol", time: nil, bid: "[1][0]", ask: "[1][2]")),
      "heartbeat": .talk(.heartbeat, when: ["[1]": ["hb"]]),
      "subscribed": subscribed,
      "configured": .talk(.acknowledgement, when: ["event": ["conf", "unsubscribed"]]),
      "pong": .talk(.heartbeat, when: ["event": ["pong"]]),
      "error": .talk(.error, when: ["event": ["error"]], text: ["msg"]),
      "info": .talk(.other, when: ["event": ["info"]]),
      "trade_update": .talk(.other, when: ["[1]": ["tu"]]),
      // Events from before the subscription.
      "trades_snapshot": .talk(.other, when: ["[1]": ["[]"], "@channel": ["trades"]]),
      "book": .talk(.other, when: ["[1]": ["[]"], "@channel": ["book"]]),
      "checksum": .talk(.other, when: ["[1]": ["cs"]]),
    ]
  }

  private static let subscribed: MessageRule = {
    var rule = MessageRule.talk(.acknowledgement, when: ["event": ["subscribed"]])
    rule.remember = ["id": "chanId", "channel": "channel", "symbol": "symbol"]
    return rule
  }()
}
