package import EventBus
package import MarketData

/// The trading date, in days since 1970, that a time belongs to for a symbol, and when a later one begins; midnight UTC, or at the exchange,
/// stands for the date of that name.
package typealias TradingDates = @Sendable (Symbol, Timestamp) -> (date: Int, end: Timestamp)

/// What waits to be written: all bars, and of each symbol's prices the last one of every trading date.
package struct HistoryBatch: Sendable {
  /// In the order in which they came.
  package private(set) var bars: [Bar] = []
  package private(set) var prices: [LastPrice] = []
  /// How many events it is made of.
  package private(set) var events = 0
  /// The index in `prices` plus one, by the symbol's handle.
  private var places: [UInt32] = []
  /// The last prices of dates that were over before the newest one, in the order in which these began; of dates that have no bar of their own.
  private(set) var ended: [LastPrice] = []
  /// Symbols that have begun a date. The price in the file may be the last one of a date before.
  private(set) var begun: Set<Symbol> = []
  /// The newest date of each symbol, by handle; it outlives `clear`.
  private var days: [Day] = []
  private let dates: TradingDates

  private struct Day: Sendable {
    var date = Int.min
    /// When a later date begins, in nanoseconds.
    var end = Int64.min
    /// True if the price that waits is that of a complete bar of the date, which is its close.
    var hasClose = false
  }

  package init(_ dates: @escaping TradingDates = Timestamp.datesInUTC) { self.dates = dates }

  package var isEmpty: Bool { events == 0 }

  package mutating func add(_ bar: Bar) {
    events += 1
    bars.append(bar)
    let isDay = bar.length == .day
    keep(LastPrice(bar), isDated: bar.length >= .day, isClose: isDay && bar.status == .complete)
  }

  /// Adds prices; a symbol's place in a ranking that it has left is no price, nor is that of a trade which does not count for the last one.
  @inlinable
  package mutating func add<E: PricedEvent>(prices all: Span<E>) {
    for i in all.indices {
      // No `&&`: the optimizer of Swift 6.3 fails on a span in an autoclosure.
      if all[i].hasLeft { continue }
      if all[i].condition.countsForLast { keep(LastPrice(all[i])) }
    }
    count(all.count)
  }

  @usableFromInline
  mutating func count(_ n: Int) { events += n }

  /// - Parameters:
  ///   - isDated: the time is a midnight that stands for a date, which may have begun at another moment.
  ///   - isClose: it is the close of its date, which is kept with the bar.
  @usableFromInline
  mutating func keep(_ price: LastPrice, isDated: Bool = false, isClose: Bool = false) {
    let id = Int(price.symbol.id)
    if id >= places.count {
      let more = max(id + 1 - places.count, places.count, 64)
      places += repeatElement(0, count: more)
      days += repeatElement(Day(), count: more)
    }
    let place = Int(places[id])
    if price.time.ns >= days[id].end || isDated { begin(price, id, place, isClose: isClose) }
    if place == 0 {
      prices.append(price)
      places[id] = UInt32(truncatingIfNeeded: prices.count)
    } else if price.time >= prices[place - 1].time {
      prices[place - 1] = price
    }
  }

  /// Looks up the date of a price; one that begins a date ends the one before.
  @inline(never)
  private mutating func begin(_ price: LastPrice, _ id: Int, _ place: Int, isClose: Bool) {
    let (date, end) = dates(price.symbol, price.time)
    let last = days[id]
    if date > last.date {
      if place > 0, !last.hasClose { ended.append(prices[place - 1]) }
      begun.insert(price.symbol)
      days[id] = Day(date: date, end: end.ns, hasClose: isClose)
    } else if date == last.date, isClose {
      days[id].hasClose = true
    }
  }

  /// Empties it; its memory stays, and so does what is known of dates.
  package mutating func clear() {
    for price in prices { places[Int(price.symbol.id)] = 0 }
    bars.removeAll(keepingCapacity: true)
    prices.removeAll(keepingCapacity: true)
    ended.removeAll(keepingCapacity: true)
    begun.removeAll(keepingCapacity: true)
    events = 0
  }
}

extension Timestamp {
  /// The dates of UTC.
  package static let datesInUTC: TradingDates = { _, time in
    let day = time.daysSinceEpoch
    let (end, overflow) = Int64(day + 1).multipliedReportingOverflow(by: Self.day)
    return (day, Timestamp(ns: overflow ? .max : end))
  }
}
