public import MarketData

/// A value that travels on the bus.
///
/// One declaration, `schema`, gives its name, its fields with their sentences, JSON and CSV form, key and time.
public protocol Event: Sendable {
  static var schema: EventSchema<Self> { get }
}

/// An event about one instrument; what filters, conflation and `initial` need.
public protocol SymbolEvent: Event {
  /// The instrument.
  var symbol: Symbol { get }
}

/// An event that says what one instrument costs; what rankings, viewers and price rules need.
public protocol PricedEvent: SymbolEvent {
  /// The price it tells: of the trade, the close of the bar, the middle of the quote.
  var lastPrice: Price { get }
  /// What was traded; zero where the event tells no trade.
  var tradedSize: Quantity { get }
  /// When the venue says it happened.
  var time: Timestamp { get }
  /// When it reached us.
  var received: Timestamp { get }
  /// Decimals the price is written with.
  var priceDecimals: UInt8 { get }
  /// Decimals the size is written with.
  var sizeDecimals: UInt8 { get }
  /// The event itself where it is a feed's, which tells a symbol's place besides, and what was reckoned of it; otherwise nil.
  var asRanked: Ranked? { get }
}

extension PricedEvent {
  @inlinable public var asRanked: Ranked? { nil }
  /// True where a feed says that the symbol has left its first ranks. The price is the last one that the feed knows and no news: whoever
  /// keeps symbols forgets this one, and whoever watches prices passes the event over.
  @inlinable public var hasLeft: Bool { asRanked?.rank == 0 }
}

extension Event {
  /// The event type's name in configurations and messages.
  public static var eventName: String { schema.name }
}
