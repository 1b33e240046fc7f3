/// Rows of events that a component keeps and sends later, by a place of the component's choice.
package struct KeptRows: Sendable {
  private let columns: BatchColumns
  private var rows: [Int64] = []
  private let width: Int

  /// - Parameter columns: those of the component's inputs.
  package init(_ columns: BatchColumns) {
    self.columns = columns
    width = columns.layout.columns.count
  }

  package var isEmpty: Bool { width == 0 }

  /// Keeps the row of the event of the batch in hand at this address.
  @inline(__always)
  package mutating func keep(_ event: UnsafeRawPointer, at place: Int) { if !isEmpty { copy(event, place) } }

  @inline(never)
  private mutating func copy(_ event: UnsafeRawPointer, _ place: Int) {
    makeRoom(place)
    rows.withUnsafeMutableBufferPointer { rows in
      let row = rows.baseAddress.unsafelyUnwrapped + place * width
      row.update(repeating: ColumnLayout.missing, count: width)
      columns.copy(of: event, count: 1, to: row, stride: width)
    }
  }

  private mutating func makeRoom(_ place: Int) {
    let missing = (place + 1) * width - rows.count
    if missing > 0 { rows.append(contentsOf: repeatElement(ColumnLayout.missing, count: missing)) }
  }

  /// Sends an event with the row that is kept at a place.
  package func send<E: Event>(_ event: E, _ place: Int, into output: inout Outlet<E>) {
    output.send(event)
    if isEmpty || rows.count < (place + 1) * width { return }
    rows.withUnsafeBufferPointer { rows in
      let row = rows.baseAddress.unsafelyUnwrapped + place * width
      output.withLastRow { $0.update(from: row, count: width) }
    }
  }

  /// The row at a place, as a memory keeps it: by name, without missing values; nil without columns.
  package func saved(_ place: Int) -> [String: Int64]? {
    if isEmpty || rows.count < (place + 1) * width { return nil }
    let names = columns.layout.columns.enumerated().map { ($1.key, rows[place * width + $0]) }
    return Dictionary(uniqueKeysWithValues: names.filter { $0.1 != ColumnLayout.missing })
  }

  /// Goes on with a row that a memory has kept, as far as its columns are still there.
  package mutating func restore(_ saved: [String: Int64]?, at place: Int) {
    guard let saved, !isEmpty else { return }
    makeRoom(place)
    for (i, column) in columns.layout.columns.enumerated() { rows[place * width + i] = saved[column.key] ?? ColumnLayout.missing }
  }
}

extension ColumnInfo {
  /// Names of one column have the same kind.
  fileprivate var key: String { "\(name) \(kind.rawValue)" }
}
