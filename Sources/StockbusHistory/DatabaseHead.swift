internal import GRDB
internal import GRDBSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What the beginning of a database says about the program that has made it.
///
/// Read without locks and without a log, so that nothing is made beside a file that is not ours, and nothing is changed in it. It is read
/// through SQLite all the same: closing a descriptor of our own would drop the locks of connections of this process.
struct DatabaseHead {
  let applicationID: Int32
  let userVersion: Int32

  init(of target: String, as path: String) throws(HistoryError) {
    var database: OpaquePointer?
    // A URI, of which these three characters would be parts.
    let escaped = target.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    let code = sqlite3_open_v2("file:\(escaped)?immutable=1", &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    defer { sqlite3_close(database) }
    guard code == SQLITE_OK else { throw Self.failure(database, code, path) }
    do throws(HistoryError) {
      let id = try Self.number("PRAGMA application_id", database, path)
      let version = try Self.number("PRAGMA user_version", database, path)
      (applicationID, userVersion) = (id, version)
    } catch {
      // On a full disk only the first pages of the log may have been brought into the file. It is not whole then without its log.
      guard case .damaged = error.reason, Self.hasLog(target), let bytes = Self.bytes(database) else { throw error }
      applicationID = bytes[68..<72].reduce(0) { $0 << 8 | Int32($1) }
      userVersion = bytes[60..<64].reduce(0) { $0 << 8 | Int32($1) }
    }
  }

  private static func hasLog(_ target: String) -> Bool {
    var status = stat()
    return stat(target + "-wal", &status) == 0 && status.st_size > 0
  }

  /// The head of the file as it is, read by SQLite; nil if it is no head of a database.
  private static func bytes(_ database: OpaquePointer?) -> [UInt8]? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let read = file.pointee.pMethods?.pointee.xRead
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 100)
    guard read(file, &bytes, 100, 0) == SQLITE_OK, bytes.starts(with: Array("SQLite format 3".utf8) + [0]) else { return nil }
    return bytes
  }

  private static func number(_ sql: String, _ database: OpaquePointer?, _ path: String) throws(HistoryError) -> Int32 {
    var statement: OpaquePointer?
    var code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    if code == SQLITE_OK { code = sqlite3_step(statement) }
    guard code == SQLITE_ROW else { throw failure(database, code, path) }
    return sqlite3_column_int(statement, 0)
  }

  private static func failure(_ database: OpaquePointer?, _ code: Int32, _ path: String) -> HistoryError {
    let text = database.map { String(cString: sqlite3_errmsg($0)) }
    return HistoryError(
      DatabaseError(resultCode: .init(rawValue: code), message: text), path, system: database.map { sqlite3_system_errno($0) } ?? 0)
  }
}
