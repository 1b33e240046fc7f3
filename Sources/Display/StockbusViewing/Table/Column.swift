package import StockbusPlugin

/// A column of the table.
package enum Column: Hashable, Sendable {
  case rank, symbol, price, change, percent, high, low, volume, trend, bid, ask, spread, open, updates, time
  /// A column beside the events, by its name in `RowColumns`.
  case beside(String)

  /// The columns that every table has.
  package static let own: [Column] = [
    .rank, .symbol, .price, .change, .percent, .high, .low, .volume, .trend, .bid, .ask, .spread, .open, .updates, .time,
  ]

  /// The columns that are shown by default, without those beside the events.
  package static let usual: [Column] = [.rank, .symbol, .price, .change, .percent, .high, .low, .volume, .trend]

  /// Those beside the events go before the trend, which takes the room that is left.
  package static func usual(with layout: ColumnLayout) -> [Column] {
    usual.filter { $0 != .trend } + layout.names.map { .beside($0) } + [.trend]
  }

  /// The column of the table's own with this name, or one beside the events, which may not be there.
  package init(_ name: String) { self = Self.own.first { $0.name == name } ?? .beside(name) }

  package var name: String { if case .beside(let name) = self { name } else { "\(self)" } }

  package var title: String {
    switch self {
    case .rank: "#"
    case .percent: "%"
    default: name.uppercased()
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
    case .beside: 8
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
    if case .beside(let name) = column { return sorted(rows, by: name, of: market) }
    let keyed = rows.map { (row: $0, key: key(market.rows[Int($0)])) }
    return keyed.sorted { a, b in
      a.key != b.key ? (isDescending ? a.key > b.key : a.key < b.key) : a.row < b.row
    }.map(\.row)
  }

  /// Rows without a value come last in both directions.
  private func sorted(_ rows: [Int32], by name: String, of market: Market) -> [Int32] {
    guard let beside = market.beside, let place = beside.layout.place(of: name) else { return rows }
    let keyed = rows.map { (row: $0, key: beside[Int($0), place]) }
    return keyed.sorted { a, b in
      guard let left = a.key, let right = b.key, left != right else {
        return (a.key == nil) == (b.key == nil) ? a.row < b.row : a.key != nil
      }
      return isDescending ? left > right : left < right
    }.map(\.row)
  }

  private func key(_ row: Row) -> Int64 {
    switch column {
    case .rank, .symbol, .trend, .beside: 0
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

extension Column: ScalarOption {
  package init(option text: String) throws(OptionTextError) { self.init(text) }
  package static var optionType: OptionType { OptionType("column", plural: "columns", phrase: "a column such as price") }
  package static var optionSample: String { "price" }
  package static var optionSchema: JSONValue { .object(String.optionSchema.members + [.init("examples", .array(own.map(\.optionJSON)))]) }
  package var optionText: String { name.optionText }
  package var optionJSON: JSONValue { .string(name) }

  /// Why a table of events with these columns has no such column; nil if it has.
  package func fault(reading layout: ColumnLayout) -> String? {
    guard case .beside(let name) = self else { return nil }
    let known = Self.own.map(\.name) + RowColumns.named(layout).names
    if known.contains(name) { return nil }
    return "there is no column \(shown(name))" + didYouMean(name, among: known, otherwise: "; there are \(known.joined(separator: ", "))")
  }
}
