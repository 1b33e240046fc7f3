internal import StockbusCrypto
internal import StockbusPlugin

/// An alert to be delivered; the same on every channel.
struct Notification: Hashable, Sendable {
  /// The alert's id: 32 hexadecimal digits, the same on every channel, at every attempt, and when the alert is over.
  let id: String
  /// Identifies repeated deliveries to a receiver: the same on every channel and at every attempt. The id, except of what follows an alert:
  /// its end, and reminders of a rule that says its end.
  let delivery: String
  let alert: Alert
  let component: String
  var isUrgent = false
  /// The first memory of the run that has it; 0 if nothing outlives the run.
  var memory = 0

  /// - Parameters:
  ///   - number: as `AlertNumbers` gives it.
  ///   - id: the id of the alert that it follows; nil if it is the first.
  init(_ alert: Alert, component: String, number: Int, id: String? = nil, isUrgent: Bool = false) {
    self.alert = alert
    self.component = component
    self.isUrgent = isUrgent
    let text = [component, alert.rule, alert.symbol.description, alert.price.description, String(alert.time.ns), String(number)]
    let digest = Digest.sha256(Array(text.joined(separator: "\u{0}").utf8))
    delivery = digest.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    self.id = id ?? delivery
  }

  /// One that an earlier run has left.
  init?(_ saved: Saved, component: String) {
    guard let alert = saved.alert.event(Alert.self) else { return nil }
    (id, delivery, self.alert, self.component, isUrgent) = (saved.id, saved.delivery, alert, component, saved.isUrgent)
  }

  struct Saved: Sendable, Codable {
    let id: String
    let delivery: String
    let alert: SavedEvent
    let isUrgent: Bool
  }

  var saved: Saved { Saved(id: id, delivery: delivery, alert: SavedEvent(alert), isUrgent: isUrgent) }

  /// The price with the decimals of the event.
  var price: String { alert.price.formatted(decimals: Int(alert.priceDecimals)) }

  /// The values of the placeholders in templates.
  func values(channel: String) -> [String: String] {
    [
      "id": id, "status": alert.status.fieldName, "rule": alert.rule, "symbol": alert.symbol.description, "price": price,
      "message": alert.message, "time": alert.time.description, "component": component, "channel": channel,
    ]
  }

  /// One line for people: `2013-10-08T13:30:00.012Z AAPL above 200: AAPL crossed above 200: 200.10`.
  var line: String { visible("\(alert.time) \(alert.rule): \(alert.message)", limit: 2000) }

  /// One JSON object: the id, followed by the alert's fields; the status only of an alert that is over.
  var json: String {
    var members: [JSONValue.Member] = [
      .init("id", .string(id)), .init("rule", .string(alert.rule)), .init("symbol", .string(alert.symbol.description)),
      .init("price", .number(price)), .init("message", .string(alert.message)), .init("time", .string(alert.time.description)),
    ]
    if alert.status != .firing { members.insert(.init("status", .string(alert.status.fieldName)), at: 1) }
    return JSONValue.object(members).description
  }
}

/// Numbers the notifications of one rule and one symbol. Two equal ones get different numbers, and each gets the same in every run over the
/// same events.
struct AlertNumbers: Sendable, Codable {
  private var latest = Timestamp(ns: .min)
  private var count = 0
  private var late = 0

  /// 1, 2 and so on among those of the same time; -1, -2 and so on for those before an earlier one.
  mutating func next(at time: Timestamp) -> Int {
    if time < latest {
      // Wraps, because a file may hold any number.
      late &+= 1
      return 0 &- late
    }
    if time > latest { (latest, count) = (time, 0) }
    count &+= 1
    return count
  }
}
