import Foundation
import MarketData
import StockbusPlugin
import StockbusSQLite
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct FileTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  /// Writes a file of some bars and returns its bytes.
  private func makeFile(bars: Int = 3000) throws -> [UInt8] {
    let writer = try HistoryWriter(path)
    try writer.write((0..<bars).map { bar("AAPL", Int64($0) * day) })
    try writer.close()
    return try folder.bytes("h.db")
  }

  /// The errors of writing and of reading it; the file must stay as it is, with nothing beside it.
  private func refusal(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String?] {
    let before = try folder.bytes("h.db")
    let writing = fault { _ = try HistoryWriter(path) }
    let reading = fault { _ = try HistoryReader(path).check(gapsFrom: day, most: 1) }
    #expect(try folder.bytes("h.db") == before, sourceLocation: sourceLocation)
    #expect(folder.names == ["h.db"], sourceLocation: sourceLocation)
    return [writing, reading]
  }

  @Test func `a new file has the application id and the layout, and is read while it is written`() throws {
    let writer = try HistoryWriter(folder.file("a/b/h.db"))
    try writer.close()
    defer {
      for name in ["a/b/h.db"] { folder.remove(name) }
      folder.removeFolder("a/b")
      folder.removeFolder("a")
    }
    let bytes = try folder.bytes("a/b/h.db")
    #expect(Array(bytes[68..<72]) == Array("stkb".utf8))
    #expect(Array(bytes[60..<64]) == [0, 0, 0, 2])
    // The version of its format for writing and reading: 2 is a write-ahead log.
    #expect(bytes[18] == 2 && bytes[19] == 2)
  }

  @Test func `an empty file becomes a history`() throws {
    folder.put([], in: "h.db")
    #expect(fault { _ = try HistoryReader(path) } == "'\(path)': there is no such file")
    let writer = try HistoryWriter(path)
    try writer.write([bar("AAPL", 0)])
    try writer.close()
    #expect(try HistoryReader(path).bars("AAPL", .day).count == 1)
  }

  @Test func `a file that is no database is refused and left alone`() throws {
    folder.put("date,symbol,open\n", in: "h.db")
    let text = "'\(path)' is no database of stockbus: it is not a database; another path leaves it alone"
    #expect(try refusal() == [text, text])
    #expect(HistoryReader.fault(inFileAt: path) == "is no database of stockbus: it is not a database; another path leaves it alone")
  }

  @Test func `a database of another program is refused and left alone`() throws {
    for id in [0, 77] {
      let other = try SQLiteConnection(path, .creating)
      try other.execute("PRAGMA application_id = \(id); CREATE TABLE notes (a); INSERT INTO notes VALUES (1)")
      try other.close()
      let text =
        "'\(path)' is no database of stockbus: it is a database of another program (application id \(id)); another path leaves it alone"
      #expect(try refusal() == [text, text])
      folder.remove("h.db")
    }
  }

  @Test func `a newer layout is refused and left alone`() throws {
    _ = try makeFile(bars: 1)
    let other = try SQLiteConnection(path, .writing)
    try other.execute("PRAGMA user_version = 9")
    try other.close()
    let text = "'\(path)' was written by a newer stockbus (layout 9, this one knows 2)"
    #expect(try refusal() == [text, text])
  }

  @Test func `a file that was cut off is damaged, and left alone`() throws {
    let whole = try makeFile()
    for part in [5000, whole.count / 2, whole.count - 4096] {
      folder.put(Array(whole[..<part]), in: "h.db")
      let faults = try refusal()
      let writing = faults[0]
      #expect(writing?.contains("is damaged: database disk image is malformed; it is left as it is") == true, "\(writing ?? "")")
      #expect(faults[1] == writing)
    }
  }

  @Test func `a page that was overwritten is found when the file is opened for writing, and by a check`() throws {
    var bytes = try makeFile()
    for i in 40 * 4096..<40 * 4096 + 512 { bytes[i] = 0xff }
    folder.put(bytes, in: "h.db")
    for fault in try refusal() { #expect(fault?.hasPrefix("'\(path)' is damaged: ") == true, "\(fault ?? "")") }
  }

  @Test func `a log that was cut off gives the transactions before the cut, in order`() throws {
    // Three transactions in a log that no connection brings into the file.
    let writer = try HistoryWriter(path)
    for i in 0..<3 { try writer.write((0..<50).map { bar("AAPL", Int64(i * 50 + $0) * day) }) }
    let (main, log) = (try folder.bytes("h.db"), try folder.bytes("h.db-wal"))
    try writer.close()
    var counts: Set<Int> = []
    for cut in stride(from: log.count, through: 0, by: -3000) {
      folder.remove("h.db-shm")
      folder.put(main, in: "h.db")
      folder.put(Array(log[..<cut]), in: "h.db-wal")
      let again = try HistoryWriter(path)
      let bars = try HistoryReader(path).bars("AAPL", .day)
      #expect(bars.map { $0.time.ns / day } == (0..<Int64(bars.count)).map { $0 })
      counts.insert(bars.count)
      try again.close()
    }
    #expect(counts == [0, 50, 100, 150])
  }

  @Test func `a folder and a path through a file are refused`() throws {
    folder.put("x", in: "f")
    #expect(fault { _ = try HistoryWriter(folder.path) } == "'\(folder.path)' is not a regular file")
    #expect(fault { _ = try HistoryWriter(folder.file("f/h.db")) }?.contains("Not a directory") == true)
  }

  @Test func `there is one writer at a time, and the message names the other`() throws {
    let first = try HistoryWriter(path)
    #expect(fault { _ = try HistoryWriter(path) } == "cannot write '\(path)': another output of this program is writing it")
    // By another name, too.
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
    #expect(fault { _ = try HistoryWriter(folder.file("link")) }?.contains("another output of this program") == true)
    try first.write([bar("AAPL", 0)])
    try first.close()
    let second = try HistoryWriter(folder.file("link"))
    #expect(try second.write([bar("AAPL", day)]).bars == 1)
    try second.close()
    #expect(folder.names == ["h.db", "link"])
  }

  @Test func `a file of which only the head of its log has come, for lack of room, goes on with its log`() throws {
    let writer = try HistoryWriter(path)
    try writer.write((0..<3000).map { bar("AAPL", Int64($0) * day) })
    // As the run left it, and with page 1 as it is to be: it says that there are more pages than the file has.
    var file = try folder.bytes("h.db")
    let log = try folder.bytes("h.db-wal")
    let pages = file.count / 4096
    file[31] = UInt8(pages + 5)
    folder.put(file, in: "copy.db")
    folder.put(log, in: "copy.db-wal")
    try writer.close()
    let copy = folder.file("copy.db")
    #expect(HistoryReader.fault(inFileAt: copy) == nil)
    let next = try HistoryWriter(copy)
    #expect(try HistoryReader(copy).bars("AAPL", .day).count == 3000)
    try next.close()
    // Without the log it is damaged.
    folder.put(file, in: "bare.db")
    #expect(HistoryReader.fault(inFileAt: folder.file("bare.db"))?.hasPrefix("is damaged") == true)
  }

  @Test func `a file that the run reads is not written`() throws {
    folder.put([], in: "h.db")
    let files = RunFiles([.init(path: path, words: "source 'prices' reads it")])
    #expect(fault { _ = try HistoryWriter(path, files: files) } == "cannot write '\(path)': source 'prices' reads it")
    #expect(folder.names == ["h.db"])
  }

  @Test func `another program's lock is an error that may pass`() throws {
    let writer = try HistoryWriter(path)
    let other = try SQLiteConnection(path, .writing)
    try other.execute("BEGIN IMMEDIATE")
    let error = failure { try writer.write([bar("AAPL", 0)]) }
    #expect(error?.reason == .locked && error?.mayPass == true)
    try other.execute("ROLLBACK")
    #expect(try writer.write([bar("AAPL", 0)]).bars == 1)
  }

  @Test func `a file of layout 1 is read, and brought to a later layout with all it holds`() throws {
    // As the first version has made it, statement by statement.
    let old = try SQLiteConnection(path, .creating)
    try old.execute(
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('v1');
      CREATE TABLE symbols (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE bars (
        symbol INTEGER NOT NULL, length INTEGER NOT NULL, start INTEGER NOT NULL, open INTEGER NOT NULL, high INTEGER NOT NULL,
        low INTEGER NOT NULL, close INTEGER NOT NULL, volume INTEGER NOT NULL, turnover_high INTEGER NOT NULL,
        turnover_low INTEGER NOT NULL, vwap INTEGER NOT NULL, count INTEGER NOT NULL, price_decimals INTEGER NOT NULL,
        size_decimals INTEGER NOT NULL, session INTEGER NOT NULL, status INTEGER NOT NULL, revision INTEGER NOT NULL,
        received INTEGER NOT NULL, PRIMARY KEY (symbol, length, start)) STRICT, WITHOUT ROWID;
      CREATE TABLE lengths (length INTEGER NOT NULL PRIMARY KEY, newest INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE last_prices (
        symbol INTEGER NOT NULL PRIMARY KEY, price INTEGER NOT NULL, size INTEGER NOT NULL, time INTEGER NOT NULL,
        received INTEGER NOT NULL, price_decimals INTEGER NOT NULL, size_decimals INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE closes (
        symbol INTEGER NOT NULL, date INTEGER NOT NULL, close INTEGER NOT NULL, price_decimals INTEGER NOT NULL,
        PRIMARY KEY (symbol, date)) STRICT, WITHOUT ROWID;
      INSERT INTO symbols VALUES (1, 'AAPL');
      INSERT INTO bars VALUES (1, 86400000000000, 172800000000000, 1, 4, -1, 3, 10, 1, -1, 2, 7, 2, 1, 2, 1, 5, 99);
      INSERT INTO symbols VALUES (2, 'MANY');
      WITH RECURSIVE minutes(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM minutes WHERE n < 999)
      INSERT INTO bars SELECT 2, 60000000000, n * 60000000000, n, n + 2, n - 2, n + 1, 5, 0, n, n, 1, 9, 0, 0, 0, 0, n FROM minutes;
      INSERT INTO lengths VALUES (86400000000000, 172800000000000);
      INSERT INTO last_prices VALUES (1, 3, 0, 172800000000000, 99, 2, 0);
      INSERT INTO closes VALUES (1, 2, 3, 2);
      PRAGMA application_id = 1937009506; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
      """)
    try old.close()
    let expected = Bar(
      symbol: "AAPL", open: Price(raw: 1), high: Price(raw: 4), low: Price(raw: -1), close: Price(raw: 3), volume: Quantity(raw: 10),
      time: Timestamp(ns: 2 * day), received: Timestamp(ns: 99), priceDecimals: 2, sizeDecimals: 1, length: .day,
      turnover: Amount(raw: Int128(1) << 65 - 1), vwap: Price(raw: 2), count: 7, revision: 5, session: .regular, status: .partial)
    let many = (0..<1000).map { (n: Int64) in
      Bar(
        symbol: "MANY", open: Price(raw: n), high: Price(raw: n + 2), low: Price(raw: n - 2), close: Price(raw: n + 1),
        volume: Quantity(raw: 5), time: Timestamp(ns: n * minute), received: Timestamp(ns: n), priceDecimals: 9, length: .time(minute),
        turnover: Amount(raw: Int128(n)), vwap: Price(raw: n), count: 1)
    }
    #expect(
      fault { _ = try HistoryReader(path) }
        == "'\(path)' was written by an older stockbus (layout 1, now 2); the next run or import that writes it brings it up to date")
    try HistoryWriter(path).close()
    #expect(try HistoryReader(path).bars("AAPL", .day) == [expected])
    #expect(try HistoryReader(path).bars("MANY", .time(minute)) == many)
    #expect(try HistoryReader(path).lastPrices().map(\.price.raw) == [3])
    #expect(try HistoryReader(path).previousClose(of: "AAPL", before: CivilDate(daysSinceEpoch: 3))?.close.raw == 3)
    let summary = try HistoryReader(path).check(gapsFrom: day, most: 10)
    #expect(summary.layout == 2 && summary.bars.map(\.bars) == [1000, 1] && summary.gapCount == 0)
    let later = Layout.migrations + [Layout.Migration(version: 3, sql: "ALTER TABLE symbols ADD COLUMN note TEXT")]
    let known = fault { _ = try HistoryReader(DatabaseFile(path, migrations: later)) }
    #expect(
      known
        == "'\(path)' was written by an older stockbus (layout 2, now 3); the next run or import that writes it brings it up to date")
    let writer = try HistoryWriter(path, migrations: later)
    try writer.write([bar("MSFT", 0)])
    try writer.close()
    let reader = try HistoryReader(DatabaseFile(path, migrations: later))
    #expect(try reader.bars("AAPL", .day) == [expected])
    #expect(try reader.bars("MSFT", .day).count == 1)
    // This program does not know layout 3.
    #expect(fault { _ = try HistoryWriter(path) } == "'\(path)' was written by a newer stockbus (layout 3, this one knows 2)")
  }

  @Test func `a file that the program with GRDB has made is read and written, and keeps the names of its steps`() throws {
    // As that program has made it, statement by statement.
    let old = try SQLiteConnection(path, .creating)
    try old.execute(
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      CREATE TABLE symbols (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE lengths (length INTEGER NOT NULL PRIMARY KEY, newest INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE last_prices (
        symbol INTEGER NOT NULL PRIMARY KEY, price INTEGER NOT NULL, size INTEGER NOT NULL, time INTEGER NOT NULL,
        received INTEGER NOT NULL, price_decimals INTEGER NOT NULL, size_decimals INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE closes (
        symbol INTEGER NOT NULL, date INTEGER NOT NULL, close INTEGER NOT NULL, price_decimals INTEGER NOT NULL,
        PRIMARY KEY (symbol, date)) STRICT, WITHOUT ROWID;
      CREATE TABLE chunks (
        id INTEGER PRIMARY KEY, symbol INTEGER NOT NULL, length INTEGER NOT NULL, start INTEGER NOT NULL, last INTEGER NOT NULL,
        count INTEGER NOT NULL, bars BLOB NOT NULL) STRICT;
      CREATE UNIQUE INDEX chunk_places ON chunks (symbol, length, start);
      INSERT INTO symbols VALUES (1, 'AAPL');
      INSERT INTO last_prices VALUES (1, 3, 0, 172800000000000, 99, 2, 0);
      INSERT INTO closes VALUES (1, 2, 3, 2);
      INSERT INTO grdb_migrations VALUES ('v1'), ('v2');
      PRAGMA application_id = 1937009506; PRAGMA user_version = 2; PRAGMA journal_mode = WAL;
      """)
    try old.close()
    let writer = try HistoryWriter(path)
    try writer.write([bar("AAPL", 5 * day), bar("MSFT", 0)])
    try writer.close()
    let reader = try HistoryReader(path)
    #expect(try reader.symbolNames(limit: 9) == ["AAPL", "MSFT"])
    #expect(try reader.bars("AAPL", .day) == [bar("AAPL", 5 * day)])
    #expect(try reader.previousClose(of: "AAPL", before: CivilDate(daysSinceEpoch: 3))?.close.raw == 3)
    // The program with GRDB goes by the names: with all of them there it changes nothing.
    let names = try SQLiteConnection(path, .writing).rows("SELECT identifier FROM grdb_migrations ORDER BY 1") { $0.text(0) }
    #expect(names == ["v1", "v2"])
    // And so it is in a new file.
    try HistoryWriter(folder.file("new.db")).close()
    let new = try SQLiteConnection(folder.file("new.db"), .writing)
    #expect(try new.rows("SELECT identifier FROM grdb_migrations ORDER BY 1") { $0.text(0) } == ["v1", "v2"])
    #expect(
      try new.text("SELECT sql FROM sqlite_schema WHERE name = 'grdb_migrations'")
        == "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
  }

  @Test func `a migration that fails leaves the file at its layout`() throws {
    _ = try makeFile(bars: 10)
    let wrong = Layout.migrations + [Layout.Migration(version: 3, sql: "ALTER TABLE symbols ADD COLUMN note TEXT; CREATE TABLE chunks (a)")]
    #expect(fault { _ = try HistoryWriter(path, migrations: wrong) }?.contains("table chunks already exists") == true)
    let writer = try HistoryWriter(path)
    #expect(try HistoryReader(path).bars("AAPL", .day).count == 10)
    try writer.close()
  }
}
