package import MarketData
internal import StockbusSQLite

/// The contents of a history file, and the result of its check.
package struct HistorySummary: Hashable, Sendable {
  /// The bars of one length.
  package struct Bars: Hashable, Sendable {
    package var length: BarLength
    package var symbols: Int
    package var bars: Int
    package var first: Timestamp
    package var last: Timestamp
  }

  /// A time without bars of a symbol, between two of its bars.
  package struct Gap: Hashable, Sendable {
    package var symbol: String
    package var length: BarLength
    /// The starts of the bars before and after.
    package var from: Timestamp
    package var to: Timestamp
  }

  package var layout: Int
  package var symbols: Int
  package var lastPrices: Int
  package var closes: Int
  package var bars: [Bars]
  /// The longest gaps, the longest first.
  package var gaps: [Gap]
  package var gapCount: Int
}

extension HistoryReader {
  /// Checks the whole file (SQLite's `quick_check`), and counts its contents. Reads all of it; throws a fault.
  ///
  /// - Parameters:
  ///   - pause: the least time between the starts of two bars that counts as a gap, in nanoseconds.
  ///   - most: how many gaps are listed.
  package func check(gapsFrom pause: Int64, most: Int) throws(HistoryError) -> HistorySummary {
    try connection.check()
    return try connection.reading { db in
      func count(_ table: String) throws -> Int { Int(try db.integer("SELECT count(*) FROM \(table)") ?? 0) }
      let bars = try db.rows(
        """
        SELECT length, count(DISTINCT symbol), sum(count), min(start), max(last) FROM chunks GROUP BY length ORDER BY length
        """
      ) {
        HistorySummary.Bars(
          length: BarLength(raw: $0.integer(0)), symbols: Int($0.integer(1)), bars: Int($0.integer(2)),
          first: Timestamp(ns: $0.integer(3)), last: Timestamp(ns: $0.integer(4)))
      }
      let (list, number) = try gaps(from: pause, most: most, db)
      return HistorySummary(
        layout: Int(try db.integer("PRAGMA user_version") ?? 0), symbols: try count("symbols"),
        lastPrices: try count("last_prices"), closes: try count("closes"), bars: bars, gaps: list, gapCount: number)
    }
  }

  /// Reads all chunks; returns the longest gaps and the number of gaps. Throws if a chunk is damaged, or begins before the last one ends.
  private func gaps(from pause: Int64, most: Int, _ db: SQLiteConnection) throws -> ([HistorySummary.Gap], Int) {
    let select = try db.statement(
      """
      SELECT chunks.id, start, last, count, bars, length, name, symbol FROM chunks LEFT JOIN symbols ON symbols.id = symbol
      ORDER BY symbol, length, start
      """)
    var longest: [HistorySummary.Gap] = []
    var number = 0
    var bars: [Bar] = []
    var before: (symbol: Int64, length: Int64, start: Int64)?
    try select.forEachRow { row in
      let (length, symbol) = (row.integer(5), row.integer(7))
      guard let name = row.text(6) else { throw damaged("the symbol \(symbol) of a chunk") }
      bars.removeAll(keepingCapacity: true)
      let chunk = BarChunk(row)
      do { try row.withBytes(BarChunk.bars) { try chunk.read($0, Symbol(id: 0), BarLength(raw: length), into: &bars) } } catch {
        throw HistoryError(path, .damaged("a chunk of bars of \(name) cannot be read"))
      }
      if let last = before, last.symbol != symbol || last.length != length { before = nil }
      for bar in bars {
        if let last = before {
          if bar.time.ns <= last.start { throw HistoryError(path, .damaged("chunks of bars of \(name) overlap")) }
          // In microseconds, so that the difference of any two times fits.
          if length > 0, bar.time.ns / 1000 - last.start / 1000 > pause / 1000 {
            number += 1
            let gap = HistorySummary.Gap(
              symbol: name, length: BarLength(raw: length), from: Timestamp(ns: last.start), to: bar.time)
            longest.insert(gap, at: longest.firstIndex { Self.isLonger(gap, $0) } ?? longest.endIndex)
            if longest.count > most { longest.removeLast() }
          }
        }
        before = (symbol, length, bar.time.ns)
      }
      return true
    }
    return (longest, number)
  }

  /// The order of gaps: the longest first, then by symbol, length and time.
  private static func isLonger(_ a: HistorySummary.Gap, _ b: HistorySummary.Gap) -> Bool {
    let spans = (a.to.ns / 1000 - a.from.ns / 1000, b.to.ns / 1000 - b.from.ns / 1000)
    if spans.0 != spans.1 { return spans.0 > spans.1 }
    if a.symbol != b.symbol { return a.symbol.utf8.lexicographicallyPrecedes(b.symbol.utf8) }
    return a.length.raw != b.length.raw ? a.length.raw < b.length.raw : a.to < b.to
  }
}
