internal import StockbusInstruments
package import StockbusPlugin

/// The data of one symbol. Times without another unit are nanoseconds of the run's uptime.
package struct Row {
  package let symbol: Symbol
  package var decimals: UInt8
  package var sizeDecimals: UInt8 = 0
  package var isUp = true
  /// True while the price is from before the run, because no event has arrived yet.
  package internal(set) var isStale = false
  /// The rank in its last event; 0 if it has none.
  package var rank: Int32 = 0
  package var price: Price
  /// The price from which the change is computed.
  package var reference: Price
  package var high: Price
  package var low: Price
  package var volume = Quantity(raw: 0)
  package var updates = 0
  /// When the price last changed; `never` if it has not changed.
  package var movedAt = Row.never
  /// The time of the last event, or of its receipt if it was dated ahead.
  package var time: Timestamp
  /// The symbol's event clock.
  package var clock = EventClock()
  /// The beginning and the end of the second that the history's newest sample stands for.
  package var second: Int64
  package var secondEnd: Int64
  /// The prices of alerts: at or above, at or below.
  package var alertAbove = Int64.max
  package var alertBelow = Int64.min
  /// The best bid and offer; zero if unknown.
  package var bid = Price(raw: 0)
  package var ask = Price(raw: 0)
  package var bidSize = Quantity(raw: 0)
  package var askSize = Quantity(raw: 0)

  package static let never = Int64.min / 2
  package static let nanosecondsASecond: Int64 = 1_000_000_000

  package init(_ symbol: Symbol, price: Price, decimals: UInt8, time: Timestamp) {
    self.symbol = symbol
    self.decimals = decimals
    self.price = price
    reference = price
    high = price
    low = price
    self.time = time
    second = Row.floor(time.ns)
    secondEnd = second &+ Row.nanosecondsASecond
  }

  /// A row with a price from before the run, and the close before that price, from which its change counts.
  init(stale price: Price, of symbol: Symbol, decimals: UInt8, time: Timestamp, close: Price?) {
    self.init(symbol, price: price, decimals: decimals, time: time)
    isStale = true
    reference = close ?? price
    // Makes any event count as the beginning of a new second, so that checking for stale rows costs other rows nothing.
    secondEnd = .min
  }

  /// The beginning of the second of a time.
  package static func floor(_ ns: Int64) -> Int64 {
    let rest = ns % nanosecondsASecond
    return rest < 0 ? ns &- rest &- nanosecondsASecond : ns &- rest
  }

  /// The work that an event causes outside of the row.
  struct News: OptionSet {
    let rawValue: UInt8
    static let moved = News(rawValue: 1)
    /// A new second has begun; the last price of the old one has to be stored first.
    static let newSecond = News(rawValue: 2)
    static let alert = News(rawValue: 4)
  }

  /// Takes a price, in some nanoseconds.
  @inline(__always)
  mutating func take(_ new: Price, decimals: UInt8, time: Timestamp, at now: Int64) -> News {
    var news: News = []
    updates &+= 1
    if time.ns >= secondEnd { news.insert(.newSecond) }
    self.time = time
    self.decimals = decimals
    if new != price {
      news.insert(.moved)
      isUp = new > price
      movedAt = now
      price = new
      if new > high { high = new }
      if new < low { low = new }
      if new.raw >= alertAbove || new.raw <= alertBelow { news.insert(.alert) }
    }
    return news
  }

  @inline(__always)
  mutating func add(volume size: Quantity) { volume = Quantity(raw: volume.raw.addingSaturating(size.raw)) }

  /// Converts the row's prices to the new shares; a price out of range becomes `new`, the first price after the split. An alert whose level
  /// the split alone would reach waits until the price has left that level: then its other side reports it.
  mutating func apply(_ split: PriceSplit, new: Price) {
    for field in [\Row.price, \.reference, \.high, \.low] { self[keyPath: field] = split.adjust(self[keyPath: field]) ?? new }
    (bid, ask, bidSize, askSize) = (0, 0, 0, 0)
    if price.raw <= alertBelow { (alertAbove, alertBelow) = (min(alertAbove, alertBelow &+ 1), .min) }
    if price.raw >= alertAbove, alertAbove < .max { (alertAbove, alertBelow) = (.max, max(alertBelow, alertAbove &- 1)) }
  }

  // MARK: What follows from it, worked out when it is drawn

  /// Price minus reference, or the nearest value that fits.
  package var change: Price { Row.difference(price, reference) }

  package var percent: Percent { Percent.change(from: reference, to: price) ?? Percent(raw: 0) }

  /// Ask minus bid; nil if one of them is unknown.
  package var spread: Price? { bid.raw != 0 && ask.raw != 0 ? Row.difference(ask, bid) : nil }

  package static func difference(_ a: Price, _ b: Price) -> Price { Price(raw: a.raw.subtractingSaturating(b.raw)) }
}
