package import StockbusPlugin
internal import StockbusSQLite

/// Reads a history file, beside its writer or without one: bars, last prices and closes.
///
/// Every call reads one consistent state of the file, on the caller's thread; calls from several threads wait for each other.
package final class HistoryReader: Sendable {
  /// The path as it was given.
  package let path: String
  let connection: Connection

  /// Opens the file at `path` for reading; throws if there is no undamaged history that this program knows.
  package convenience init(_ path: String) throws(HistoryError) { try self.init(DatabaseFile(path)) }

  init(_ file: DatabaseFile) throws(HistoryError) {
    path = file.path
    connection = try file.openForReading()
  }

  /// Why the file at `path` cannot be used as a history, as the end of a sentence that names it; nil if it can, or does not exist yet.
  package static func fault(inFileAt path: String) -> String? {
    do throws(HistoryError) {
      _ = try DatabaseFile(path).version()
      return nil
    } catch { return error.predicate }
  }

  /// Why the file at `path` cannot be read as a history, as the end of a sentence that names it; nil if it can.
  package static func faultOfReading(_ path: String) -> String? {
    do throws(HistoryError) {
      _ = try HistoryReader(path)
      return nil
    } catch { return error.predicate }
  }

  /// The bars of a symbol that begin in `times`, oldest first; of more than `limit`, the newest.
  package func bars(
    _ symbol: Symbol, _ length: BarLength, in times: HistoryTimes = .all, limit: Int = .max
  ) throws(HistoryError) -> [Bar] {
    try connection.reading { db in try bars(symbol, length, times, limit, db) }
  }

  func bars(_ symbol: Symbol, _ length: BarLength, _ times: HistoryTimes, _ limit: Int, _ db: SQLiteConnection) throws -> [Bar] {
    guard limit > 0, let row = try row(of: symbol, db) else { return [] }
    let isLimited = limit != .max
    let select = try db.statement(BarChunk.within(isDescending: isLimited))
    select.bind(1, row)
    select.bind(2, length.raw)
    select.bind(3, times.first)
    select.bind(4, times.last)
    var chunk: [Bar] = []
    var bars: [Bar] = []
    try select.forEachRow { row in
      chunk.removeAll(keepingCapacity: true)
      let found = BarChunk(row)
      try row.withBytes(BarChunk.bars) { try found.read($0, symbol, length, into: &chunk) }
      let first = chunk.first?.time.ns ?? .min < times.first ? chunk.firstIndex { $0.time.ns >= times.first } ?? chunk.endIndex : 0
      let end = chunk.last?.time.ns ?? .max > times.last ? chunk.firstIndex { $0.time.ns > times.last } ?? chunk.endIndex : chunk.endIndex
      if first >= end { return true }
      // Limited ones are read from the newest on.
      if isLimited { bars += chunk[first..<end].reversed().prefix(limit - bars.count) } else { bars += chunk[first..<end] }
      return bars.count < limit
    }
    if isLimited { bars.reverse() }
    return bars
  }

  /// The lengths of a symbol's bars, the shortest first.
  package func lengths(of symbol: Symbol) throws(HistoryError) -> [BarLength] {
    try connection.reading { db in try lengths(of: symbol, db) }
  }

  func lengths(of symbol: Symbol, _ db: SQLiteConnection) throws -> [BarLength] {
    guard let row = try row(of: symbol, db) else { return [] }
    let some = try db.statement("SELECT 1 FROM chunks WHERE symbol = ? AND length = ? LIMIT 1")
    return try db.rows("SELECT length FROM lengths ORDER BY length", each: { $0.integer(0) }).compactMap { length in
      some.bind(1, row)
      some.bind(2, length)
      var isThere = false
      try some.forEachRow { _ in
        isThere = true
        return false
      }
      return isThere ? BarLength(raw: length) : nil
    }
  }

  /// The lengths of all bars, the shortest first.
  package func lengths() throws(HistoryError) -> [BarLength] {
    try connection.reading { db in
      try db.rows("SELECT DISTINCT length FROM chunks ORDER BY length", each: { BarLength(raw: $0.integer(0)) })
    }
  }

  /// The names of the first `limit` symbols.
  package func symbolNames(limit: Int) throws(HistoryError) -> [String] {
    try connection.reading { db in try db.rows("SELECT name FROM symbols ORDER BY id LIMIT ?", .integer(Int64(limit))) { $0.text(0) ?? "" }
    }
  }

  /// The last prices of all symbols, in the order of the symbols' arrival. New names are limited by `intake`.
  package func lastPrices(_ intake: SymbolIntake = .open) throws(HistoryError) -> [LastPrice] {
    try connection.reading { db in
      let select = try db.statement(
        """
        SELECT name, price, size, time, received, price_decimals, size_decimals
        FROM last_prices JOIN symbols ON symbols.id = last_prices.symbol ORDER BY last_prices.symbol
        """)
      var prices: [LastPrice] = []
      try select.forEachRow { row in
        let symbol = try symbol(row, 0, intake)
        guard let price = UInt8(exactly: row.integer(5)), let size = UInt8(exactly: row.integer(6)) else {
          throw damaged("the price of \(symbol)")
        }
        prices.append(
          LastPrice(
            symbol: symbol, price: Price(raw: row.integer(1)), size: Quantity(raw: row.integer(2)), time: Timestamp(ns: row.integer(3)),
            received: Timestamp(ns: row.integer(4)), priceDecimals: price, sizeDecimals: size))
        return true
      }
      return prices
    }
  }

  /// The newest close of a symbol on a trading date before `date`; nil if there is none.
  package func previousClose(of symbol: Symbol, before date: CivilDate) throws(HistoryError) -> DailyClose? {
    try connection.reading { db in
      guard let row = try row(of: symbol, db) else { return nil }
      let select = try db.statement(
        "SELECT date, close, price_decimals FROM closes WHERE symbol = ? AND date < ? ORDER BY date DESC LIMIT 1")
      select.bind(1, row)
      select.bind(2, Int64(date.daysSinceEpoch))
      var found: DailyClose?
      try select.forEachRow { row in
        let close = try close(row.integer(0), row.integer(1), row.integer(2), of: symbol)
        found = DailyClose(date: CivilDate(daysSinceEpoch: close.day), close: close.price, priceDecimals: close.decimals)
        return false
      }
      return found
    }
  }

  private func row(of symbol: Symbol, _ db: SQLiteConnection) throws -> Int64? {
    try SymbolRows.row(of: symbol, db.statement(SymbolRows.find))
  }

  func symbol(_ row: borrowing SQLiteRow, _ column: Int32, _ intake: SymbolIntake) throws -> Symbol {
    do throws(TextError) {
      return try row.withText(column) { name throws(TextError) in try intake.symbol(utf8: name) }
    } catch { throw HistoryError(path, .other("a symbol's name: \(error.reason)")) }
  }

  func damaged(_ what: String) -> HistoryError { HistoryError(path, .damaged("\(what) is out of range")) }
}

/// A range of starts of bars; both ends belong to it.
package struct HistoryTimes: Hashable, Sendable {
  package var first: Int64
  package var last: Int64

  /// The starts from `first` up to, but not including, `end`; unbounded where it is nil.
  package init(from first: Timestamp? = nil, to end: Timestamp? = nil) {
    self.first = first?.ns ?? .min
    last = end.map { $0.ns == .min ? .min : $0.ns - 1 } ?? .max
  }

  package static let all = HistoryTimes()
}
