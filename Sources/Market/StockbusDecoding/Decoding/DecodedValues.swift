package import EventBus
public import MarketData

/// The values of one event, independent of its type.
@frozen
@usableFromInline package struct DecodedValues: BitwiseCopyable, Sendable {
  @usableFromInline package var symbol = Symbol(id: 0)
  @usableFromInline package var side = Side.unknown
  @usableFromInline package var condition = TradeCondition.regular
  @usableFromInline package var priceDecimals: UInt8 = 0
  @usableFromInline package var sizeDecimals: UInt8 = 0
  @usableFromInline package var time = Timestamp(ns: 0)
  @usableFromInline package var received = Timestamp(ns: 0)
  /// A trade's price; a quote's bid and ask; a bar's open, high, low and close.
  @usableFromInline package var prices: (Price, Price, Price, Price) = (0, 0, 0, 0)
  /// A trade's size; bid size and ask size; a bar's volume.
  @usableFromInline package var sizes: (Quantity, Quantity) = (0, 0)
  /// A bar's length.
  @usableFromInline package var length = BarLength.unknown
  /// The number of a trade in a series that is filled, and the index of the series in `MessageReader.series`; -1 if there is none.
  @usableFromInline package var number: Int64 = 0
  @usableFromInline package var series: Int32 = -1

  init() {}
}

/// An event type into which messages can be decoded.
package protocol DecodedEvent: Event {
  static var decodedKind: EventKind { get }
  /// The event with these values.
  init(_ values: borrowing DecodedValues)
}

extension Trade: DecodedEvent {
  package static var decodedKind: EventKind { .trade }
  @inlinable @inline(__always)
  package init(_ values: borrowing DecodedValues) {
    self.init(
      symbol: values.symbol, price: values.prices.0, size: values.sizes.0, time: values.time, received: values.received,
      side: values.side, priceDecimals: values.priceDecimals, sizeDecimals: values.sizeDecimals, condition: values.condition)
  }
}

extension Quote: DecodedEvent {
  package static var decodedKind: EventKind { .quote }
  @inlinable @inline(__always)
  package init(_ values: borrowing DecodedValues) {
    self.init(
      symbol: values.symbol, bid: values.prices.0, ask: values.prices.1, bidSize: values.sizes.0, askSize: values.sizes.1,
      time: values.time, received: values.received, priceDecimals: values.priceDecimals, sizeDecimals: values.sizeDecimals)
  }
}

extension Bar: DecodedEvent {
  package static var decodedKind: EventKind { .bar }
  @inlinable @inline(__always)
  package init(_ values: borrowing DecodedValues) {
    self.init(
      symbol: values.symbol, open: values.prices.0, high: values.prices.1, low: values.prices.2, close: values.prices.3,
      volume: values.sizes.0, time: values.time, received: values.received, priceDecimals: values.priceDecimals,
      sizeDecimals: values.sizeDecimals, length: values.length)
  }
}
