package import StockbusPlugin
package import StockbusTrading

/// An event of the broker's output: one of four kinds, in the order in which they occurred. Configurations read each kind by itself, as
/// `broker.orders`, `broker.fills`, `broker.positions` and `broker.accounts`.
package struct BrokerRecord: Event {
  /// The event.
  package var content: TradingChange
  /// The venue's time of the event.
  package var time: Timestamp
  /// When the program received the cause of the event.
  package var received: Timestamp

  init(_ order: Order) { self.init(content: .order(order), time: order.time, received: order.received) }
  init(_ fill: Fill) { self.init(content: .fill(fill), time: fill.time, received: fill.received) }
  init(_ position: Position) { self.init(content: .position(position), time: position.time, received: position.received) }
  init(_ account: AccountState) { self.init(content: .account(account), time: account.time, received: account.received) }

  private init(content: TradingChange, time: Timestamp, received: Timestamp) {
    self.content = content
    self.time = time
    self.received = received
  }

  package static let schema = EventSchema<BrokerRecord>(
    "broker_record", "A change at the paper broker: of an order, a position or an account, or a fill.", time: \.time,
    example: BrokerRecord(Fill.schema.example),
    fields: [
      .init("content", \.content, "The kind (order, fill, position or account), a space, and the event as JSON."),
      .init("time", \.time, "The venue's time of the change."),
      .init("received", \.received, "When stockbus received the event that caused the change."),
    ])
}

/// As text: the kind and the event's JSON, `fill {"account":"paper", …}`.
extension TradingChange: FieldValue {
  package static var kind: FieldKind { .text }
  package static var fixedWidth: Int? { nil }
  package var width: Int { text.utf8.count }

  private var text: String {
    switch self {
    case .order(let order): "order " + Order.schema.json(order)
    case .fill(let fill): "fill " + Fill.schema.json(fill)
    case .position(let position): "position " + Position.schema.json(position)
    case .account(let account): "account " + AccountState.schema.json(account)
    }
  }

  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }

  package func write(to out: inout ByteWriter) { text.write(to: &out) }

  package init(from text: inout ByteReader) throws(TextError) {
    let at = text.offset
    let whole = try String(from: &text)
    guard let blank = whole.firstIndex(of: " ") else { throw TextError(.unexpected, at: at) }
    let json = String(whole[whole.index(after: blank)...])
    switch whole[..<blank] {
    case "order": self = .order(try Self.decode(json))
    case "fill": self = .fill(try Self.decode(json))
    case "position": self = .position(try Self.decode(json))
    case "account": self = .account(try Self.decode(json))
    default: throw TextError(.unexpected, at: at)
    }
  }

  private static func decode<E: Event>(_ json: String) throws(TextError) -> E {
    var json = json
    let result: Result<E, TextError> = json.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) { return .success(try E.schema.decodeJSON(&reader)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

enum OrdersPart: EventPart {
  static var name: String { "orders" }
  static func part(of record: BrokerRecord) -> Order? { if case .order(let order) = record.content { order } else { nil } }
}

enum FillsPart: EventPart {
  static var name: String { "fills" }
  static func part(of record: BrokerRecord) -> Fill? { if case .fill(let fill) = record.content { fill } else { nil } }
}

enum PositionsPart: EventPart {
  static var name: String { "positions" }
  static func part(of record: BrokerRecord) -> Position? { if case .position(let position) = record.content { position } else { nil } }
}

enum AccountsPart: EventPart {
  static var name: String { "accounts" }
  static func part(of record: BrokerRecord) -> AccountState? { if case .account(let account) = record.content { account } else { nil } }
}
