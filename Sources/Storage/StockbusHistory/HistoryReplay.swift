package import MarketData
package import StockbusPlugin
internal import StockbusSQLite

/// All bars of a history, in the order in which they ended, so that none is ahead of those that it is made of.
///
/// Bars that end at the same time are ordered by length, then by the symbols' arrival. Bars whose length is no time count as ending where
/// they begin.
package struct HistoryReplay: Sendable {
  /// The bars of one symbol and length.
  private struct Series {
    let symbol: Symbol
    let row: Int64
    let length: BarLength
    /// The earliest start that has not been read.
    var first: Int64
    /// Some of the bars, the next one last.
    var bars: [Bar] = []

    /// The end of the next bar.
    var end: Int64 { bars.last.map { $0.time.ns.addingSaturating(length.nanoseconds ?? 0) } ?? .max }

    func isBefore(_ other: Series) -> Bool { (end, length.raw, row) < (other.end, other.length.raw, other.row) }
  }

  /// Bars of a series that are read at once.
  private static let part = 32
  /// Bars that are returned at once.
  private static let batch = 512

  private let reader: HistoryReader
  /// A heap of those that have bars, the earliest first.
  private var heap: [Series] = []

  package init(
    _ reader: HistoryReader, _ choice: BarArchive.Choice = BarArchive.Choice(), _ intake: SymbolIntake = .open
  ) throws(HistoryError) {
    self.reader = reader
    let found = try reader.connection.reading { db in
      let select = try db.statement(
        "SELECT DISTINCT symbol, length, name FROM chunks JOIN symbols ON symbols.id = chunks.symbol ORDER BY symbol, length")
      var all: [Series] = []
      try select.forEachRow { row in
        let length = BarLength(raw: row.integer(1))
        if choice.length.map({ $0 != length }) ?? false { return true }
        let symbol = try reader.symbol(row, 2, intake)
        all.append(Series(symbol: symbol, row: row.integer(0), length: length, first: choice.since?.ns ?? .min))
        return true
      }
      return all
    }
    for var series in found where try fill(&series) { push(series) }
  }

  /// Some more bars; none at the end.
  package mutating func next() throws(HistoryError) -> [Bar] {
    var bars: [Bar] = []
    while bars.count < Self.batch, !heap.isEmpty {
      if let bar = heap[0].bars.popLast() { bars.append(bar) }
      var first = heap[0]
      if first.bars.isEmpty, try !fill(&first) {
        let last = heap.removeLast()
        if heap.isEmpty { break }
        first = last
      }
      sink(first)
    }
    return bars
  }

  /// Reads the next bars of a series; returns false if there are none.
  private func fill(_ series: inout Series) throws(HistoryError) -> Bool {
    let wanted = series
    let found: [Bar] = try reader.connection.reading { db in
      let select = try db.statement(BarChunk.within(isDescending: false))
      select.bind(1, wanted.row)
      select.bind(2, wanted.length.raw)
      select.bind(3, wanted.first)
      select.bind(4, .max)
      var found: [Bar] = []
      try select.forEachRow { row in
        var chunk: [Bar] = []
        let head = BarChunk(row)
        try row.withBytes(BarChunk.bars) { try head.read($0, wanted.symbol, wanted.length, into: &chunk) }
        found += chunk.lazy.filter { $0.time.ns >= wanted.first }.prefix(Self.part - found.count)
        return found.count < Self.part
      }
      return found
    }
    guard let last = found.last?.time.ns else { return false }
    // The latest start of all is not followed by another.
    series.first = last.addingSaturating(1)
    series.bars = found.reversed()
    return last < .max || wanted.first < .max
  }

  // MARK: The heap

  private mutating func push(_ series: Series) {
    heap.append(series)
    var at = heap.count - 1
    while at > 0, heap[at].isBefore(heap[(at - 1) / 2]) {
      heap.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  /// Puts a series in the place of the first one.
  private mutating func sink(_ series: Series) {
    heap[0] = series
    var at = 0
    while 2 * at + 1 < heap.count {
      var child = 2 * at + 1
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      if !heap[child].isBefore(heap[at]) { return }
      heap.swapAt(child, at)
      at = child
    }
  }
}
