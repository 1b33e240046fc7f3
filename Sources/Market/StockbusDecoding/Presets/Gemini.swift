internal import StockbusPlugin

/// Version 2 of Gemini's market-data feed.
enum Gemini {
  static let spec = makeSpec { spec in
    spec.url = "wss://api.gemini.com/v2/marketdata"
    spec.symbol = SymbolForm(template: "{base}{quote}", letters: .upper)
    spec.subscribe = [SubscriptionRule(#"{"type":"subscribe","subscriptions":[{"name":"{channel}","symbols":{symbols}}]}"#)]
    spec.channels = EventChannels(trade: ["l2"])
    spec.silence = .seconds(30)  // a heartbeat every five seconds
    spec.time = .ms
    spec.messages = [
      "trade": .event(
        .trade, when: ["type": ["trade"]], .trade("symbol", time: "timestamp", price: "price", size: "quantity", side: "side")
      ) { $0.sequence = SequenceRule("event_id", step: .rising) },
      "heartbeat": .talk(.heartbeat, when: ["type": ["heartbeat"]]),
      "level2": .talk(.other, when: ["type": ["l2_updates"]]),
      "error": .talk(.error, when: ["result": ["error"]], text: ["message", "reason"]),
      "auction": .talk(.other, when: ["type": ["auction_*"]]),
      "block_trade": .talk(.other, when: ["type": ["block_trade"]]),
      "candles": .talk(.other, when: ["type": ["candles_*"]]),
    ]
  }
}
