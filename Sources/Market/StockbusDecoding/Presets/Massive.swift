internal import StockbusPlugin

/// Massive, formerly Polygon: stocks. Every message is a list of messages.
enum Massive {
  private static let bar = FieldPaths.bar("sym", time: "s", open: "o", high: "h", low: "l", close: "c", volume: "v")

  static let spec = makeSpec { spec in
    spec.url = "wss://socket.massive.com/stocks"
    spec.authenticate = [Secret(#"{"action":"auth","params":"{credentials.key}"}"#)]
    spec.subscribe = [SubscriptionRule(#"{"action":"subscribe","params":"{items:comma}"}"#, item: "{channel}.{symbol}")]
    spec.channels = EventChannels(trade: ["T"], quote: ["Q"], bar: ["AM"])
    spec.silence = .seconds(600)  // no messages while the market is closed
    spec.split = true
    spec.time = .ms
    spec.messages = [
      "trade": .event(.trade, when: ["ev": ["T"]], .trade("sym", time: "t", price: "p", size: "s", condition: "c")) {
        $0.conditionCodes = .massive
        $0.sequence = SequenceRule("q", step: .rising)
      },
      "quote": .event(.quote, when: ["ev": ["Q"]], .quote("sym", time: "t", bid: "bp", ask: "ap", bidSize: "bs", askSize: "as")) {
        $0.sequence = SequenceRule("q", step: .rising)
      },
      "bar": .event(.bar, when: ["ev": ["AM"]], bar) { $0.length = .time(60_000_000_000) },
      "second": .event(.bar, when: ["ev": ["A"]], bar) { $0.length = .time(1_000_000_000) },
      "authenticated": .talk(.authenticated, when: ["ev": ["status"], "status": ["auth_success"]]),
      "connected": .talk(.other, when: ["ev": ["status"], "status": ["connected"]]),
      "subscribed": .talk(.acknowledgement, when: ["ev": ["status"], "status": ["success"]]),
      "error": .talk(.error, when: ["ev": ["status"]], text: ["message"]),
      "limits": .talk(.other, when: ["ev": ["LULD"]]),
      "fair_value": .talk(.other, when: ["ev": ["FMV"]]),
      "imbalance": .talk(.other, when: ["ev": ["NOI"]]),
    ]
  }
}
