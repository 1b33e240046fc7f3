internal import CLibSQLite

/// The progress of a copy.
package struct SQLiteBackupProgress: Hashable, Sendable {
  package var remainingPages: Int
  package var pages: Int

  package var isCompleted: Bool { remainingPages == 0 }
}

extension SQLiteConnection {
  /// Copies the whole database to another one, whose content it replaces, some pages at a time.
  ///
  /// Concurrent writes make the copy begin again, unless it is made in a transaction. Calls `progress` after each step, including the last;
  /// if it throws, the copy is abandoned and the target is incomplete. Another connection's lock is an error. Errors are those of `target`.
  package func backUp(
    to target: SQLiteConnection, pagesPerStep: Int32, progress: (SQLiteBackupProgress) throws -> Void
  ) throws {
    guard let database = handle.pointer, let other = target.handle.pointer else { throw SQLiteError.closed }
    guard let backup = sqlite3_backup_init(other, "main", database, "main") else {
      throw target.handle.error(sqlite3_extended_errcode(other))
    }
    do {
      var code = SQLITE_OK
      while code == SQLITE_OK {
        code = sqlite3_backup_step(backup, pagesPerStep)
        if code != SQLITE_OK, code != SQLITE_DONE { throw target.handle.error(code) }
        try progress(
          SQLiteBackupProgress(
            remainingPages: code == SQLITE_DONE ? 0 : max(1, Int(sqlite3_backup_remaining(backup))),
            pages: Int(sqlite3_backup_pagecount(backup))))
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    if code != SQLITE_OK { throw target.handle.error(code) }
  }
}
