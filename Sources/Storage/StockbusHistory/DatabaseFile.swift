internal import LibC
internal import StockbusFiles
internal import StockbusPlugin
internal import StockbusSQLite

/// Opens the file. Its kind is checked before anything in it is changed.
struct DatabaseFile {
  /// The path as it was given, for messages.
  let path: String
  /// The path with links resolved.
  let target: String
  let migrations: [Layout.Migration]
  var logLimit = Self.logLimit
  /// Files up to this size are checked as a whole when they are opened for writing; larger ones by `stockbus history check`.
  static let checkedSize = 64 << 20
  /// How much of the database a writer holds in memory.
  static let cacheSize = 64 << 20
  /// The size at which the log is moved into the database: a quarter of the database, and within these limits.
  static let leastLog = 4 << 20
  static let mostLog = 64 << 20
  /// The size limit of the log if readers read without a pause.
  static let logLimit = 1 << 30
  /// How long opening, and a write, wait for another program's lock.
  static let lockWait = Duration.seconds(5)
  static let writeWait = Duration.seconds(1)

  init(_ path: String, migrations: [Layout.Migration] = Layout.migrations) {
    self.path = path
    target = FilePlace(path)?.path ?? path
    self.migrations = migrations
  }

  /// The version of the layout; nil if there is no file, or an empty one. Throws if the file is not a history that this program knows.
  func version() throws(HistoryError) -> Int? {
    var status = stat()
    if path.utf8.contains(0) { throw HistoryError(path, .other("a path cannot contain a NUL character")) }
    if stat(target, &status) != 0 {
      if errno == ENOENT { return nil }
      throw HistoryError(path, .other(String(cString: strerror(errno))))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw HistoryError(path, .notPlain) }
    if status.st_size == 0 { return nil }
    let head = try DatabaseHead(of: target, as: path)
    guard head.applicationID == Layout.applicationID else { throw HistoryError(path, .foreign(head.applicationID)) }
    return try known(Int(head.userVersion))
  }

  /// The version, if this program knows it.
  private func known(_ version: Int) throws(HistoryError) -> Int {
    let known = Layout.version(of: migrations)
    if version > known { throw HistoryError(path, .newer(version, known: known)) }
    if version < 1 { throw HistoryError(path, .damaged("layout \(version)")) }
    return version
  }

  /// Opens it for writing, creating it or bringing its layout up to date. The caller has the lock.
  func openForWriting(isSynced: Bool) throws(HistoryError) -> Connection {
    let isNew = try version() == nil
    if isNew { try create() }
    let connection = try connection(.writing(isSynced: isSynced))
    if !isNew, size <= Self.checkedSize { try connection.check() }
    // Again, because the log may be ahead of the file's beginning.
    if try known(connection.version()) != Layout.version(of: migrations) { try connection.migrate(migrations) }
    try connection.beginWriting()
    return connection
  }

  /// Opens it for reading, beside a writer or without one.
  func openForReading() throws(HistoryError) -> Connection {
    if try version() == nil { throw HistoryError(path, .missing) }
    let connection = try connection(.reading)
    let (present, last) = (try known(connection.version()), Layout.version(of: migrations))
    if present < last { throw HistoryError(path, .older(present, known: last)) }
    return connection
  }

  /// Opens the file for small transactions beside its writer. The layout is created or changed under the lock, which is then released.
  ///
  /// - Parameter creating: true to create a missing file; otherwise a missing file is an error.
  func openBesideWriter(creating: Bool = true) throws(HistoryError) -> Connection {
    var attempt = 1
    while true {
      let isThere = try version() != nil
      if !isThere, !creating { throw HistoryError(path, .missing) }
      if isThere {
        let connection = try connection(.writing(isSynced: true))
        // Asked of the connection, because the log may be ahead of the file's beginning.
        if try known(connection.version()) == Layout.version(of: migrations) {
          try connection.beginWriting()
          return connection
        }
        try connection.close()
      }
      if attempt == Self.layoutAttempts { throw HistoryError(path, .locked) }
      attempt += 1
      let lock: LockFile
      do throws(FileError) { lock = try LockFile(for: path) } catch {
        guard case .claim = error.attempt else { throw HistoryError(error, path) }
        // Another part of this process, or another process, may be creating the file at this moment.
        usleep(50_000)
        continue
      }
      defer { lock.release() }
      try openForWriting(isSynced: true).close()
    }
  }

  /// How often, twenty times a second, opening beside a writer checks whether the layout is there.
  static let layoutAttempts = 100

  /// Creates the file under another name and renames it, so that there is never a part of a file at the path.
  private func create() throws(HistoryError) {
    // SQLite would move the log's contents into the new file.
    if DatabaseHead.hasLog(target) {
      throw HistoryError(
        path,
        .other(
          "the file is missing, but its log \(shown(path + "-wal")) exists: put the file back, or remove the log to start again"))
    }
    let new = DatabaseFile(target + "-new", migrations: migrations)
    func remove() { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(new.target + suffix) } }
    remove()
    do throws(HistoryError) {
      let connection = try new.connection(.creating)
      try connection.migrate(migrations)
      try connection.beginLog()
      try connection.close()
    } catch {
      remove()
      throw HistoryError(path, error.reason)
    }
    if rename(new.target, target) != 0 { throw HistoryError(path, .other(String(cString: strerror(errno)))) }
  }

  private var size: Int {
    var status = stat()
    return stat(target, &status) == 0 ? Int(status.st_size) : 0
  }

  private var isWritable: Bool { access(target, W_OK) == 0 }

  private enum Use {
    case creating, reading
    case writing(isSynced: Bool)
  }

  private func connection(_ use: Use) throws(HistoryError) -> Connection {
    let (access, settings): (SQLiteConnection.Access, String) =
      switch use {
      case .creating: (.creating, "")
      // The last connection removes the log and its index, which one that is opened read-only cannot do.
      case .reading: isWritable ? (.writing, "PRAGMA query_only = ON") : (.reading, "")
      case .writing(let isSynced):
        (
          .writing,
          """
          PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL"); PRAGMA cache_size = -\(Self.cacheSize >> 10)
          """
        )
      }
    do throws(SQLiteError) {
      let queue = try SQLiteQueue(target, access, busyTimeout: Self.lockWait) { db throws(SQLiteError) in try db.execute(settings) }
      if case .creating = use { return Connection(path, queue) }
      return Connection(path, queue, OpenFiles(path, target, logLimit: logLimit))
    } catch { throw HistoryError(error, path) }
  }
}
