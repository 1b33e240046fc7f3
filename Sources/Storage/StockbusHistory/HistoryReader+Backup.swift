internal import LibC
internal import StockbusSQLite

extension HistoryReader {
  /// Copies the present state to a new file at `target`, while others read and write; returns its size in bytes.
  ///
  /// The copy is made under another name and then renamed, so that an incomplete one is never taken for a whole. Throws if there is a file
  /// at `target`, and if `isCancelled`, which is called from time to time, returns true.
  package func backUp(to target: String, isCancelled: () -> Bool = { false }) throws(HistoryError) -> Int {
    if let fault = Self.faultOfBackup(target) { throw HistoryError(target, .other(fault)) }
    let part = target + ".part"
    func remove() { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(part + suffix) } }
    remove()
    do {
      let copy = Connection(target, try SQLiteQueue(part, .creating))
      try connection.copy(to: copy) { progress in
        if !progress.isCompleted, isCancelled() { throw HistoryError(target, .other("the copy was cancelled")) }
      }
      try copy.check()
      try copy.close()
    } catch {
      remove()
      throw HistoryError(error, target)
    }
    // Does not replace a file that was created meanwhile.
    if link(part, target) != 0 {
      let code = errno
      remove()
      throw HistoryError(target, .other(String(cString: strerror(code))))
    }
    remove()
    var status = stat()
    return stat(target, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Why no copy can be made at `target`; nil if no obstacle is known.
  package static func faultOfBackup(_ target: String) -> String? {
    if target.isEmpty || target.utf8.contains(0) { return "it is not a path" }
    var status = stat()
    return lstat(target, &status) == 0 ? "the file exists already; a backup does not replace files" : nil
  }
}
