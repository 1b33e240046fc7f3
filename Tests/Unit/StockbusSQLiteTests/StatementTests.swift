import TestSupport
import StockbusTestKit
import Testing

@testable import StockbusSQLite

/// Statements, their values and their rows.
@Suite(.timeLimit(.minutes(15))) struct StatementTests {
  let folder = TemporaryFolder()

  private func database() throws -> SQLiteConnection { try SQLiteConnection(folder.file("a.db"), .creating) }

  @Test func `values of every type come back exactly as they were bound`() throws {
    let database = try database()
    let values: [SQLiteValue] = [
      .null, .integer(.min), .integer(.max), .integer(0), .integer(-1), .real(0.1), .real(-.infinity), .text(""), .text("é\0x"),
      .text("\0"),
      .text(String(repeating: "ab", count: 5000)), .bytes([]), .bytes([0]), .bytes(Array(0...255)),
      .bytes(.init(repeating: 7, count: 9000)),
    ]
    for value in values {
      #expect(try database.rows("SELECT ?", value) { $0.values } == [[value]])
    }
    try database.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, thing ANY) STRICT")
    for value in values { try database.run("INSERT INTO things (thing) VALUES (?)", value) }
    #expect(try database.rows("SELECT thing FROM things ORDER BY id") { $0.value(0) } == values)
    #expect(database.lastRowID == Int64(values.count))
  }

  @Test func `texts and bytes are read where they are, and NULL has none`() throws {
    let row = try database().rows("SELECT 'a' || char(0) || 'é', x'00ff', NULL, '', x'', 12") { row in
      [
        row.withText(0) { Array($0) }, row.withBytes(1) { Array($0) }, row.withText(2) { Array($0) }, row.withBytes(2) { Array($0) },
        row.withText(3) { Array($0) }, row.withBytes(4) { Array($0) }, row.withText(5) { Array($0) }, row.withText(99) { Array($0) },
      ]
    }
    #expect(row == [[Array("a\0é".utf8), [0, 255], [], [], [], [], Array("12".utf8), []]])
  }

  @Test func `a text that is not UTF-8 is read without an error`() throws {
    #expect(try database().text("SELECT CAST(x'61ff62' AS TEXT)") == "a\u{fffd}b")
  }

  @Test func `nothing of a run before is left, and a question mark without a value is NULL`() throws {
    let database = try database()
    let sql = "SELECT ?1, ?2"
    #expect(try database.rows(sql, .integer(1), .text("x")) { $0.values } == [[.integer(1), .text("x")]])
    #expect(try database.rows(sql, .integer(2)) { $0.values } == [[.integer(2), .null]])
  }

  @Test func `bytes that are lent are not bound any more after the run`() throws {
    let database = try database()
    try database.execute("CREATE TABLE things (thing ANY) STRICT")
    let insert = try database.statement("INSERT INTO things VALUES (?)")
    for bytes: [UInt8] in [[1, 2, 3], []] {
      #expect(try bytes.withUnsafeBytes { try insert.run(lending: $0, at: 1) } == 1)
    }
    try insert.run()
    let name: StaticString = "name"
    insert.bind(1, immortal: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    try insert.run()
    #expect(
      try database.rows("SELECT thing FROM things") { $0.value(0) } == [.bytes([1, 2, 3]), .bytes([]), .null, .text("name")])
  }

  @Test func `a value without a question mark is an error of the run, and only of that one`() throws {
    let database = try database()
    let select = try database.statement("SELECT ?")
    select.bind(2, 5)
    let error = failure { try select.forEachRow { _ in true } }
    #expect(error?.message.hasPrefix("a value cannot be bound") == true && error?.statement == "SELECT ?")
    select.bind(1, 5)
    #expect(try database.rows("SELECT ?", .integer(5)) { $0.integer(0) } == [5])
  }

  @Test func `a kept statement is handed out again, but not while its rows are read`() throws {
    let database = try database()
    try database.execute("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2), (3)")
    let sql = "SELECT n FROM numbers ORDER BY n"
    #expect(try database.statement(sql) === database.statement(sql))
    let pairs = try database.rows(sql) { outer in
      let n = outer.integer(0)
      return try database.rows(sql) { $0.integer(0) * 10 + n }
    }
    #expect(pairs == [[11, 21, 31], [12, 22, 32], [13, 23, 33]])
    let select = try database.statement(sql)
    try select.forEachRow { row in
      #expect(failure { try select.forEachRow { _ in true } }?.kind == .misuse)
      #expect(failure { try select.run() }?.kind == .misuse)
      return row.integer(0) < 2
    }
    #expect(try database.rows(sql) { $0.integer(0) } == [1, 2, 3])
  }

  @Test func `an error of the reader ends the reading, and the statement can be used again`() throws {
    struct Enough: Error {}
    let database = try database()
    let sql = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 100) SELECT n FROM c"
    #expect(throws: Enough.self) {
      try database.rows(sql) { row in if row.integer(0) == 50 { throw Enough() } }
    }
    #expect(try database.rows(sql) { $0.integer(0) }.count == 100)
  }

  @Test func `a statement that fails at a later row ends with its error, and the ones before it have taken effect`() throws {
    let database = try database()
    try database.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY) STRICT; INSERT INTO numbers VALUES (3)")
    let error = failure {
      try database.execute(
        """
        INSERT INTO numbers VALUES (9); -- this one is kept
        INSERT INTO numbers WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 5) SELECT n FROM c;
        INSERT INTO numbers VALUES (10)
        """)
    }
    #expect(error?.kind == .constraint && error?.message == "UNIQUE constraint failed: numbers.n")
    #expect(error?.statement?.contains("INSERT INTO numbers WITH RECURSIVE") == true)
    #expect(error?.statement?.contains("10") == false)
    #expect(try database.rows("SELECT n FROM numbers") { $0.integer(0) } == [3, 9])
    // While rows are read: the absolute value of the least number is out of range.
    try database.execute("INSERT INTO numbers VALUES (100), (-9223372036854775808)")
    let abs = "SELECT abs(n) FROM numbers ORDER BY n DESC"
    var read: [Int64] = []
    let overflow = failure {
      try database.statement(abs).forEachRow { row in
        read.append(row.integer(0))
        return true
      }
    }
    #expect(overflow?.message == "integer overflow" && overflow?.statement == abs)
    #expect(read.count <= 3)
  }

  @Test func `texts of statements: comments, blanks, several, none`() throws {
    let database = try database()
    try database.execute("")
    try database.execute(" ; -- nothing\n;; /* nothing */ ")
    try database.execute("CREATE TABLE a (x); -- é\n\nCREATE TABLE b (x);\n")
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 2)
    try database.execute("SELECT 1; SELECT 2")
    try database.execute("SELECT 1\0 is not read")
    for text in ["", "-- nothing", "SELECT 1; SELECT 2"] {
      #expect(failure { _ = try database.statement(text) }?.kind == .misuse, "\(text)")
    }
    #expect(failure { try database.run("SELECT 1") }?.message == "the statement has rows")
    let error = failure { _ = try database.statement("SELEC 1") }
    #expect(error?.message == "near \"SELEC\": syntax error" && error?.statement == "SELEC 1")
    // A misspelt name is no text.
    #expect(failure { _ = try database.statement("SELECT \"nam\" FROM a") }?.message.hasPrefix("no such column: ") == true)
  }

  @Test func `an error has the statement, and no value that was bound`() throws {
    let database = try database()
    try database.execute("CREATE TABLE people (name TEXT UNIQUE, age INTEGER CHECK (age < 200)) STRICT")
    let insert = "INSERT INTO people VALUES (?, ?)"
    try database.run(insert, .text("secret"), .integer(1))
    for (name, age) in [
      (SQLiteValue.text("secret"), SQLiteValue.integer(1)), (.bytes(Array("secret".utf8)), .integer(1)), (.text("secret2"), .integer(777)),
    ] {
      let error = failure { try database.run(insert, name, age) }
      #expect(error?.kind == .constraint && error?.statement == insert)
      #expect(error?.description.contains("secret") == false && error?.description.contains("777") == false)
    }
    #expect(
      failure { try database.run(insert, .text("secret"), .integer(1)) }?.description
        == "SQLite error 2067: UNIQUE constraint failed: people.name, in: INSERT INTO people VALUES (?, ?)")
  }

  @Test func `random values come back`() throws {
    let database = try database()
    try database.execute("CREATE TABLE things (thing ANY) STRICT")
    var random = SplitMix(31)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let value: SQLiteValue =
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .integer(.random(in: .min ... .max, using: &random))
        case 1: .text(String(decoding: bytes, as: UTF8.self))
        default: .bytes(bytes)
        }
      try database.run("DELETE FROM things")
      try database.run("INSERT INTO things VALUES (?)", value)
      #expect(try database.rows("SELECT thing FROM things") { $0.value(0) } == [value])
    }
  }
}

/// The error of `body`.
func failure(_ body: () throws -> Void) -> SQLiteError? {
  do {
    try body()
    return nil
  } catch { return error as? SQLiteError }
}
