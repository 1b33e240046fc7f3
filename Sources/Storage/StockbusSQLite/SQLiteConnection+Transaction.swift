internal import CLibSQLite

extension SQLiteConnection {
  package enum Transaction: Sendable {
    /// Takes locks when they are needed; all reads see one state.
    case deferred
    /// Takes the lock for writing at once, so it cannot fail later because of another connection's lock.
    case immediate
  }

  /// Calls `body` in a transaction. After any error, also of the commit, nothing of it is in the file. Transactions cannot be nested.
  @discardableResult
  package func inTransaction<Value>(_ kind: Transaction, _ body: () throws -> Value) throws -> Value {
    try run(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN")
    do {
      let value = try body()
      // After some errors, such as a full disk, SQLite itself rolls back; the statements after that were not part of the transaction.
      if !isInTransaction { throw SQLiteError(code: SQLITE_ABORT, message: "SQLite has rolled back the transaction after an error in it") }
      try run("COMMIT")
      return value
    } catch {
      // If the rollback fails, the next transaction cannot begin, and reports that.
      if isInTransaction { _ = try? run("ROLLBACK") }
      throw error
    }
  }
}
