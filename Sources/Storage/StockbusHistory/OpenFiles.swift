internal import LibC
internal import Synchronization

/// The files of an open database, as they were when it was opened: checks that they are still those at its path, and limits its log.
///
/// SQLite continues with files that were moved, removed or replaced meanwhile. Its writes are then in no file at the path, and its reads do
/// not see what others have written since.
final class OpenFiles: Sendable {
  /// The path as it was given, for messages.
  private let path: String
  /// The path with links resolved; SQLite's other files are beside it.
  private let target: String
  /// The log and its index; a file that was missing at the start is not checked.
  private let others: [(suffix: String, identity: Identity)]
  private let database: Identity
  private let log = Mutex(Log())
  /// The size limit of the log if readers read without a pause.
  let logLimit: Int

  private struct Log {
    /// The log size at which the log is moved into the database.
    var size = 0
    /// The log size at which emptying the log is tried.
    var emptiedFrom = 0
  }

  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int

    /// Nil if there is no such file.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode, size) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), Int(status.st_size))
    }

    func isSame(as other: Identity) -> Bool { device == other.device && inode == other.inode }
  }

  /// To be called when SQLite has opened all files. Nil if there is no file at the path.
  init?(_ path: String, _ target: String, logLimit: Int) {
    guard let database = Identity(path) else { return nil }
    (self.path, self.target, self.database, self.logLimit) = (path, target, database, logLimit)
    others = ["-wal", "-shm"].compactMap { suffix in Identity(target + suffix).map { (suffix, $0) } }
  }

  /// Throws if the files are not those at the path. Takes three system calls.
  func check() throws(HistoryError) {
    guard let now = Identity(path) else { throw HistoryError(path, .displaced("it was moved or removed")) }
    if !now.isSame(as: database) { throw HistoryError(path, .displaced("another file has taken its place")) }
    for (suffix, identity) in others where Identity(target + suffix).map({ !$0.isSame(as: identity) }) ?? true {
      throw HistoryError(path, .displaced("the file \(suffix) beside it, which belongs to it, was moved, removed or replaced"))
    }
  }

  // MARK: The log

  /// The size at which the log is moved into the database, if it differs much from the last returned size: a quarter of the database. A
  /// page that several transactions change is then written to the database once, and a small database has a small log.
  func newLogSize() -> Int? {
    let wanted = min(max((Identity(target)?.size ?? 0) / 4, DatabaseFile.leastLog), DatabaseFile.mostLog)
    return log.withLock { log in
      if wanted >= log.size / 2, wanted <= log.size * 2 { return nil }
      log.size = wanted
      return wanted
    }
  }

  private var logBytes: Int { Identity(target + "-wal")?.size ?? 0 }

  /// True if the log has outgrown its size, because there are always readers of it. True again only when it has grown by as much.
  func isToBeEmptied() -> Bool {
    let bytes = logBytes
    return log.withLock { log in
      if bytes <= 2 * log.size {
        log.emptiedFrom = 0
        return false
      }
      if bytes < log.emptiedFrom { return false }
      log.emptiedFrom = bytes + log.size
      return true
    }
  }

  /// True if the log may not grow any more.
  var isLogFull: Bool { logBytes >= logLimit }

  /// Throws if the log may not grow any more.
  func checkLog() throws(HistoryError) {
    if !isLogFull { return }
    throw HistoryError(
      path,
      .noRoom("its log (-wal) has \(logLimit >> 20) MiB and cannot be emptied, because another program reads the database all the time"))
  }
}
