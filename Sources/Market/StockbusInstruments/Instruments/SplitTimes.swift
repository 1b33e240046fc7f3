package import StockbusPlugin

/// A split at the moment from which prices are those of the new shares.
package struct PriceSplit: BitwiseCopyable, Hashable, Sendable {
  /// The moment, in nanoseconds since the epoch.
  package let time: Int64
  /// The ratio of new to old shares.
  package let ratio: Ratio

  /// `new: 7, old: 1` for seven shares instead of one. Nil unless both are positive.
  package init?(time: Int64, new: Int64, old: Int64) {
    guard let ratio = Ratio(new, old) else { return nil }
    self.init(time: time, ratio)
  }

  init(time: Int64, _ ratio: Ratio) {
    self.time = time
    self.ratio = ratio
  }

  /// A price from before the split, adjusted to the new shares: `price × old / new`, rounded once to a billionth, half to even; nil if it
  /// is out of range.
  package func adjust(_ price: Int64) -> Int64? { ratio.inverse.applied(to: price) }

  package func adjust(_ price: Price) -> Price? { adjust(price.raw).map { Price(raw: $0) } }

  /// A bar from before the split, adjusted to the new shares; its volume and turnover stay.
  package func adjust(_ bar: Bar) -> Bar? {
    var bar = bar
    guard let open = adjust(bar.open), let high = adjust(bar.high), let low = adjust(bar.low), let close = adjust(bar.close),
      let vwap = adjust(bar.vwap)
    else { return nil }
    (bar.open, bar.high, bar.low, bar.close, bar.vwap) = (open, high, low, close, vwap)
    return bar
  }
}

/// The splits of instruments by the moments at which they take effect: when the first session of their trading date begins, or at its midnight
/// in UTC without a calendar.
package struct SplitTimes: Sendable {
  private let splits: [Symbol: [PriceSplit]]

  package init(_ instruments: Instruments) {
    var splits: [Symbol: [PriceSplit]] = [:]
    for instrument in instruments.all where !instrument.splits.isEmpty { splits[instrument.symbol] = instruments.splits(of: instrument) }
    self.splits = splits
  }

  package var isEmpty: Bool { splits.isEmpty }

  /// The first split of a symbol after, but not at, a time; nil if there is none.
  package func first(of symbol: Symbol, after time: Int64) -> PriceSplit? { splits[symbol]?.first { $0.time > time } }
}

/// Finds the event of a symbol from which prices are those of the new shares, so that older prices must be adjusted before a comparison.
///
/// To be called for every event. An event costs one comparison, except in the last days before a split.
package struct SplitWatch: Sendable {
  private struct Next: BitwiseCopyable {
    /// No event before this time can be after the split; the time of a weekly bar is some days before its close.
    var earliest = Int64.min
    /// When the split takes effect; `Int64.max` if there is none, `Int64.min` before the symbol's first event.
    var time = Int64.min
    /// The split is the first one after this moment.
    var after = Int64.min

    init() {}

    init(_ times: SplitTimes, of symbol: Symbol, after: Int64) {
      self.after = after
      time = times.first(of: symbol, after: after)?.time ?? .max
      let (earliest, overflow) = time.subtractingReportingOverflow(SplitWatch.slack)
      self.earliest = time == .max ? .max : overflow ? .min : earliest
    }
  }

  private let instruments: Instruments
  private let times: SplitTimes
  /// The next splits by symbol handle.
  private var next: ContiguousArray<Next> = []

  /// Nil if no instrument has a split, so that there is nothing to watch.
  ///
  /// - Parameter earlier: what an earlier instance has watched, perhaps with other splits.
  package init?(_ instruments: Instruments, after earlier: SplitWatch? = nil) {
    times = SplitTimes(instruments)
    self.instruments = instruments
    if times.isEmpty { return nil }
    for (symbol, after) in earlier?.met ?? [:] { watch(symbol, after: after) }
  }

  private mutating func watch(_ symbol: Symbol, after: Int64) {
    next.grow(toHold: Int(symbol.id), filling: Next())
    next[Int(symbol.id)] = Next(times, of: symbol, after: after)
  }

  /// The symbols that have had events, with the moments after which their next splits are.
  private var met: [Symbol: Int64] {
    let met = next.indices.lazy.filter { next[$0].time != .min }
    return Dictionary(uniqueKeysWithValues: met.map { (Symbol(id: UInt32($0)), next[$0].after) })
  }

  /// The next split between the symbol's previous event and this one; nil if there is none. To be called until it returns nil.
  @inline(__always)
  package mutating func take<E: PricedEvent>(_ event: E) -> PriceSplit? {
    let id = Int(event.symbol.id)
    if id < next.count, event.time.ns < next[id].earliest { return nil }
    return takeFar(event.symbol, at: instruments.moment(of: event))
  }

  /// The next split before a price at a moment.
  package mutating func take(_ symbol: Symbol, at moment: Timestamp) -> PriceSplit? { takeFar(symbol, at: moment) }

  @inline(never)
  private mutating func takeFar(_ symbol: Symbol, at moment: Timestamp) -> PriceSplit? {
    let id = Int(symbol.id)
    next.grow(toHold: id, filling: Next())
    let due = next[id].time
    if moment.ns < due { return nil }
    // Before the first event there is no older price.
    let isFirst = due == .min
    if due == .max { return nil }
    let split = isFirst ? nil : times.first(of: symbol, after: due - 1)
    next[id] = Next(times, of: symbol, after: isFirst ? moment.ns : due)
    return split
  }

  /// How long before the moment of its price an event may be dated: the length of a weekly bar, and a day for zones.
  private static var slack: Int64 { 8 * 86_400_000_000_000 }
}

/// Written without the splits, which are those of the instruments: one that was decoded is to be passed to `init(_:after:)`.
extension SplitWatch: Codable {
  package init(from decoder: any Decoder) throws {
    instruments = Instruments()
    times = SplitTimes(instruments)
    for (symbol, after) in try [Symbol: Int64](from: decoder) { watch(symbol, after: after) }
  }

  package func encode(to encoder: any Encoder) throws { try met.encode(to: encoder) }
}

extension Instruments {
  /// The splits of an instrument at their moments.
  fileprivate func splits(of instrument: Instrument) -> [PriceSplit] {
    let calendar = calendar(for: instrument.symbol)
    return instrument.splits.map { split in
      // On a date without trading, a split takes effect with the next trading date.
      let first = calendar?.next(after: split.date.advanced(by: -1)).flatMap { calendar?.hours(of: $0)?.lowerBound }
      return PriceSplit(time: (first ?? split.date.midnight).ns, split.ratio)
    }
  }

  /// The bars of a symbol, oldest first, with prices for the shares at `present`, or else at the newest bar, so that a chart shows no split
  /// as a fall. Volumes stay; a bar with a price that would be out of range is left out.
  package func adjusted(_ bars: [Bar], to present: Timestamp? = nil) -> [Bar] {
    guard let last = bars.last, terms(of: last.symbol)?.hasSplits == true, let instrument = self[last.symbol] else { return bars }
    let end = (present ?? moment(of: last)).ns
    let splits = splits(of: instrument).filter { $0.time <= end }
    return bars.compactMap { bar in
      let begin = moment(of: bar).ns
      return splits.reduce(bar) { bar, split in begin < split.time ? bar.flatMap { split.adjust($0) } : bar }
    }
  }

  /// The moment at which an event's price counts for trading dates: its time, or that of its receipt if it is dated ahead. The print of an
  /// auction belongs to the session that it opens or closes. The close of a bar of a day or more whose time stands for a date belongs to
  /// that trading date, or to the last one of its week.
  package func moment<E: PricedEvent>(of event: E) -> Timestamp {
    let time = EventClock.fair(event.time, received: event.received)
    if event.condition.isAuction { return calendar(for: event.symbol)?.moment(of: event.condition, at: time) ?? time }
    guard let bar = event as? Bar, bar.length == .unknown || bar.length >= .day else { return time }
    let calendar = calendar(for: event.symbol)
    let own = bar.length >= .day ? zone?.date(ofMidnight: time) : nil
    let midnight = calendar.map { $0.date(ofMidnight: time) } ?? own ?? TradingDate(of: time, nil)
    guard var date = midnight else { return time }
    if bar.length == .week { date = calendar.map { $0.lastOfWeek(date) ?? date } ?? date.monday.advanced(by: 6) }
    return calendar.flatMap { $0.hours(of: date)?.lowerBound } ?? max(time, date.midnight)
  }
}
