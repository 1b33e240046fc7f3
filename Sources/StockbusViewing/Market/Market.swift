package import MarketData
package import StockbusInstruments
package import StockbusPlugin

/// All prices of the screen, as one value. An update takes some nanoseconds for each event.
package struct Market {
  /// Symbols beyond this are counted and not shown.
  package static let limit = 16_384

  package private(set) var rows: ContiguousArray<Row> = []
  /// Row by symbol handle: -1 unknown, -2 beyond the limit.
  private var places: ContiguousArray<Int32> = []
  package private(set) var tape = Tape()
  private var series: ContiguousArray<PriceSeries> = []
  package private(set) var standings = Standings()
  package private(set) var isRanked = false
  package private(set) var bars = BarSeries()
  /// The lists of `movers`.
  package private(set) var movers = MoverTables()
  /// Events taken.
  package private(set) var total = 0
  /// Symbols beyond the limit.
  package private(set) var beyond = 0
  /// Event times that were not used because they were dated ahead, and clocks that were set back.
  package private(set) var datedAhead = 0
  /// When a price moved last.
  package private(set) var lastMove = Row.never
  /// Prices that have reached an alert since the last `takeReached`.
  package private(set) var reached: [(row: Int, price: Price, time: Timestamp)] = []
  /// The newest event's two times.
  package private(set) var newest: (time: Timestamp, received: Timestamp)?
  private let past: PastPrices
  private let instruments: Instruments
  /// What is known of the closes before the symbols' newest dates.
  private var closes: PreviousCloses
  private var previousCloses: ContiguousArray<Price?> = []

  package init(_ past: PastPrices = PastPrices(), _ instruments: Instruments = Instruments()) {
    self.past = past
    self.instruments = instruments
    closes = PreviousCloses(past, instruments)
  }

  /// The close of the trading date before that of a row's price, from which `sorting_feed` counts with `since: previous_close`; nil if none is
  /// known.
  package func previousClose(of row: Int) -> Price? { row < previousCloses.count ? previousCloses[row] : nil }

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
      guard let at = take(event.symbol, event.price, event.priceDecimals, event.time, event.received, at: now) else { continue }
      rows[at].add(volume: event.countedSize)
      rows[at].sizeDecimals = event.sizeDecimals
      tape.add(
        .init(
          time: rows[at].time, price: event.price, size: event.size, side: event.side, decimals: event.priceDecimals,
          sizeDecimals: event.sizeDecimals), to: at)
    }
    finish(batch)
  }

  /// A trade whose price does not count is a part of the volume, if the symbol has had a price.
  @inline(never)
  private mutating func addVolume(_ event: Trade) {
    if let at = place(of: event.symbol) { rows[at].add(volume: event.countedSize) }
  }

  package mutating func take(_ batch: Span<Bar>, at now: Int64) {
    for i in batch.indices {
      let event = batch[i]
      // The trades of such a bar were shown before, or those of shorter bars: it is a candle and no news.
      if event.length != .unknown, let known = place(of: event.symbol), !rows[known].isStale, event.time < rows[known].time {
        bars.add(instruments.dated(event), to: known)
        continue
      }
      guard
        let at = take(event.symbol, event.close, event.priceDecimals, event.time, event.received, at: now, isDated: event.length >= .day)
      else { continue }
      rows[at].add(volume: event.volume)
      rows[at].high = max(rows[at].high, event.high)
      rows[at].low = min(rows[at].low, event.low)
      bars.add(instruments.dated(event), to: at)
      tape.add(
        .init(
          time: rows[at].time, price: event.close, size: event.volume, decimals: event.priceDecimals, sizeDecimals: event.sizeDecimals),
        to: at
      )
    }
    finish(batch)
  }

  package mutating func take(_ batch: Span<Quote>, at now: Int64) {
    for i in batch.indices {
      let event = batch[i]
      guard let at = take(event.symbol, event.lastPrice, event.priceDecimals, event.time, event.received, at: now) else { continue }
      rows[at].bid = event.bid
      rows[at].ask = event.ask
      rows[at].bidSize = event.bidSize
      rows[at].askSize = event.askSize
    }
    finish(batch)
  }

  package mutating func take(_ batch: Span<Ranked>, at now: Int64) {
    isRanked = true
    for i in batch.indices {
      let event = batch[i]
      if event.hasLeft {
        leave(event)
        continue
      }
      guard let at = take(event.symbol, event.price, event.priceDecimals, event.time, event.received, at: now) else { continue }
      // The feed may have started before the screen, so its change and volume are used.
      let traded = rows[at].updates == 1 ? 0 : event.volume.raw &- rows[at].volume.raw
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
    finish(batch)
  }

  /// Lists of movers have a page of their own; their prices are also those of another input.
  package mutating func take(_ batch: Span<Mover>) {
    for i in batch.indices { movers.take(batch[i]) }
    finish(batch)
  }

  /// A symbol that a feed no longer ranks keeps its row without a rank. The price of this event is not a trade.
  private mutating func leave(_ event: Ranked) {
    guard let at = place(of: event.symbol) else { return }
    rows[at].rank = 0
    standings.move(Int32(at), to: 0, from: Int(event.previousRank), rows)
  }

  private mutating func finish<E: PricedEvent>(_ batch: Span<E>) {
    total &+= batch.count
    if let last = batch.indices.last { newest = (batch[last].time, batch[last].received) }
  }

  @inline(__always)
  private mutating func take(
    _ symbol: Symbol, _ price: Price, _ decimals: UInt8, _ told: Timestamp, _ received: Timestamp, at now: Int64, isDated: Bool = false
  ) -> Int? {
    let id = Int(symbol.id)
    guard id < places.count, places[id] >= 0 else { return add(symbol, price, decimals, told, received, isDated) }
    let at = Int(places[id])
    let reading = rows[at].clock.take(told, received: received)
    let time = EventClock.fair(told, received: received)
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
    // Within a second the date is the same, so the last price of each is enough.
    if !rows[at].isStale { _ = closes.take(rows[at].symbol, last, at: Timestamp(ns: rows[at].secondEnd &- 1)) }
    noteClose(at, time, isDated)
    if rows[at].isStale { return begin(at) }
    if at < series.count { series[at].add(last.raw, second: rows[at].second) }
    rows[at].second = Row.floor(time.ns)
    rows[at].secondEnd = rows[at].second &+ Row.nanosecondsASecond
  }

  /// Handles an event that was dated ahead, and a clock that was set back.
  /// Takes the first event of a symbol that had a price from before the run only: the row begins as that of a new symbol.
  private mutating func begin(_ at: Int) {
    let old = rows[at]
    var row = Row(old.symbol, price: old.price, decimals: old.decimals, time: old.time)
    (row.updates, row.clock, row.isUp, row.movedAt) = (1, old.clock, old.isUp, old.movedAt)
    (row.alertAbove, row.alertBelow) = (old.alertAbove, old.alertBelow)
    rows[at] = row
  }

  /// Takes the first price of a second, which may be that of a date.
  private mutating func noteClose(_ at: Int, _ time: Timestamp, _ isDated: Bool) {
    guard let opening = closes.take(rows[at].symbol, rows[at].price, at: time, isDated: isDated) else { return }
    if at >= previousCloses.count { previousCloses.append(contentsOf: repeatElement(nil, count: at + 1 - previousCloses.count)) }
    previousCloses[at] = opening.close
  }

  @inline(never)
  private mutating func correct(_ at: Int, _ reading: EventClock.Reading) {
    datedAhead += 1
    guard reading == .setBack else { return }
    let now = rows[at].clock.now
    rows[at].second = Row.floor(now)
    rows[at].secondEnd = rows[at].second &+ Row.nanosecondsASecond
    if at < series.count { series[at].forget(after: now) }
  }

  /// Reports the alert once; the receiver arms the row again.
  @inline(never)
  private mutating func reach(_ at: Int) {
    reached.append((at, rows[at].price, rows[at].time))
    watch(at, above: nil, below: nil)
  }

  @inline(never)
  private mutating func add(
    _ symbol: Symbol, _ price: Price, _ decimals: UInt8, _ told: Timestamp, _ received: Timestamp, _ isDated: Bool
  ) -> Int? {
    let row = Row(symbol, price: price, decimals: decimals, time: EventClock.fair(told, received: received))
    guard let at = append(row) else { return nil }
    rows[at].updates = 1
    noteClose(at, rows[at].time, isDated)
    if rows[at].clock.take(told, received: received) != .fair { datedAhead += 1 }
    return at
  }

  /// Adds the row of a new symbol; returns nil if there are too many.
  private mutating func append(_ row: Row) -> Int? {
    let id = Int(row.symbol.id)
    places.grow(toHold: id, filling: -1)
    if places[id] == -2 { return nil }
    if rows.count >= Self.limit {
      places[id] = -2
      beyond += 1
      return nil
    }
    places[id] = Int32(rows.count)
    rows.append(row)
    if series.count < Tape.limit { series.append(PriceSeries()) }
    return rows.count - 1
  }

  // MARK: From before the run

  /// Shows the last prices of these symbols as stale until their first event; a change counts from the close before the price. Called before
  /// any event.
  package mutating func begin(withLastPricesOf symbols: [Symbol]) {
    var closes = PreviousCloses(past, instruments)
    for symbol in symbols {
      guard rows.count < Self.limit, let last = past.last(of: symbol), place(of: symbol) == nil else { continue }
      let opening = closes.take(symbol, last.price, at: last.time, isDated: true)
      _ = append(Row(stale: last.price, of: symbol, decimals: last.decimals, time: last.time, close: opening?.close))
    }
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
  package func trend(of row: Int, count: Int) -> [Int64] { (row < series.count ? series[row].last(count - 1) : []) + [rows[row].price.raw] }

  /// The prices of the last `span` nanoseconds of the symbol's own time.
  package func history(of row: Int, span: Int64) -> [PriceSeries.Sample] {
    let now = PriceSeries.Sample(time: rows[row].time.ns, price: rows[row].price.raw)
    return (row < series.count ? series[row].samples(since: now.time &- span) : []) + [now]
  }
}
