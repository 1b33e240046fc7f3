internal import Synchronization

/// A connection that several threads share: one of them uses it at a time, and the others wait.
///
/// Unchecked, because a connection is not `Sendable`: it is used inside `use` only, under the lock, and has no other reference. What `use`
/// returns is `Sendable`, so the connection and its statements do not leave it that way; a body must not store them elsewhere.
package final class SQLiteQueue: @unchecked Sendable {
  private let lock = Mutex(())
  private let connection: SQLiteConnection

  /// Opens the file, and calls `prepare` with the connection first.
  package init(
    _ path: String, _ access: SQLiteConnection.Access, busyTimeout: Duration = .zero,
    prepare: (SQLiteConnection) throws(SQLiteError) -> Void = { _ in }
  ) throws(SQLiteError) {
    connection = try SQLiteConnection(path, access, busyTimeout: busyTimeout)
    try prepare(connection)
  }

  /// Calls `body` with the connection. Not inside another `use` of the same queue, which would wait for itself.
  @discardableResult
  package func use<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try lock.withLock { _ in try body(connection) }
  }

  /// Closes the connection; a second call does nothing.
  package func close() throws { try use { try $0.close() } }
}
