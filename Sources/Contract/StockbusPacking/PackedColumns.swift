internal import EventBus
internal import MarketData

/// The rows of columns in a batch: between the number of events, whose highest bit says that there are some, and the events.
///
/// They begin with the number of columns (1 byte) and each column's kind (1 byte) and name (4 bytes for its length, and UTF-8). Then each
/// event has 8 bytes for each column.
struct PackedColumns: Sendable {
  /// Stands in the number of events. Without columns a batch is as it has always been; with them it is one of more events than bytes for
  /// readers that do not know columns, and so refused.
  static let mark = 1 << 31
  static let kinds: [ColumnKind] = [.number, .percent, .duration, .time, .flag]

  private let head: [UInt8]
  private let width: Int

  init(_ layout: ColumnLayout) {
    width = layout.columns.count
    var out = ByteWriter(capacity: 64)
    out.reserve(1)
    out.put(UInt8(truncatingIfNeeded: width))
    for column in layout.columns {
      out.reserve(5)
      out.put(UInt8(truncatingIfNeeded: Self.kinds.firstIndex(of: column.kind) ?? 0))
      out.put(little: UInt32(column.name.utf8.count))
      out.append(column.name)
    }
    head = out.withBytes { Array($0) }
  }

  /// Writes the number of events and their rows; an event beyond `rows` has no values.
  func put(_ rows: Span<Int64>, _ first: Int, _ count: Int, to out: inout ByteWriter) {
    out.reserve(4 + head.count + 8 * width * count)
    out.put(little: UInt32(count | Self.mark))
    head.withUnsafeBufferPointer { out.put($0) }
    for i in first * width..<(first + count) * width { out.put(little: i < rows.count ? rows[i] : ColumnLayout.missing) }
  }
}

/// The rows of a batch that was received, as a reader with other columns needs them.
struct PackedRows {
  private let base: UnsafeBufferPointer<UInt8>
  /// The columns in the batch.
  private let width: Int
  /// For each column of the reader its place in the batch; nil if it is not there.
  private let places: [Int?]

  /// Reads all but the events. A column of another kind than the reader's is an error.
  init(_ count: Int, _ wanted: ColumnLayout, _ bytes: inout PackedReader) throws(PackingError) {
    let width = Int(try bytes.number(UInt8.self))
    guard (1...ColumnLayout.limit).contains(width) else { throw bytes.error("\(width) columns") }
    var found = ColumnLayout()
    for place in 0..<width {
      let kind = Int(try bytes.number(UInt8.self))
      guard PackedColumns.kinds.indices.contains(kind) else { throw bytes.error("a column of the unknown kind \(kind)") }
      guard let name = String(validating: try bytes.take(Int(try bytes.number(UInt32.self))), as: UTF8.self) else {
        throw bytes.error("a column's name that is not UTF-8")
      }
      found.add(ColumnInfo(name, PackedColumns.kinds[kind]))
      if found.columns.count == place { throw bytes.error("two columns of one name") }
    }
    if let fault = found.misfit(wanted) { throw bytes.error(fault) }
    base = try bytes.take(count * width * 8)
    self.width = width
    places = wanted.columns.map { found.place(of: $0.name) }
    for (place, column) in zip(places, wanted.columns) where column.kind == .flag {
      guard let place else { continue }
      for i in 0..<count where ![0, 1, ColumnLayout.missing].contains(value(i, place)) {
        throw bytes.error("'\(column.name)' is neither true nor false")
      }
    }
  }

  private func value(_ i: Int, _ place: Int) -> Int64 {
    Int64(littleEndian: UnsafeRawBufferPointer(base).loadUnaligned(fromByteOffset: (i * width + place) * 8, as: Int64.self))
  }

  /// The rows of `count` events from `first` on, in the reader's order.
  func values(_ first: Int, _ count: Int) -> [Int64] {
    var rows: [Int64] = []
    rows.reserveCapacity(count * places.count)
    for i in first..<first + count { for place in places { rows.append(place.map { value(i, $0) } ?? ColumnLayout.missing) } }
    return rows
  }
}
