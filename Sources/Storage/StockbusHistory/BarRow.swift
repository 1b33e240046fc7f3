internal import MarketData
internal import StockbusSQLite

/// A bar as a row of the table `bars`, which layout 1 had.
enum BarRow {
  private static let columns =
    "start, open, high, low, close, volume, turnover_high, turnover_low, vwap, count, price_decimals, size_decimals, session, status, revision, received"

  /// Copies all bars to chunks, in the order of their keys.
  @Sendable
  static func moveToChunks(_ db: SQLiteConnection) throws {
    let select = try db.statement("SELECT \(columns), symbol, length FROM bars ORDER BY symbol, length, start")
    let insert = try db.statement(BarChunk.insert)
    var packed = PackedBars(capacity: BarChunk.limit)
    var open = BarChunk(id: 0, start: 0)
    var (symbol, length): (Int64, Int64) = (0, 0)
    func save(_ packed: borrowing PackedBars) throws {
      if open.count == 0 { return }
      for (index, value) in [symbol, length, open.start, open.last, open.count].enumerated() { insert.bind(Int32(index + 1), value) }
      try insert.run(lending: packed.content, at: 6)
    }
    try select.forEachRow { row in
      let (next, span) = (row.integer(16), row.integer(17))
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

  /// Nil if a column is out of the range of its type, which this program never writes. The bar has no symbol.
  private static func bar(_ row: borrowing SQLiteRow, length: BarLength) -> Bar? {
    guard let count = UInt32(exactly: row.integer(9)), let price = UInt8(exactly: row.integer(10)),
      let size = UInt8(exactly: row.integer(11)),
      let session = UInt8(exactly: row.integer(12)).flatMap(MarketSession.init(rawValue:)),
      let status = UInt8(exactly: row.integer(13)).flatMap(BarStatus.init(rawValue:)), let revision = UInt32(exactly: row.integer(14))
    else { return nil }
    let turnover = Int128(row.integer(6)) << 64 | Int128(UInt64(bitPattern: row.integer(7)))
    return Bar(
      symbol: Symbol(id: 0), open: Price(raw: row.integer(1)), high: Price(raw: row.integer(2)), low: Price(raw: row.integer(3)),
      close: Price(raw: row.integer(4)), volume: Quantity(raw: row.integer(5)), time: Timestamp(ns: row.integer(0)),
      received: Timestamp(ns: row.integer(15)),
      priceDecimals: price, sizeDecimals: size, length: length, turnover: Amount(raw: turnover), vwap: Price(raw: row.integer(8)),
      count: count, revision: revision, session: session, status: status)
  }
}
