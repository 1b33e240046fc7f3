internal import GRDB
internal import GRDBSQLite

/// A connection to the file, whose errors name the file.
struct Connection: Sendable {
  let path: String
  private let queue: DatabaseQueue

  init(_ path: String, _ queue: DatabaseQueue) {
    self.path = path
    self.queue = queue
  }

  /// Calls `body` with one consistent state of the database.
  func reading<Value>(_ body: (Database) throws -> Value) throws(HistoryError) -> Value {
    do {
      return try queue.unsafeRead { db in
        try located(db) {
          var value: Value?
          try db.inTransaction(.deferred) {
            value = try body(db)
            return .commit
          }
          guard let value else { throw HistoryError(path, .other("nothing was read")) }
          return value
        }
      }
    } catch { throw HistoryError(error, path) }
  }

  /// Calls `body` in one transaction: after an error nothing of it is in the file.
  func writing<Value>(_ body: (Database) throws -> Value) throws(HistoryError) -> Value {
    do {
      return try queue.writeWithoutTransaction { db in
        try located(db) {
          var value: Value?
          try db.inTransaction(.immediate) {
            value = try body(db)
            return .commit
          }
          guard let value else { throw HistoryError(path, .other("nothing was written")) }
          return value
        }
      }
    } catch { throw HistoryError(error, path) }
  }

  private func located<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw HistoryError(error, path, in: db) }
  }

  /// The version of the layout.
  func version() throws(HistoryError) -> Int { try reading { db in try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 } }

  /// Brings the layout up to date.
  func migrate(_ migrations: [Layout.Migration]) throws(HistoryError) {
    do { try Layout.migrator(migrations).migrate(queue) } catch { throw HistoryError(error, path) }
  }

  /// Makes a new file one that is read while it is written (write-ahead log).
  func beginLog() throws(HistoryError) {
    do {
      let mode = try queue.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") }
      if mode != "wal" { throw HistoryError(path, .other("its file system cannot be used for a history: no shared memory")) }
    } catch { throw HistoryError(error, path) }
  }

  /// A lock of another program is an error at once.
  func stopWaiting() throws(HistoryError) {
    do { try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA busy_timeout = 0") } } catch {
      throw HistoryError(error, path)
    }
  }

  /// Refuses to let the file grow beyond so many pages of 4 KiB, as a full disk would.
  func limit(pages: Int) throws(HistoryError) {
    do { try queue.writeWithoutTransaction { db in _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages)") } } catch {
      throw HistoryError(error, path)
    }
  }

  /// Throws what is wrong with the database as a whole; reads all of it.
  func check() throws(HistoryError) {
    let faults = try reading { db in try String.fetchAll(db, sql: "PRAGMA quick_check(1)") }
    if faults != ["ok"] { throw HistoryError(path, .damaged(faults.first ?? "it cannot be checked")) }
  }

  /// Copies the present state to another database.
  func copy(to other: Connection, progress: @escaping (DatabaseBackupProgress) throws -> Void) throws(HistoryError) {
    do {
      try queue.unsafeRead { db in
        // A transaction, so that what is written meanwhile does not make the copy begin again.
        try db.inTransaction(.deferred) {
          _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
          try other.queue.writeWithoutTransaction { target in
            do { try db.backup(to: target, pagesPerStep: 1024, progress: progress) } catch {
              throw HistoryError(error, other.path, in: target)
            }
          }
          return .commit
        }
      }
    } catch { throw HistoryError(error, path) }
  }

  func close() throws(HistoryError) {
    do { try queue.close() } catch { throw HistoryError(error, path) }
  }
}

/// Running statements without GRDB's conversions, which cost more than SQLite itself.
extension Statement {
  /// Runs it once and makes it ready for the next time; returns the number of rows changed.
  @inline(__always)
  func run(_ db: Database) throws -> Int {
    let code = sqlite3_step(sqliteStatement)
    guard code == SQLITE_DONE else { throw failure(db) }
    sqlite3_reset(sqliteStatement)
    return Int(sqlite3_changes(db.sqliteConnection))
  }

  /// Calls `body` for each row; returns false from it to end early.
  @inline(__always)
  func forEachRow(_ db: Database, _ body: (OpaquePointer) throws -> Bool) throws {
    defer { sqlite3_reset(sqliteStatement) }
    while true {
      let code = sqlite3_step(sqliteStatement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(db) }
      if try !body(sqliteStatement) { return }
    }
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(sqliteStatement, index, value) }

  @inline(never)
  private func failure(_ db: Database) -> DatabaseError {
    let error = DatabaseError(
      resultCode: .init(rawValue: sqlite3_extended_errcode(db.sqliteConnection)), message: db.lastErrorMessage)
    sqlite3_reset(sqliteStatement)
    return error
  }
}
