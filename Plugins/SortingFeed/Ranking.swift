internal import StockbusPlugin

/// The symbols of a feed in order, with what is known of each.
struct Ranking: ~Copyable {
  private let by: RankingKey
  private let top: Int
  private var order: RankedOrder
  /// Place of a symbol by its handle, -1 where it is new; places count first appearances, which also decides ties.
  private var places: [Int32] = []
  /// By place: the symbol's first price, and its last event.
  private var references: ContiguousArray<Price> = []
  private var latest: ContiguousArray<Ranked> = []

  init(by: RankingKey, order: RankingOrder, top: Int) {
    self.by = by
    self.top = top
    self.order = RankedOrder(descending: order == .descending)
  }

  mutating func update<E: PricedEvent>(_ events: Span<E>, into output: inout Outlet<Ranked>) {
    for i in events.indices { update(events[i], into: &output) }
  }

  private mutating func update<E: PricedEvent>(_ event: E, into output: inout Outlet<Ranked>) {
    let place = place(of: event)
    let reference = references[place]
    let price = event.lastPrice
    var ranked = latest[place]
    ranked.price = price
    ranked.change = Price(raw: price.raw.addingSaturating(0 &- reference.raw))
    ranked.percent = Percent.change(from: reference, to: price) ?? Percent(raw: 0)
    ranked.volume = Quantity(raw: ranked.volume.raw.addingSaturating(event.tradedSize.raw))
    ranked.time = event.time
    ranked.received = event.received
    ranked.priceDecimals = event.priceDecimals
    ranked.sizeDecimals = max(ranked.sizeDecimals, event.sizeDecimals)
    let (previous, rank) = order.update(UInt32(place), key: key(of: ranked))
    let before = previous ?? Int.max
    ranked.rank = rank < top ? UInt32(rank + 1) : 0
    ranked.previousRank = before < top ? UInt32(before + 1) : 0
    latest[place] = ranked
    guard rank < top || before < top else { return output.filter() }
    output.send(ranked)
    if rank >= top { sendNeighbour(atRank: top - 1, hasEntered: true, into: &output) }
    if before >= top, order.count > top { sendNeighbour(atRank: top, hasEntered: false, into: &output) }
  }

  /// The symbol that crossed the border of `top` because another one did.
  private mutating func sendNeighbour(atRank rank: Int, hasEntered: Bool, into output: inout Outlet<Ranked>) {
    guard let place = order.entry(atRank: rank) else { return }
    latest[Int(place)].rank = hasEntered ? UInt32(top) : 0
    latest[Int(place)].previousRank = hasEntered ? 0 : UInt32(top)
    output.send(latest[Int(place)])
  }

  @inline(__always)
  private func key(of ranked: Ranked) -> Int64 {
    switch by {
    case .price: ranked.price.raw
    case .change: ranked.change.raw
    case .percent: ranked.percent.raw
    case .volume: ranked.volume.raw
    }
  }

  @inline(__always)
  private mutating func place(of event: some PricedEvent) -> Int {
    let id = Int(event.symbol.id)
    if id < places.count, places[id] >= 0 { return Int(places[id]) }
    return admit(event)
  }

  @inline(never)
  private mutating func admit(_ event: some PricedEvent) -> Int {
    let id = Int(event.symbol.id)
    if id >= places.count { places.append(contentsOf: repeatElement(-1, count: max(id + 1, places.count * 2, 64) - places.count)) }
    let place = references.count
    places[id] = Int32(place)
    references.append(event.lastPrice)
    latest.append(
      Ranked(
        symbol: event.symbol, rank: 0, previousRank: 0, price: event.lastPrice, change: 0, percent: 0, volume: 0, time: event.time,
        received: event.received, priceDecimals: event.priceDecimals, sizeDecimals: event.sizeDecimals))
    return place
  }
}

extension Int64 {
  /// The sum, or the nearest that fits: a running volume never wraps around.
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
