internal import StockbusPlugin

/// A column of the table.
package enum Column: String, Choice {
  case rank, symbol, price, change, percent, high, low, volume, trend, bid, ask, spread, open, updates, time

  /// The columns that are shown by default.
  package static let usual: [Column] = [.rank, .symbol, .price, .change, .percent, .high, .low, .volume, .trend]

  package var title: String {
    switch self {
    case .rank: "#"
    case .percent: "%"
    default: rawValue.uppercased()
    }
  }

  package var isSortable: Bool { self != .trend }

  /// True if sorting by this column begins with the largest value.
  package var isDescendingAtFirst: Bool {
    switch self {
    case .rank, .symbol: false
    default: true
    }
  }

  /// The column's minimum width in characters.
  package var width: Int {
    switch self {
    case .rank: 4
    case .symbol: 8
    case .price, .high, .low, .bid, .ask, .open: 9
    case .change: 8
    case .percent, .spread, .updates: 7
    case .volume: 6
    case .time: 8
    case .trend: 6
    }
  }
}

/// How the table is sorted.
package struct Sorting: Hashable {
  package var column: Column
  package var isDescending: Bool

  package init(_ column: Column, isDescending: Bool? = nil) {
    self.column = column
    self.isDescending = isDescending ?? column.isDescendingAtFirst
  }

  /// The rows in order; equal rows keep their order.
  package func sorted(_ rows: [Int32], of market: Market) -> [Int32] {
    if column == .rank, market.isRanked {
      let known = market.standings.order
      let wanted = Set(rows)
      let ranked = known.filter { wanted.contains($0) }
      // The feed does not know the prices from before the run, so they come last.
      let stale = rows.filter { market.rows[Int($0)].isStale }
      return (isDescending ? ranked.reversed() : ranked) + stale
    }
    if column == .symbol {
      let names = rows.map { ($0, market.rows[Int($0)].symbol) }
      return names.sorted { isDescending ? $0.1 > $1.1 : $0.1 < $1.1 }.map(\.0)
    }
    let keyed = rows.map { (row: $0, key: key(market.rows[Int($0)])) }
    return keyed.sorted { a, b in
      a.key != b.key ? (isDescending ? a.key > b.key : a.key < b.key) : a.row < b.row
    }.map(\.row)
  }

  private func key(_ row: Row) -> Int64 {
    switch column {
    case .rank, .symbol, .trend: 0
    case .price: row.price.raw
    case .change: row.change.raw
    case .percent: row.percent.raw
    case .high: row.high.raw
    case .low: row.low.raw
    case .volume: row.volume.raw
    case .bid: row.bid.raw
    case .ask: row.ask.raw
    case .spread: row.spread?.raw ?? .min
    case .open: row.reference.raw
    case .updates: Int64(row.updates)
    case .time: row.time.ns
    }
  }
}
