internal import StockbusSQLite

/// The layout of the file: an SQLite database with an application id and a version of its layout (`user_version`).
///
/// Prices and quantities are whole billionths, times whole nanoseconds since 1970, amounts two halves of 128 bits, so everything is exact.
/// A released version is never changed: differences are made by a migration.
enum Layout {
  /// `stkb` in ASCII; `PRAGMA application_id`.
  static let applicationID: Int32 = 0x7374_6b62

  /// A step from the previous version to `version`: statements, then code for what statements cannot do, then statements again.
  struct Migration: Sendable {
    let version: Int
    let sql: String
    var move: @Sendable (SQLiteConnection) throws -> Void = { _ in }
    var end = ""
  }

  /// The present layout's steps, in order.
  static let migrations = [
    Migration(version: 1, sql: first + TradingLayout.tables),
    Migration(version: 2, sql: TradingLayout.instruments + chunks + PeopleLayout.tables, move: BarRow.moveToChunks, end: "DROP TABLE bars"),
  ]

  /// The newest version of `migrations`.
  static func version(of migrations: [Migration] = migrations) -> Int { migrations.last?.version ?? 0 }

  /// Takes the steps that the database does not have yet. Each is one transaction together with its name and the version's number.
  ///
  /// The names of the steps are in a table of the file. The table is named after GRDB, the library that has introduced it; files of both
  /// layouts have it, and programs with that library rely on it.
  static func migrate(_ db: SQLiteConnection, _ migrations: [Migration] = migrations) throws {
    try db.execute("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    for migration in migrations {
      let name = "v\(migration.version)"
      try db.inTransaction(.immediate) {
        if try !db.rows("SELECT 1 FROM grdb_migrations WHERE identifier = ?", .text(name), each: { _ in () }).isEmpty { return }
        try db.execute(migration.sql)
        try migration.move(db)
        try db.execute(migration.end)
        try db.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(migration.version)")
        try db.run("INSERT INTO grdb_migrations (identifier) VALUES (?)", .text(name))
      }
    }
  }

  // A bar's length is `BarLength.raw`: nanoseconds, or negative for bars by trades and volume. `lengths` has the newest believed start of
  // each length, by which old bars are removed. The date of a close is counted in days since 1970.
  private static let first = """
    CREATE TABLE symbols (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE bars (
      symbol INTEGER NOT NULL, length INTEGER NOT NULL, start INTEGER NOT NULL,
      open INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, close INTEGER NOT NULL,
      volume INTEGER NOT NULL, turnover_high INTEGER NOT NULL, turnover_low INTEGER NOT NULL, vwap INTEGER NOT NULL,
      count INTEGER NOT NULL, price_decimals INTEGER NOT NULL, size_decimals INTEGER NOT NULL,
      session INTEGER NOT NULL, status INTEGER NOT NULL, revision INTEGER NOT NULL, received INTEGER NOT NULL,
      PRIMARY KEY (symbol, length, start)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE lengths (
      length INTEGER NOT NULL PRIMARY KEY, newest INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE last_prices (
      symbol INTEGER NOT NULL PRIMARY KEY, price INTEGER NOT NULL, size INTEGER NOT NULL, time INTEGER NOT NULL,
      received INTEGER NOT NULL, price_decimals INTEGER NOT NULL, size_decimals INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE closes (
      symbol INTEGER NOT NULL, date INTEGER NOT NULL, close INTEGER NOT NULL, price_decimals INTEGER NOT NULL,
      PRIMARY KEY (symbol, date)
    ) STRICT, WITHOUT ROWID;
    """

  // One row per bar would take 5 to 15 µs to write: some 18 columns, and a page for nearly every bar of a minute of many symbols.
  // `BarChunk` describes the columns. Not WITHOUT ROWID: rows of an index leave their page at a quarter of its size.
  private static let chunks = """
    CREATE TABLE chunks (
      id INTEGER PRIMARY KEY,
      symbol INTEGER NOT NULL, length INTEGER NOT NULL, start INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
      bars BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX chunk_places ON chunks (symbol, length, start);
    """
}
