internal import CLibSQLite

/// A connection to a database file, by the system's SQLite.
///
/// It belongs to one actor or one thread at a time: it is not `Sendable` and takes no lock; several threads can share a `SQLiteQueue`. A
/// file's contents are not trusted: triggers and views are off, functions in the schema are not trusted, and the schema's own table cannot
/// be written.
package final class SQLiteConnection {
  package enum Access: Sendable {
    /// Reads and writes; makes the file if there is none.
    case creating
    /// Reads and writes an existing file.
    case writing
    case reading
    /// Reads a file that nobody changes meanwhile: without locks and without its log. Its format is not checked.
    case unchanging
  }

  let handle: SQLiteHandle
  private var cache: [String: SQLiteStatement] = [:]

  /// Opens the file at `path`. Throws if it cannot be opened, or is no database.
  ///
  /// - Parameter busyTimeout: how long a statement waits for a lock of another connection; longer than this it is an error.
  package init(_ path: String, _ access: Access, busyTimeout: Duration = .zero) throws(SQLiteError) {
    if path.utf8.contains(0) { throw .misuse("a path cannot contain a NUL character") }
    var flags = SQLITE_OPEN_NOMUTEX
    switch access {
    case .creating: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .writing: flags |= SQLITE_OPEN_READWRITE
    case .reading: flags |= SQLITE_OPEN_READONLY
    case .unchanging: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(access == .unchanging ? Self.unchanging(path) : Self.plain(path), &opened, flags, nil)
    handle = SQLiteHandle(opened)
    if code != SQLITE_OK { throw handle.error(code) }
    sqlite3_extended_result_codes(opened, 1)
    setBusyTimeout(busyTimeout)
    try protect()
    // Otherwise only the first statement would fail for a file that is no database.
    if access != .unchanging { _ = try integer("SELECT 1 FROM sqlite_schema LIMIT 1") }
  }

  /// A path that SQLite cannot take for anything else: `file:x` could be a URI, `:memory:` and an empty one are no files.
  private static func plain(_ path: String) -> String { path.hasPrefix("/") ? path : "./" + path }

  /// The URI of a path, with those characters escaped that have a meaning in a URI.
  private static func unchanging(_ path: String) -> String {
    let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    return "file:\(escaped)?immutable=1"
  }

  private func protect() throws(SQLiteError) {
    let settings = [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
      (SQLITE_DBCONFIG_ENABLE_VIEW, false), (SQLITE_DBCONFIG_ENABLE_FKEY, false),
      // A misspelt name in double quotes is an error and not a text.
      (SQLITE_DBCONFIG_DQS_DDL, false), (SQLITE_DBCONFIG_DQS_DML, false),
    ]
    for (setting, isOn) in settings {
      let code = clibsqlite_switch(handle.pointer, setting, isOn ? 1 : 0)
      if code != SQLITE_OK { throw handle.error(code) }
    }
  }

  /// How long a statement waits for a lock of another connection.
  package func setBusyTimeout(_ time: Duration) {
    guard let pointer = handle.pointer else { return }
    sqlite3_busy_timeout(pointer, Int32(max(0, min(time / .milliseconds(1), 1e9))))
  }

  /// A statement that stays prepared for the next call with the same text. While its rows are being read, another statement is prepared
  /// instead.
  package func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let known = cache[sql] {
      if !known.isRunning { return known }
      return try SQLiteStatement(sql, handle, isKept: false)
    }
    let new = try SQLiteStatement(sql, handle, isKept: true)
    cache[sql] = new
    return new
  }

  /// Runs statements one after the other, and ignores their rows. Those before a failing one have taken effect, unless they are in a
  /// transaction.
  package func execute(_ sql: String) throws(SQLiteError) {
    var rest = ContiguousArray(sql.utf8)[...]
    while !rest.isEmpty {
      let (statement, length) = try SQLiteStatement.first(of: rest, handle)
      rest = rest.dropFirst(length)
      try statement?.runToEnd()
    }
  }

  /// The row number of the last insertion.
  package var lastRowID: Int64 { handle.pointer.map { sqlite3_last_insert_rowid($0) } ?? 0 }

  /// True between the beginning and the end of a transaction. An error of SQLite may have ended it.
  package var isInTransaction: Bool { handle.pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Closes the connection; a second call does nothing. Throws, and leaves it open, while rows are read, a backup is made, or a statement
  /// exists that is not one of the connection's own. Afterwards every statement is an error.
  package func close() throws(SQLiteError) {
    if handle.pointer == nil { return }
    if cache.values.contains(where: \.isRunning) {
      throw SQLiteError(code: SQLITE_BUSY, message: "the database cannot be closed while its rows are read")
    }
    for statement in cache.values { statement.finalize() }
    cache.removeAll()
    try handle.close()
  }
}
