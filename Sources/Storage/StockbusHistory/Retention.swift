package import MarketData
internal import StockbusSQLite

/// How long bars are kept, by their length; bars of other lengths are kept permanently.
package struct Retention: Hashable, Sendable {
  /// A bar is removed when a bar of its length has begun this much later, in nanoseconds.
  package var spans: [BarLength: Int64]

  package init(_ spans: [BarLength: Int64] = [:]) { self.spans = spans }
}

/// Removes old bars in small steps, so that no batch is delayed for long: in rounds through the symbols of each length.
struct Trimming {
  private let spans: [(length: BarLength, keep: Int64)]
  /// A complete round has removed the bars before these starts.
  private var done: [BarLength: Int64] = [:]
  /// The place of the present round: an index of `spans`, its horizon, and the next symbol's row.
  private var round: (index: Int, horizon: Int64, symbol: Int64)?
  /// Symbols visited in one step.
  private static let symbolsPerStep = 512

  init(_ retention: Retention) {
    spans = retention.spans.map { ($0.key, $0.value) }.sorted { $0.length < $1.length }
  }

  /// True if there is nothing to remove since the last round.
  func isDone(_ newest: [BarLength: Int64], isExact: Bool) -> Bool { round == nil && next(newest, isExact) == nil }

  private func next(_ newest: [BarLength: Int64], _ isExact: Bool) -> (index: Int, horizon: Int64)? {
    for (index, span) in spans.enumerated() {
      guard let now = newest[span.length] else { continue }
      let (exact, overflow) = now.subtractingReportingOverflow(span.keep)
      let horizon = isExact ? exact : exact - exact % max(1, span.keep / 64)
      if !overflow, horizon > done[span.length] ?? .min { return (index, horizon) }
    }
    return nil
  }

  /// Removes at most `limit` bars; returns how many.
  mutating func step(
    _ chunks: inout ChunkWriter, _ db: SQLiteConnection, _ newest: [BarLength: Int64], limit: Int, isExact: Bool
  ) throws -> Int {
    let find = try db.statement(BarChunk.firstBefore)
    let remove = try db.statement(BarChunk.remove)
    let statements = try ChunkWriter.Statements(db)
    let symbols = try db.integer("SELECT max(id) FROM symbols") ?? 0
    var removed = 0
    for _ in 0..<Self.symbolsPerStep {
      if round == nil { round = next(newest, isExact).map { ($0.index, $0.horizon, 1) } }
      guard let place = round else { break }
      let length = spans[place.index].length
      if place.symbol > symbols {
        done[length] = place.horizon
        round = nil
        continue
      }
      let own = ChunkWriter.Place(symbol: place.symbol, length: length.raw, start: place.horizon, index: 0)
      while removed < limit {
        let count = try chunks.removeFirst(limit - removed, before: place.horizon, of: own, find, remove, statements, db)
        if count == 0 { break }
        removed += count
      }
      // The limit may have left some of this symbol's bars.
      if removed >= limit { break }
      round?.symbol += 1
    }
    return removed
  }
}
