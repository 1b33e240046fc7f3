internal import MarketData
internal import StockbusPlugin

/// What the table shows: the latest of every symbol, in order.
struct Board {
  /// One symbol.
  struct Row {
    let symbol: Symbol
    var price: Price
    /// The price the change is counted from.
    var reference: Price
    var percent = Percent(raw: 0)
    var change = Price(raw: 0)
    var volume = Quantity(raw: 0)
    var decimals: UInt8
    /// The last rank it told.
    var rank = 0
    /// When the price moved last, and which way.
    var movedAt: Duration?
    var isUp = true
    /// The last prices, oldest first.
    var history: [Int64] = []
  }

  /// Symbols beyond this are counted and kept, but have no history and no place in the order.
  static let orderLimit = 4096
  static let historyLength = 16

  let flash: Duration
  private(set) var rows: [Row] = []
  /// Indices of `rows` from rank 1 on; follows a ranking's moves, otherwise the order of appearance.
  private(set) var order: [Int32] = []
  private var places: [Int32] = []
  private(set) var total = 0
  private(set) var isRanked = false
  /// True where the ranking comes through a filter: its moves cannot be followed, so each symbol stands by the last rank it told.
  private(set) var isPartial = false
  private var lastMove: Duration?

  init(flash: Duration) { self.flash = flash }

  func isFlashing(at now: Duration) -> Bool { lastMove.map { now - $0 < flash } ?? false }

  /// Takes a price and answers its change since the symbol's first.
  @discardableResult
  mutating func update(_ event: some PricedEvent, at now: Duration? = nil) -> Price {
    total += 1
    let index = index(of: event.symbol, price: event.lastPrice, decimals: event.priceDecimals)
    let change = event.lastPrice.raw.subtractingReportingOverflow(rows[index].reference.raw)
    rows[index].change = Price(raw: change.overflow ? 0 : change.partialValue)
    rows[index].percent = Percent.change(from: rows[index].reference, to: event.lastPrice) ?? Percent(raw: 0)
    let volume = rows[index].volume.raw.addingReportingOverflow(event.tradedSize.raw)
    rows[index].volume = Quantity(raw: volume.overflow ? .max : volume.partialValue)
    move(index, to: event.lastPrice, decimals: event.priceDecimals, at: now)
    return rows[index].change
  }

  mutating func update<E: PricedEvent>(_ run: Span<E>, at now: Duration) {
    for i in run.indices { update(run[i], at: now) }
  }

  mutating func update(ranked run: Span<Ranked>, at now: Duration) {
    isRanked = true
    for i in run.indices {
      let event = run[i]
      total += 1
      let index = index(of: event.symbol, price: event.price, decimals: event.priceDecimals)
      rows[index].change = event.change
      rows[index].percent = event.percent
      rows[index].volume = event.volume
      move(index, to: event.price, decimals: event.priceDecimals, at: now)
      place(index, rank: Int(event.rank), previous: Int(event.previousRank))
    }
  }

  private mutating func move(_ index: Int, to price: Price, decimals: UInt8, at now: Duration?) {
    if price != rows[index].price {
      rows[index].isUp = price > rows[index].price
      rows[index].movedAt = now
      lastMove = now
      rows[index].price = price
    }
    rows[index].decimals = decimals
    guard index < Self.orderLimit, now != nil else { return }
    if rows[index].history.count >= Self.historyLength { rows[index].history.removeFirst() }
    rows[index].history.append(price.raw)
  }

  /// Follows one move of a ranking: out of its old place, into the new one; everything between shifts by one. Rank 0 leaves.
  private mutating func place(_ index: Int, rank: Int, previous: Int) {
    let entry = Int32(index)
    rows[index].rank = rank
    let old = previous >= 1 && previous <= order.count && order[previous - 1] == entry ? previous - 1 : order.firstIndex(of: entry)
    // In a whole ranking no rank is beyond the symbols there are.
    if rank > order.count + (old == nil ? 1 : 0) { isPartial = true }
    if let old {
      if old == rank - 1, !isPartial { return }
      order.remove(at: old)
    }
    if rank == 0 { return }
    if isPartial {
      let at = order.firstIndex { rows[Int($0)].rank >= rank } ?? order.count
      if at < Self.orderLimit { order.insert(entry, at: at) }
      if order.count > Self.orderLimit { order.removeLast() }
      return
    }
    if rank - 1 >= Self.orderLimit { return }
    order.insert(entry, at: min(rank - 1, order.count))
    if order.count > Self.orderLimit { order.removeLast() }
  }

  private mutating func index(of symbol: Symbol, price: Price, decimals: UInt8) -> Int {
    let id = Int(symbol.id)
    if id < places.count, places[id] >= 0 { return Int(places[id]) }
    if id >= places.count { places += Array(repeating: -1, count: max(id + 1, places.count * 2, 64) - places.count) }
    places[id] = Int32(rows.count)
    rows.append(Row(symbol: symbol, price: price, reference: price, decimals: decimals))
    if !isRanked, order.count < Self.orderLimit { order.append(Int32(rows.count - 1)) }
    return rows.count - 1
  }
}
