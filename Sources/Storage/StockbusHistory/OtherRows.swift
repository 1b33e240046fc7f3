internal import MarketData
internal import StockbusSQLite

/// A last price as a row of the table `last_prices`.
enum PriceRow {
  /// An older price does not replace a newer one.
  static let upsert = """
    INSERT INTO last_prices (symbol, price, size, time, received, price_decimals, size_decimals) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (symbol) DO UPDATE SET price = excluded.price, size = excluded.size, time = excluded.time,
    received = excluded.received, price_decimals = excluded.price_decimals, size_decimals = excluded.size_decimals
    WHERE excluded.time >= time
    """

  /// The last price of a symbol, with the columns that a close needs.
  static let select = "SELECT price, time, price_decimals FROM last_prices WHERE symbol = ?"

  static func bind(_ price: LastPrice, symbol: Int64, to row: SQLiteStatement) {
    row.bind(1, symbol)
    row.bind(2, price.price.raw)
    row.bind(3, price.size.raw)
    row.bind(4, price.time.ns)
    row.bind(5, price.received.ns)
    row.bind(6, Int64(price.priceDecimals))
    row.bind(7, Int64(price.sizeDecimals))
  }
}

/// The close of a trading date as a row of the table `closes`: that of its daily bar, kept when the bar is removed, or its last price.
enum CloseRow {
  static let upsert = """
    INSERT INTO closes (symbol, date, close, price_decimals) VALUES (?, ?, ?, ?)
    ON CONFLICT (symbol, date) DO UPDATE SET close = excluded.close, price_decimals = excluded.price_decimals
    """
  /// The last price of a date, which does not replace a known close.
  static let insert = "INSERT OR IGNORE INTO closes (symbol, date, close, price_decimals) VALUES (?, ?, ?, ?)"

  static func bind(_ close: Price, decimals: UInt8, symbol: Int64, date: Int, to row: SQLiteStatement) {
    row.bind(1, symbol)
    row.bind(2, Int64(date))
    row.bind(3, close.raw)
    row.bind(4, Int64(decimals))
  }
}

extension Timestamp {
  /// Nanoseconds of a day.
  static let day: Int64 = 86_400_000_000_000

  /// The date in UTC.
  package var daysSinceEpoch: Int {
    let (days, rest) = ns.quotientAndRemainder(dividingBy: Self.day)
    return Int(rest < 0 ? days - 1 : days)
  }
}

/// The rows of the table `symbols`, by the handles of this process.
struct SymbolRows {
  static let find = "SELECT id FROM symbols WHERE name = ?"
  /// By handle; 0 if unknown.
  private var rows: [Int64] = []
  /// Rows that the present transaction has added, which are unknown again if it fails.
  private var new: [Symbol] = []

  /// The row of a symbol, which is made if there is none.
  @inline(__always)
  mutating func row(of symbol: Symbol, _ db: SQLiteConnection) throws -> Int64 {
    let id = Int(symbol.id)
    if id < rows.count, rows[id] != 0 { return rows[id] }
    return try add(symbol, db)
  }

  @inline(never)
  private mutating func add(_ symbol: Symbol, _ db: SQLiteConnection) throws -> Int64 {
    if let row = try known(symbol, db.statement(Self.find)) { return row }
    let insert = try db.statement("INSERT INTO symbols (name) VALUES (?)")
    insert.bind(1, symbol)
    try insert.run()
    new.append(symbol)
    let row = db.lastRowID
    set(symbol, row)
    return row
  }

  /// The row of a symbol; nil if there is none.
  mutating func known(_ symbol: Symbol, _ find: SQLiteStatement) throws -> Int64? {
    let id = Int(symbol.id)
    if id < rows.count, rows[id] != 0 { return rows[id] }
    guard let row = try Self.row(of: symbol, find) else { return nil }
    set(symbol, row)
    return row
  }

  static func row(of symbol: Symbol, _ find: SQLiteStatement) throws -> Int64? {
    find.bind(1, symbol)
    var row: Int64?
    try find.forEachRow { columns in
      row = columns.integer(0)
      return false
    }
    return row
  }

  private mutating func set(_ symbol: Symbol, _ row: Int64) {
    let id = Int(symbol.id)
    rows.grow(toHold: id, filling: 0)
    rows[id] = row
  }

  mutating func keepNew() { new.removeAll(keepingCapacity: true) }

  mutating func forgetNew() {
    for symbol in new { rows[Int(symbol.id)] = 0 }
    new.removeAll(keepingCapacity: true)
  }
}

extension SQLiteStatement {
  /// Binds a symbol's name, whose bytes stay as long as the process.
  func bind(_ index: Int32, _ symbol: Symbol) { bind(index, immortal: symbol.utf8) }
}
