internal import StockbusPlugin

enum Kraken {
  private static let bar = FieldPaths.bar(
    "symbol", time: "interval_begin", open: "open", high: "high", low: "low", close: "close", volume: "volume")

  /// Version 2: objects.
  static let second = makeSpec { spec in
    spec.url = "wss://ws.kraken.com/v2"
    spec.symbol = SymbolForm(template: "{base}/{quote}", letters: .upper)
    spec.subscribe = [SubscriptionRule(#"{"method":"subscribe","params":{"channel":"{channel}","symbol":{symbols}},"req_id":{id}}"#)]
    spec.channels = EventChannels(trade: ["trade"], quote: ["ticker"], bar: ["ohlc"])
    spec.silence = .seconds(15)
    spec.time = .iso8601
    // By time; https://docs.kraken.com/api/docs/rest-api/get-recent-trades. About one request in a second is allowed.
    spec.fill = [
      "trade": FillSpec(
        "https://api.kraken.com/0/public/Trades?pair={symbol}&since={since:ns}&count=1000", pace: .milliseconds(1200),
        symbol: SymbolForm(template: "{base}{quote}", letters: .upper, rename: ["BTC": "XBT", "DOGE": "XDG"]), time: .s,
        messages: [
          "error": .talk(.error, when: ["error[0]": ["*"]], text: ["error[0]"]),
          // Beside the pair's list, whose name need not be the one that was asked for, there is the cursor of the next page.
          "trades": .rows(
            when: ["result": ["{}"]], each: ["result", "."], time: "[2]", price: "[0]", size: "[1]", side: "[3]", number: "[6]"),
        ])
    ]
    spec.messages = [
      "trade": .event(
        .trade, when: ["channel": ["trade"], "type": ["update"]],
        .trade("symbol", time: "timestamp", price: "price", size: "qty", side: "side")
      ) { rule in
        rule.each = ["data"]
        rule.sequence = SequenceRule("trade_id")
      },
      "ticker": .event(
        .quote, when: ["channel": ["ticker"], "data[0].timestamp": ["*"]],
        .quote("symbol", time: "timestamp", bid: "bid", ask: "ask", bidSize: "bid_qty", askSize: "ask_qty")
      ) { $0.each = ["data"] },
      // The form from before tickers had times.
      "ticker_untimed": .event(
        .quote, when: ["channel": ["ticker"]],
        .quote("symbol", time: nil, bid: "bid", ask: "ask", bidSize: "bid_qty", askSize: "ask_qty")
      ) { $0.each = ["data"] },
      "ohlc": .event(.bar, when: ["channel": ["ohlc"], "type": ["update"], "data[0].interval": ["1"]], bar) {
        $0.each = ["data"]
        $0.length = .time(60_000_000_000)
      },
      // Of other lengths, which are asked for by their number of minutes.
      "ohlc_other": .event(.bar, when: ["channel": ["ohlc"], "type": ["update"]], bar) { $0.each = ["data"] },
      "heartbeat": .talk(.heartbeat, when: ["channel": ["heartbeat"]]),
      "pong": .talk(.heartbeat, when: ["method": ["pong"]]),
      "subscribed": .talk(.acknowledgement, when: ["method": ["subscribe", "unsubscribe"], "success": ["true"]]),
      "error": .talk(.error, when: ["error": ["*"]], text: ["error"]),
      "status": .talk(.other, when: ["channel": ["status"]]),
      // Events from before the subscription.
      "snapshot": .talk(.other, when: ["channel": ["trade", "ohlc"], "type": ["snapshot"]]),
      "other": .talk(.other, when: ["channel": ["book", "instrument", "level3"]]),
    ]
  }

  /// Version 1: lists that end with the channel and the pair.
  static let first = makeSpec { spec in
    spec.url = "wss://ws.kraken.com"
    spec.symbol = SymbolForm(template: "{base}/{quote}", letters: .upper, rename: ["BTC": "XBT", "DOGE": "XDG"])
    spec.subscribe = [SubscriptionRule(#"{"event":"subscribe","pair":{symbols},"subscription":{"name":"{channel}"}}"#)]
    spec.channels = EventChannels(trade: ["trade"], quote: ["spread"], bar: ["ohlc"])
    spec.silence = .seconds(15)
    spec.time = .s
    spec.messages = [
      "trade": .event(.trade, when: ["[-2]": ["trade"]], .trade("$[-1]", time: "[2]", price: "[0]", size: "[1]", side: "[3]")) {
        $0.each = ["[1]"]
      },
      "spread": .event(
        .quote, when: ["[-2]": ["spread"]],
        .quote("[-1]", time: "[1][2]", bid: "[1][0]", ask: "[1][1]", bidSize: "[1][3]", askSize: "[1][4]")),
      // A bar has the end of its minute as its time.
      "ohlc": .event(
        .bar, when: ["[-2]": ["ohlc-1"]],
        .bar("[-1]", time: "[1][1]", open: "[1][2]", high: "[1][3]", low: "[1][4]", close: "[1][5]", volume: "[1][7]")
      ) {
        $0.shift = .seconds(-60)
        $0.length = .time(60_000_000_000)
      },
      "heartbeat": .talk(.heartbeat, when: ["event": ["heartbeat", "pong"]]),
      "subscribed": .talk(.acknowledgement, when: ["event": ["subscriptionStatus"], "status": ["subscribed", "unsubscribed"]]),
      "refused": .talk(.error, when: ["event": ["subscriptionStatus"], "status": ["error"]], text: ["errorMessage"]),
      "error": .talk(.error, when: ["event": ["error"]], text: ["errorMessage"]),
      "status": .talk(.other, when: ["event": ["systemStatus"]]),
      "book": .talk(.other, when: ["[-2]": ["book-*"]]),
      "other": .talk(.other, when: ["[-2]": ["ticker", "ohlc-*"]]),
    ]
  }
}
