internal import MarketData
internal import StockbusSQLite

/// Some consecutive bars of a symbol and length: a row of the table `chunks`.
///
/// `start` is the start of the first bar and `last` that of the last one. The chunks of a symbol and length do not overlap.
struct BarChunk {
  var id: Int64
  var start: Int64
  var last: Int64
  var count: Int64

  /// How many bytes of bars a chunk grows to: with the rest of the row a page of 4 KiB.
  static let limit = 3968

  private static let columns = "id, start, last, count, bars"
  private static let place = "FROM chunks WHERE symbol = ?1 AND length = ?2"

  /// The last chunk that begins at or before ?3.
  static let atOrBefore = "SELECT \(columns) \(place) AND start <= ?3 ORDER BY start DESC LIMIT 1"
  /// The first chunk that begins after ?3.
  static let after = "SELECT \(columns) \(place) AND start > ?3 ORDER BY start LIMIT 1"
  /// The first chunk, if it begins before ?3.
  static let firstBefore = "SELECT \(columns) \(place) AND start < ?3 ORDER BY start LIMIT 1"
  /// The chunks with bars from ?3 through ?4.
  static func within(isDescending: Bool) -> String {
    """
    SELECT \(columns) \(place) AND start <= ?4 AND start >= coalesce((SELECT max(start) \(place) AND start <= ?3), ?3)
    ORDER BY start\(isDescending ? " DESC" : "")
    """
  }
  static let insert = "INSERT INTO chunks (symbol, length, start, last, count, bars) VALUES (?, ?, ?, ?, ?, ?)"
  /// For a chunk that begins where it began: the index stays as it is.
  static let update = "UPDATE chunks SET last = ?, count = ?, bars = ? WHERE id = ?"
  static let move = "UPDATE chunks SET start = ?5, last = ?1, count = ?2, bars = ?3 WHERE id = ?4"
  static let remove = "DELETE FROM chunks WHERE id = ?"

  /// A row of `columns`.
  init(_ row: borrowing SQLiteRow) {
    id = row.integer(0)
    start = row.integer(1)
    last = row.integer(2)
    count = row.integer(3)
  }

  /// The column of the bars.
  static let bars: Int32 = 4

  /// Appends the bars of a row after checking that all of them can be read, are in order, and agree with the other columns.
  func read(_ bytes: UnsafeRawBufferPointer, _ symbol: Symbol, _ length: BarLength, into bars: inout [Bar]) throws(DamagedChunk) {
    var reader = PackedBarReader(bytes, symbol: symbol, length: length, origin: start)
    let first = bars.count
    var before: Int64?
    while let bar = reader.next() {
      if let before, bar.time.ns <= before { throw DamagedChunk() }
      before = bar.time.ns
      bars.append(bar)
    }
    if reader.isDamaged || bars.count == first || Int64(bars.count - first) != count || bars[first].time.ns != start || before != last {
      throw DamagedChunk()
    }
  }
}

/// Bytes that this program never writes.
struct DamagedChunk: Error, CustomStringConvertible {
  let description = "a chunk of bars is damaged"
}
