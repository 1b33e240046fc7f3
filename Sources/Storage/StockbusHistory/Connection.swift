internal import StockbusSQLite

/// A connection to the file, whose errors name the file.
struct Connection: Sendable {
  let path: String
  private let queue: SQLiteQueue
  /// Nil for a connection that creates a new file.
  private let files: OpenFiles?

  init(_ path: String, _ queue: SQLiteQueue, _ files: OpenFiles? = nil) {
    self.path = path
    self.queue = queue
    self.files = files
  }

  /// Calls `body` with one consistent state of the database. Throws if that is not the database at the path.
  func reading<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(HistoryError) -> Value {
    try files?.check()
    return try using { db in try db.inTransaction(.deferred) { try body(db) } }
  }

  /// Calls `body` in one transaction: after an error nothing of it is in the file. Without an error all of it is in the file at the path.
  ///
  /// A lock of another program is waited for, up to `DatabaseFile.writeWait`; while it lasts, further calls fail at once.
  func writing<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(HistoryError) -> Value {
    try using { db in
      if let files, files.isLogFull {
        emptyLog(db)
        try files.checkLog()
      }
      let value: Value
      do {
        value = try db.inTransaction(.immediate) {
          let value = try body(db)
          // Last, so that nothing is acknowledged that was written to a file which is no longer at the path.
          try files?.check()
          return value
        }
      } catch {
        if (error as? SQLiteError)?.kind == .busy { db.setBusyTimeout(.zero) }
        throw error
      }
      db.setBusyTimeout(DatabaseFile.writeWait)
      limitLog(db)
      return value
    }
  }

  /// Throws if the file at the path is no longer the open one, so that reads and writes would not use it.
  func checkPlace() throws(HistoryError) { try files?.check() }

  /// Throws if nothing can be written at present; for this it writes a page without changing it.
  func probe() throws(HistoryError) {
    try writing { db in try db.execute("PRAGMA user_version = \(try db.integer("PRAGMA user_version") ?? 0)") }
  }

  /// Keeps the log at its size. A transaction that has succeeded does not fail because of this.
  private func limitLog(_ db: SQLiteConnection) {
    guard let files else { return }
    if let size = files.newLogSize() {
      _ = try? db.execute("PRAGMA journal_size_limit = \(size); PRAGMA wal_autocheckpoint = \(size >> 12)")
    }
    if files.isToBeEmptied() { emptyLog(db) }
  }

  /// Moves the log into the database and empties it, if that takes no longer than a write waits for a lock. Waits for the present readers
  /// to end; those that begin meanwhile read the database only.
  ///
  /// In short attempts: while SQLite waits, it does not notice that a reader which has since taken a later place in the log reads the
  /// newest state, and need not be waited for.
  private func emptyLog(_ db: SQLiteConnection) {
    db.setBusyTimeout(DatabaseFile.writeWait / Self.emptyingAttempts)
    for _ in 0..<Self.emptyingAttempts where (try? db.integer("PRAGMA wal_checkpoint(TRUNCATE)")) == 0 { break }
    db.setBusyTimeout(DatabaseFile.writeWait)
  }

  private static let emptyingAttempts = 20

  private func using<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(HistoryError) -> Value {
    do { return try queue.use(body) } catch { throw HistoryError(error, path) }
  }

  /// The version of the layout.
  func version() throws(HistoryError) -> Int { try reading { db in Int(try db.integer("PRAGMA user_version") ?? 0) } }

  /// Brings the layout up to date.
  func migrate(_ migrations: [Layout.Migration]) throws(HistoryError) { try using { db in try Layout.migrate(db, migrations) } }

  /// Makes a new file readable while it is written (write-ahead log).
  func beginLog() throws(HistoryError) {
    let mode = try using { db in try db.text("PRAGMA journal_mode = WAL") }
    if mode != "wal" { throw HistoryError(path, .other("its file system does not support shared memory, which a history needs")) }
  }

  /// From now on writes wait for a lock of another program as `writing` describes.
  func beginWriting() throws(HistoryError) {
    try using { db in
      db.setBusyTimeout(DatabaseFile.writeWait)
      limitLog(db)
    }
  }

  /// Limits the file to this number of pages of 4 KiB, beyond which writes fail as on a full disk.
  func limit(pages: Int) throws(HistoryError) { try using { db in try db.execute("PRAGMA max_page_count = \(pages)") } }

  /// Checks the database as a whole, and throws its fault; reads all of it.
  func check() throws(HistoryError) {
    let fault = try reading { db in try db.text("PRAGMA quick_check(1)") }
    if fault != "ok" { throw HistoryError(path, .damaged(fault ?? "it cannot be checked")) }
  }

  /// Copies the present state to another database.
  func copy(to other: Connection, progress: (SQLiteBackupProgress) throws -> Void) throws(HistoryError) {
    // A transaction, so that concurrent writes do not make the copy begin again. It takes its state with its first statement.
    try reading { db in
      _ = try db.integer("SELECT count(*) FROM sqlite_schema")
      try other.using { target in try db.backUp(to: target, pagesPerStep: 1024, progress: progress) }
    }
  }

  func close() throws(HistoryError) { do { try queue.close() } catch { throw HistoryError(error, path) } }
}
