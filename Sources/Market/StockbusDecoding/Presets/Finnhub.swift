internal import StockbusPlugin

/// Finnhub: trades of stocks, currencies and crypto, several per message.
enum Finnhub {
  static let spec = makeSpec { spec in
    spec.url = "wss://ws.finnhub.io?token={credentials.token}"
    spec.subscribe = [SubscriptionRule(#"{"type":"subscribe","symbol":"{symbol}"}"#)]
    spec.silence = .seconds(180)
    spec.time = .ms
    spec.messages = [
      "trade": .event(.trade, when: ["type": ["trade"]], .trade("s", time: "t", price: "p", size: "v")) { $0.each = ["data"] },
      "ping": .talk(.heartbeat, when: ["type": ["ping"]]),
      "error": .talk(.error, when: ["type": ["error"]], text: ["msg"]),
      "news": .talk(.other, when: ["type": ["news", "press_release"]]),
    ]
  }
}
