internal import StockbusPlugin

/// The symbols of a feed in order, with what is known of each.
struct Ranking: ~Copyable {
  private let by: RankingKey
  private let top: Int
  private var order: RankedOrder
  /// A symbol's number in the order by its handle, `unknown` where it is new; numbers count first appearances, which also decides ties.
  private var entries = Slab<UInt32>()
  /// By number.
  private var standings = Slab<Standing>()
  /// By number, the last event: kept only where a neighbour's may have to be sent again.
  private var latest = Slab<Ranked>()

  private static var unknown: UInt32 { .max }

  init(by: RankingKey, order: RankingOrder, top: Int) {
    self.by = by
    self.top = top
    self.order = RankedOrder(descending: order == .descending)
  }

  mutating func update<E: PricedEvent>(_ events: Span<E>, into output: inout Outlet<Ranked>) {
    if top == .max {
      for i in events.indices {
        let (ranked, _, _) = rank(events[i])
        output.send(ranked)
      }
    } else {
      for i in events.indices { updateTop(events[i], into: &output) }
    }
  }

  /// Takes the event into the order; answers what there is to tell, and the ranks counted from 0.
  @inline(__always)
  private mutating func rank(_ event: some PricedEvent) -> (ranked: Ranked, before: Int?, now: Int) {
    let entry = entry(of: event)
    let price = event.lastPrice
    let (change, percent) = standings[Int(entry)].reference.change(to: price)
    let volume = standings[Int(entry)].volume.addingSaturating(event.tradedSize.raw)
    let sizeDecimals = max(standings[Int(entry)].sizeDecimals, event.sizeDecimals)
    standings[Int(entry)].volume = volume
    standings[Int(entry)].sizeDecimals = sizeDecimals
    let (before, now) = order.update(entry, key: by == .price ? price.raw : otherKey(change, percent, volume))
    let ranked = Ranked(
      symbol: event.symbol, rank: UInt32(truncatingIfNeeded: now &+ 1),
      previousRank: before.map { UInt32(truncatingIfNeeded: $0 &+ 1) } ?? 0, price: price, change: change, percent: percent,
      volume: Quantity(raw: volume), time: event.time, received: event.received, priceDecimals: event.priceDecimals,
      sizeDecimals: sizeDecimals)
    return (ranked, before, now)
  }

  /// The key where it is not the price, which needs no jump.
  @inline(__always)
  private func otherKey(_ change: Price, _ percent: Percent, _ volume: Int64) -> Int64 {
    by == .change ? change.raw : by == .percent ? percent.raw : volume
  }

  /// An update where only the first `top` ranks are told.
  private mutating func updateTop(_ event: some PricedEvent, into output: inout Outlet<Ranked>) {
    var (ranked, previous, now) = rank(event)
    let before = previous ?? Int.max
    if now >= top { ranked.rank = 0 }
    if before >= top { ranked.previousRank = 0 }
    let entry = Int(entry(of: event))
    latest.extend(to: entry + 1, filling: ranked)
    latest[entry] = ranked
    guard now < top || before < top else { return output.filter() }
    output.send(ranked)
    if now >= top { sendNeighbour(atRank: top - 1, hasEntered: true, into: &output) }
    if before >= top, order.count > top { sendNeighbour(atRank: top, hasEntered: false, into: &output) }
  }

  /// The symbol that crossed the border of `top` because another one did.
  private mutating func sendNeighbour(atRank rank: Int, hasEntered: Bool, into output: inout Outlet<Ranked>) {
    guard let entry = order.entry(atRank: rank).map(Int.init) else { return }
    latest[entry].rank = hasEntered ? UInt32(top) : 0
    latest[entry].previousRank = hasEntered ? 0 : UInt32(top)
    output.send(latest[entry])
  }

  @inline(__always)
  private mutating func entry(of event: some PricedEvent) -> UInt32 {
    let id = Int(event.symbol.id)
    if id < entries.count, entries[id] != Self.unknown { return entries[id] }
    return admit(event.symbol, at: event.lastPrice)
  }

  @inline(never)
  private mutating func admit(_ symbol: Symbol, at price: Price) -> UInt32 {
    let id = Int(symbol.id)
    entries.extend(to: id + 1, filling: Self.unknown)
    let entry = UInt32(standings.count)
    entries[id] = entry
    standings.extend(to: standings.count + 1, filling: Standing(reference: Reference(price)))
    return entry
  }
}

extension Int64 {
  /// The sum, or the nearest that fits: a running volume never wraps around.
  @inline(__always)
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
