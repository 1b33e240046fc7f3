internal import MarketData
internal import StockbusDecoding

/// One field that a row may give to an event.
struct ReplayField: Hashable, Sendable {
  let name: String
  /// Columns or keys it is looked for under where no mapping is given, best first.
  let aliases: [String]
  let isRequired: Bool

  init(_ name: String, _ aliases: [String], isRequired: Bool = true) {
    self.name = name
    self.aliases = aliases
    self.isRequired = isRequired
  }

  static let symbol = ReplayField("symbol", ["symbol", "sym", "ticker", "s"])
  /// `T` before `t`: where a venue writes both, the small one is a trade's number.
  static let time = ReplayField("time", ["time", "ts", "timestamp", "ts_event", "date", "T", "t"])
  /// Only under its own name, as files written by this project have it: other files' receive times need a mapping.
  static let received = ReplayField("received", ["received"], isRequired: false)
}

/// An event that rows can be decoded into. Fields 0, 1 and 2 are symbol, time and received.
protocol ReplayEvent: Sendable {
  static var fields: [ReplayField] { get }
  /// What messages of a raw capture become; nil for the messages themselves.
  static var decodedKind: EventKind? { get }
  /// The event's own time, by which replays of rows are ordered, cut and paced.
  var time: Timestamp { get }
  /// When it reached its recorder, by which replays of raw captures are ordered, cut and paced.
  var received: Timestamp { get }
  /// The event that the row's values make up.
  static func decode(_ row: borrowing Slots, _ values: inout ValueDecoder) throws(FieldProblem) -> Self
  /// Hands out the events of a message; nil where there is nothing to say about it.
  static func decode(_ message: CapturedMessage, _ reader: inout MessageReader?, into body: (Self) -> Void) -> Verdict?
}

extension ReplayEvent where Self: DecodedEvent {
  static func decode(_ message: CapturedMessage, _ reader: inout MessageReader?, into body: (Self) -> Void) -> Verdict? {
    reader?.read(message.text, received: message.received) { body(Self($0)) }
  }
}

/// A message of a raw capture.
struct CapturedMessage {
  /// The component that replays it.
  var component: String
  var received: Timestamp
  /// Valid until the next line is read.
  var text: UnsafeBufferPointer<UInt8>
}

extension RawMessage: ReplayEvent {
  static let fields: [ReplayField] = []
  static var decodedKind: EventKind? { nil }
  var time: Timestamp { received }

  /// Rows hold no messages; the settings keep this from being asked.
  static func decode(_ row: borrowing Slots, _ values: inout ValueDecoder) throws(FieldProblem) -> RawMessage {
    throw FieldProblem(field: 0, reason: .missing)
  }

  static func decode(_ message: CapturedMessage, _ reader: inout MessageReader?, into body: (RawMessage) -> Void) -> Verdict? {
    guard let text = String(validating: message.text, as: UTF8.self) else { return .malformed(reason: "not UTF-8") }
    body(RawMessage(component: message.component, received: message.received, text: text))
    return nil
  }
}

extension Trade: ReplayEvent {
  static var decodedKind: EventKind? { .trade }
  static let fields = [
    ReplayField.symbol, .time, .received, ReplayField("price", ["price", "px", "p"]),
    ReplayField("size", ["size", "qty", "quantity", "volume", "q", "v"], isRequired: false),
    ReplayField("side", ["side"], isRequired: false),
  ]

  @inline(always)
  static func decode(_ row: borrowing Slots, _ values: inout ValueDecoder) throws(FieldProblem) -> Trade {
    let symbol = try values.symbol(row, 0)
    let time = try values.time(row, 1)
    var priceDecimals: UInt8 = 0
    var sizeDecimals: UInt8 = 0
    let price = try values.price(row, 3, &priceDecimals)
    let size = try values.quantity(row, 4, &sizeDecimals)
    return Trade(
      symbol: symbol, price: price, size: size, time: time, received: try values.received(row, 2, time), side: try values.side(row, 5),
      priceDecimals: priceDecimals, sizeDecimals: sizeDecimals)
  }
}

extension Quote: ReplayEvent {
  static var decodedKind: EventKind? { .quote }
  static let fields = [
    ReplayField.symbol, .time, .received, ReplayField("bid", ["bid", "bid_price", "bid_px", "bidPrice", "b"]),
    ReplayField("ask", ["ask", "ask_price", "ask_px", "askPrice", "a"]),
    ReplayField("bid_size", ["bid_size", "bid_qty", "bidSize", "bid_sz", "B"], isRequired: false),
    ReplayField("ask_size", ["ask_size", "ask_qty", "askSize", "ask_sz", "A"], isRequired: false),
  ]

  @inline(always)
  static func decode(_ row: borrowing Slots, _ values: inout ValueDecoder) throws(FieldProblem) -> Quote {
    let symbol = try values.symbol(row, 0)
    let time = try values.time(row, 1)
    var priceDecimals: UInt8 = 0
    var sizeDecimals: UInt8 = 0
    let bid = try values.price(row, 3, &priceDecimals)
    let ask = try values.price(row, 4, &priceDecimals)
    let bidSize = try values.quantity(row, 5, &sizeDecimals)
    let askSize = try values.quantity(row, 6, &sizeDecimals)
    return Quote(
      symbol: symbol, bid: bid, ask: ask, bidSize: bidSize, askSize: askSize, time: time, received: try values.received(row, 2, time),
      priceDecimals: priceDecimals, sizeDecimals: sizeDecimals)
  }
}

extension Bar: ReplayEvent {
  static var decodedKind: EventKind? { .bar }
  static let fields = [
    ReplayField.symbol, .time, .received, ReplayField("open", ["open", "o"]), ReplayField("high", ["high", "h"]),
    ReplayField("low", ["low", "l"]), ReplayField("close", ["close", "c"]),
    ReplayField("volume", ["volume", "vol", "v"], isRequired: false),
  ]

  @inline(always)
  static func decode(_ row: borrowing Slots, _ values: inout ValueDecoder) throws(FieldProblem) -> Bar {
    let symbol = try values.symbol(row, 0)
    let time = try values.time(row, 1)
    var priceDecimals: UInt8 = 0
    var sizeDecimals: UInt8 = 0
    let open = try values.price(row, 3, &priceDecimals)
    let high = try values.price(row, 4, &priceDecimals)
    let low = try values.price(row, 5, &priceDecimals)
    let close = try values.price(row, 6, &priceDecimals)
    let volume = try values.quantity(row, 7, &sizeDecimals)
    return Bar(
      symbol: symbol, open: open, high: high, low: low, close: close, volume: volume, time: time,
      received: try values.received(row, 2, time), priceDecimals: priceDecimals, sizeDecimals: sizeDecimals)
  }
}
