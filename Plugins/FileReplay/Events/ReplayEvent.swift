internal import MarketData
internal import StockbusDecoding

/// An event type that rows can be decoded into. Fields 0, 1 and 2 are symbol, time and received, and there are at most `RowValues.limit`.
protocol ReplayEvent: Sendable {
  static var fields: [ReplayField] { get }
  /// The kind of event that messages of a raw capture are decoded into; nil for the messages themselves.
  static var decodedKind: EventKind? { get }
  /// The event's own time; replays of rows are ordered, limited and paced by it.
  var time: Timestamp { get }
  /// When the event reached its recorder; replays of raw captures are ordered, limited and paced by this time.
  var received: Timestamp { get set }
  /// Makes the event from the values of a row.
  init(_ row: borrowing RowValues)
  /// Passes the events of a message to `body`; returns nil if there is no verdict to report.
  static func decode(_ message: CapturedMessage, _ reader: inout MessageReader?, into body: (Self) -> Void) -> MessageOutcome?
}

extension ReplayEvent where Self: DecodedEvent {
  static func decode(_ message: CapturedMessage, _ reader: inout MessageReader?, into body: (Self) -> Void) -> MessageOutcome? {
    reader?.read(message.text, received: message.received) { body(Self($0)) }
  }
}

/// A message of a raw capture.
struct CapturedMessage {
  /// The component that replays the event.
  var component: String
  var received: Timestamp
  /// Valid until the next line is read.
  var text: UnsafeBufferPointer<UInt8>
}

extension RawMessage: ReplayEvent {
  static let fields: [ReplayField] = []
  static var decodedKind: EventKind? { nil }
  var time: Timestamp { received }

  /// Rows contain no messages; the settings prevent this call.
  init(_ row: borrowing RowValues) { self.init(component: "", received: Timestamp(ns: 0), text: "") }

  static func decode(_ message: CapturedMessage, _ reader: inout MessageReader?, into body: (RawMessage) -> Void) -> MessageOutcome? {
    guard let text = String(validating: message.text, as: UTF8.self) else { return .malformed(reason: "not UTF-8") }
    body(RawMessage(component: message.component, received: message.received, text: text))
    return nil
  }
}

extension Trade: ReplayEvent {
  static var decodedKind: EventKind? { .trade }
  static let fields = [
    ReplayField.symbol, .time, .received, ReplayField("price", .price, ["price", "px", "p"]),
    ReplayField("size", .quantity, ["size", "qty", "quantity", "volume", "q", "v"], isRequired: false),
    ReplayField("side", .side, ["side"], isRequired: false),
    ReplayField("condition", .condition, ["condition", "conditions", "sale_condition", "sale_conditions"], isRequired: false),
  ]

  @inline(always)
  init(_ row: borrowing RowValues) {
    self.init(
      symbol: row.symbol, price: row.price(3), size: row.quantity(4), time: row.time, received: row.received, side: row.side(5),
      priceDecimals: row.decimals(3), sizeDecimals: row.decimals(4), condition: row.condition(6))
  }
}

extension Quote: ReplayEvent {
  static var decodedKind: EventKind? { .quote }
  static let fields = [
    ReplayField.symbol, .time, .received, ReplayField("bid", .quoted, ["bid", "bid_price", "bid_px", "bidPrice", "b"]),
    ReplayField("ask", .quoted, ["ask", "ask_price", "ask_px", "askPrice", "a"]),
    ReplayField("bid_size", .quantity, ["bid_size", "bid_qty", "bidSize", "bid_sz", "B"], isRequired: false),
    ReplayField("ask_size", .quantity, ["ask_size", "ask_qty", "askSize", "ask_sz", "A"], isRequired: false),
  ]

  @inline(always)
  init(_ row: borrowing RowValues) {
    self.init(
      symbol: row.symbol, bid: row.price(3), ask: row.price(4), bidSize: row.quantity(5), askSize: row.quantity(6), time: row.time,
      received: row.received, priceDecimals: max(row.decimals(3), row.decimals(4)), sizeDecimals: max(row.decimals(5), row.decimals(6)))
  }
}

extension Bar: ReplayEvent {
  static var decodedKind: EventKind? { .bar }
  static let fields = [
    ReplayField.symbol, .time, .received, ReplayField("open", .price, ["open", "o"]), ReplayField("high", .price, ["high", "h"]),
    ReplayField("low", .price, ["low", "l"]), ReplayField("close", .price, ["close", "c"]),
    ReplayField("volume", .quantity, ["volume", "vol", "v"], isRequired: false),
    // Only by their own names, as in files written by stockbus.
    ReplayField("length", .length, ["length"], isRequired: false), ReplayField("vwap", .average, ["vwap"], isRequired: false),
    ReplayField("turnover", .amount, ["turnover"], isRequired: false), ReplayField("count", .count, ["count"], isRequired: false),
    ReplayField("session", .session, ["session"], isRequired: false), ReplayField("status", .status, ["status"], isRequired: false),
    ReplayField("revision", .count, ["revision"], isRequired: false),
  ]

  @inline(always)
  init(_ row: borrowing RowValues) {
    self.init(
      symbol: row.symbol, open: row.price(3), high: row.price(4), low: row.price(5), close: row.price(6), volume: row.quantity(7),
      time: row.time, received: row.received,
      priceDecimals: max(max(row.decimals(3), row.decimals(4)), max(row.decimals(5), row.decimals(6))), sizeDecimals: row.decimals(7),
      length: row.length(8), turnover: row.amount(10), vwap: row.average(9), count: row.count(11), revision: row.count(14),
      session: row.session(12), status: row.status(13))
  }
}
