public import MarketData

/// A value that travels on the bus.
///
/// One declaration, `schema`, gives its name, its fields with their descriptions, JSON and CSV form, key and time.
public protocol Event: Sendable {
  static var schema: EventSchema<Self> { get }
}

/// An event about one instrument; required by filters, conflation and `initial`.
public protocol SymbolEvent: Event {
  /// The instrument.
  var symbol: Symbol { get }
}

/// An event that carries a price of one instrument; required by rankings, viewers and price rules.
public protocol PricedEvent: SymbolEvent {
  /// The event's price: a trade's price, a bar's close, the middle of a quote.
  var lastPrice: Price { get }
  /// The size traded that counts for the volume; zero if the event is not a trade or a bar.
  var tradedSize: Quantity { get }
  /// The sale condition of a trade; `regular` for all other events. Watchers of prices use `lastPrice` if `condition.countsForLast`.
  var condition: TradeCondition { get }
  /// When the venue says it happened.
  var time: Timestamp { get }
  /// When the program received it.
  var received: Timestamp { get }
  /// The number of decimals the price is written with.
  var priceDecimals: UInt8 { get }
  /// The number of decimals the size is written with.
  var sizeDecimals: UInt8 { get }
  /// The event itself if it is a `Ranked`, which adds the symbol's rank, change and volume; otherwise nil.
  var asRanked: Ranked? { get }
  /// True if a ranking says that the symbol has left its top ranks. The price is then the last known one and not new: keepers of symbols
  /// remove this one, and watchers of prices skip the event.
  var hasLeft: Bool { get }
}

extension PricedEvent {
  @inlinable public var asRanked: Ranked? { nil }
  @inlinable public var hasLeft: Bool { asRanked?.rank == 0 }
  @inlinable public var condition: TradeCondition { .regular }
}

extension Event {
  /// The event type's name in configurations and messages.
  public static var eventName: String { schema.name }
}
