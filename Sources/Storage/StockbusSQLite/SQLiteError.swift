internal import CLibSQLite

/// An error of SQLite: its kind, its message, and the statement it belongs to.
///
/// The statement's text has question marks where values are bound, so no value is in an error: values may be secret.
package struct SQLiteError: Error, Hashable, Sendable {
  /// The kind of error, by which a caller decides how to react.
  package enum Kind: Hashable, Sendable {
    /// Another connection has locked the file.
    case busy
    case constraint
    /// The file is no database, or is damaged.
    case notDatabase, damaged
    /// The disk is full, or the limit of the file's size is reached.
    case full
    /// There is no room for the index of the log.
    case noRoomForIndex
    /// An error of the system while reading or writing, or while opening.
    case inputOutput, cannotOpen
    case readOnly, interrupted
    /// The connection or the statement cannot be used in this way; a mistake of the program.
    case misuse
    case other
  }

  /// SQLite's extended result code.
  package let code: Int32
  package let message: String
  /// The statement, without the values that were bound; nil if the error belongs to none.
  package let statement: String?
  /// The system's error number where the system has refused something; otherwise 0.
  package let systemCode: Int32

  init(code: Int32, message: String, statement: String? = nil, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.statement = statement
    self.systemCode = systemCode
  }

  static func misuse(_ message: String, _ statement: String? = nil) -> SQLiteError {
    SQLiteError(code: SQLITE_MISUSE, message: message, statement: statement)
  }

  static var closed: SQLiteError { misuse("the database is closed") }

  package var kind: Kind {
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_NOTADB: .notDatabase
    case SQLITE_CORRUPT, SQLITE_FORMAT: .damaged
    case SQLITE_FULL: .full
    case SQLITE_IOERR: code == clibsqlite_shmsize ? .noRoomForIndex : .inputOutput
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_READONLY: .readOnly
    case SQLITE_INTERRUPT: .interrupted
    case SQLITE_MISUSE: .misuse
    default: .other
    }
  }
}

extension SQLiteError: CustomStringConvertible {
  /// `SQLite error 2067: UNIQUE constraint failed: people.name, in: INSERT INTO people (name) VALUES (?)`.
  package var description: String { "SQLite error \(code): \(message)" + (statement.map { ", in: \($0)" } ?? "") }
}
