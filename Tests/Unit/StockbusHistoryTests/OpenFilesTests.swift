import Foundation
import StockbusSQLite
import StockbusTestKit
import Synchronization
import Testing

@testable import StockbusHistory

/// The end of a thread.
private final class End: Sendable {
  let hasCome = Atomic(false)
  let isSeen = DispatchSemaphore(value: 0)
}

/// A database whose files are moved, removed or replaced while it is open, and the size of its log.
@Suite struct OpenFilesTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("h.db") }

  private func move(_ from: String, _ to: String) { rename(folder.file(from), folder.file(to)) }

  private func displaced(_ why: String) -> HistoryError { HistoryError(path, .displaced(why)) }

  @Test func `a file that is moved, removed or replaced takes nothing more, and goes on when it is back`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([bar("A", 0)])
    move("h.db", "aside.db")
    let moved = displaced("it was moved or removed")
    #expect(failure { try writer.checkPlace() } == moved)
    #expect(failure { try writer.write([bar("A", 1)]) } == moved)
    #expect(moved.mayPass)
    folder.put("", in: "h.db")
    #expect(failure { try writer.write([bar("A", 1)]) } == displaced("another file has taken its place"))
    move("aside.db", "h.db")
    for suffix in ["-wal", "-shm"] {
      move("h.db" + suffix, "aside")
      #expect(
        failure { try writer.write([bar("A", 1)]) }
          == displaced("the file \(suffix) beside it, which belongs to it, was moved, removed or replaced"))
      move("aside", "h.db" + suffix)
    }
    try writer.write([bar("A", 2)])
    try writer.close()
    #expect(try HistoryReader(path).bars("A", .day).map(\.time.ns) == [0, 2])
  }

  /// Who has lost the file takes the lock of nobody else away, and does not touch the file that is there now.
  @Test func `a writer whose file was replaced leaves the next writer's alone`() throws {
    let first = try HistoryWriter(path)
    try first.write([bar("A", 0)])
    for name in folder.names { folder.remove(name) }
    let second = try HistoryWriter(path)
    try second.write([bar("B", 0)])
    try first.close()
    #expect(folder.names == ["h.db", "h.db-lock", "h.db-shm", "h.db-wal"])
    try second.write([bar("B", 1)])
    try second.close()
    #expect(try HistoryReader(path).bars("B", .day).count == 2)
  }

  /// So that a chart of a later run is not one of the file before.
  @Test func `a reader of a file that was replaced says so, and another one reads the new file`() throws {
    let first = try HistoryWriter(path)
    try first.write([bar("A", 0)])
    let reader = try HistoryReader(path)
    #expect(try reader.bars("A", .day).count == 1)
    for name in folder.names { folder.remove(name) }
    let second = try HistoryWriter(path)
    try second.write([bar("A", 0), bar("A", 1)])
    #expect(failure { _ = try reader.bars("A", .day) } == displaced("another file has taken its place"))
    #expect(try HistoryReader(path).bars("A", .day).count == 2)
    try second.close()
  }

  @Test func `another room reads and writes nothing in a file that has gone`() async throws {
    let share = try await DatabaseShare.open(path)
    for name in folder.names { folder.remove(name) }
    #expect(failure { _ = try share.read { db in try db.rows("SELECT 1") } } == displaced("it was moved or removed"))
    #expect(failure { _ = try share.write { db in try db.run("DELETE FROM people") } } == displaced("it was moved or removed"))
  }

  @Test func `no new file is made over the log of another`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([bar("A", 0)])
    move("h.db", "aside.db")
    try writer.close()
    let refusal =
      "the file is not there, and its log '\(path)-wal' is: put the file back beside it, or remove the log to begin anew"
    #expect(failure { _ = try HistoryWriter(path) } == HistoryError(path, .other(refusal)))
    move("aside.db", "h.db")
    let again = try HistoryWriter(path)
    try again.write([bar("A", 1)])
    try again.close()
    #expect(try HistoryReader(path).bars("A", .day).count == 2)
  }

  @Test func `a file that is missing is made only where that is asked for`() async throws {
    await #expect(throws: HistoryError(path, .missing)) { _ = try await DatabaseShare.open(path, creating: false) }
    #expect(folder.names == [])
    try await DatabaseShare.open(path).close()
    try await DatabaseShare.open(path, creating: false).close()
  }

  // MARK: The log

  private func fill(_ connection: Connection, _ number: Int) throws(HistoryError) {
    _ = try connection.writing { db in
      try db.run(
        "INSERT OR REPLACE INTO people_settings (person, value) VALUES (?, ?)", .integer(Int64(number % 8)),
        .text(String(repeating: "x", count: 256 << 10)))
    }
  }

  private var logSize: Int { (try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int) ?? 0 }

  /// 32 MiB are written to a database of 2 MiB.
  @Test func `the log of a small database stays small`() throws {
    let connection = try DatabaseFile(path).openForWriting(isSynced: false)
    var most = 0
    for number in 0..<128 {
      try fill(connection, number)
      most = max(most, logSize)
    }
    #expect(most < 2 * DatabaseFile.leastLog, "\(most)")
    try connection.close()
  }

  @Test func `beside one who reads without end the log has a limit, and is emptied afterwards`() throws {
    var file = DatabaseFile(path)
    file.logLimit = 6 << 20
    let connection = try file.openForWriting(isSynced: false)
    try fill(connection, 0)
    let reader = try SQLiteConnection(path, .writing)
    try reader.execute("BEGIN; SELECT count(*) FROM people_settings")
    var written = 0
    let full = failure {
      while written < 100 {
        try fill(connection, written)
        written += 1
      }
    }
    #expect(full?.mayPass == true)
    #expect(
      full.map { "\($0)" }
        == "cannot write '\(path)': its log has 6 MiB and cannot be emptied, because another program reads the database without a pause")
    #expect(logSize < 7 << 20)
    try reader.execute("COMMIT")
    try fill(connection, 1)
    #expect(logSize < 1 << 20)
    try reader.close()
    try connection.close()
  }

  /// One reader after another, without a pause, each with a place in the log that the one before has left.
  @Test func `beside one who reads again and again the log is emptied`() throws {
    var file = DatabaseFile(path)
    file.logLimit = 16 << 20
    let connection = try file.openForWriting(isSynced: false)
    try fill(connection, 0)
    let end = End()
    let path = path
    Thread.detachNewThread {
      // Some hundredths of a second for each transaction.
      let slow =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT max(x) FROM n, people_settings WHERE person = 0"
      let reader = try? SQLiteConnection(path, .writing)
      while !end.hasCome.load(ordering: .relaxed) { _ = try? reader?.inTransaction(.deferred) { try reader?.integer(slow) } }
      end.isSeen.signal()
    }
    var most = 0
    for number in 0..<128 {
      #expect(throws: Never.self) { try fill(connection, number) }
      most = max(most, logSize)
    }
    #expect(most < 4 * DatabaseFile.leastLog, "\(most)")
    end.hasCome.store(true, ordering: .relaxed)
    end.isSeen.wait()
    try connection.close()
  }
}
