internal import StockbusSQLite

/// A connection to the file, whose errors name the file.
struct Connection: Sendable {
  let path: String
  private let queue: SQLiteQueue

  init(_ path: String, _ queue: SQLiteQueue) {
    self.path = path
    self.queue = queue
  }

  /// Calls `body` with one consistent state of the database.
  func reading<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(HistoryError) -> Value {
    try using { db in try db.inTransaction(.deferred) { try body(db) } }
  }

  /// Calls `body` in one transaction: after an error nothing of it is in the file.
  func writing<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(HistoryError) -> Value {
    try using { db in try db.inTransaction(.immediate) { try body(db) } }
  }

  private func using<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(HistoryError) -> Value {
    do { return try queue.use(body) } catch { throw HistoryError(error, path) }
  }

  /// The version of the layout.
  func version() throws(HistoryError) -> Int { try reading { db in Int(try db.integer("PRAGMA user_version") ?? 0) } }

  /// Brings the layout up to date.
  func migrate(_ migrations: [Layout.Migration]) throws(HistoryError) { try using { db in try Layout.migrate(db, migrations) } }

  /// Makes a new file one that is read while it is written (write-ahead log).
  func beginLog() throws(HistoryError) {
    let mode = try using { db in try db.text("PRAGMA journal_mode = WAL") }
    if mode != "wal" { throw HistoryError(path, .other("its file system cannot be used for a history: no shared memory")) }
  }

  /// A lock of another program is an error at once.
  func stopWaiting() throws(HistoryError) { try using { db in db.setBusyTimeout(.zero) } }

  /// Refuses to let the file grow beyond so many pages of 4 KiB, as a full disk would.
  func limit(pages: Int) throws(HistoryError) { try using { db in try db.execute("PRAGMA max_page_count = \(pages)") } }

  /// Throws what is wrong with the database as a whole; reads all of it.
  func check() throws(HistoryError) {
    let fault = try reading { db in try db.text("PRAGMA quick_check(1)") }
    if fault != "ok" { throw HistoryError(path, .damaged(fault ?? "it cannot be checked")) }
  }

  /// Copies the present state to another database.
  func copy(to other: Connection, progress: (SQLiteBackupProgress) throws -> Void) throws(HistoryError) {
    // A transaction, so that what is written meanwhile does not make the copy begin again. It takes its state with its first statement.
    try reading { db in
      _ = try db.integer("SELECT count(*) FROM sqlite_schema")
      try other.using { target in try db.backUp(to: target, pagesPerStep: 1024, progress: progress) }
    }
  }

  func close() throws(HistoryError) { do { try queue.close() } catch { throw HistoryError(error, path) } }
}
