internal import StockbusPlugin

/// The rules that decide which bars are made.
struct BarRules: Sendable, Hashable, Codable {
  /// At least one. Positive ones are times; the order is that in which bars that are due together are sent.
  var lengths: [BarLength]
  /// How long after its end a bar waits for late trades, and how long after that it can be issued again; nanoseconds.
  var wait: Int64 = 200_000_000
  var late: Int64 = 60_000_000_000
  /// How many bars in a row may be filled with the last close.
  var fills: UInt16 = 0
  /// True if the input is bars, which may be issued again: then the components of a bar are kept as long as they can be replaced.
  var keepsComponents = false
}

/// The bars of all symbols: the state of the plugin, without tasks and clocks.
///
/// Time is the receipt time of events. An event received at `r` implies that everything received before `r` is here, so the bars that are
/// due before `r` close before the event counts. The result is the same for any batches and any calls of `advance`.
///
/// In the common case a trade costs a look-up of its symbol and one comparison for each length; all other cases are in `place`.
struct BarBook: ~Copyable {
  let rules: BarRules
  let lengths: [BarLength]
  /// The calendar of a symbol; nil if no symbol has one.
  let calendar: (@Sendable (Symbol) -> (any BarCalendar)?)?

  /// The symbols' numbers and newest bars, by handle.
  var entries = Table<SymbolEntry>()
  /// The symbols by number. Numbers are in the order in which symbols first arrived, from 1.
  var symbols = Table<Symbol>()
  /// How the time of each symbol is divided, by its number.
  var periods = [Periods(calendar: nil)]
  /// The period of each length that was computed last; only if no symbol has a calendar.
  var latestPeriods = Table<Period>()
  /// The session of each symbol's last event, by number; only if symbols have calendars.
  var sessions = Table<SessionTime>()
  /// The newest bar of each symbol and length after the first, by key: the symbol's number times the number of lengths, plus the length's
  /// place. That of the first length is in the symbol's entry.
  var newestCells = Table<UInt32>()
  var cells = Table<BarCell>()
  /// The components of each bar, by the number of its cell; only if components are kept.
  var components = Table<Components>()
  /// The first unused cell.
  var unused: UInt32 = 0
  /// The first and the last of the closed bars, in the order in which they closed.
  var oldestClosed: UInt32 = 0
  var newestClosed: UInt32 = 0
  /// The moments at which bars are due, the latest first.
  var dues = Table<Due>()
  /// Bars that are due together, in order. For ordering them: cells by key, 0 everywhere between two uses; and keys with their cells.
  var arranged = Table<UInt32>()
  var scattered = Table<UInt32>()
  var sorted: [UInt64] = []

  /// The last of `dues`; a later receipt closes bars.
  var nextDue = Int64.max
  /// Everything received until this time has arrived.
  var progress = Int64.min
  /// The latest receipt time.
  var newest = Int64.min
  /// The due time of the bars that closed last.
  var lastDue = Int64.min

  /// The last event that has closed bars and came more than `EventClock.tolerance` after the one before it.
  var leap: Leap?

  /// An event whose receipt is far after the one before it, so that it may be wrong.
  struct Leap {
    var symbol: Symbol
    var received: Int64
    /// True once events that were received before it have come after it.
    var isReported = false
  }

  /// Events of the present batch that do not count for some bars. The owner removes them after each batch.
  var refusals: [Refusal] = []
  /// How often a bar's volume, turnover or count exceeded its range, since this was last set to 0.
  var beyond = 0
  /// How many bars were issued again since the owner took this number.
  var revisions = 0
  /// How many bars were not sent, because they had no price, since the owner took this number.
  var unpriced = 0

  /// A time within which events count. A symbol without a calendar has all of it.
  struct SessionTime: BitwiseCopyable {
    var start: Int64 = 0
    var span: UInt64 = 0

    @inline(__always)
    func contains(_ time: Timestamp) -> Bool { UInt64(bitPattern: time.ns &- start) < span }
  }

  /// The components of a bar: bars of a shorter length, linked by their starts.
  struct Components: BitwiseCopyable {
    var newest: UInt32 = 0
    var oldest: UInt32 = 0
  }

  init(_ rules: BarRules, calendar: (@Sendable (Symbol) -> (any BarCalendar)?)? = nil) {
    self.rules = rules
    self.calendar = calendar
    lengths = rules.lengths
    // Number 0 of symbols and cells means "none". Its span is 0, so no trade is ever added to it.
    symbols.extend(to: 1, filling: Symbol(id: 0))
    newestCells.extend(to: lengths.count, filling: 0)
    latestPeriods.extend(to: lengths.count, filling: Period(start: 0, end: 0))
    sessions.extend(to: 1, filling: SessionTime())
    cells.extend(
      to: 1,
      filling: BarCell(
        Period(start: 0, end: 0), due: 0, key: 0, .closed,
        Contribution(open: 0, high: 0, low: 0, close: 0, volume: 0, turnover: 0, count: 0, priceDecimals: 0, sizeDecimals: 0, time: 0)))
  }

  /// When the next bar is due; nil if none is.
  var due: Int64? { dues.count == 0 ? nil : nextDue }

  /// Takes events of single prices.
  mutating func take<R: PriceReader>(_ events: Span<R.Input>, by reader: R, into output: inout Outlet<Bar>) {
    // Two loops, so that calendars cost nothing where there are none.
    if calendar == nil {
      take(events, by: reader, inSessions: false, into: &output)
    } else {
      take(events, by: reader, inSessions: true, into: &output)
    }
  }

  @inline(__always)
  private mutating func take<R: PriceReader>(
    _ events: Span<R.Input>, by reader: R, inSessions hasCalendars: Bool, into output: inout Outlet<Bar>
  ) {
    let hasFurtherLengths = lengths.count > 1
    let later = events.extracting(droppingFirst: PrefetchDistance.bar)
    for i in events.indices {
      events.prefetch(i &+ PrefetchDistance.event)
      if i < later.count { prefetchBar(of: later[i].symbol) }
      let received = events[i].received
      if received.ns > newest {
        if received.ns > nextDue { pass(received.ns, by: events[i].symbol, into: &output) }
        newest = received.ns
      }
      let time = events[i].time
      // Nearly all events are dated before their receipt.
      if time > received, EventClock.fair(time, received: received) != time {
        refuse(i, .ahead)
        continue
      }
      guard let price = reader.price(of: events[i]) else {
        output.filter()
        continue
      }
      // The print of an auction may belong to a session beside its time; a trade with such a condition is also checked further.
      if hasCalendars, events[i].condition.rawValue > TradeCondition.sweep.rawValue {
        placeInSession(events, i, price, into: &output)
        continue
      }
      let entry = entry(of: events[i].symbol)
      if hasCalendars, !sessions[Int(entry.number)].contains(time), !enter(time, of: events[i].symbol) {
        output.filter()
        continue
      }
      if !hasCalendars, !events[i].condition.countsForAll {
        placeSpecial(events, i, price, at: time, into: &output)
        continue
      }
      add(events, i, price, in: 0, to: Int(entry.newestCell), into: &output)
      if hasFurtherLengths { addToFurther(events, i, price, into: &output) }
    }
  }

  /// Adds an event that counts for everything to the bars of the lengths after the first. Not inlined, because most pipelines have one
  /// length.
  @inline(never)
  private mutating func addToFurther<E: PricedEvent>(
    _ events: Span<E>, _ i: Int, _ price: Price, into output: inout Outlet<Bar>
  ) {
    let firstKey = Int(entry(of: events[i].symbol).number) &* lengths.count
    for l in 1..<lengths.count { add(events, i, price, in: l, to: Int(newestCells[firstKey &+ l]), into: &output) }
  }

  /// Adds an event that counts for everything to a bar of length number `l`, if its time is in the bar's period.
  @inline(__always)
  private mutating func add<E: PricedEvent>(
    _ events: Span<E>, _ i: Int, _ price: Price, in l: Int, to cell: Int, into output: inout Outlet<Bar>
  ) {
    let time = events[i].time.ns
    if UInt64(bitPattern: time &- cells[cell].start) < cells[cell].span {
      let size = events[i].tradedSize
      if !cells[cell].add(price, size, at: time, events[i].priceDecimals, events[i].sizeDecimals) {
        addSlowly(events, i, price, in: l, to: cell)
      }
    } else {
      place(events, i, price, at: events[i].time, in: l, into: &output)
    }
  }

  /// The entry of a symbol, which is empty if the symbol has not arrived.
  @inline(__always)
  func entry(of symbol: Symbol) -> SymbolEntry {
    let id = Int(symbol.id)
    return entries.has(id) ? entries[id] : SymbolEntry()
  }

  /// Prefetches the bar that a later event of the batch is going to change. Only that of the first length: a bar of each of several lengths
  /// is more than a few events ahead can hide.
  @inline(__always)
  private func prefetchBar(of symbol: Symbol) { cells.prefetch(Int(entry(of: symbol).newestCell)) }

  /// Looks up the session of a time; returns false if nothing counts then.
  @inline(never)
  mutating func enter(_ time: Timestamp, of symbol: Symbol) -> Bool {
    let number = number(of: symbol)
    guard let calendar = periods[number].calendar else {
      sessions[number] = SessionTime(start: .min, span: .max)
      return true
    }
    guard let session = calendar.session(at: time.ns) else { return false }
    sessions[number] = SessionTime(start: session.start, span: UInt64(bitPattern: session.end &- session.start))
    return true
  }

  /// Takes a trade with a condition, where symbols have calendars.
  @inline(never)
  private mutating func placeInSession<E: PricedEvent>(_ events: Span<E>, _ i: Int, _ price: Price, into output: inout Outlet<Bar>) {
    let condition = events[i].condition
    let number = number(of: events[i].symbol)
    var time = events[i].time
    if condition.isAuction, let calendar = periods[number].calendar { time = Timestamp(ns: calendar.moment(of: condition, at: time.ns)) }
    if !sessions[number].contains(time), !enter(time, of: events[i].symbol) { return output.filter() }
    placeSpecial(events, i, price, at: time, into: &output)
  }

  /// Takes a trade that may not count for everything.
  @inline(never)
  private mutating func placeSpecial<E: PricedEvent>(
    _ events: Span<E>, _ i: Int, _ price: Price, at time: Timestamp, into output: inout Outlet<Bar>
  ) {
    let condition = events[i].condition
    if !condition.countsForLast, !condition.countsForVolume { return output.filter() }
    for l in lengths.indices { place(events, i, price, at: time, in: l, into: &output) }
  }

  // Not inlined, so that the common case keeps its registers.
  @inline(never)
  private mutating func place<E: PricedEvent>(
    _ events: Span<E>, _ i: Int, _ price: Price, at time: Timestamp, in l: Int, into output: inout Outlet<Bar>
  ) {
    let part = Contribution(
      price: price, size: events[i].countedSize, time: time.ns, priceDecimals: events[i].priceDecimals,
      sizeDecimals: events[i].sizeDecimals, condition: events[i].condition)
    place(part, of: events[i].symbol, in: l, event: i, into: &output)
  }

  @inline(never)
  mutating func refuse(_ event: Int, _ reason: Refusal.Reason, in length: Int? = nil) {
    refusals.append(Refusal(event: event, reason: reason, length: length.map { lengths[$0] } ?? .unknown))
  }

  /// Adds an event whose size is negative, or with which a sum is too large.
  @inline(never)
  private mutating func addSlowly<E: PricedEvent>(_ events: Span<E>, _ i: Int, _ price: Price, in l: Int, to cell: Int) {
    let size = events[i].tradedSize
    if size.raw < 0 { return refuse(i, .negativeVolume, in: l) }
    merge(
      Contribution(
        price: price, size: size, time: events[i].time.ns, priceDecimals: events[i].priceDecimals, sizeDecimals: events[i].sizeDecimals,
        condition: .regular), into: cell)
  }
}

/// Reads the price that counts from an event.
protocol PriceReader: Sendable {
  associatedtype Input: PricedEvent
  /// Nil if the event has no such price.
  func price(of event: Input) -> Price?
}
