package import StockbusInstruments
package import StockbusPlugin

/// All prices of the screen, as one value. An update takes some nanoseconds for each event.
package struct Market {
  package private(set) var rows: ContiguousArray<Row> = []
  /// Row by symbol handle: -1 unknown, -2 beyond the limit, -3 beyond the limit until the next event, which adds the row.
  private var places: ContiguousArray<Int32> = []
  package private(set) var tape: Tape
  private var series: ContiguousArray<PriceSeries> = []
  package private(set) var standings = Standings()
  package private(set) var isRanked = false
  /// The columns beside the events; nil if there are none.
  package private(set) var beside: RowColumns?
  package private(set) var bars = BarSeries()
  /// The lists of `movers`.
  package private(set) var movers = MoverTables()
  /// The number of events taken.
  package private(set) var total = 0
  /// Symbols beyond the limit: they are counted and not shown.
  package private(set) var beyond = 0
  /// Requested names that have no row yet.
  private var wanted = WantedNames()
  /// The number of rows beyond the limit.
  private var admitted = 0
  private let limits: MarketLimits
  /// When a row was last viewed, for the most recently viewed rows.
  private var looks: [Int32: Int64] = [:]
  /// The bytes that `series` takes.
  private var seriesBytes = 0
  /// The row whose past is shortened next.
  private var hand = 0
  /// Seconds and bars that were removed because the total memory limit was reached.
  package private(set) var forgotten = 0
  /// The number of event times that were not used because they were ahead of the clock, and of clocks that were set back.
  package private(set) var datedAhead = 0
  /// When a price last changed.
  package private(set) var lastMove = Row.never
  /// Prices that have reached an alert since the last `takeReached`.
  package private(set) var reached: [(row: Int, price: Price, time: Timestamp)] = []
  /// The newest event's two times, and when it was taken, in the clock of `take`.
  package private(set) var newest: (time: Timestamp, received: Timestamp, taken: Int64)?
  private let past: PastPrices
  private let instruments: Instruments
  private var closes: RowCloses
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?

  /// - Parameter instruments: the configured instruments. They have rows even beyond the limit of symbols, and their splits are applied to
  ///   earlier prices.
  package init(_ past: PastPrices = PastPrices(), _ instruments: Instruments = Instruments(), limits: MarketLimits = MarketLimits()) {
    self.past = past
    self.instruments = instruments
    self.limits = limits
    closes = RowCloses(past, instruments)
    tape = Tape(memory: limits.memory / 4)
    splits = SplitWatch(instruments)
  }

  /// Keeps from now on the columns that a component reads beside its events. The market's names are those of `RowColumns`.
  package mutating func keep(_ columns: BatchColumns) { beside = columns.layout.isEmpty ? nil : RowColumns(columns) }

  /// The columns beside the events, by the names of the table.
  package var columns: ColumnLayout { beside?.layout ?? ColumnLayout() }

  /// The close of the trading date before that of a row's price, from which `sorting_feed` counts with `since: previous_close`; nil if
  /// unknown.
  package func previousClose(of row: Int) -> Price? { closes.close(of: row) }

  /// The row of a symbol; nil if it is not shown.
  package func place(of symbol: Symbol) -> Int? {
    let id = Int(symbol.id)
    return id < places.count && places[id] >= 0 ? Int(places[id]) : nil
  }

  package func row(of symbol: Symbol) -> Row? { place(of: symbol).map { rows[$0] } }

  // MARK: Events

  package mutating func take(_ batch: Span<Trade>, at now: Int64) {
    for i in batch.indices {
      let event = batch[i]
      if !event.condition.countsForLast {
        addVolume(event)
        continue
      }
      if splits != nil { split(by: event) }
      guard let at = take(event.symbol, event.price, event.priceDecimals, event.time, event.received, at: now) else { continue }
      rows[at].add(volume: event.countedSize)
      rows[at].sizeDecimals = event.sizeDecimals
      tape.add(
        .init(
          time: rows[at].time, price: event.price, size: event.size, side: event.side, decimals: event.priceDecimals,
          sizeDecimals: event.sizeDecimals), to: at)
    }
    finish(batch, at: now)
  }

  /// A trade whose price does not count is a part of the volume, if the symbol has had a price.
  @inline(never)
  private mutating func addVolume(_ event: Trade) {
    if let at = place(of: event.symbol) { rows[at].add(volume: event.countedSize) }
  }

  package mutating func take(_ batch: Span<Bar>, at now: Int64) {
    for i in batch.indices {
      let event = batch[i]
      // The trades of such a bar were shown before, or those of shorter bars: the bar is a candle only, not a price change.
      if event.length != .unknown, let known = place(of: event.symbol), !rows[known].isStale, event.time < rows[known].time {
        bars.add(instruments.dated(event), to: known)
        if isFull { forget() }
        continue
      }
      if splits != nil { split(by: event) }
      guard
        let at = take(event.symbol, event.close, event.priceDecimals, event.time, event.received, at: now, isDated: event.length >= .day)
      else { continue }
      rows[at].add(volume: event.volume)
      rows[at].high = max(rows[at].high, event.high)
      rows[at].low = min(rows[at].low, event.low)
      bars.add(instruments.dated(event), to: at)
      if isFull { forget() }
      tape.add(
        .init(
          time: rows[at].time, price: event.close, size: event.volume, decimals: event.priceDecimals, sizeDecimals: event.sizeDecimals),
        to: at
      )
    }
    finish(batch, at: now)
  }

  package mutating func take(_ batch: Span<Quote>, at now: Int64) {
    for i in batch.indices {
      let event = batch[i]
      if splits != nil { split(by: event) }
      guard let at = take(event.symbol, event.lastPrice, event.priceDecimals, event.time, event.received, at: now) else { continue }
      rows[at].bid = event.bid
      rows[at].ask = event.ask
      rows[at].bidSize = event.bidSize
      rows[at].askSize = event.askSize
    }
    finish(batch, at: now)
  }

  package mutating func take(_ batch: Span<Ranked>, at now: Int64) {
    isRanked = true
    for i in batch.indices {
      let event = batch[i]
      if event.hasLeft {
        leave(event)
        continue
      }
      if splits != nil { split(by: event) }
      guard let at = take(event.symbol, event.price, event.priceDecimals, event.time, event.received, at: now) else { continue }
      // The feed may have started before the screen, so its change and volume are used.
      let traded = rows[at].updates == 1 ? 0 : event.volume.raw &- rows[at].volume.raw
      if rows[at].updates == 1 { series[at].begin(volume: event.volume.raw) }
      rows[at].reference = Row.difference(event.price, event.change)
      rows[at].volume = event.volume
      rows[at].sizeDecimals = event.sizeDecimals
      rows[at].rank = Int32(clamping: event.rank)
      tape.add(
        .init(
          time: rows[at].time, price: event.price, size: Quantity(raw: max(0, traded)), decimals: event.priceDecimals,
          sizeDecimals: event.sizeDecimals), to: at)
      standings.move(Int32(at), to: Int(event.rank), from: Int(event.previousRank), rows)
    }
    finish(batch, at: now)
  }

  /// Movers are shown on a separate page; their prices also arrive by another input.
  package mutating func take(_ batch: Span<Mover>) {
    for i in batch.indices { movers.take(batch[i]) }
    total &+= batch.count
  }

  /// A symbol that a feed no longer ranks keeps its row without a rank. The price of this event is not a trade.
  private mutating func leave(_ event: Ranked) {
    guard let at = place(of: event.symbol) else { return }
    rows[at].rank = 0
    standings.move(Int32(at), to: 0, from: Int(event.previousRank), rows)
  }

  private mutating func finish<E: PricedEvent>(_ batch: Span<E>, at now: Int64) {
    total &+= batch.count
    if beside != nil { keepColumns(of: batch) }
    if let last = batch.indices.last { newest = (batch[last].time, batch[last].received, now) }
  }

  /// Keeps the columns with the last event of each row, as far as the events of this input have them.
  @inline(never)
  private mutating func keepColumns<E: PricedEvent>(of batch: Span<E>) {
    guard let sources = beside?.sources(of: batch), !sources.isEmpty else { return }
    for i in batch.indices {
      let event = batch[i]
      guard event.condition.countsForLast, !event.hasLeft, let at = place(of: event.symbol) else { continue }
      // A bar of earlier trades is not what the row shows.
      if let bar = event as? Bar, bar.length != .unknown, bar.time < rows[at].time { continue }
      beside?.keep(i, sources, of: at)
    }
  }

  @inline(__always)
  private mutating func take(
    _ symbol: Symbol, _ price: Price, _ decimals: UInt8, _ eventTime: Timestamp, _ received: Timestamp, at now: Int64, isDated: Bool = false
  ) -> Int? {
    let id = Int(symbol.id)
    guard id < places.count, places[id] >= 0 else { return add(symbol, price, decimals, eventTime, received, isDated) }
    let at = Int(places[id])
    let reading = rows[at].clock.take(eventTime, received: received)
    let time = EventClock.fair(eventTime, received: received)
    if reading != .fair { correct(at, reading) }
    let before = rows[at].price
    let news = rows[at].take(price, decimals: decimals, time: time, at: now)
    if !news.isEmpty {
      if news.contains(.moved) { lastMove = now }
      if news.contains(.newSecond) { beginSecond(at, before, time, isDated) }
      if news.contains(.alert) { reach(at) }
    }
    return at
  }

  @inline(never)
  private mutating func beginSecond(_ at: Int, _ last: Price, _ time: Timestamp, _ isDated: Bool) {
    // Within a second the date is the same, so the last price of each second is enough.
    if !rows[at].isStale { closes.end(rows[at].symbol, last, at: Timestamp(ns: rows[at].secondEnd &- 1)) }
    closes.take(rows[at], at, time, isDated)
    if rows[at].isStale { return begin(at) }
    let before = series[at].bytes
    series[at].add(last.raw, total: rows[at].volume.raw, second: rows[at].second)
    seriesBytes &+= series[at].bytes &- before
    if isFull { forget() }
    rows[at].second = Row.floor(time.ns)
    rows[at].secondEnd = rows[at].second &+ Row.nanosecondsASecond
  }

  /// Takes the first event of a symbol whose only price is from before the run: the row begins like that of a new symbol.
  private mutating func begin(_ at: Int) {
    let old = rows[at]
    var row = Row(old.symbol, price: old.price, decimals: old.decimals, time: old.time)
    (row.updates, row.clock, row.isUp, row.movedAt) = (1, old.clock, old.isUp, old.movedAt)
    (row.alertAbove, row.alertBelow) = (old.alertAbove, old.alertBelow)
    rows[at] = row
  }

  /// Handles an event that was dated ahead, and a clock that was set back.
  @inline(never)
  private mutating func correct(_ at: Int, _ reading: EventClock.Reading) {
    datedAhead += 1
    guard reading == .setBack else { return }
    let now = rows[at].clock.now
    rows[at].second = Row.floor(now)
    rows[at].secondEnd = rows[at].second &+ Row.nanosecondsASecond
    let before = series[at].bytes
    series[at].forget(after: now)
    seriesBytes &+= series[at].bytes &- before
  }

  /// Applies the splits since the symbol's last price to all prices of its row.
  @inline(never)
  private mutating func split<E: PricedEvent>(by event: E) {
    while let split = splits?.take(event) {
      guard let at = place(of: event.symbol) else { continue }
      rows[at].apply(split, new: event.lastPrice)
      if at < series.count {
        let before = series[at].bytes
        series[at].apply(split)
        seriesBytes &+= series[at].bytes &- before
      }
      bars.apply(split, to: at)
    }
  }

  /// Reports the alert once; the receiver arms the row again.
  @inline(never)
  private mutating func reach(_ at: Int) {
    reached.append((at, rows[at].price, rows[at].time))
    watch(at, above: nil, below: nil)
  }

  @inline(never)
  private mutating func add(
    _ symbol: Symbol, _ price: Price, _ decimals: UInt8, _ eventTime: Timestamp, _ received: Timestamp, _ isDated: Bool
  ) -> Int? {
    let row = Row(symbol, price: price, decimals: decimals, time: EventClock.fair(eventTime, received: received))
    guard let at = append(row) else { return nil }
    rows[at].updates = 1
    closes.take(rows[at], at, rows[at].time, isDated)
    if rows[at].clock.take(eventTime, received: received) != .fair { datedAhead += 1 }
    return at
  }

  /// Adds the row of a new symbol; returns nil if the limit of rows is reached.
  private mutating func append(_ row: Row) -> Int? {
    let id = Int(row.symbol.id)
    places.grow(toHold: id, filling: -1)
    if places[id] == -2 { return nil }
    if places[id] == -3 {
      beyond -= 1
      admitted += 1
    } else if rows.count >= limits.symbols, instruments.place(of: row.symbol) == nil, !admit(row.symbol) {
      places[id] = -2
      beyond += 1
      return nil
    }
    places[id] = Int32(rows.count)
    rows.append(row)
    series.append(PriceSeries())
    return rows.count - 1
  }

  /// True for a requested symbol, up to `limits.symbols` of them; its request is removed.
  private mutating func admit(_ symbol: Symbol) -> Bool {
    guard !wanted.isEmpty, admitted < limits.symbols, wanted.remove(symbol.description) else { return false }
    admitted += 1
    return true
  }

  // MARK: Requested symbols

  private static let mostLooks = 1024

  /// True if events of a symbol have arrived and it has no row because of the limit.
  package func isBeyond(_ symbol: Symbol) -> Bool { Int(symbol.id) < places.count && places[Int(symbol.id)] < -1 }

  /// Gives a symbol a row with its next event, even beyond the limit of symbols.
  package mutating func want(_ name: String) {
    guard name.utf8.count <= 64 else { return }
    let symbol = Symbol(known: name)
    if let symbol, place(of: symbol) != nil { return }
    wanted.insert(name)
    guard let symbol, isBeyond(symbol), admitted < limits.symbols else { return }
    places[Int(symbol.id)] = -3
  }

  /// Records that a symbol's history is viewed, so that it is among the last to be shortened.
  package mutating func look(at row: Int, now: Int64) {
    guard rows.indices.contains(row) else { return }
    if looks.updateValue(now, forKey: Int32(row)) != nil { return }
    if looks.count > Self.mostLooks, let oldest = looks.min(by: { $0.value < $1.value })?.key { looks[oldest] = nil }
    tape.makeRoom(for: row) { [looks] in looks[$0] != nil }
  }

  // MARK: Memory

  /// The bytes that seconds and bars take.
  var pastBytes: Int { seriesBytes &+ bars.bytes }

  private var isFull: Bool { pastBytes > limits.memory / 4 * 3 }

  /// Shortens histories until an eighth of their memory is free: first those of rows that nobody views, in turn, then those of the rows
  /// viewed longest ago.
  @inline(never)
  private mutating func forget() {
    let goal = limits.memory / 4 * 3 / 8 * 7
    var left = 8 * rows.count
    while pastBytes > goal, left > 0 {
      left -= 1
      hand = hand + 1 < rows.count ? hand + 1 : 0
      if looks[Int32(hand)] == nil { shorten(hand) }
    }
    for (row, _) in looks.sorted(by: { $0.value < $1.value }) {
      if pastBytes <= goal { return }
      shorten(Int(row))
    }
  }

  private mutating func shorten(_ row: Int) {
    let before = series[row].bytes
    forgotten &+= series[row].halve() &+ bars.halve(row)
    seriesBytes &+= series[row].bytes &- before
  }

  // MARK: From before the run

  /// Shows the last prices of these symbols as stale until their first event; a change counts from the close before the price. Called before
  /// any event.
  package mutating func begin(withLastPricesOf symbols: [Symbol]) {
    var closes = PreviousCloses(past, instruments)
    for symbol in symbols {
      guard let last = past.last(of: symbol), place(of: symbol) == nil else { continue }
      let opening = closes.take(symbol, last.price, at: last.time, isDated: true)
      _ = splits?.take(symbol, at: last.time)
      let row = Row(stale: last.price, of: symbol, decimals: last.decimals, time: last.time, close: opening?.close)
      if let at = append(row) { self.closes.set(opening?.close, at) }
    }
  }

  /// Makes all prices ones from before the run that begins now; the charts keep what they have.
  package mutating func beginRun() {
    for at in rows.indices where !rows[at].isStale {
      let old = rows[at]
      closes.end(old.symbol, old.price, at: Timestamp(ns: old.secondEnd &- 1))
      let before = series[at].bytes
      series[at].add(old.price.raw, total: old.volume.raw, second: old.second)
      series[at].begin(volume: 0)
      seriesBytes &+= series[at].bytes &- before
      var row = Row(stale: old.price, of: old.symbol, decimals: old.decimals, time: old.time, close: previousClose(of: at))
      (row.sizeDecimals, row.clock) = (old.sizeDecimals, old.clock)
      rows[at] = row
    }
    beside?.forget()
    (standings, isRanked, movers) = (Standings(), false, MoverTables())
    (total, forgotten, datedAhead, lastMove, newest, reached) = (0, 0, 0, Row.never, nil, [])
  }

  // MARK: For the screen

  /// Returns the prices that have reached an alert, in order, each once.
  package mutating func takeReached() -> [(row: Int, price: Price, time: Timestamp)] {
    defer { reached = [] }
    return reached
  }

  /// Sets the prices at which `takeReached` reports a symbol's row.
  package mutating func watch(_ row: Int, above: Int64?, below: Int64?) {
    rows[row].alertAbove = above ?? .max
    rows[row].alertBelow = below ?? .min
  }

  /// The last prices, oldest first, the current one last.
  package func trend(of row: Int, count: Int) -> [Int64] { series[row].last(count - 1) + [rows[row].price.raw] }

  /// The prices of the last `span` nanoseconds of the symbol's own time.
  package func history(of row: Int, span: Int64) -> [PriceSeries.Sample] {
    let now = present(row)
    return series[row].samples(since: now.time &- span) + [now]
  }

  /// The samples from which bars of `length` nanoseconds can be built if no such bars have arrived.
  package func parts(of row: Int, length: Int64) -> [PriceSeries.Sample] { series[row].samples(for: length) + [present(row)] }

  private func present(_ row: Int) -> PriceSeries.Sample {
    .init(time: rows[row].time.ns, price: rows[row].price.raw, volume: series[row].volume(since: rows[row].volume.raw))
  }
}
