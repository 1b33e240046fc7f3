package import EventBus
package import MarketData

/// The last known price of a symbol.
package struct LastPrice: BitwiseCopyable, Hashable, Sendable {
  package var symbol: Symbol
  package var priceDecimals: UInt8
  package var sizeDecimals: UInt8
  package var price: Price
  /// The size traded at this price; 0 if the price is not a trade's.
  package var size: Quantity
  /// The venue's time of the event, or its receipt time if that is more than 5 s earlier.
  package var time: Timestamp
  package var received: Timestamp

  /// The price of an event. A bar's is its close, dated at the bar's start, without a size.
  @inlinable
  package init<E: PricedEvent>(_ event: E) {
    symbol = event.symbol
    priceDecimals = event.priceDecimals
    sizeDecimals = event.sizeDecimals
    price = event.lastPrice
    size = E.self == Bar.self ? 0 : event.countedSize
    time = (event as? Bar).map(EventClock.fair) ?? EventClock.fair(event.time, received: event.received)
    received = event.received
  }

  init(
    symbol: Symbol, price: Price, size: Quantity, time: Timestamp, received: Timestamp, priceDecimals: UInt8, sizeDecimals: UInt8
  ) {
    self.symbol = symbol
    self.priceDecimals = priceDecimals
    self.sizeDecimals = sizeDecimals
    self.price = price
    self.size = size
    self.time = time
    self.received = received
  }
}

/// The close of a symbol on a trading date.
package struct DailyClose: Hashable, Sendable {
  package var date: CivilDate
  package var close: Price
  package var priceDecimals: UInt8
}
