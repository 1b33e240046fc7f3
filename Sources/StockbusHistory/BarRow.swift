internal import GRDB
internal import GRDBSQLite
internal import MarketData

/// A bar as a row of the table `bars`.
enum BarRow {
  private static let key = ["symbol", "length", "start"]
  private static let values = [
    "open", "high", "low", "close", "volume", "turnover_high", "turnover_low", "vwap", "count", "price_decimals", "size_decimals",
    "session", "status", "revision", "received",
  ]

  /// Adds a bar; it replaces the one with the same start, unless that has a higher revision.
  static let upsert = """
    INSERT INTO bars (\((key + values).joined(separator: ", ")))
    VALUES (\((key + values).map { _ in "?" }.joined(separator: ", ")))
    ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(values.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    WHERE excluded.revision >= revision
    """

  /// The columns that `bar(_:symbol:length:)` reads.
  static let columns = (["start"] + values).joined(separator: ", ")

  @inline(__always)
  static func bind(_ bar: Bar, symbol: Int64, to row: Statement) {
    row.bind(1, symbol)
    row.bind(2, bar.length.raw)
    row.bind(3, bar.time.ns)
    row.bind(4, bar.open.raw)
    row.bind(5, bar.high.raw)
    row.bind(6, bar.low.raw)
    row.bind(7, bar.close.raw)
    row.bind(8, bar.volume.raw)
    row.bind(9, Int64(truncatingIfNeeded: bar.turnover.raw >> 64))
    row.bind(10, Int64(truncatingIfNeeded: bar.turnover.raw))
    row.bind(11, bar.vwap.raw)
    row.bind(12, Int64(bar.count))
    row.bind(13, Int64(bar.priceDecimals))
    row.bind(14, Int64(bar.sizeDecimals))
    row.bind(15, Int64(bar.session.rawValue))
    row.bind(16, Int64(bar.status.rawValue))
    row.bind(17, Int64(bar.revision))
    row.bind(18, bar.received.ns)
  }

  /// Nil if a column is out of the range of its type, which no writer of ours leaves behind.
  static func bar(_ row: OpaquePointer, symbol: Symbol, length: BarLength) -> Bar? {
    func column(_ i: Int32) -> Int64 { sqlite3_column_int64(row, i) }
    guard let count = UInt32(exactly: column(9)), let price = UInt8(exactly: column(10)), let size = UInt8(exactly: column(11)),
      let session = UInt8(exactly: column(12)).flatMap(MarketSession.init(rawValue:)),
      let status = UInt8(exactly: column(13)).flatMap(BarStatus.init(rawValue:)), let revision = UInt32(exactly: column(14))
    else { return nil }
    let turnover = Int128(column(6)) << 64 | Int128(UInt64(bitPattern: column(7)))
    return Bar(
      symbol: symbol, open: Price(raw: column(1)), high: Price(raw: column(2)), low: Price(raw: column(3)), close: Price(raw: column(4)),
      volume: Quantity(raw: column(5)), time: Timestamp(ns: column(0)), received: Timestamp(ns: column(15)), priceDecimals: price,
      sizeDecimals: size, length: length, turnover: Amount(raw: turnover), vwap: Price(raw: column(8)), count: count, revision: revision,
      session: session, status: status)
  }
}
