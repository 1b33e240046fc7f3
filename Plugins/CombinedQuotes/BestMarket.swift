internal import StockbusInstruments
internal import StockbusPlugin

/// The quotes of each symbol by venue, and the best of them.
struct BestMarket {
  /// The quotes of one symbol.
  struct Market: Codable {
    var symbol: Symbol
    /// By venue.
    var quotes: [VenueQuote?]
    /// What was sent last; both sides are missing before.
    var last = Sides()
    var newest = Int64.min
  }

  struct VenueQuote: Codable {
    var sides: Sides
    var time: Int64
    var received: Int64
    var priceDecimals: UInt8
    var sizeDecimals: UInt8
    /// True if it is left out until the next one comes.
    var isStale = false
    /// True if it is in the heap of those that become stale.
    var isAwaited = false
  }

  /// The names of the venues, which are the inputs.
  private var venues: [String] = []
  private(set) var markets: [Market] = []
  private var places: [Symbol: Int] = [:]
  private let staleAfter: Int64?
  private var awaited = ExpiryHeap()
  /// The last receipt or time seen. No quote that becomes stale is sent with an earlier one, also after a change of `stale`.
  private var now = Int64.min
  /// How many quotes that cross were sent, and how many became stale, since they were last told.
  var crossed = 0
  var expiries = 0

  init(_ settings: CombineSettings) { staleAfter = settings.staleAfter }

  var nextDue: Int64 { awaited.first?.due ?? .max }

  /// Quotes of inputs that are gone count no more; that shows with the symbol's next event.
  mutating func attend(to inputs: [String]) {
    let former = inputs.map { venues.firstIndex(of: $0) }
    for place in markets.indices {
      let quotes = markets[place].quotes
      markets[place].quotes = former.map { $0.flatMap { quotes.indices.contains($0) ? quotes[$0] : nil } }
    }
    venues = inputs
    awaitAll()
  }

  mutating func take(_ quote: Quote, from venue: Int) -> Combined {
    now = quote.received.ns
    let place = place(of: quote.symbol)
    let time = quote.fairTime
    let known = markets[place].quotes[venue]
    if let known, time < known.time { return .leaveOut(.late) }
    markets[place].quotes[venue] = VenueQuote(
      sides: Sides(quote), time: time, received: quote.received.ns, priceDecimals: quote.priceDecimals, sizeDecimals: quote.sizeDecimals,
      isAwaited: known?.isAwaited ?? false)
    markets[place].newest = max(markets[place].newest, time)
    wait(for: place, venue)
    return best(of: place, received: quote.received.ns).map { .send($0) } ?? .leaveOut(.unchanged)
  }

  enum Combined {
    case send(Quote)
    case leaveOut(LeftOut)
  }

  /// The quotes of all venues become those of the new shares.
  mutating func apply(_ split: PriceSplit, to symbol: Symbol) {
    guard let place = places[symbol] else { return }
    for venue in markets[place].quotes.indices {
      guard let quote = markets[place].quotes[venue] else { continue }
      markets[place].quotes[venue]?.sides = quote.sides.map(price: split.adjust, size: split.ratio.applied)
    }
  }

  /// Leaves out the quotes that were received `stale` before `time`, or earlier, and calls `send` with what is the best without them.
  mutating func advance(to time: Int64, _ send: (Quote) -> Void) {
    while let due = awaited.first?.due, due <= time {
      var changed: [Int] = []
      while let next = awaited.first, next.due == due {
        awaited.removeFirst()
        if expire(next) { changed.append(next.market) }
      }
      // Each market once, though several of its venues may have become stale at one moment.
      var before: Int?
      for place in changed where place != before {
        before = place
        if let quote = best(of: place, received: max(now, due)) { send(quote) }
      }
    }
    now = max(now, time)
  }

  /// True if the quote has become stale; false if a newer one came, which is awaited then.
  private mutating func expire(_ expiry: Expiry) -> Bool {
    guard let staleAfter, let quote = markets[expiry.market].quotes[expiry.venue] else { return false }
    markets[expiry.market].quotes[expiry.venue]?.isAwaited = false
    if quote.received.addingSaturating(staleAfter) > expiry.due {
      wait(for: expiry.market, expiry.venue)
      return false
    }
    markets[expiry.market].quotes[expiry.venue]?.isStale = true
    expiries += 1
    return true
  }

  private mutating func wait(for place: Int, _ venue: Int) {
    guard let staleAfter, let quote = markets[place].quotes[venue], !quote.isAwaited else { return }
    markets[place].quotes[venue]?.isAwaited = true
    awaited.insert(Expiry(due: quote.received.addingSaturating(staleAfter), market: place, venue: venue))
  }

  private mutating func awaitAll() {
    awaited = ExpiryHeap()
    for place in markets.indices {
      for venue in markets[place].quotes.indices {
        guard let quote = markets[place].quotes[venue] else { continue }
        markets[place].quotes[venue]?.isAwaited = false
        if staleAfter == nil { markets[place].quotes[venue]?.isStale = false }
        if !quote.isStale { wait(for: place, venue) }
      }
    }
  }

  private mutating func place(of symbol: Symbol) -> Int {
    if let known = places[symbol] { return known }
    markets.append(Market(symbol: symbol, quotes: Array(repeating: nil, count: venues.count)))
    places[symbol] = markets.count - 1
    return markets.count - 1
  }

  /// The best quote, if it has changed.
  private mutating func best(of place: Int, received: Int64) -> Quote? {
    let market = markets[place]
    var best = Sides()
    var (priceDecimals, sizeDecimals): (UInt8, UInt8) = (0, 0)
    for case let quote? in market.quotes where !quote.isStale {
      best.bid = Self.better(best.bid, quote.sides.bid) { $0 > $1 }
      best.ask = Self.better(best.ask, quote.sides.ask) { $0 < $1 }
      priceDecimals = max(priceDecimals, quote.priceDecimals)
      sizeDecimals = max(sizeDecimals, quote.sizeDecimals)
    }
    if best == market.last { return nil }
    markets[place].last = best
    if best.isCrossed { crossed += 1 }
    return best.quote(
      market.symbol, time: market.newest, received: received, priceDecimals: priceDecimals, sizeDecimals: sizeDecimals)
  }

  /// The better of two sides; of equal prices both sizes together.
  private static func better(_ a: Level?, _ b: Level?, isBetter: (Int64, Int64) -> Bool) -> Level? {
    guard let a, let b else { return a ?? b }
    if a.price == b.price {
      let sum = a.size.addingSaturating(b.size)
      return Level(price: a.price, size: sum == .max ? Quantity.most.raw : sum)
    }
    return isBetter(b.price, a.price) ? b : a
  }

  /// The names of the venues at the best bid and the best ask of a symbol, and these.
  func standing(of symbol: Symbol) -> (best: Sides, bidders: [String], askers: [String])? {
    guard let place = places[symbol] else { return nil }
    let best = markets[place].last
    func names(_ side: Level?, _ own: (Sides) -> Level?) -> [String] {
      zip(venues, markets[place].quotes).compactMap { name, quote in
        guard let quote, !quote.isStale, let side, own(quote.sides)?.price == side.price else { return nil }
        return name
      }
    }
    return (best, names(best.bid) { $0.bid }, names(best.ask) { $0.ask })
  }
}

extension BestMarket {
  /// What one instance leaves to the next, which may have other inputs.
  struct Snapshot: Codable, Sendable {
    var venues: [String]
    var markets: [Market]
    var now: Int64
  }

  var snapshot: Snapshot { Snapshot(venues: venues, markets: markets, now: now) }

  /// To be called before `attend`.
  mutating func restore(_ snapshot: Snapshot) {
    venues = snapshot.venues
    now = snapshot.now
    for market in snapshot.markets where places[market.symbol] == nil {
      places[market.symbol] = markets.count
      markets.append(market)
    }
  }
}
