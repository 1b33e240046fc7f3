internal import LibC
internal import StockbusPlugin
internal import StockbusSQLite

/// The history's file for a module with its own tables in it: small transactions beside the file's writer and beside other processes.
///
/// It keeps nothing between transactions and holds no lock: SQLite serialises transactions. The changes of a transaction are on the disk
/// when `write` returns. Its calls block, so they belong on a separate thread. Only its owner can read the file (mode 0600).
package final class DatabaseShare: Sendable {
  package let path: String
  private let connection: Connection

  /// Opens the file, bringing its layout up to date, on a separate thread: another program may be creating it.
  ///
  /// - Parameter creating: true to create a missing file; otherwise a missing file is an error.
  package static func open(_ path: String, creating: Bool = true) async throws(HistoryError) -> DatabaseShare {
    try await Opener().open(path, creating: creating)
  }

  private actor Opener {
    private let executor = BlockingExecutor(label: "history.open")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func open(_ path: String, creating: Bool) throws(HistoryError) -> DatabaseShare { try DatabaseShare(path, creating: creating) }
  }

  private init(_ path: String, creating: Bool) throws(HistoryError) {
    self.path = path
    connection = try DatabaseFile(path).openBesideWriter(creating: creating)
    keepToOwner()
  }

  /// Removes the rights of other users: hashes of passwords and sessions are private. SQLite's files beside it have the same rights.
  private func keepToOwner() {
    for name in [path, path + "-wal", path + "-shm"] {
      var now = stat()
      if stat(name, &now) == 0, now.st_mode & 0o077 != 0 { chmod(name, now.st_mode & 0o700) }
    }
  }

  /// Calls `body` with one consistent state of the file at the path. Throws if that is not the opened file, because changes of others, such
  /// as the end of a session, would be missed.
  package func read<Value: Sendable>(_ body: (DatabaseStatements) throws -> Value) throws(HistoryError) -> Value {
    try connection.reading { db in try body(DatabaseStatements(db)) }
  }

  /// Calls `body` in one transaction: after an error nothing of it is in the file. Errors other than the database's are rethrown unchanged.
  @discardableResult
  package func write<Value: Sendable>(_ body: (DatabaseStatements) throws -> Value) throws -> Value {
    var refusal: (any Error)?
    do throws(HistoryError) {
      return try connection.writing { db in
        do { return try body(DatabaseStatements(db)) } catch {
          if !(error is SQLiteError) { refusal = error }
          throw error
        }
      }
    } catch { throw refusal ?? error }
  }

  package func close() throws(HistoryError) { try connection.close() }
}

/// A value of a column, exact.
package enum DatabaseCell: Sendable, Hashable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  package var text: String? { if case .text(let value) = self { value } else { nil } }
  package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}

/// Statements inside a transaction. Values are bound to the question marks, never written into the text.
package struct DatabaseStatements {
  private let db: SQLiteConnection

  init(_ db: SQLiteConnection) { self.db = db }

  /// The rows that a query finds.
  package func rows(_ sql: String, _ values: DatabaseCell...) throws -> [[DatabaseCell]] {
    let statement = try statement(sql, values)
    var rows: [[DatabaseCell]] = []
    try statement.forEachRow { row in
      rows.append(row.values.map(DatabaseCell.init))
      return true
    }
    return rows
  }

  /// Changes rows; returns how many.
  @discardableResult
  package func run(_ sql: String, _ values: DatabaseCell...) throws -> Int {
    try statement(sql, values).run()
  }

  /// The row number of the last insertion.
  package var lastID: Int64 { db.lastRowID }

  private func statement(_ sql: String, _ values: [DatabaseCell]) throws -> SQLiteStatement {
    let statement = try db.statement(sql)
    statement.bind(values.map(\.value))
    return statement
  }
}

extension DatabaseCell {
  fileprivate init(_ value: SQLiteValue) {
    switch value {
    case .integer(let number): self = .integer(number)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .bytes(bytes)
    // The file's tables are strict and have no fractions.
    case .null, .real: self = .null
    }
  }

  fileprivate var value: SQLiteValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes(bytes)
    }
  }
}
