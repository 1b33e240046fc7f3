internal import StockbusInstruments
internal import StockbusPlugin

/// The legs of a combination, and its value.
///
/// A leg counts with the prices of its newest event by time; of equal times the later one to come is the newer. Its weight is a number of the
/// shares that there were at its first event: after a split its prices are converted to these, so that the split does not move the value.
struct Basket {
  private(set) var legs: [Leg]
  private let places: [Symbol: Int]
  private let symbol: Symbol
  private let base: Int64?
  private let staleAfter: Int64?
  /// The sum of bid and ask of the first value, which `base` stands for.
  private var first: Int128?
  /// What was sent last; both sides are missing before.
  private(set) var last = Sides()
  private var newest = Int64.min
  /// No leg becomes stale before this moment.
  private(set) var nextDue = Int64.max
  /// How many legs are stale, and how many have become so.
  private(set) var staleCount = 0
  private(set) var expiries = 0

  struct Leg {
    let symbol: Symbol
    let weight: Int64
    var quote: LegQuote?
    var isStale = false
    /// Shares now for each one at the first event.
    var ratio = Ratio.one
  }

  /// The prices of a leg, for the shares at its first event.
  struct LegQuote: Codable {
    var sides: Sides
    var time: Int64
    var received: Int64
    var priceDecimals: UInt8
  }

  enum Outcome {
    case send(Quote)
    case leaveOut(LeftOut)
  }

  init(_ settings: CombineSettings) {
    symbol = settings.symbol ?? Symbol(id: 0)
    base = settings.base?.raw
    staleAfter = settings.staleAfter
    // An invalid name is reported where the configuration is checked.
    legs = (settings.legs?.entries ?? []).compactMap { entry in
      (try? Symbol(entry.name)).map { Leg(symbol: $0, weight: entry.value.raw) }
    }
    places = Dictionary(legs.enumerated().map { ($1.symbol, $0) }) { first, _ in first }
  }

  func place(of symbol: Symbol) -> Int? { places[symbol] }

  var staleLegs: [Symbol] { legs.filter(\.isStale).map(\.symbol) }

  var missingLegs: [Symbol] { legs.filter { $0.quote == nil }.map(\.symbol) }

  mutating func take<E: PricedEvent>(_ event: E, of place: Int) -> Outcome {
    guard event.hasMarketPrice else { return .leaveOut(.unpriced) }
    let time = event.fairTime
    if let known = legs[place].quote, time < known.time { return .leaveOut(.late) }
    let ratio = legs[place].ratio
    let given = Sides(event)
    let sides = given.map(price: ratio.applied, size: { $0 })
    if (sides.bid == nil) != (given.bid == nil) || (sides.ask == nil) != (given.ask == nil) { return .leaveOut(.beyond) }
    legs[place].quote = LegQuote(sides: sides, time: time, received: event.received.ns, priceDecimals: event.priceDecimals)
    if legs[place].isStale { staleCount -= 1 }
    legs[place].isStale = false
    if let staleAfter { nextDue = min(nextDue, event.received.ns.addingSaturating(staleAfter)) }
    newest = max(newest, time)
    return value(received: event.received.ns)
  }

  /// The shares of a leg are split: later prices are converted.
  mutating func apply(_ split: PriceSplit, to place: Int) {
    if let ratio = legs[place].ratio.times(split.ratio) { legs[place].ratio = ratio }
  }

  /// Legs whose last event was received `stale` before `time`, or earlier, become stale.
  mutating func advance(to time: Int64) {
    guard let staleAfter, nextDue <= time else { return }
    nextDue = .max
    for place in legs.indices {
      guard let quote = legs[place].quote, !legs[place].isStale else { continue }
      let due = quote.received.addingSaturating(staleAfter)
      if due <= time {
        legs[place].isStale = true
        staleCount += 1
        expiries += 1
      } else {
        nextDue = min(nextDue, due)
      }
    }
  }

  private mutating func value(received: Int64) -> Outcome {
    var decimals: UInt8 = 0
    for leg in legs {
      guard let quote = leg.quote else { return .leaveOut(.incomplete) }
      decimals = max(decimals, quote.priceDecimals)
    }
    if staleCount > 0 { return .leaveOut(.withheld) }
    let sums = (bid: sum(ofBid: true), ask: sum(ofBid: false))
    if base != nil, first == nil {
      guard let bid = sums.bid, let ask = sums.ask else { return .leaveOut(.incomplete) }
      if bid + ask <= 0 { return .leaveOut(.unscaled) }
      first = bid + ask
    }
    var now = Sides()
    if let sum = sums.bid {
      guard let price = price(sum) else { return .leaveOut(.beyond) }
      now.bid = Level(price: price, size: size(ofBid: true))
    }
    if let sum = sums.ask {
      guard let price = price(sum) else { return .leaveOut(.beyond) }
      now.ask = Level(price: price, size: size(ofBid: false))
    }
    if now == last { return .leaveOut(now == Sides() ? .incomplete : .unchanged) }
    last = now
    return .send(now.quote(symbol, time: newest, received: received, priceDecimals: decimals, sizeDecimals: 0))
  }

  /// Who sells the combination sells legs of positive weight at the bid, and buys those of negative weight at the ask.
  private func side(of leg: Leg, ofBid: Bool) -> Level? { ofBid == (leg.weight > 0) ? leg.quote?.sides.bid : leg.quote?.sides.ask }

  /// The sum of weight times price, in billionths of a billionth; nil if a side of a leg is missing. The limits of 'legs' keep it in range.
  private func sum(ofBid: Bool) -> Int128? {
    var sum: Int128 = 0
    for leg in legs {
      guard let side = side(of: leg, ofBid: ofBid) else { return nil }
      sum += Int128(leg.weight) * Int128(side.price)
    }
    return sum
  }

  /// The value as a price, rounded once, half to even; nil if it does not fit.
  private func price(_ sum: Int128) -> Int64? {
    guard let base, let first else { return roundedQuotient(sum.magnitude.multipliedFullWidth(by: 1), 1_000_000_000, isNegative: sum < 0) }
    return roundedQuotient((sum.magnitude * 2).multipliedFullWidth(by: UInt128(base)), first.magnitude, isNegative: sum < 0)
  }

  /// How many combinations the sizes of the legs allow, rounded down; 0 if one is not known, and for an index, which has no units.
  private func size(ofBid: Bool) -> Int64 {
    if base != nil { return 0 }
    var least = Quantity.most.raw
    for leg in legs {
      guard let side = side(of: leg, ofBid: ofBid), side.size > 0 else { return 0 }
      let (now, overflow) = (Int128(side.size) * Int128(leg.ratio.denominator)).multipliedReportingOverflow(by: 1_000_000_000)
      if overflow { return 0 }
      least = min(least, Int64(clamping: now / (Int128(leg.weight.magnitude) * Int128(leg.ratio.numerator))))
    }
    return least
  }
}

/// A quotient rounded once, half to even; nil if it does not fit.
func roundedQuotient(_ dividend: (high: UInt128, low: UInt128), _ divisor: UInt128, isNegative: Bool) -> Int64? {
  guard dividend.high < divisor else { return nil }
  var (quotient, rest) = divisor.dividingFullWidth(dividend)
  // The divisor is below half of the range, so twice the rest fits.
  if rest * 2 > divisor || rest * 2 == divisor && quotient & 1 == 1 { quotient += 1 }
  guard let magnitude = Int128(exactly: quotient) else { return nil }
  return Int64(exactly: isNegative ? -magnitude : magnitude)
}

extension Basket {
  /// What one instance leaves to the next, which may have other legs.
  struct Snapshot: Codable, Sendable {
    struct Leg: Codable {
      var weight: Int64
      var quote: LegQuote?
      var isStale: Bool
      var newShares: Int64
      var oldShares: Int64
    }

    var legs: [Symbol: Leg]
    var symbol: Symbol
    var first: Int128?
    var last: Sides
    var newest: Int64
  }

  var snapshot: Snapshot {
    Snapshot(
      legs: Dictionary(
        legs.map {
          let leg = Snapshot.Leg(
            weight: $0.weight, quote: $0.quote, isStale: $0.isStale, newShares: $0.ratio.numerator, oldShares: $0.ratio.denominator)
          return ($0.symbol, leg)
        }
      ) { first, _ in first }, symbol: symbol, first: first, last: last, newest: newest)
  }

  /// Goes on with the prices of the legs that are the same. The first value of an index holds for the same legs with the same weights.
  mutating func restore(_ snapshot: Snapshot) {
    newest = snapshot.newest
    if snapshot.symbol == symbol { last = snapshot.last }
    var isSame = snapshot.legs.count == legs.count
    for place in legs.indices {
      guard let left = snapshot.legs[legs[place].symbol] else {
        isSame = false
        continue
      }
      if left.weight != legs[place].weight { isSame = false }
      legs[place].quote = left.quote
      legs[place].ratio = Ratio(left.newShares, left.oldShares) ?? .one
      legs[place].isStale = left.isStale && staleAfter != nil && left.quote != nil
      if legs[place].isStale { staleCount += 1 }
      if let staleAfter, let quote = left.quote, !legs[place].isStale {
        nextDue = min(nextDue, quote.received.addingSaturating(staleAfter))
      }
    }
    // No sum is in the upper half of the range.
    if isSame, let first = snapshot.first, first > 0, first < Int128.max / 2 { self.first = first }
  }
}
