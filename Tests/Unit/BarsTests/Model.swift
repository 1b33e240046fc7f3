import StockbusPlugin

@testable import Bars

/// Bars as slowly and obviously as possible: every trade is kept, and every bar is computed anew from its trades when it is sent.
struct BarModel {
  struct Entry {
    var symbol: Symbol
    /// The place of the symbol among those that have come.
    var place: Int
    var l: Int
    var start: Int128
    var end: Int128
    var trades: [Trade] = []
    /// Its time is over.
    var isClosed = false
    var isSent = false
    /// The bar whose close it repeats for want of an own one; the same again if it is issued again.
    var repeated: Bar?
    var revision: UInt32 = 0
    /// How many bars in a row were filled, with this one.
    var fills = 0
    /// The bar that was sent last.
    var last: Bar?
  }

  let rules: BarRules
  private(set) var outcome = Outcome()
  private var symbols: [Symbol] = []
  private var entries: [Entry] = []
  private var newest = Int64.min

  init(_ rules: BarRules) { self.rules = rules }

  mutating func run(_ trades: [Trade]) {
    for (i, trade) in trades.enumerated() {
      let before = trade.received.ns - 1
      close(until: before)
      newest = max(newest, trade.received.ns)
      if trade.time.ns - trade.received.ns > 5 * second {
        outcome.refusals.append("\(i) ahead ")
        continue
      }
      if !trade.condition.countsForLast, !trade.condition.countsForVolume { continue }
      if !symbols.contains(trade.symbol) { symbols.append(trade.symbol) }
      for l in rules.lengths.indices {
        if trade.countedSize < 0 {
          outcome.refusals.append("\(i) negativeVolume \(rules.lengths[l])")
        } else if !count(trade, l, Int128(before)) {
          outcome.refusals.append("\(i) late \(rules.lengths[l])")
        }
      }
    }
  }

  mutating func drain() {
    for i in order(entries.indices.filter { !entries[$0].isClosed && !entries[$0].trades.isEmpty && hasPrices($0) }) {
      entries[i].repeated = entries[i].repeated ?? before(entries[i])
      outcome.bars.append(bar(entries[i], received: newest, .partial))
    }
  }

  /// False if it came too late.
  private mutating func count(_ trade: Trade, _ l: Int, _ now: Int128) -> Bool {
    guard let length = rules.lengths[l].nanoseconds else {
      collect(trade, l)
      return true
    }
    // The first Monday of the epoch's time was four days after its beginning.
    let origin: Int128 = rules.lengths[l] == .week ? 4 * 86_400 * Int128(second) : 0
    var start = origin - Int128(length) * 1_000_000
    start += (Int128(trade.time.ns) - start) / Int128(length) * Int128(length)
    let end = start + Int128(length)
    let isClosed = end + Int128(rules.wait) <= now
    if isClosed, end + Int128(rules.wait) + Int128(rules.late) <= now { return false }
    var i = entries.firstIndex { $0.symbol == trade.symbol && $0.l == l && $0.start == start }
    if i == nil {
      i = entries.count
      entries.append(Entry(symbol: trade.symbol, place: symbols.firstIndex(of: trade.symbol) ?? 0, l: l, start: start, end: end))
    }
    guard let i else { return true }
    entries[i].trades.append(trade)
    if isClosed {
      entries[i].isClosed = true
      if entries[i].isSent { entries[i].revision += 1 }
      send(i, received: trade.received.ns)
    }
    return true
  }

  private mutating func collect(_ trade: Trade, _ l: Int) {
    var i = entries.firstIndex { $0.symbol == trade.symbol && $0.l == l && !$0.isClosed }
    if i == nil {
      i = entries.count
      entries.append(
        Entry(symbol: trade.symbol, place: symbols.firstIndex(of: trade.symbol) ?? 0, l: l, start: 0, end: Int128(Int64.max) * 2))
    }
    guard let i else { return }
    entries[i].trades.append(trade)
    let volume = entries[i].trades.reduce(Int128(0)) { $0 + Int128($1.countedSize.raw) }
    let isFull =
      switch rules.lengths[l].kind {
      case .trades(let count): entries[i].trades.count { $0.condition.countsForVolume } >= count
      case .volume(let least): volume >= Int128(least.raw)
      case .time, .unknown: false
      }
    if isFull, hasPrices(i) {
      entries[i].isClosed = true
      send(i, received: trade.received.ns)
    }
  }

  private mutating func close(until time: Int64) {
    while let i = order(entries.indices.filter { !entries[$0].isClosed && entries[$0].end + Int128(rules.wait) <= Int128(time) }).first {
      entries[i].isClosed = true
      send(i, received: Int64(entries[i].end) + rules.wait)
      if entries[i].fills >= rules.fills || !hasPrices(i) { continue }
      let (entry, end) = (entries[i], entries[i].end)
      if let next = entries.firstIndex(where: { $0.symbol == entry.symbol && $0.l == entry.l && $0.start == end }) {
        if !hasPrices(next) { entries[next].fills = entry.fills + 1 }
        continue
      }
      entries.append(
        Entry(symbol: entry.symbol, place: entry.place, l: entry.l, start: end, end: end + end - entry.start, fills: entry.fills + 1))
    }
  }

  /// In the order in which they go out.
  private func order(_ indices: [Int]) -> [Int] {
    indices.sorted { (entries[$0].end, entries[$0].place, entries[$0].l) < (entries[$1].end, entries[$1].place, entries[$1].l) }
  }

  /// True if a trade counts for open and close, or a bar is there to be repeated.
  private func hasPrices(_ i: Int) -> Bool { entries[i].fills > 0 || entries[i].trades.contains { $0.condition.countsForLast } }

  /// The bar before an entry, of which the last sent form counts.
  private func before(_ entry: Entry) -> Bar? {
    entries.first { $0.symbol == entry.symbol && $0.l == entry.l && $0.end == entry.start }?.last
  }

  private mutating func send(_ i: Int, received: Int64) {
    if !hasPrices(i) { return }
    if entries[i].trades.contains(where: { $0.condition.countsForLast }) { entries[i].fills = 0 }
    entries[i].repeated = entries[i].repeated ?? before(entries[i])
    entries[i].isSent = true
    let bar = bar(entries[i], received: received, .complete)
    entries[i].last = bar
    outcome.bars.append(bar)
  }

  private func bar(_ entry: Entry, received: Int64, _ status: BarStatus) -> Bar {
    let trades = entry.trades.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    let own = trades.filter(\.condition.countsForLast)
    let wide = trades.filter(\.condition.countsForHighLow)
    let volume = trades.reduce(Int128(0)) { $0 + Int128($1.countedSize.raw) }
    let turnover = trades.reduce(Int128(0)) { $0 + Int128($1.price.raw) * Int128($1.countedSize.raw) }
    let repeated = entry.repeated?.close ?? 0
    let (open, close) = (own.first?.price ?? repeated, own.last?.price ?? repeated)
    let prices = wide.map(\.price) + (own.isEmpty ? [repeated] : [])
    let priceDecimals = wide.map(\.priceDecimals) + (own.isEmpty ? [entry.repeated?.priceDecimals ?? 0] : [])
    let sizeDecimals = trades.isEmpty ? entry.repeated?.sizeDecimals : trades.map(\.sizeDecimals).max()
    var vwap = close
    if volume > 0 {
      // Prices are positive here.
      var (quotient, rest) = turnover.quotientAndRemainder(dividingBy: volume)
      if 2 * rest > volume || 2 * rest == volume && quotient % 2 == 1 { quotient += 1 }
      vwap = Price(raw: Int64(quotient))
    }
    return Bar(
      symbol: entry.symbol, open: open, high: prices.max() ?? 0, low: prices.min() ?? 0, close: close,
      volume: Quantity(raw: Int64(volume)),
      time: rules.lengths[entry.l].raw > 0 ? Timestamp(ns: Int64(entry.start)) : own[0].time, received: Timestamp(ns: received),
      priceDecimals: priceDecimals.max() ?? 0, sizeDecimals: sizeDecimals ?? 0,
      length: rules.lengths[entry.l], turnover: Amount(raw: turnover), vwap: vwap,
      count: UInt32(trades.count { $0.condition.countsForVolume }), revision: entry.revision,
      status: status)
  }
}
