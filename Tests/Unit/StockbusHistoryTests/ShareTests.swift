import Foundation
import StockbusSQLite
import StockbusTestKit
import Testing

@testable import StockbusHistory

/// Transactions of another room in the history's file.
@Suite struct ShareTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("h.db") }

  private struct Refusal: Error {}

  @Test func `values are kept exactly, and what was refused is not there`() async throws {
    let share = try await DatabaseShare.open(path)
    let name = "a'; DROP TABLE people; -- é"
    let (added, id) = try share.write { db in
      let added = try db.run(
        "INSERT INTO people (name, password, scopes, created, changed) VALUES (?, ?, ?, ?, ?)", .text(name), .text(""), .text("read"),
        .integer(.max), .integer(.min))
      return (added, db.lastID)
    }
    #expect(added == 1 && id == 1)
    #expect(throws: Refusal.self) {
      try share.write { db in
        try db.run("DELETE FROM people")
        throw Refusal()
      }
    }
    #expect(
      try share.read { db in try db.rows("SELECT id, name, created, changed, NULL, x'00ff' FROM people") } == [
        [.integer(1), .text(name), .integer(.max), .integer(.min), .null, .bytes([0, 255])]
      ])
    #expect(throws: HistoryError.self) { try share.read { db in try db.rows("SELECT * FROM nothing") } }
    try share.close()
    #expect(folder.names == ["h.db"])
  }

  @Test func `only its owner can read the file, also one that was there`() async throws {
    try HistoryWriter(path).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let share = try await DatabaseShare.open(path)
    try share.write { db in try db.run("DELETE FROM people") }
    for name in folder.names {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
      #expect(name.hasSuffix("-lock") || mode == 0o600, "\(name)")
    }
    try share.close()
  }

  @Test func `it works beside the writer, which keeps its lock, and beside others of its kind`() async throws {
    let writer = try HistoryWriter(path)
    let (one, other) = (try await DatabaseShare.open(path), try await DatabaseShare.open(path))
    try one.write { db in try db.run("INSERT INTO people_settings (person, value) VALUES (0, '{}')") }
    try writer.write([bar("AAPL", 0)])
    #expect(try other.read { db in try db.rows("SELECT value FROM people_settings") } == [[.text("{}")]])
    #expect(throws: HistoryError.self) { _ = try HistoryWriter(path) }
    try writer.close()
    #expect(try HistoryReader(path).bars("AAPL", .day).count == 1)
  }

  @Test func `a file of layout 1 gets the tables, and keeps what it has`() async throws {
    let old = try SQLiteConnection(path, .creating)
    try Layout.migrate(old, [Layout.migrations[0]])
    try old.execute("INSERT INTO symbols (name) VALUES ('AAPL')")
    try old.close()
    let share = try await DatabaseShare.open(path)
    #expect(try share.read { db in try db.rows("SELECT count(*) FROM people") } == [[.integer(0)]])
    #expect(try HistoryReader(path).symbolNames(limit: 9) == ["AAPL"])
  }

  @Test func `another program's file is refused and left alone`() async throws {
    folder.put("no database", in: "h.db")
    await #expect(throws: HistoryError(path, .notDatabase)) { _ = try await DatabaseShare.open(path) }
    #expect(folder.names == ["h.db"])
  }
}
