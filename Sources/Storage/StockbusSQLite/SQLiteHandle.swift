internal import CLibSQLite

/// SQLite's connection, which lives as long as the connection or one of its statements.
///
/// A class of its own, because a statement may outlive the `SQLiteConnection` that has made it, and must not outlive SQLite's.
final class SQLiteHandle {
  /// Nil once the handle is closed.
  private(set) var pointer: OpaquePointer?

  init(_ pointer: OpaquePointer?) { self.pointer = pointer }

  // All statements have been finalized, because each keeps the handle.
  deinit { sqlite3_close_v2(pointer) }

  /// Closes the handle; throws if statements are left, or a backup.
  func close() throws(SQLiteError) {
    let code = sqlite3_close(pointer)
    if code != SQLITE_OK { throw error(code) }
    pointer = nil
  }

  /// The error of the last call, which has returned `code`.
  func error(_ code: Int32, _ statement: String? = nil) -> SQLiteError {
    // SQLite keeps the text of the last error of the connection; some calls return a code only.
    let isKept = pointer != nil && sqlite3_errcode(pointer) & 0xff == code & 0xff
    let code = isKept && code & ~0xff == 0 ? sqlite3_extended_errcode(pointer) : code
    let text = isKept ? sqlite3_errmsg(pointer) : sqlite3_errstr(code)
    let isOfSystem = pointer != nil && (code & 0xff == SQLITE_IOERR || code & 0xff == SQLITE_CANTOPEN)
    return SQLiteError(
      code: code, message: text.map { String(cString: $0) } ?? "an unknown error", statement: statement,
      systemCode: isOfSystem ? sqlite3_system_errno(pointer) : 0)
  }
}
