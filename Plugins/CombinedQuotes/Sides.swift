internal import StockbusPlugin

/// The price and the size on one side of a market.
struct Level: Codable, Equatable {
  var price: Int64
  /// 0 if it is not known.
  var size: Int64
}

/// Both sides of a market, of which one or both may be missing.
struct Sides: Codable, Equatable {
  var bid: Level?
  var ask: Level?

  init(bid: Level? = nil, ask: Level? = nil) { (self.bid, self.ask) = (bid, ask) }

  /// A side whose price and size are 0 is missing. An event without two sides has its price on both.
  init<E: PricedEvent>(_ event: E) {
    guard let quote = event as? Quote else {
      let side = Level(price: event.lastPrice.raw, size: 0)
      self.init(bid: side, ask: side)
      return
    }
    self.init(bid: Self.side(quote.bid, quote.bidSize), ask: Self.side(quote.ask, quote.askSize))
  }

  private static func side(_ price: Price, _ size: Quantity) -> Level? {
    price.raw | size.raw == 0 ? nil : Level(price: price.raw, size: max(0, size.raw))
  }

  /// True if somebody bids more than somebody else asks.
  var isCrossed: Bool { if let bid, let ask { bid.price > ask.price } else { false } }

  /// Each price and size converted; a side whose price does not fit is missing.
  func map(price: (Int64) -> Int64?, size: (Int64) -> Int64?) -> Sides {
    func converted(_ side: Level?) -> Level? {
      side.flatMap { side in price(side.price).map { Level(price: $0, size: size(side.size) ?? 0) } }
    }
    return Sides(bid: converted(bid), ask: converted(ask))
  }

  func quote(_ symbol: Symbol, time: Int64, received: Int64, priceDecimals: UInt8, sizeDecimals: UInt8) -> Quote {
    Quote(
      symbol: symbol, bid: Price(raw: bid?.price ?? 0), ask: Price(raw: ask?.price ?? 0), bidSize: Quantity(raw: bid?.size ?? 0),
      askSize: Quantity(raw: ask?.size ?? 0), time: Timestamp(ns: time), received: Timestamp(ns: received), priceDecimals: priceDecimals,
      sizeDecimals: sizeDecimals)
  }
}

extension PricedEvent {
  /// The time at which it counts: its own, or that of its receipt if it is dated ahead.
  var fairTime: Int64 { ((self as? Bar).map { EventClock.fair($0) } ?? EventClock.fair(time, received: received)).ns }

  /// False for an event whose price is no new one of the market.
  var hasMarketPrice: Bool { condition.countsForLast && !hasLeft }
}
