package import StockbusPlugin

/// The columns beside the events of a market, with the values of each row's last event.
package struct RowColumns {
  /// The columns by their names in a table.
  package let layout: ColumnLayout
  private let columns: BatchColumns
  /// One row after the other, up to the last one that has had a value.
  private var values: ContiguousArray<Int64> = []
  private var width: Int { layout.columns.count }

  /// - Parameter columns: those of the component that takes the market's events.
  init(_ columns: BatchColumns) {
    self.columns = columns
    layout = Self.named(columns.layout)
  }

  /// The columns as a table names them: one with the name of a column that every table has is called `event_NAME` there.
  package static func named(_ layout: ColumnLayout) -> ColumnLayout {
    var taken = Set(Column.own.map(\.name))
    let others = Set(layout.names).subtracting(taken)
    taken.formUnion(others)
    return ColumnLayout(
      layout.columns.map { column in
        if others.contains(column.name) { return column }
        var name = "event_" + column.name
        while !taken.insert(name).inserted { name = "event_" + name }
        return ColumnInfo(name, column.kind, column.doc)
      })
  }

  /// The value of a row at a place of the layout; nil if its last event has none.
  package subscript(row: Int, place: Int) -> Int64? {
    let at = row * width + place
    return at < values.count && values[at] != ColumnLayout.missing ? values[at] : nil
  }

  /// The value of a row in a column, with its kind; nil if there is none.
  package func value(_ name: String, of row: Int) -> (kind: ColumnKind, value: Int64)? {
    guard let place = layout.place(of: name), let value = self[row, place] else { return nil }
    return (layout.columns[place].kind, value)
  }

  /// All values of a row, `ColumnLayout.missing` where there is none.
  package func row(_ row: Int) -> [Int64] { layout.columns.indices.map { self[row, $0] ?? ColumnLayout.missing } }

  // MARK: Events

  /// A column of the batch in hand: its place in the layout, its first value, and how far apart its values are.
  typealias Source = (place: Int, first: UnsafePointer<Int64>, stride: Int)

  /// The columns that a batch has. Where its input lacks one, rows keep what another input has told.
  func sources<E: Event>(of batch: Span<E>) -> [Source] {
    batch.withUnsafeBufferPointer { events in
      guard let first = events.baseAddress else { return [] }
      return layout.columns.indices.compactMap { place in columns.values(place, from: first).map { (place, $0.first, $0.stride) } }
    }
  }

  /// Keeps the values of event `i` of the batch.
  mutating func keep(_ i: Int, _ sources: [Source], of row: Int) {
    let missing = (row + 1) * width - values.count
    if missing > 0 { values.append(contentsOf: repeatElement(ColumnLayout.missing, count: missing)) }
    for source in sources { values[row * width + source.place] = source.first[i &* source.stride] }
  }

  mutating func forget() { values = [] }
}
