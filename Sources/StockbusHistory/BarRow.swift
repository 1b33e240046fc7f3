internal import GRDB
internal import GRDBSQLite
internal import MarketData

/// A bar as a row of the table `bars`, which layout 1 had.
enum BarRow {
  private static let columns =
    "start, open, high, low, close, volume, turnover_high, turnover_low, vwap, count, price_decimals, size_decimals, session, status, revision, received"

  /// Copies all bars to chunks, in the order of their keys.
  @Sendable
  static func moveToChunks(_ db: Database) throws {
    let select = try db.cachedStatement(sql: "SELECT \(columns), symbol, length FROM bars ORDER BY symbol, length, start")
    let insert = try db.cachedStatement(sql: BarChunk.insert)
    var packed = PackedBars(capacity: BarChunk.limit)
    var open = BarChunk(id: 0, start: 0)
    var (symbol, length): (Int64, Int64) = (0, 0)
    func save(_ packed: borrowing PackedBars) throws {
      if open.count == 0 { return }
      for (index, value) in [symbol, length, open.start, open.last, open.count].enumerated() { insert.bind(Int32(index + 1), value) }
      insert.bind(6, packed.content)
      _ = try insert.run(db)
    }
    try select.forEachRow(db) { row in
      let (next, span) = (sqlite3_column_int64(row, 16), sqlite3_column_int64(row, 17))
      guard let bar = bar(row, length: BarLength(raw: span)) else { throw DamagedChunk() }
      if (next, span) != (symbol, length) || packed.count > BarChunk.limit - PackedBar.most {
        try save(packed)
        (symbol, length) = (next, span)
        open = BarChunk(id: 0, start: bar.time.ns)
        packed.cut(to: 0)
      }
      packed.add(bar, from: open.start)
      open.last = bar.time.ns
      open.count += 1
      return true
    }
    try save(packed)
  }

  /// Nil if a column is out of the range of its type, which no writer of ours leaves behind. Its symbol is none.
  private static func bar(_ row: OpaquePointer, length: BarLength) -> Bar? {
    func column(_ i: Int32) -> Int64 { sqlite3_column_int64(row, i) }
    guard let count = UInt32(exactly: column(9)), let price = UInt8(exactly: column(10)), let size = UInt8(exactly: column(11)),
      let session = UInt8(exactly: column(12)).flatMap(MarketSession.init(rawValue:)),
      let status = UInt8(exactly: column(13)).flatMap(BarStatus.init(rawValue:)), let revision = UInt32(exactly: column(14))
    else { return nil }
    let turnover = Int128(column(6)) << 64 | Int128(UInt64(bitPattern: column(7)))
    return Bar(
      symbol: Symbol(id: 0), open: Price(raw: column(1)), high: Price(raw: column(2)), low: Price(raw: column(3)),
      close: Price(raw: column(4)), volume: Quantity(raw: column(5)), time: Timestamp(ns: column(0)), received: Timestamp(ns: column(15)),
      priceDecimals: price, sizeDecimals: size, length: length, turnover: Amount(raw: turnover), vwap: Price(raw: column(8)),
      count: count, revision: revision, session: session, status: status)
  }
}
