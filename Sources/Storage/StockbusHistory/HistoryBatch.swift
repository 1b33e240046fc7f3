package import EventBus
package import MarketData

/// The trading date, in days since 1970, that a time belongs to for a symbol, and when a later date begins; midnight UTC, or at the
/// exchange, stands for the date of that name.
package typealias TradingDates = @Sendable (Symbol, Timestamp) -> (date: Int, end: Timestamp)

/// Bars and prices that wait to be written: all bars, and of each symbol's prices the last one of every trading date.
package struct HistoryBatch: Sendable {
  /// In the order of their arrival.
  package private(set) var bars: [Bar] = []
  package private(set) var prices: [LastPrice] = []
  /// The number of events in the batch.
  package private(set) var events = 0
  /// The index in `prices` plus one, by the symbol's handle.
  private var places: [UInt32] = []
  /// The last prices of dates before the newest one, in the order in which the dates began; only of dates without a bar of their own.
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
    /// True if the waiting price is that of a complete bar of the date, which is its close.
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

  /// Adds prices. The last event of a symbol that has left a ranking gives no price, nor does a trade that does not count for the last one.
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
  ///   - isDated: true if the time is a midnight that stands for a date, which may have begun at another moment.
  ///   - isClose: true if the price is the close of its date, which is kept with the bar.
  @usableFromInline
  mutating func keep(_ price: LastPrice, isDated: Bool = false, isClose: Bool = false) {
    let id = Int(price.symbol.id)
    places.grow(toHold: id, filling: 0)
    days.grow(toHold: id, filling: Day())
    let place = Int(places[id])
    if price.time.ns >= days[id].end || isDated { begin(price, id, place, isClose: isClose) }
    if place == 0 {
      prices.append(price)
      places[id] = UInt32(truncatingIfNeeded: prices.count)
    } else if price.time >= prices[place - 1].time {
      prices[place - 1] = price
    }
  }

  /// Looks up the date of a price; a price that begins a date ends the one before.
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

  /// Empties the batch; its memory and the known dates stay.
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
