internal import CLibSQLite

extension SQLiteConnection {
  /// The first bytes of the file, unchanged; nil if it has fewer.
  ///
  /// Read by SQLite's own descriptor: opening and closing another one would drop the locks of all connections of this process.
  package func firstBytes(_ count: Int32) -> [UInt8]? {
    // SQLite's file and its table of functions, which stay as long as the connection is open.
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard handle.pointer != nil, sqlite3_file_control(handle.pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let read = file.pointee.pMethods?.pointee.xRead
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(max(0, count)))
    return read(file, &bytes, Int32(bytes.count), 0) == SQLITE_OK ? bytes : nil
  }
}
