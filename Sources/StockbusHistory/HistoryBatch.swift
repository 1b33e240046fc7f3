package import EventBus
package import MarketData

/// What waits to be written: all bars, and of each symbol's prices the last one.
package struct HistoryBatch: Sendable {
  /// In the order in which they came.
  package private(set) var bars: [Bar] = []
  package private(set) var prices: [LastPrice] = []
  /// How many events it is made of.
  package private(set) var events = 0
  /// The index in `prices` plus one, by the symbol's handle.
  private var places: [UInt32] = []

  package init() {}

  package var isEmpty: Bool { events == 0 }

  package mutating func add(_ bar: Bar) {
    events += 1
    bars.append(bar)
    keep(LastPrice(bar))
  }

  package mutating func add(_ all: Span<Bar>) { for i in all.indices { add(all[i]) } }

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

  @usableFromInline
  mutating func keep(_ price: LastPrice) {
    let id = Int(price.symbol.id)
    if id >= places.count { places += repeatElement(0, count: max(id + 1 - places.count, places.count, 64)) }
    let place = Int(places[id])
    if place == 0 {
      prices.append(price)
      places[id] = UInt32(truncatingIfNeeded: prices.count)
    } else if price.time >= prices[place - 1].time {
      prices[place - 1] = price
    }
  }

  /// Empties it; its memory stays.
  package mutating func clear() {
    for price in prices { places[Int(price.symbol.id)] = 0 }
    bars.removeAll(keepingCapacity: true)
    prices.removeAll(keepingCapacity: true)
    events = 0
  }
}
