internal import StockbusViewing

/// Which rows a client looks at, and in which order. All conditions that are given have to hold.
struct RowQuery: Hashable {
  /// As in the terminal: a condition such as `price > 100`, or parts of names.
  var filter = ""
  /// Words, each of which begins a word of the symbol, the name, the industry or the kind.
  var find = ""
  /// The kind of the instruments.
  var kind = ""
  /// Only these symbols.
  var symbols: [String]?
  /// Nil: in the order of `symbols`, or by rank.
  var sorting: Sorting?
}

/// The rows of a query in order. Equal queries of all clients share one.
struct RowView {
  let query: RowQuery
  private let filter: RowFilter
  /// Rows in order.
  private(set) var order: [Int32] = []
  /// When the order was worked out, by the run's uptime in nanoseconds; nil: not yet.
  private(set) var renewedAt: Int64?
  /// The frame whose numbers it was worked out from.
  private(set) var renewedFrame: UInt32 = 0
  /// How long it took, in nanoseconds.
  private var cost: Int64 = 0
  /// The windows of the order that were looked at, by their first row and count.
  private var windows: [Range<Int32>: RowWindow] = [:]
  /// When a client asked for it last.
  var usedAt: Int64 = 0

  init(_ query: RowQuery) {
    self.query = query
    filter = RowFilter(query.filter)
  }

  /// What is wrong with the filter, or still missing; nil if it is complete. While something is wrong it passes all rows.
  var problem: RowFilter.Problem? { filter.problem }

  /// When the order may be worked out again: `calm` after the last time, and later if it takes long, so that a view takes a twentieth of a
  /// core at most.
  func dueAt(calm: Int64) -> Int64 { renewedAt.map { $0 &+ max(calm, 20 &* cost) } ?? .min }

  /// Works the order out.
  mutating func renew(_ board: Board, at now: Int64, clock: () -> Int64) {
    var rows = query.symbols.map { $0.compactMap { board.row(named: $0) } } ?? [Int32](0..<board.count)
    if !query.find.isEmpty || !query.kind.isEmpty {
      let search = RowSearch(query.find, kind: query.kind)
      rows.removeAll { !board.texts.matches(search, $0) }
    }
    if !filter.isEmpty { rows.removeAll { !filter.matches(board.market.rows[Int($0)]) } }
    if query.sorting != nil || query.symbols == nil { rows = (query.sorting ?? Sorting(.rank)).sorted(rows, of: board.market) }
    order = rows
    renewedAt = now
    renewedFrame = board.frame
    cost = max(0, clock() &- now)
    for (range, window) in windows {
      // A window that nobody has any more is made again if somebody asks.
      windows[range] = window.rows.elementsEqual(slice(range)) ? window : nil
    }
  }

  private func slice(_ range: Range<Int32>) -> ArraySlice<Int32> {
    let end = min(Int(range.upperBound), order.count)
    return order[min(Int(range.lowerBound), end)..<end]
  }

  /// Rows `range` of the order; `number` gives a new window its number.
  mutating func window(_ range: Range<Int32>, number: () -> UInt64) -> RowWindow {
    if let window = windows[range] { return window }
    let window = RowWindow(number: number(), rows: Array(slice(range)))
    if windows.count >= 256 { windows.removeAll() }
    windows[range] = window
    return window
  }
}

/// Rows that a client looks at, as they were at one time.
struct RowWindow {
  /// Different for each; 0 for none.
  var number: UInt64 = 0
  var rows: [Int32] = []
}
