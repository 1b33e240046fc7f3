internal import CLibSQLite

/// A row that a statement has found. It is valid until the next row: it cannot be copied, so no caller can keep it.
///
/// Columns are counted from 0. A missing column is NULL.
package struct SQLiteRow: ~Copyable {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  /// 0 for NULL, and for a text or bytes that are not a number.
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// A text, zero bytes included; nil for NULL.
  package func text(_ column: Int32) -> String? {
    isNull(column) ? nil : withText(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls `body` with the bytes of a text in SQLite's memory; with none for NULL.
  package func withText<Value, Failure: Error>(
    _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Not copied: SQLite keeps the bytes until the next step, or until the column is read as another type. First the text, which SQLite may
    // have to create, then its length.
    let start = sqlite3_column_text(statement, column)
    return try body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))))
  }

  /// Calls `body` with bytes in SQLite's memory; with none for NULL.
  package func withBytes<Value, Failure: Error>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Not copied, for the same reason as with texts.
    let start = sqlite3_column_blob(statement, column)
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))))
  }

  package func value(_ column: Int32) -> SQLiteValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: .text(text(column) ?? "")
    case SQLITE_BLOB: .bytes(withBytes(column) { Array($0) })
    default: .null
    }
  }

  /// All columns.
  package var values: [SQLiteValue] {
    var values: [SQLiteValue] = []
    for column in 0..<sqlite3_column_count(statement) { values.append(value(column)) }
    return values
  }
}

/// A value as SQLite stores it.
package enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
}
