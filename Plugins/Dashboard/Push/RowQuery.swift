internal import StockbusPlugin
internal import StockbusViewing

/// The rows that a client shows, and their order. All given conditions must hold.
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
  /// When the order was last computed, by the run's uptime in nanoseconds; nil if never.
  private(set) var renewedAt: Int64?
  /// The frame whose numbers the order was computed from.
  private(set) var renewedFrame: UInt32 = 0
  /// How long computing the order took, in nanoseconds.
  private var cost: Int64 = 0
  /// The requested windows of the order, by their first row and count.
  private var windows: [Range<Int32>: RowWindow] = [:]
  /// When a client last used the view.
  var usedAt: Int64 = 0

  /// - Parameter columns: those beside the events of the market.
  init(_ query: RowQuery, reading columns: ColumnLayout = ColumnLayout()) {
    self.query = query
    filter = RowFilter(query.filter, reading: columns)
  }

  /// The fault of the filter, or what is missing; nil if it is complete. A faulty filter passes all rows.
  var problem: RowFilter.Problem? { filter.problem }

  /// When the order may be computed again: `calm` after the last time, and later if it takes long, so that a view takes a twentieth of a
  /// core at most.
  func dueAt(calm: Int64) -> Int64 { renewedAt.map { $0 &+ max(calm, 20 &* cost) } ?? .min }

  /// Computes the order again.
  mutating func renew(_ board: PageBoard, at now: Int64, clock: () -> Int64) {
    var rows = query.symbols.map { $0.compactMap { board.row(named: $0) } } ?? [Int32](0..<board.count)
    if !query.find.isEmpty || !query.kind.isEmpty {
      let search = RowSearch(query.find, kind: query.kind)
      rows.removeAll { !board.texts.matches(search, $0) }
    }
    if !filter.isEmpty { rows.removeAll { !filter.matches(Int($0), of: board.market) } }
    if query.sorting != nil || query.symbols == nil { rows = (query.sorting ?? Sorting(.rank)).sorted(rows, of: board.market) }
    order = rows
    renewedAt = now
    renewedFrame = board.frame
    cost = max(0, clock() &- now)
    for (range, window) in windows {
      // A window that no client has any more is recreated on request.
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

/// Rows that a client shows, as they were at one time.
struct RowWindow {
  /// Different for each; 0 for none.
  var number: UInt64 = 0
  var rows: [Int32] = []
}
