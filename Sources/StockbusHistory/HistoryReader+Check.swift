internal import GRDB
package import MarketData

/// What a history file contains, and whether it is sound.
package struct HistorySummary: Hashable, Sendable {
  /// The bars of one length.
  package struct Bars: Hashable, Sendable {
    package var length: BarLength
    package var symbols: Int
    package var bars: Int
    package var first: Timestamp
    package var last: Timestamp
  }

  /// A stretch without bars of a symbol, between two of its bars.
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
  /// Checks the whole file (SQLite's `quick_check`), and counts what is in it. Reads all of it; throws what is wrong.
  ///
  /// - Parameters:
  ///   - pause: the least time between the starts of two bars that counts as a gap, in nanoseconds.
  ///   - most: how many gaps are listed.
  package func check(gapsFrom pause: Int64, most: Int) throws(HistoryError) -> HistorySummary {
    try connection.check()
    return try connection.reading { db in
      func count(_ table: String) throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0 }
      let bars = try Row.fetchAll(
        db,
        sql: """
          SELECT length, count(DISTINCT symbol), count(*), min(start), max(start) FROM bars GROUP BY length ORDER BY length
          """
      ).map {
        HistorySummary.Bars(
          length: BarLength(raw: $0[0]), symbols: $0[1], bars: $0[2], first: Timestamp(ns: $0[3]), last: Timestamp(ns: $0[4]))
      }
      // In microseconds, so that the difference of any two times fits.
      let gaps = """
        FROM (SELECT symbol, length, start, lag(start) OVER (PARTITION BY symbol, length ORDER BY start) AS before FROM bars
          WHERE length > 0) JOIN symbols ON symbols.id = symbol
        WHERE before IS NOT NULL AND start / 1000 - before / 1000 > ? / 1000
        """
      let number = try Int.fetchOne(db, sql: "SELECT count(*) \(gaps)", arguments: [pause]) ?? 0
      let found = try Row.fetchAll(
        db, sql: "SELECT name, length, before, start \(gaps) ORDER BY before / 1000 - start / 1000, name, length, start LIMIT ?",
        arguments: [pause, most])
      let list = found.map {
        HistorySummary.Gap(symbol: $0[0], length: BarLength(raw: $0[1]), from: Timestamp(ns: $0[2]), to: Timestamp(ns: $0[3]))
      }
      return HistorySummary(
        layout: try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0, symbols: try count("symbols"),
        lastPrices: try count("last_prices"), closes: try count("closes"), bars: bars, gaps: list, gapCount: number)
    }
  }
}
