internal import MarketData

/// One instrument: the state of its market, and its open orders by the price that affects them.
///
/// For every kind of price there is a range without effect, so that a price that reaches no order costs two comparisons however many orders
/// rest.
struct SymbolBook {
  /// One side of the standing quote.
  struct Touch: BitwiseCopyable {
    /// The price; 0 if the quote has none.
    var price: Int64 = 0
    var size: Int64 = 0
    /// The size that paper orders have not taken yet.
    var left: Int64 = 0

    /// Takes a new quote's side. A size already taken stays taken if price and size are unchanged.
    @inline(__always)
    mutating func update(_ price: Int64, _ size: Int64) {
      if price == self.price, size == self.size { return }
      self = Touch(price: price, size: size, left: size)
    }
  }

  let symbol: Symbol
  var terms: TradingTerms
  /// True if the instrument has terms of its own.
  var isDefined = false
  var isHalted = false
  /// True after a last price below zero: nothing can be booked until a price is above zero.
  var isBelowZero = false
  /// True while the instrument's market is open.
  var isOpen = true
  /// True once the feed has shown a quote, or a trade.
  var hasQuotes = false
  var hasTrades = false
  var bid = Touch()
  var ask = Touch()
  /// The last trade's price; without trades the middle of the last quote, rounded down to a billionth. 0 if there was no price.
  var mark: Int64 = 0

  // Heaps of orders.
  /// Market orders and triggered stops without a fitting price so far, by number.
  var marketBuys = OrderHeaps.none
  var marketSells = OrderHeaps.none
  /// Limit orders, the best limit first.
  var limitBuys = OrderHeaps.none
  var limitSells = OrderHeaps.none
  /// Stop orders, the first to be triggered first.
  var stopBuys = OrderHeaps.none
  var stopSells = OrderHeaps.none
  var trailBuys = TrailBook(isBuy: true)
  var trailSells = TrailBook(isBuy: false)
  /// Immediate orders that wait for the next trade because there are no quotes.
  var immediate = OrderLists.List()
  /// The accounts' holdings, linked.
  var firstHolding: Int32 = -1
  /// True if the mark has changed since the holdings were last valued.
  var isMoved = false
  /// True if the book is among `changedBooks`.
  var isChanged = false

  /// A trade at or below, or at or above, these prices has an effect.
  var tradeLow = Int64.min
  var tradeHigh = Int64.max
  /// An ask, or a bid, at or below, or at or above, these prices has an effect.
  var askLow = Int64.min
  var askHigh = Int64.max
  var bidLow = Int64.min
  var bidHigh = Int64.max

  init(_ symbol: Symbol, _ terms: TradingTerms) {
    self.symbol = symbol
    self.terms = terms
  }

  /// True if the feed has shown a price.
  var hasPrices: Bool { hasQuotes || hasTrades }

  /// True if orders can be filled and triggered.
  var isLive: Bool { isOpen && !isHalted }

  /// The price that triggers stops, as an x of `trails`; nil if there is none. It is the last trade's price if there are trades; otherwise
  /// the bid for sells and the ask for buys.
  func watched(isBuy: Bool) -> Int64? {
    let price = hasTrades ? mark : isBuy ? ask.price : bid.price
    return price > 0 ? price : nil
  }

  /// Withdraws the standing quote.
  mutating func withdrawQuote() {
    bid = Touch()
    ask = Touch()
  }

  /// Computes the price ranges without effect.
  mutating func updateRanges(_ heaps: OrderHeaps) {
    (tradeLow, tradeHigh, askLow, askHigh, bidLow, bidHigh) = (.min, .max, .min, .max, .min, .max)
    guard isLive else { return }
    if marketBuys != OrderHeaps.none || marketSells != OrderHeaps.none || immediate.first >= 0 {
      (tradeLow, askLow) = (.max, .max)
      return
    }
    // The keys of bids and of sell stops are negated prices, so that the highest comes first.
    let highestBid = limitBuys == OrderHeaps.none ? Int64.min : -heaps.key(of: limitBuys)
    let lowestOffer = limitSells == OrderHeaps.none ? Int64.max : heaps.key(of: limitSells)
    var low = stopSells == OrderHeaps.none ? Int64.min : -heaps.key(of: stopSells)
    var high = stopBuys == OrderHeaps.none ? Int64.max : heaps.key(of: stopBuys)
    low = max(low, trailSells.highestStop)
    let stop = trailBuys.highestStop
    high = min(high, stop == .min ? .max : -stop)
    // Above the first price a sell's stop rises; below the second one a buy's stop falls.
    let best = trailSells.lowestBest
    let rising = best == .max ? best : best + 1
    let other = trailBuys.lowestBest
    let falling = other == .max ? .min : -1 - other
    tradeLow = max(highestBid, max(low, falling))
    tradeHigh = min(lowestOffer, min(high, rising))
    askLow = highestBid
    bidHigh = lowestOffer
    if !hasTrades {
      bidLow = low
      bidHigh = min(bidHigh, rising)
      askHigh = high
      askLow = max(askLow, falling)
    }
  }
}
