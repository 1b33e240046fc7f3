internal import LibC
internal import StockbusSQLite

/// Shows, by the beginning of a database, which program has created it.
///
/// Read without locks and without a log, so that nothing is created beside a file of another program, and nothing is changed in it. Still
/// read through SQLite: closing a descriptor of our own would drop the locks of connections of this process.
struct DatabaseHead {
  let applicationID: Int32
  let userVersion: Int32

  init(of target: String, as path: String) throws(HistoryError) {
    do throws(SQLiteError) {
      let database = try SQLiteConnection(target, .unchanging)
      do throws(SQLiteError) {
        let id = try database.integer("PRAGMA application_id")
        let version = try database.integer("PRAGMA user_version")
        (applicationID, userVersion) = (Int32(truncatingIfNeeded: id ?? 0), Int32(truncatingIfNeeded: version ?? 0))
      } catch {
        // On a full disk only the first pages of the log may have been moved into the file, which is then incomplete without its log.
        guard error.kind == .damaged, Self.hasLog(target), let bytes = database.firstBytes(100),
          bytes.starts(with: Array("SQLite format 3".utf8) + [0])
        else { throw error }
        applicationID = bytes[68..<72].reduce(0) { $0 << 8 | Int32($1) }
        userVersion = bytes[60..<64].reduce(0) { $0 << 8 | Int32($1) }
      }
    } catch { throw HistoryError(error, path) }
  }

  /// True if there is a log with something in it beside the file.
  static func hasLog(_ target: String) -> Bool {
    var status = stat()
    return stat(target + "-wal", &status) == 0 && status.st_size > 0
  }
}
