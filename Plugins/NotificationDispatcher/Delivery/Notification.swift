internal import StockbusCrypto
internal import StockbusPlugin

/// An alert to be delivered; the same on every channel.
struct Notification: Hashable, Sendable {
  /// This id identifies repeated deliveries to a receiver: 32 hexadecimal digits, the same on every channel and at every attempt.
  let id: String
  let alert: Alert
  let component: String
  var isUrgent = false

  /// - Parameter number: its number in this run, so that two equal alerts have different ids.
  init(_ alert: Alert, component: String, number: Int, isUrgent: Bool = false) {
    self.alert = alert
    self.component = component
    self.isUrgent = isUrgent
    let text = [component, alert.rule, alert.symbol.description, alert.price.description, String(alert.time.ns), String(number)]
    let digest = Digest.sha256(Array(text.joined(separator: "\u{0}").utf8))
    id = digest.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// The price with the decimals of the event.
  var price: String { alert.price.formatted(decimals: Int(alert.priceDecimals)) }

  /// The values of the placeholders in templates.
  func values(channel: String) -> [String: String] {
    [
      "id": id, "rule": alert.rule, "symbol": alert.symbol.description, "price": price, "message": alert.message,
      "time": alert.time.description, "component": component, "channel": channel,
    ]
  }

  /// One line for people: `2013-10-08T13:30:00.012Z AAPL above 200: AAPL crossed above 200: 200.10`.
  var line: String { visible("\(alert.time) \(alert.rule): \(alert.message)", limit: 2000) }

  /// One JSON object: the id, followed by the alert's fields.
  var json: String {
    JSONValue.object([
      .init("id", .string(id)), .init("rule", .string(alert.rule)), .init("symbol", .string(alert.symbol.description)),
      .init("price", .number(price)), .init("message", .string(alert.message)), .init("time", .string(alert.time.description)),
    ]).description
  }
}
