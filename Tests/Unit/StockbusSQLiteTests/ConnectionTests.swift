import CLibSQLite
import StockbusTestKit
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@testable import StockbusSQLite

/// Opening and closing, transactions, locks and copies.
@Suite(.timeLimit(.minutes(15))) struct ConnectionTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("a.db") }

  private struct Refusal: Error {}

  /// A database with the numbers 1 through 3.
  private func numbers(_ settings: String = "") throws -> SQLiteConnection {
    let database = try SQLiteConnection(path, .creating)
    try database.execute("\(settings); CREATE TABLE numbers (n INTEGER PRIMARY KEY); INSERT INTO numbers VALUES (1), (2), (3)")
    return database
  }

  private func count(_ database: SQLiteConnection) throws -> Int64? { try database.integer("SELECT count(*) FROM numbers") }

  @Test func `a file is made only where that is asked for`() throws {
    for access in [SQLiteConnection.Access.writing, .reading, .unchanging] {
      let error = failure { _ = try SQLiteConnection(path, access) }
      #expect(error?.kind == .cannotOpen && error?.message == "unable to open database file" && error?.systemCode == ENOENT)
    }
    #expect(folder.names == [])
    try numbers().close()
    #expect(folder.names == ["a.db"])
  }

  @Test func `what is no database is an error at once`() throws {
    folder.put("no database at all, but a text that is long enough to be one", in: "a.db")
    for access in [SQLiteConnection.Access.creating, .writing, .reading] {
      #expect(failure { _ = try SQLiteConnection(path, access) }?.kind == .notDatabase)
    }
    #expect(failure { _ = try SQLiteConnection(folder.path, .writing) }?.kind == .cannotOpen)
    #expect(failure { _ = try SQLiteConnection("", .creating) }?.kind == .cannotOpen)
    #expect(failure { _ = try SQLiteConnection("a\0b", .creating) }?.kind == .misuse)
    #expect(folder.names == ["a.db"])
  }

  @Test func `a path is a path and never a URI`() throws {
    let odd = folder.file("a b?mode=memory#%41.db")
    try SQLiteConnection(odd, .creating).execute("PRAGMA user_version = 5; CREATE TABLE t (x)")
    #expect(try SQLiteConnection(odd, .unchanging).integer("PRAGMA user_version") == 5)
    #expect(folder.names == ["a b?mode=memory#%41.db"])
  }

  @Test func `a connection for reading writes nothing, and one that is unchanging takes no lock`() throws {
    let writer = try numbers()
    let reader = try SQLiteConnection(path, .reading)
    #expect(failure { try reader.run("DELETE FROM numbers") }?.kind == .readOnly)
    try writer.execute("BEGIN EXCLUSIVE")
    #expect(failure { _ = try count(reader) }?.kind == .busy)
    #expect(try count(SQLiteConnection(path, .unchanging)) == 3)
    try writer.execute("ROLLBACK")
    #expect(try count(reader) == 3)
  }

  @Test func `the first bytes are those of the file`() throws {
    let database = try numbers()
    #expect(database.firstBytes(16) == Array("SQLite format 3\0".utf8))
    #expect(database.firstBytes(0) == [] && database.firstBytes(-1) == [] && database.firstBytes(100_000) == nil)
    try database.close()
    #expect(database.firstBytes(16) == nil)
  }

  @Test func `nothing that is written in a file is executed, and the schema cannot be written`() throws {
    let database = try numbers()
    try database.execute("CREATE TRIGGER grow AFTER INSERT ON numbers BEGIN INSERT INTO numbers VALUES (new.n + 100); END")
    try database.execute("CREATE VIEW seen AS SELECT * FROM numbers; INSERT INTO numbers VALUES (4)")
    #expect(try count(database) == 4)
    #expect(failure { _ = try database.integer("SELECT count(*) FROM seen") } != nil)
    try database.execute("PRAGMA writable_schema = ON")
    #expect(failure { try database.run("DELETE FROM sqlite_schema") } != nil)
    #expect(try database.integer("PRAGMA trusted_schema") == 0 && database.integer("PRAGMA foreign_keys") == 0)
  }

  @Test func `after an error nothing of a transaction is there, and the next one works`() throws {
    let database = try numbers()
    #expect(throws: Refusal.self) {
      try database.inTransaction(.immediate) {
        try database.run("DELETE FROM numbers")
        throw Refusal()
      }
    }
    let error = failure {
      try database.inTransaction(.deferred) {
        try database.run("INSERT INTO numbers VALUES (4)")
        try database.run("INSERT INTO numbers VALUES (4)")
      }
    }
    #expect(error?.kind == .constraint && !database.isInTransaction)
    #expect(try count(database) == 3)
    #expect(try database.inTransaction(.immediate) { try database.run("INSERT INTO numbers VALUES (4), (5)") } == 2)
    #expect(try count(database) == 5)
  }

  @Test func `there is no transaction inside another, which goes on`() throws {
    let database = try numbers()
    try database.inTransaction(.immediate) {
      try database.run("INSERT INTO numbers VALUES (4)")
      #expect(failure { try database.inTransaction(.deferred) {} } != nil)
      #expect(database.isInTransaction)
    }
    #expect(try count(database) == 4)
  }

  @Test func `a commit that fails is an error, and nothing is there`() throws {
    let (database, reader) = (try numbers(), try SQLiteConnection(path, .writing))
    // Without a log, a commit waits for those who read.
    try reader.execute("BEGIN")
    _ = try count(reader)
    let error = failure { _ = try database.inTransaction(.immediate) { try database.run("DELETE FROM numbers") } }
    #expect(error?.kind == .busy && error?.statement == "COMMIT" && !database.isInTransaction)
    try reader.execute("COMMIT")
    #expect(try count(database) == 3)
    // A constraint that is looked at in the end.
    try database.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE parts (whole INTEGER REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED)
      """)
    let late = failure { _ = try database.inTransaction(.immediate) { try database.run("INSERT INTO parts VALUES (9)") } }
    #expect(late?.kind == .constraint)
    #expect(try database.integer("SELECT count(*) FROM parts") == 0)
  }

  @Test func `a transaction that SQLite has given up is an error, even if its body does not notice`() throws {
    let database = try numbers("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL")
    try database.execute("PRAGMA max_page_count = 3; PRAGMA cache_size = 1; CREATE TABLE many (x)")
    var inside: SQLiteError?
    let error = failure {
      try database.inTransaction(.immediate) {
        inside = failure { for _ in 0..<10_000 { try database.run("INSERT OR ROLLBACK INTO many VALUES (zeroblob(1000))") } }
        // What comes now would be outside of the transaction.
        try database.run("DELETE FROM numbers WHERE n = 77")
      }
    }
    #expect(inside?.kind == .full && error?.message == "SQLite has rolled back the transaction after an error in it")
    #expect(try database.integer("SELECT count(*) FROM many") == 0)
    #expect(try database.inTransaction(.immediate) { 7 } == 7)
  }

  @Test func `another connection's lock is an error, at once or after a time`() throws {
    let (one, other) = (try numbers("PRAGMA journal_mode = WAL"), try SQLiteConnection(path, .writing, busyTimeout: .milliseconds(30)))
    try one.execute("BEGIN IMMEDIATE")
    let begin = ContinuousClock.now
    #expect(failure { try other.inTransaction(.immediate) {} }?.kind == .busy)
    #expect(ContinuousClock.now - begin >= .milliseconds(20))
    other.setBusyTimeout(.zero)
    #expect(failure { try other.inTransaction(.immediate) {} }?.kind == .busy)
    // Readers are not in its way.
    #expect(try other.inTransaction(.deferred) { try count(other) } == 3)
    try one.execute("ROLLBACK")
    #expect(try other.inTransaction(.immediate) { 1 } == 1)
  }

  @Test func `a statement that is interrupted is an error, and can be run again`() throws {
    let database = try numbers()
    let sql = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 100) SELECT n FROM c"
    let error = failure {
      try database.statement(sql).forEachRow { row in
        if row.integer(0) == 10 { sqlite3_interrupt(database.handle.pointer) }
        return true
      }
    }
    #expect(error?.kind == .interrupted && error?.statement == sql)
    #expect(try database.rows(sql) { $0.integer(0) }.count == 100)
  }

  @Test func `a database is closed with the statements it keeps, and not with others or while rows are read`() throws {
    let database = try numbers()
    let kept = try database.statement("SELECT n FROM numbers")
    try kept.forEachRow { _ in
      #expect(failure { try database.close() }?.kind == .busy)
      return true
    }
    var other: SQLiteStatement?
    try kept.forEachRow { _ in
      other = try database.statement("SELECT n FROM numbers")
      return false
    }
    #expect(failure { try database.close() }?.kind == .busy)
    #expect(try count(database) == 3)
    try other?.forEachRow { _ in true }
    other = nil
    try database.close()
    try database.close()
    #expect(folder.names == ["a.db"])
    kept.bind(1, 5)
    kept.bind(1, "x")
    kept.bind([.null])
    database.setBusyTimeout(.zero)
    for attempt: () throws -> Void in [
      { try kept.forEachRow { _ in true } }, { try kept.run() }, { try database.run("DELETE FROM numbers") },
      { try database.execute("SELECT 1") },
      { _ = try database.integer("SELECT 1") }, { try database.inTransaction(.deferred) {} },
      { try database.backUp(to: database, pagesPerStep: 1) { _ in } },
    ] {
      #expect(failure(attempt)?.message == "the database is closed")
    }
    #expect(database.lastRowID == 0 && !database.isInTransaction)
  }

  @Test func `a statement may outlive its connection`() throws {
    var left: SQLiteStatement?
    do { left = try numbers().statement("SELECT n FROM numbers ORDER BY n DESC") }
    var first: Int64?
    try left?.forEachRow { row in
      first = row.integer(0)
      return false
    }
    #expect(first == 3)
    left = nil
    #expect(folder.names == ["a.db"])
  }

  @Test func `a copy in a transaction has one state, whatever is written meanwhile`() throws {
    let writer = try numbers("PRAGMA journal_mode = WAL")
    try writer.execute("CREATE TABLE filling (x); INSERT INTO filling SELECT zeroblob(100000) FROM numbers")
    let reader = try SQLiteConnection(path, .reading)
    let target = try SQLiteConnection(folder.file("copy.db"), .creating)
    var steps: [SQLiteBackupProgress] = []
    try reader.inTransaction(.deferred) {
      _ = try count(reader)
      try reader.backUp(to: target, pagesPerStep: 10) { progress in
        steps.append(progress)
        try writer.run("INSERT INTO numbers VALUES (?)", .integer(Int64(100 + steps.count)))
      }
    }
    #expect(steps.count > 5 && steps.dropLast().allSatisfy { !$0.isCompleted } && steps.last?.isCompleted == true)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.remainingPages > $1.remainingPages })
    #expect(try count(target) == 3)
    #expect(try count(writer) == Int64(3 + steps.count))
    #expect(try target.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `a copy that is given up, or cannot be written, is an error and leaves the source as it is`() throws {
    let database = try numbers()
    try database.execute("CREATE TABLE filling (x); INSERT INTO filling SELECT zeroblob(100000) FROM numbers")
    let target = try SQLiteConnection(folder.file("copy.db"), .creating)
    #expect(throws: Refusal.self) { try database.backUp(to: target, pagesPerStep: 5) { _ in throw Refusal() } }
    try target.execute("PRAGMA max_page_count = 2")
    #expect(failure { try database.backUp(to: target, pagesPerStep: 5) { _ in } } != nil)
    #expect(failure { try database.backUp(to: database, pagesPerStep: 5) { _ in } } != nil)
    #expect(failure { try database.backUp(to: SQLiteConnection(path, .reading), pagesPerStep: 5) { _ in } }?.kind == .readOnly)
    #expect(try count(database) == 3)
    try database.close()
    try target.close()
  }

  @Test func `threads that share a queue wait for each other`() async throws {
    try numbers("PRAGMA journal_mode = WAL").close()
    let queue = try SQLiteQueue(path, .writing) { database throws(SQLiteError) in try database.execute("PRAGMA synchronous = NORMAL") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for i in 0..<50 {
            try queue.use { database in
              try database.inTransaction(.immediate) {
                try database.run("INSERT INTO numbers VALUES (?)", .integer(Int64(1000 + task * 50 + i)))
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try queue.use { try $0.integer("SELECT count(*) FROM numbers") } == 403)
    try queue.close()
    try queue.close()
    #expect(throws: SQLiteError.self) { try queue.use { try $0.integer("SELECT 1") } }
  }

  @Test func `a queue whose settings fail is not opened`() throws {
    #expect(failure { _ = try SQLiteQueue(path, .creating) { database throws(SQLiteError) in try database.execute("no settings") } } != nil)
  }
}
