package import MarketData

extension HistoryReader {
  /// The result of `bars(_:_:in:limit:)` for a period.
  package struct Series: Hashable, Sendable {
    package var bars: [Bar]
    /// The length of the file's bars from which the series is made.
    package var source: BarLength
  }

  /// The bars of a symbol that begin in `times`, oldest first; of more than `limit`, the newest. Where the file has none of this period,
  /// they are made of its longest bars that fit; nil if it has none of these either.
  ///
  /// A bar that is made of others is as exact as they are; its vwap is rounded once. An incomplete period at the beginning of the stored
  /// bars makes a bar like any other.
  ///
  /// - Parameter adjusted: adjusts the bars of the file, such as to new shares, before others are made of them.
  package func bars(
    _ symbol: Symbol, _ period: BarPeriod, in times: HistoryTimes = .all, limit: Int = .max, adjusted: ([Bar]) -> [Bar] = { $0 }
  ) throws(HistoryError) -> Series? {
    try connection.reading { db in
      let lengths = try lengths(of: symbol, db)
      if case .length(let length) = period, lengths.contains(length) {
        return Series(bars: adjusted(try bars(symbol, length, times, limit, db)), source: length)
      }
      guard let source = lengths.last(where: period.isMade(of:)) else { return nil }
      // From the start of the first period that begins in `times`, to the end of the last one.
      let parts = adjusted(try bars(symbol, source, HistoryTimes(from: times.first == .min ? nil : Timestamp(ns: times.first)), .max, db))
      var made: [Bar] = []
      var sum: BarSum?
      for part in parts {
        guard let start = period.start(of: part.time) else { continue }
        if sum?.bar.time == start {
          sum?.add(part)
          continue
        }
        if let sum { made.append(sum.result) }
        if start.ns > times.last {
          sum = nil
          break
        }
        // Of a period that has begun before `times`, only the end would be present.
        sum = start.ns >= times.first ? BarSum(part, start: start, length: period.length) : nil
      }
      if let sum { made.append(sum.result) }
      return Series(bars: made.suffix(limit), source: source)
    }
  }
}
