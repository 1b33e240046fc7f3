internal import StockbusPlugin

enum Coinbase {
  /// The exchange's own feed: matches and tickers.
  static let exchange = makeSpec { spec in
    spec.url = "wss://ws-feed.exchange.coinbase.com"
    spec.symbol = SymbolForm(template: "{base}-{quote}", letters: .upper)
    spec.subscribe = [
      SubscriptionRule(#"{"type":"subscribe","product_ids":{symbols},"channels":{channels}}"#),
      SubscriptionRule(#"{"type":"subscribe","product_ids":{symbols},"channels":["heartbeat"]}"#),
    ]
    spec.channels = EventChannels(trade: ["matches"], quote: ["ticker"])
    spec.silence = .seconds(15)  // one heartbeat per second and product
    spec.time = .iso8601
    // The newest first, older ones after a number; ten requests in a second are allowed:
    // https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-trades
    spec.fill = [
      "match": FillSpec(
        "https://api.exchange.coinbase.com/products/{symbol}/trades?after={before}&limit=1000", pace: .milliseconds(200),
        messages: [
          "trades": .rows(time: "time", price: "price", size: "size", side: "side", number: "trade_id") { $0.sides = maker },
          "error": .talk(.error, when: ["message": ["*"]], text: ["message"]),
        ])
    ]
    spec.messages = [
      "match": match(.next),
      // The latest trade, sent once for every subscription.
      "last_match": match(.resume),
      "ticker": .event(
        .quote, when: ["type": ["ticker"]],
        .quote("product_id", time: "time", bid: "best_bid", ask: "best_ask", bidSize: "best_bid_size", askSize: "best_ask_size")
      ) { $0.sequence = SequenceRule("sequence", step: .rising) },
      "heartbeat": .talk(.heartbeat, when: ["type": ["heartbeat"]]),
      "subscriptions": .talk(.acknowledgement, when: ["type": ["subscriptions"]]),
      "error": .talk(.error, when: ["type": ["error"]], text: ["reason", "message"]),
      "level2": .talk(.other, when: ["type": ["snapshot", "l2update"]]),
      // A trade by request for quote, which is in no other message.
      "rfq_match": .talk(.other, when: ["type": ["rfq_match"]]),
      "auction": .talk(.other, when: ["type": ["auction"]]),
      "orders": .talk(.other, when: ["type": ["received", "open", "done", "change", "activate"]]),
      "other": .talk(.other, when: ["type": ["status"]]),
    ]
  }

  /// The side is the maker's: a maker who sold met a buyer who took the liquidity.
  private static let maker = SideWords(buy: ["sell"], sell: ["buy"])

  private static func match(_ step: SequenceRule.Step) -> MessageRule {
    .event(
      .trade, when: ["type": [step == .next ? "match" : "last_match"]],
      .trade("product_id", time: "time", price: "price", size: "size", side: "side")
    ) { rule in
      rule.sides = maker
      rule.sequence = SequenceRule("trade_id", step: step, series: "match")
    }
  }

  /// Advanced Trade: every message is an envelope with a number and a list of events.
  static let advanced = makeSpec { spec in
    spec.url = "wss://advanced-trade-ws.coinbase.com"
    spec.symbol = SymbolForm(template: "{base}-{quote}", letters: .upper)
    spec.subscribe = [
      SubscriptionRule(#"{"type":"subscribe","channel":"heartbeats"}"#),
      SubscriptionRule(#"{"type":"subscribe","product_ids":{symbols},"channel":"{channel}"}"#),
    ]
    spec.channels = EventChannels(trade: ["market_trades"], quote: ["ticker"], bar: ["candles"])
    spec.silence = .seconds(15)
    spec.sequence = SequenceRule("sequence_num", per: .connection)
    spec.time = .iso8601
    spec.messages = [
      "market_trades": .event(
        .trade, when: ["channel": ["market_trades"], "events[0].type": ["update"]],
        .trade("product_id", time: "time", price: "price", size: "size", side: "side")
      ) { rule in
        rule.each = ["events", "trades"]
        rule.sides = SideWords(buy: ["BUY"], sell: ["SELL"], unknown: ["UNKNOWN_ORDER_SIDE"])
      },
      "ticker": .event(
        .quote, when: ["channel": ["ticker"]],
        .quote(
          "product_id", time: "$.timestamp", bid: "best_bid", ask: "best_ask", bidSize: "best_bid_quantity", askSize: "best_ask_quantity")
      ) { $0.each = ["events", "tickers"] },
      "candles": .event(
        .bar, when: ["channel": ["candles"], "events[0].type": ["update"]],
        .bar("product_id", time: "start", open: "open", high: "high", low: "low", close: "close", volume: "volume")
      ) { rule in
        rule.each = ["events", "candles"]
        rule.time = .s
        rule.length = .time(300_000_000_000)
      },
      "heartbeat": .talk(.heartbeat, when: ["channel": ["heartbeats"]]),
      "subscriptions": .talk(.acknowledgement, when: ["channel": ["subscriptions"]]),
      "error": .talk(.error, when: ["type": ["error"]], text: ["message"]),
      // Events from before the subscription.
      "snapshot": .talk(.other, when: ["channel": ["market_trades", "candles"]]),
      "other": .talk(.other, when: ["channel": ["ticker_batch", "l2_data", "status"]]),
    ]
  }
}
