internal import StockbusFiles
package import StockbusPlugin
internal import StockbusSQLite

/// Writes a history file: bars, last prices and closes. There is one writer of a file at a time, and any number of readers beside it.
///
/// Owned by one actor: it is not `Sendable` and takes no lock. Every `write` is one transaction, so after an error, a crash or a full disk
/// a batch is in the file as a whole or not at all. A crash of the program loses nothing that was written; after a crash of the machine the
/// last batches may be missing, unless the writer `isSynced`.
package final class HistoryWriter {
  /// The path as it was given.
  package let path: String
  private let connection: Connection
  private let lock: LockFile
  private var symbols = SymbolRows()
  /// The newest believed start of each length.
  private var newest: [BarLength: Int64] = [:]
  private let keep: Retention
  private var trimming: Trimming
  /// The newest starts around a jump longer than the retention, which may be that of a wrong clock, and removes nothing by itself.
  private var jumps: [BarLength: (from: Int64, to: Int64)] = [:]
  private var chunks = ChunkWriter()
  /// The places of a batch's bars; the memory is reused.
  private var places: [ChunkWriter.Place] = []
  private let dates: TradingDates

  /// The result of a `write`.
  package struct Written: Hashable, Sendable {
    /// Bars that are in the file now.
    package var bars = 0
    /// Those of `bars` that were there before, exactly the same.
    package var same = 0
    /// Bars that were not written, because the file has a later revision, or in place of a part a complete bar or one of more volume.
    package var superseded = 0
    /// Bars dated more than 5 s after their receipt; they are written and remove nothing.
    package var datedAhead = 0
  }

  /// Opens the file at `path`, creating it and the folders above it if there is none.
  ///
  /// Throws if another process or component writes it, if the run reads it (`files`), and if it is no undamaged history file that this
  /// program knows; none of these files is changed.
  ///
  /// - Parameter dates: the dates for which closes are kept; by default those of UTC.
  package convenience init(
    _ path: String, keep: Retention = Retention(), isSynced: Bool = false, files: RunFiles = RunFiles(),
    dates: @escaping TradingDates = Timestamp.datesInUTC
  ) throws(HistoryError) {
    try self.init(path, keep: keep, isSynced: isSynced, files: files, dates: dates, migrations: Layout.migrations)
  }

  init(
    _ path: String, keep: Retention = Retention(), isSynced: Bool = false, files: RunFiles = RunFiles(),
    dates: @escaping TradingDates = Timestamp.datesInUTC, migrations: [Layout.Migration]
  ) throws(HistoryError) {
    self.path = path
    self.dates = dates
    if let reader = files.reader(of: path) { throw HistoryError(path, .inUse(reader)) }
    let file = DatabaseFile(path, migrations: migrations)
    // Before the lock, which leaves a file beside it.
    _ = try file.version()
    do throws(FileError) { lock = try LockFile(for: path) } catch { throw HistoryError(error, path) }
    connection = try file.openForWriting(isSynced: isSynced)
    self.keep = keep
    trimming = Trimming(keep)
    let known = try connection.reading { db in
      try db.rows("SELECT length, newest FROM lengths") { (BarLength(raw: $0.integer(0)), $0.integer(1)) }
    }
    for (length, start) in known { newest[length] = start }
  }

  /// Writes a batch in one transaction.
  package func write(_ batch: HistoryBatch) throws(HistoryError) -> Written {
    var written = Written()
    if batch.isEmpty { return written }
    var latest = newest
    do throws(HistoryError) {
      try connection.writing { db in
        try write(batch.bars, db, &written, &latest)
        try close(batch, db)
        try write(batch.prices, db)
      }
    } catch {
      symbols.forgetNew()
      throw error
    }
    symbols.keepNew()
    for (length, span) in keep.spans {
      guard let before = newest[length], let start = latest[length], start.subtractingSaturating(before) > span else { continue }
      jumps[length] = (jumps[length]?.from ?? before, start)
    }
    newest = latest
    return written
  }

  private func write(_ bars: [Bar], _ db: SQLiteConnection, _ written: inout Written, _ newest: inout [BarLength: Int64]) throws {
    if bars.isEmpty { return }
    places.removeAll(keepingCapacity: true)
    for (index, bar) in bars.enumerated() {
      places.append(
        ChunkWriter.Place(symbol: try symbols.row(of: bar.symbol, db), length: bar.length.raw, start: bar.time.ns, index: index))
    }
    places.sort()
    let statements = try ChunkWriter.Statements(db)
    let close = try db.statement(CloseRow.upsert)
    var next = 0
    while next < places.count {
      let first = places[next]
      let end = places[next...].firstIndex { $0.symbol != first.symbol || $0.length != first.length } ?? places.count
      let length = BarLength(raw: first.length)
      var latest = newest[length] ?? .min
      try chunks.write(places[next..<end], of: bars, statements, db) { bar, comparison in
        if comparison == .superseded {
          written.superseded += 1
          return
        }
        written.bars += 1
        if comparison == .same { written.same += 1 }
        if length == .day, bar.status == .complete {
          CloseRow.bind(
            bar.close, decimals: bar.priceDecimals, symbol: first.symbol, date: dates(bar.symbol, bar.time).date, to: close)
          try close.run()
        }
        let fair = EventClock.fair(bar)
        if fair != bar.time { written.datedAhead += 1 }
        latest = max(latest, fair.ns)
      }
      if latest > .min { newest[length] = latest }
      next = end
    }
    let progress = try db.statement(
      "INSERT INTO lengths (length, newest) VALUES (?, ?) ON CONFLICT (length) DO UPDATE SET newest = excluded.newest")
    for (length, start) in newest where start != self.newest[length] {
      progress.bind(1, length.raw)
      progress.bind(2, start)
      try progress.run()
    }
  }

  /// Where a later date begins, the last price before it is the close of its date, unless a close is known.
  private func close(_ batch: HistoryBatch, _ db: SQLiteConnection) throws {
    if batch.begun.isEmpty { return }
    let select = try db.statement(PriceRow.select)
    let insert = try db.statement(CloseRow.insert)
    var last: [Symbol: PastPrices.Last] = [:]
    // Not in the order of a set: symbols get their rows here, and equal input must give an equal file.
    for symbol in batch.prices.lazy.map(\.symbol) where batch.begun.contains(symbol) {
      select.bind(1, try symbols.row(of: symbol, db))
      try select.forEachRow { row in
        last[symbol] = PastPrices.Last(
          Price(raw: row.integer(0)), at: Timestamp(ns: row.integer(1)), decimals: UInt8(clamping: row.integer(2)))
        return false
      }
    }
    for next in batch.ended + batch.prices where batch.begun.contains(next.symbol) {
      let symbol = next.symbol
      if let before = last[symbol] {
        if next.time < before.time { continue }
        let date = dates(symbol, before.time).date
        if date < dates(symbol, next.time).date {
          CloseRow.bind(before.price, decimals: before.decimals, symbol: try symbols.row(of: symbol, db), date: date, to: insert)
          try insert.run()
        }
      }
      last[symbol] = PastPrices.Last(next.price, at: next.time, decimals: next.priceDecimals)
    }
  }

  private func write(_ prices: [LastPrice], _ db: SQLiteConnection) throws {
    if prices.isEmpty { return }
    let row = try db.statement(PriceRow.upsert)
    for price in prices {
      PriceRow.bind(price, symbol: try symbols.row(of: price.symbol, db), to: row)
      try row.run()
    }
  }

  /// How the bar at the same place in the file compares with `bar`, which is not written.
  package enum Comparison: Hashable, Sendable {
    case new, same, different
    /// The file has a better one.
    case superseded

    init(of bar: Bar, with other: Bar) { self = bar == other ? .same : bar.replaces(other) ? .different : .superseded }
  }

  package func compare(_ bars: [Bar]) throws(HistoryError) -> [Comparison] {
    try connection.reading { db in
      let select = try db.statement(BarChunk.atOrBefore)
      var present: [Bar] = []
      let find = try db.statement(SymbolRows.find)
      return try bars.map { bar in
        guard let symbol = try symbols.known(bar.symbol, find) else { return .new }
        select.bind(1, symbol)
        select.bind(2, bar.length.raw)
        select.bind(3, bar.time.ns)
        present.removeAll(keepingCapacity: true)
        try select.forEachRow { row in
          let chunk = BarChunk(row)
          if chunk.last >= bar.time.ns {
            try row.withBytes(BarChunk.bars) { try chunk.read($0, bar.symbol, bar.length, into: &present) }
          }
          return false
        }
        guard let other = present.first(where: { $0.time == bar.time }) else { return .new }
        return Comparison(of: bar, with: other)
      }
    }
  }

  /// Removes bars that are older than their retention, at most `limit`; returns how many, and whether any may be left. Bars from before a
  /// jump of the time longer than the retention stay until the bars after it span as much, or the file is opened again.
  ///
  /// - Parameter isExact: false leaves bars that exceed their retention by less than a 64th of it, so that a chunk is not written again for
  ///   each bar of it.
  ///   - now: the time of the machine's clock, if known: bars of a later time remove nothing as long as it is not reached.
  package func trim(
    limit: Int = 2000, isExact: Bool = true, now: Timestamp = Timestamp(ns: .max)
  ) throws(HistoryError) -> (removed: Int, isDone: Bool) {
    var newest = newest
    for (length, start) in newest { newest[length] = min(start, Self.latest(length, at: now)) }
    for (length, jump) in jumps {
      guard let start = newest[length], let span = keep.spans[length] else { continue }
      if start.subtractingSaturating(jump.to) > span { jumps[length] = nil } else { newest[length] = min(start, jump.from) }
    }
    if trimming.isDone(newest, isExact: isExact) { return (0, true) }
    var next = trimming
    let removed = try connection.writing { db in try next.step(&chunks, db, newest, limit: limit, isExact: isExact) }
    trimming = next
    return (removed, next.isDone(newest, isExact: isExact))
  }

  /// The latest start of a bar that is not dated ahead. One of a day or more has midnight UTC of its date, which begins earlier in the east.
  private static func latest(_ length: BarLength, at now: Timestamp) -> Int64 {
    now.ns.addingSaturating(length >= .day ? BarLength.day.raw : EventClock.tolerance)
  }

  /// What the file has of a time after `now`: `a price of A of`, and the time; nil if there is nothing.
  package func future(after now: Timestamp) throws(HistoryError) -> (what: String, time: Timestamp)? {
    let bars = newest.filter { $0.value > Self.latest($0.key, at: now) }
    let price = try connection.reading { db in
      try db.rows(
        "SELECT name, time FROM last_prices JOIN symbols ON symbols.id = symbol WHERE time > ? ORDER BY time DESC LIMIT 1",
        .integer(now.ns.addingSaturating(EventClock.tolerance))
      ) { ($0.text(0) ?? "", Timestamp(ns: $0.integer(1))) }.first
    }
    let bar = bars.max { ($0.value, $0.key) < ($1.value, $1.key) }.map { ("a bar of \($0.key) of", Timestamp(ns: $0.value)) }
    guard let price else { return bar }
    if let bar, bar.1 > price.1 { return bar }
    return ("a price of \(price.0) of", price.1)
  }

  /// Throws if the file at the path was moved, removed or replaced, so that writes would not reach it.
  package func checkPlace() throws(HistoryError) { try connection.checkPlace() }

  /// Throws if nothing can be written at present.
  package func probe() throws(HistoryError) { try connection.probe() }

  /// Lets the file grow no further than to this many pages; for tests.
  func limit(pages: Int) throws(HistoryError) { try connection.limit(pages: pages) }

  /// Closes the file and releases it. Nothing may be written afterwards.
  package func close() throws(HistoryError) {
    defer { lock.release() }
    try connection.close()
  }
}
