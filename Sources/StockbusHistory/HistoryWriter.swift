internal import GRDB
package import MarketData
internal import StockbusFiles
package import StockbusPlugin

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
  private var trimming: Trimming

  /// What a `write` has done.
  package struct Written: Hashable, Sendable {
    /// Bars that are in the file now.
    package var bars = 0
    /// Bars that were not written, because the file has a later revision.
    package var superseded = 0
    /// Bars dated more than 5 s after their receipt; they are written and remove nothing.
    package var datedAhead = 0
  }

  /// Opens the file at `path`, creating it and the folders above it if there is none.
  ///
  /// Throws if another process or component writes it, if the run reads it (`files`), and if it is no undamaged history file that this
  /// program knows; none of these files is changed.
  package convenience init(
    _ path: String, keep: Retention = Retention(), isSynced: Bool = false, files: RunFiles = RunFiles()
  ) throws(HistoryError) {
    try self.init(path, keep: keep, isSynced: isSynced, files: files, migrations: Layout.migrations)
  }

  init(
    _ path: String, keep: Retention = Retention(), isSynced: Bool = false, files: RunFiles = RunFiles(), migrations: [Layout.Migration]
  ) throws(HistoryError) {
    self.path = path
    if let reader = files.reader(of: path) { throw HistoryError(path, .inUse(reader)) }
    let file = DatabaseFile(path, migrations: migrations)
    // Before the lock, which leaves a file beside it.
    _ = try file.version()
    do throws(FileError) { lock = try LockFile(for: path) } catch { throw HistoryError(error, path) }
    connection = try file.openForWriting(isSynced: isSynced)
    trimming = Trimming(keep)
    let known = try connection.reading { db in
      try Row.fetchAll(db, sql: "SELECT length, newest FROM lengths").map { (BarLength(raw: $0[0]), $0[1] as Int64) }
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
        try write(batch.prices, db)
      }
    } catch {
      symbols.forgetNew()
      throw error
    }
    symbols.keepNew()
    newest = latest
    return written
  }

  private func write(_ bars: [Bar], _ db: Database, _ written: inout Written, _ newest: inout [BarLength: Int64]) throws {
    if bars.isEmpty { return }
    let row = try db.cachedStatement(sql: BarRow.upsert)
    let close = try db.cachedStatement(sql: CloseRow.upsert)
    var length = bars[0].length
    var latest = newest[length] ?? .min
    for bar in bars {
      let symbol = try symbols.row(of: bar.symbol, db)
      BarRow.bind(bar, symbol: symbol, to: row)
      if try row.run(db) == 0 {
        written.superseded += 1
        continue
      }
      written.bars += 1
      if bar.length == .day, bar.status == .complete {
        CloseRow.bind(bar, symbol: symbol, to: close)
        _ = try close.run(db)
      }
      if bar.length != length {
        newest[length] = latest
        length = bar.length
        latest = newest[length] ?? .min
      }
      let fair = EventClock.fair(bar.time, received: bar.received)
      if fair != bar.time { written.datedAhead += 1 }
      latest = max(latest, fair.ns)
    }
    newest[length] = latest
    let progress = try db.cachedStatement(
      sql: "INSERT INTO lengths (length, newest) VALUES (?, ?) ON CONFLICT (length) DO UPDATE SET newest = excluded.newest")
    for (length, start) in newest where start != self.newest[length] {
      progress.bind(1, length.raw)
      progress.bind(2, start)
      _ = try progress.run(db)
    }
  }

  private func write(_ prices: [LastPrice], _ db: Database) throws {
    if prices.isEmpty { return }
    let row = try db.cachedStatement(sql: PriceRow.upsert)
    for price in prices {
      PriceRow.bind(price, symbol: try symbols.row(of: price.symbol, db), to: row)
      _ = try row.run(db)
    }
  }

  /// How the bar at the same place in the file compares with `bar`, which is not written.
  package enum Comparison: Hashable, Sendable {
    case new, same, different
    /// The file has a later revision.
    case superseded
  }

  package func compare(_ bars: [Bar]) throws(HistoryError) -> [Comparison] {
    try connection.reading { db in
      let row = try db.cachedStatement(sql: "SELECT \(BarRow.columns) FROM bars WHERE symbol = ? AND length = ? AND start = ?")
      let find = try db.cachedStatement(sql: SymbolRows.find)
      return try bars.map { bar in
        guard let symbol = try symbols.known(bar.symbol, db, find) else { return .new }
        row.bind(1, symbol)
        row.bind(2, bar.length.raw)
        row.bind(3, bar.time.ns)
        var result = Comparison.new
        try row.forEachRow(db) { columns in
          let present = BarRow.bar(columns, symbol: bar.symbol, length: bar.length)
          result = present == bar ? .same : (present?.revision ?? 0) > bar.revision ? .superseded : .different
          return false
        }
        return result
      }
    }
  }

  /// Removes some of the bars that are older than they are kept for, at most `limit`; returns how many, and whether any may be left.
  package func trim(limit: Int = 2000) throws(HistoryError) -> (removed: Int, isDone: Bool) {
    if trimming.isDone(newest) { return (0, true) }
    var next = trimming
    let newest = newest
    let removed = try connection.writing { db in try next.step(db, newest, limit: limit) }
    trimming = next
    return (removed, next.isDone(newest))
  }

  /// Lets the file grow no further than to this many pages; for tests.
  func limit(pages: Int) throws(HistoryError) { try connection.limit(pages: pages) }

  /// Closes the file and releases it. Nothing may be written afterwards.
  package func close() throws(HistoryError) {
    defer { lock.release() }
    try connection.close()
  }
}
