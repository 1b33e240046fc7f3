internal import EventBus
internal import MarketData

/// Turns events into samples of a board: the traded amounts, and the prices that count.
struct MoverFeed {
  /// The last bar of a symbol, to be replaced if it is reissued.
  struct LastBar: Codable, Sendable {
    var time = Int64.min
    var volume: Int128 = 0
    var turnover: Int128 = 0
  }

  var board: MoverBoard
  /// The length of the first bar; bars of other lengths would count the same trades again.
  private var barLength: BarLength?
  /// By symbol handle.
  private var lastBars: [LastBar] = []
  /// By symbol handle, the last total of a ranking.
  private var totals: [Int64] = []

  init(_ board: MoverBoard) { self.board = board }

  /// What a run leaves to the next one.
  var saved: Saved {
    let symbols = board.standings.map(\.symbol)
    return Saved(
      board: board.saved, barLength: barLength,
      bars: Dictionary(uniqueKeysWithValues: symbols.filter { $0.id < lastBars.count }.map { ($0, lastBars[Int($0.id)]) }),
      totals: Dictionary(uniqueKeysWithValues: symbols.filter { $0.id < totals.count }.map { ($0, totals[Int($0.id)]) }))
  }

  /// Goes on from a feed with the same settings; begins anew if that is impossible.
  mutating func restore(_ saved: Saved) {
    guard board.restore(saved.board) else { return }
    barLength = saved.barLength
    for (symbol, bar) in saved.bars {
      lastBars.grow(toHold: Int(symbol.id), filling: LastBar())
      lastBars[Int(symbol.id)] = bar
    }
    for (symbol, total) in saved.totals {
      totals.grow(toHold: Int(symbol.id), filling: 0)
      totals[Int(symbol.id)] = total
    }
  }

  mutating func process<E: PricedEvent, Output: MoverOutput & ~Copyable>(_ events: Span<E>, into output: inout Output) {
    for i in events.indices {
      if events[i].hasLeft {
        output.filter(1)
      } else if let sample = sample(of: events[i]) {
        board.take(sample, into: &output)
      } else {
        output.filter(1)
      }
    }
  }

  mutating func advance<Output: MoverOutput & ~Copyable>(to time: Timestamp, into output: inout Output) {
    board.advance(to: time.ns, into: &output)
  }

  /// The next time at which a list changes by itself; nil if there is none.
  var due: Timestamp? { board.nextDue == .max ? nil : Timestamp(ns: board.nextDue) }

  /// Sends an event for each member that leaves, at the last event's receipt time.
  func leave<Output: MoverOutput & ~Copyable>(into output: inout Output) { board.leave(into: &output) }

  @inline(__always)
  private mutating func sample<E: PricedEvent>(of event: E) -> MoverBoard.Sample? {
    let price = event.lastPrice
    var (volume, turnover): (Int128, Int128)
    var (isDated, isDay) = (false, false)
    if let ranked = event.asRanked {
      let size = added(by: ranked)
      (volume, turnover) = (Int128(size.raw), Amount(price, times: size).raw)
    } else if let bar = event as? Bar {
      guard let traded = traded(in: bar) else { return nil }
      (volume, turnover) = traded
      isDay = bar.length >= .day
      isDated = isDay || bar.length == .unknown
    } else {
      let size = Quantity(raw: max(0, event.countedSize.raw))
      (volume, turnover) = (Int128(size.raw), Amount(price, times: size).raw)
    }
    // A trade at a negative price still counts as turnover.
    if price.raw < 0, turnover < 0 { turnover = 0 - turnover }
    return MoverBoard.Sample(
      symbol: event.symbol, price: price.raw, volume: volume, turnover: turnover, time: event.time.ns, received: event.received.ns,
      priceDecimals: event.priceDecimals, sizeDecimals: event.sizeDecimals, isDated: isDated,
      isDay: isDay, auction: event.condition.isAuction ? event.condition : .regular, countsForLast: event.condition.countsForLast)
  }

  /// The amount traded since the last event of the symbol: a ranking gives the total since it began.
  private mutating func added(by ranked: Ranked) -> Quantity {
    let id = Int(ranked.symbol.id)
    totals.grow(toHold: id, filling: 0)
    let (added, overflow) = ranked.volume.raw.subtractingReportingOverflow(totals[id])
    totals[id] = ranked.volume.raw
    return Quantity(raw: overflow ? 0 : max(0, added))
  }

  /// Nil for a bar that does not count. A reissued bar replaces the symbol's last one; a revision of an older bar adds nothing.
  private mutating func traded(in bar: Bar) -> (volume: Int128, turnover: Int128)? {
    if bar.length != (barLength ?? bar.length) { return nil }
    barLength = bar.length
    let id = Int(bar.symbol.id)
    lastBars.grow(toHold: id, filling: LastBar())
    let size = Quantity(raw: max(0, bar.volume.raw))
    let volume = Int128(size.raw)
    let turnover = bar.turnover == .zero ? Amount(bar.close, times: size).raw : bar.turnover.raw
    let last = lastBars[id]
    if bar.revision > 0, bar.time.ns < last.time { return (0, 0) }
    lastBars[id] = LastBar(time: bar.time.ns, volume: volume, turnover: turnover)
    if bar.revision > 0, bar.time.ns == last.time {
      var difference = turnover
      difference.subtractSaturating(last.turnover)
      return (volume - last.volume, difference)
    }
    return (volume, turnover)
  }
}
