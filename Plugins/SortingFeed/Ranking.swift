internal import StockbusInstruments
internal import StockbusPlugin

/// The symbols of a feed in order, with the data of each.
struct Ranking: ~Copyable {
  private let by: RankingKey
  /// The number that is ordered by, in words; nil if that is one of the ranking's own figures.
  let number: String?
  let top: Int
  /// True if changes are the ranking's own, and not those of a feed upstream.
  private let ownsChange: Bool
  private(set) var order: RankedOrder
  /// A symbol's number in the order, by its handle; `unknown` if it is new. Numbers are assigned in the order of first appearance, which
  /// also decides ties, unless names do.
  private(set) var entries = Slab<UInt32>()
  /// By number; stored only if equal keys are ordered by name.
  private var ties = Ties()
  private let tiesByName: Bool
  /// By number; stored only if equal keys are ordered by name.
  private var symbols = Slab<Symbol>()
  /// By number.
  private(set) var standings = Slab<Standing>()
  /// By number, the last event; stored only if it may have to be sent again with another rank.
  private var latest = Slab<Ranked>()
  /// By number, the last price; stored only if it is not the key.
  private var prices = Slab<Int64>()
  /// By number, the last change; stored only if it is from a feed upstream.
  private var changes = Slab<Change>()

  // Not private, because Swift 6.3.1 then builds a broken module.
  struct Change: BitwiseCopyable {
    let change: Price
    let percent: Percent
  }

  private static var unknown: UInt32 { .max }

  /// - Parameter isBehindAnother: true if its events are from another feed.
  init(_ settings: SortingFeedSettings, isBehindAnother: Bool) {
    // With a number prices are stored, as with any key that is not the price.
    if case .key(let key) = settings.by { by = key } else { by = .volume }
    number = settings.by.number
    tiesByName = settings.tiesByName
    top = settings.top ?? .max
    ownsChange = !isBehindAnother || settings.since == .previousClose
    order = RankedOrder(descending: settings.order == .descending)
  }

  /// The symbol's rank, counted from 0; nil if it has none.
  func rank(of symbol: Symbol) -> Int? { number(of: symbol).flatMap { order.rank(of: $0, tie: tie(of: $0)) } }

  /// The symbol's number in the order; nil if it is new.
  func number(of symbol: Symbol) -> UInt32? {
    guard case let id = Int(symbol.id), id < entries.count, Int(entries[id]) < standings.count else { return nil }
    return entries[id]
  }

  /// The tie of a known entry; for rare cases.
  private func tie(of entry: UInt32) -> UInt32 { tiesByName ? ties[entry] : 0 }

  mutating func update<E: PricedEvent>(_ events: Span<E>, into output: inout Outlet<Ranked>) {
    if tiesByName { update(events, ByName.self, into: &output) } else { update(events, ByAppearance.self, into: &output) }
  }

  @inline(__always)
  private mutating func update<E: PricedEvent, T: TieRule>(_ events: Span<E>, _: T.Type, into output: inout Outlet<Ranked>) {
    let isLarge = order.isLarge
    for i in events.indices {
      if isLarge { lookAhead(events, from: i) }
      if events[i].hasLeft {
        remove(events, i, into: &output)
        continue
      }
      if !events[i].condition.countsForAll {
        updateSpecially(events, i, T.self, into: &output)
        continue
      }
      if top == .max {
        output.send(rank(events, i, events[i].tradedSize, T.self).ranked)
      } else {
        updateTop(events, i, events[i].tradedSize, T.self, into: &output)
      }
    }
  }

  /// Takes a batch of which the numbers that are ordered by have been computed: nil keeps the last one of the symbol. Returns for how many
  /// events there has been none yet.
  mutating func update<E: PricedEvent>(_ events: Span<E>, by numbers: ArraySlice<Int64?>, into output: inout Outlet<Ranked>) -> Int {
    if tiesByName { return update(events, by: numbers, ByName.self, into: &output) }
    return update(events, by: numbers, ByAppearance.self, into: &output)
  }

  private mutating func update<E: PricedEvent, T: TieRule>(
    _ events: Span<E>, by numbers: ArraySlice<Int64?>, _: T.Type, into output: inout Outlet<Ranked>
  ) -> Int {
    var notReady = 0
    for i in events.indices {
      if events[i].hasLeft {
        remove(events, i, into: &output)
        continue
      }
      let size = events[i].countedSize
      guard events[i].condition.countsForLast else {
        addVolume(events, i, size)
        output.filter()
        continue
      }
      let entry = entry(of: events[i].symbol, at: events[i].lastPrice, events[i].priceDecimals)
      guard let key = numbers[numbers.startIndex + i] ?? order.key(of: entry) else {
        notReady += 1
        addVolume(events, i, size)
        output.filter()
        continue
      }
      let (ranked, before, now) = rank(events, i, size, T.self, by: key)
      if top == .max { output.send(ranked) } else { sendTop(ranked, from: before, to: now, into: &output) }
    }
    return notReady
  }

  /// An update by a trade that does not count for everything.
  @inline(never)
  private mutating func updateSpecially<E: PricedEvent, T: TieRule>(
    _ events: Span<E>, _ i: Int, _: T.Type, into output: inout Outlet<Ranked>
  ) {
    let size = events[i].countedSize
    if !events[i].condition.countsForLast {
      addVolume(events, i, size)
      output.filter()
    } else if top == .max {
      output.send(rank(events, i, size, T.self).ranked)
    } else {
      updateTop(events, i, size, T.self, into: &output)
    }
  }

  /// Counts the size of a trade whose price does not count; the symbol's next event has it in its volume.
  private mutating func addVolume<E: PricedEvent>(_ events: Span<E>, _ i: Int, _ size: Quantity) {
    let id = Int(events[i].symbol.id)
    guard id < entries.count, case let entry = Int(entries[id]), entry < standings.count else { return }
    standings[entry].volume = standings[entry].volume.addingSaturating(size.raw)
    standings[entry].sizeDecimals = max(standings[entry].sizeDecimals, events[i].sizeDecimals)
  }

  /// Prefetches the data for the next events of the batch.
  @inline(never)
  private func lookAhead<E: PricedEvent>(_ events: Span<E>, from i: Int) {
    func entry(of event: Int) -> UInt32? {
      guard event < events.count, case let id = Int(events[event].symbol.id), id < entries.count else { return nil }
      return entries[id]
    }
    if i + Lookahead.entry < events.count { entries.prefetch(Int(events[i + Lookahead.entry].symbol.id)) }
    if let entry = entry(of: i + Lookahead.record) {
      standings.prefetch(Int(entry))
      order.prefetchRecord(of: entry)
      if top != .max { latest.prefetch(Int(entry)) }
    }
    if let entry = entry(of: i + Lookahead.place) { order.prefetchPlace(of: entry) }
  }

  /// Applies an event to the order; returns the event to send, and the ranks counted from 0.
  @inline(__always)
  private mutating func rank<E: PricedEvent, T: TieRule>(
    _ events: Span<E>, _ i: Int, _ size: Quantity, _: T.Type, by number: Int64? = nil
  ) -> (ranked: Ranked, before: Int?, now: Int) {
    let entry = entry(of: events[i].symbol, at: events[i].lastPrice, events[i].priceDecimals)
    let price = events[i].lastPrice
    var change: Price
    var percent: Percent
    let volume: Int64
    if let upstream = events[i].asRanked {
      // A feed upstream has had more events of the symbol, so its figures are used.
      (change, percent, volume) = (upstream.change, upstream.percent, upstream.volume.raw)
      if ownsChange {
        (change, percent) = standings[Int(entry)].reference.change(to: price)
      } else {
        changes[Int(entry)] = Change(change: change, percent: percent)
      }
    } else {
      (change, percent) = standings[Int(entry)].reference.change(to: price)
      volume = standings[Int(entry)].volume.addingSaturating(size.raw)
    }
    let sizeDecimals = max(standings[Int(entry)].sizeDecimals, events[i].sizeDecimals)
    standings[Int(entry)].volume = volume
    standings[Int(entry)].sizeDecimals = sizeDecimals
    let own = by == .price ? price.raw : otherKey(entry, price, change, percent, volume)
    let (before, now) = order.update(entry, key: number ?? own, tie: T.tie(of: entry, ties))
    // The event's properties are read again here, because there are too few registers to hold all of them until now.
    let ranked = Ranked(
      symbol: events[i].symbol, rank: UInt32(truncatingIfNeeded: now &+ 1),
      previousRank: before.map { UInt32(truncatingIfNeeded: $0 &+ 1) } ?? 0, price: events[i].lastPrice, change: change, percent: percent,
      volume: Quantity(raw: volume), time: events[i].time, received: events[i].received, priceDecimals: events[i].priceDecimals,
      sizeDecimals: sizeDecimals)
    return (ranked, before, now)
  }

  /// The key if it is not the price, which is then stored.
  @inline(__always)
  private mutating func otherKey(_ entry: UInt32, _ price: Price, _ change: Price, _ percent: Percent, _ volume: Int64) -> Int64 {
    prices[Int(entry)] = price.raw
    return by == .change ? change.raw : by == .percent ? percent.raw : volume
  }

  /// An update if only the first `top` ranks are published.
  private mutating func updateTop<E: PricedEvent, T: TieRule>(
    _ events: Span<E>, _ i: Int, _ size: Quantity, _: T.Type, into output: inout Outlet<Ranked>
  ) {
    let (ranked, previous, now) = rank(events, i, size, T.self)
    sendTop(ranked, from: previous, to: now, into: &output)
  }

  /// Sends a symbol's event, and the symbols that it displaced, if only the first `top` ranks are published.
  @inline(__always)
  private mutating func sendTop(_ event: Ranked, from previous: Int?, to now: Int, into output: inout Outlet<Ranked>) {
    var ranked = event
    let before = previous ?? Int.max
    if now >= top { ranked.rank = 0 }
    if before >= top { ranked.previousRank = 0 }
    keep(ranked, entries[Int(ranked.symbol.id)])
    guard now < top || before < top else { return output.filter() }
    output.send(ranked)
    if before != now { sendDisplaced(by: ranked, from: before, to: now, into: &output) }
  }

  private mutating func keep(_ ranked: Ranked, _ entry: UInt32) {
    latest.extend(to: Int(entry) + 1, filling: ranked)
    latest[Int(entry)] = ranked
  }

  /// Removes a symbol that has left the feed upstream.
  @inline(never)
  private mutating func remove<E: PricedEvent>(_ events: Span<E>, _ i: Int, into output: inout Outlet<Ranked>) {
    let id = Int(events[i].symbol.id)
    guard var ranked = events[i].asRanked, id < entries.count, Int(entries[id]) < standings.count,
      let before = order.remove(entries[id], tie: tie(of: entries[id]))
    else { return output.filter() }
    // If the symbol returns, it may be from a restarted feed.
    standings[Int(entries[id])].sizeDecimals = 0
    guard before < top else { return output.filter() }
    ranked.rank = 0
    ranked.previousRank = UInt32(truncatingIfNeeded: before + 1)
    output.send(ranked)
    if top != .max { sendDisplaced(by: ranked, from: before, to: .max, into: &output) }
  }

  /// Removes a symbol, if it is in the order; its events are sent to readers later.
  mutating func remove(_ symbol: Symbol) {
    guard let entry = number(of: symbol) else { return }
    _ = order.remove(entry, tie: tie(of: entry))
    standings[Int(entry)].sizeDecimals = 0
  }

  /// True if the symbol is in the order with the same price, change, per cent and volume; for a ranking with `top`.
  func has(_ event: Ranked) -> Bool {
    guard let number = number(of: event.symbol), case let entry = Int(number), entry < latest.count, order.key(of: number) != nil
    else { return false }
    return latest[entry].price == event.price && latest[entry].change == event.change && latest[entry].percent == event.percent
      && latest[entry].volume == event.volume
  }

  /// Sends the new ranks of the symbols between the two ranks of the symbol in `mover`, counted from 0; `.max` is outside the order.
  private mutating func sendDisplaced(by mover: Ranked, from before: Int, to now: Int, into output: inout Outlet<Ranked>) {
    let hasRisen = now < before
    let ranks = hasRisen ? now + 1..<min(before, top, order.count - 1) + 1 : before..<min(now, top, order.count)
    for rank in ranks {
      guard let entry = order.entry(atRank: rank).map(Int.init) else { continue }
      latest[entry].rank = published(rank)
      latest[entry].previousRank = published(hasRisen ? rank - 1 : rank + 1)
      latest[entry].time = mover.time
      latest[entry].received = mover.received
      output.send(latest[entry])
    }
  }

  /// The published form of a rank counted from 0.
  private func published(_ rank: Int) -> UInt32 { rank < top ? UInt32(rank + 1) : 0 }

  /// Lets a symbol's change count from `price` and its volume from zero, from its next event on.
  mutating func open(_ symbol: Symbol, from price: Price, _ priceDecimals: UInt8) {
    let entry = Int(entry(of: symbol, at: price, priceDecimals))
    let standing = standings[entry]
    standings[entry] = Standing(
      reference: Reference(price), sizeDecimals: standing.sizeDecimals, priceDecimals: standing.priceDecimals)
  }

  /// Lets a symbol's change count from its reference converted by a split, from its next event on; from `price` if that is out of range.
  mutating func apply(_ split: PriceSplit, to symbol: Symbol, at price: Price) {
    guard let entry = number(of: symbol).map(Int.init) else { return }
    standings[entry].reference = Reference(split.adjust(standings[entry].reference.price) ?? price)
  }

  @inline(__always)
  private mutating func entry(of symbol: Symbol, at price: Price, _ priceDecimals: UInt8) -> UInt32 {
    let id = Int(symbol.id)
    // `unknown` is above every symbol's number.
    if id < entries.count, Int(entries[id]) < standings.count { return entries[id] }
    return admit(symbol, at: price, priceDecimals)
  }

  @inline(never)
  private mutating func admit(_ symbol: Symbol, at price: Price, _ priceDecimals: UInt8) -> UInt32 {
    admit(symbol, Standing(reference: Reference(price), priceDecimals: priceDecimals))
  }

  private mutating func admit(_ symbol: Symbol, _ standing: Standing) -> UInt32 {
    let id = Int(symbol.id)
    entries.extend(to: id + 1, filling: Self.unknown)
    let entry = UInt32(standings.count)
    entries[id] = entry
    standings.extend(to: standings.count + 1, filling: standing)
    if tiesByName { symbols.extend(to: standings.count, filling: symbol) }
    if by != .price { prices.extend(to: standings.count, filling: 0) }
    if !ownsChange { changes.extend(to: standings.count, filling: Change(change: 0, percent: 0)) }
    return tiesByName ? placeAmongTies(symbol, entry) : entry
  }

  /// Assigns the entries of equal hashes to their symbols in the order of the names; returns the entry of `symbol`, which has `entry` and
  /// is not in the order yet. Readers need not be notified of this.
  private mutating func placeAmongTies(_ symbol: Symbol, _ entry: UInt32) -> UInt32 {
    let group = ties.add(symbol)
    if group.isEmpty { return entry }
    var own = entry
    // Each symbol with a later name moves to the next entry of the group.
    for other in group.dropLast().reversed() {
      let resident = symbols[Int(other)]
      if !(symbol < resident) { break }
      exchange(other, own)
      own = other
    }
    return own
  }

  /// Swaps the contents of the entries `from` and `to`; `to` is not in the order.
  private mutating func exchange(_ from: UInt32, _ to: UInt32) {
    let (a, b) = (Int(from), Int(to))
    let key = order.key(of: from)
    _ = order.remove(from, tie: tie(of: from))
    (symbols[a], symbols[b]) = (symbols[b], symbols[a])
    entries[Int(symbols[a].id)] = from
    entries[Int(symbols[b].id)] = to
    (standings[a], standings[b]) = (standings[b], standings[a])
    if by != .price { (prices[a], prices[b]) = (prices[b], prices[a]) }
    if !ownsChange { (changes[a], changes[b]) = (changes[b], changes[a]) }
    if latest.count > a {
      latest.extend(to: b + 1, filling: latest[a])
      (latest[a], latest[b]) = (latest[b], latest[a])
    }
    if let key { _ = order.update(to, key: key, tie: tie(of: to)) }
  }

  /// Continues where another ranking has ended; before the first event.
  mutating func restore(_ rows: [RankingSnapshot.Row]) {
    for row in rows {
      let entry = admit(row.symbol, row.standing)
      guard let last = row.last else { continue }
      // An order by another number begins with the next events.
      if number != nil, row.number == nil { continue }
      let own = by == .price ? last.price.raw : otherKey(entry, last.price, last.change, last.percent, last.volume.raw)
      _ = order.update(entry, key: number == nil ? own : row.number ?? own, tie: tie(of: entry))
      if !ownsChange { changes[Int(entry)] = Change(change: last.change, percent: last.percent) }
      if top != .max { keep(last, entry) }
    }
  }

  /// A symbol's next event as it would be at the last price, without its ranks and times; nil if the symbol is not in the order.
  func last(_ symbol: Symbol, _ entry: UInt32) -> Ranked? {
    guard let key = order.key(of: entry) else { return nil }
    let standing = standings[Int(entry)]
    let price = Price(raw: by == .price ? key : prices[Int(entry)])
    var (change, percent) = standing.reference.change(to: price)
    if !ownsChange { (change, percent) = (changes[Int(entry)].change, changes[Int(entry)].percent) }
    // With `top` the last event is stored; otherwise the decimals of the first price are used.
    let priceDecimals = Int(entry) < latest.count ? latest[Int(entry)].priceDecimals : standing.priceDecimals
    return Ranked(
      symbol: symbol, rank: 0, previousRank: 0, price: price, change: change, percent: percent, volume: Quantity(raw: standing.volume),
      time: Timestamp(ns: 0), received: Timestamp(ns: 0), priceDecimals: priceDecimals, sizeDecimals: standing.sizeDecimals)
  }
}
