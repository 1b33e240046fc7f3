internal import StockbusPacking
internal import StockbusPlugin

// Columns beside events, as the protocol has them.

extension ColumnLayout {
  /// As in `hello`: the columns in their order.
  var json: JSONValue { .array(columns.map { ["name": .string($0.name), "kind": .string($0.kind.rawValue)] }) }

  /// Nil if the value is no list of columns; no columns if there is none.
  init?(json: JSONValue?) {
    guard case .array(let items) = json ?? [] else { return nil }
    var columns: [ColumnInfo] = []
    for item in items {
      guard let name = item["name"]?.text, let kind = item["kind"]?.text.flatMap(ColumnKind.init(rawValue:)) else { return nil }
      columns.append(ColumnInfo(name, kind))
    }
    self.init(columns)
  }
}

/// The rows of packed events: they follow the events in the same frame, which begins with the length of the events.
enum FramedRows {
  /// Writes packed events by `pack`, which returns how many they are, and behind them the rows of these events of the batch in hand.
  static func put(_ columns: BatchColumns, from first: Int, to out: inout ByteWriter, pack: (inout ByteWriter) -> Int) -> Int {
    let start = out.count
    put(0, 4, to: &out)
    let count = pack(&out)
    let length = UInt32(out.count - start - 4)
    for i in 0..<4 { out.replace(at: start + i, with: UInt8(truncatingIfNeeded: length >> UInt32(8 * i))) }
    var row: [Int64] = []
    for i in first..<(first + count) {
      columns.copyRow(i, to: &row)
      for value in row { put(UInt64(bitPattern: value), 8, to: &out) }
    }
    return count
  }

  private static func put(_ number: UInt64, _ size: UInt64, to out: inout ByteWriter) {
    out.reserve(Int(size))
    for i in 0..<size { out.put(UInt8(truncatingIfNeeded: number >> (8 * i))) }
  }

  /// The packed events of a content, and the rows behind them; nil if the length does not fit.
  static func split(_ content: UnsafeRawBufferPointer) -> (events: UnsafeRawBufferPointer, rows: UnsafeRawBufferPointer)? {
    guard content.count >= 4 else { return nil }
    let end = 4 + Int(UInt32(littleEndian: content.loadUnaligned(as: UInt32.self)))
    guard end <= content.count else { return nil }
    return (UnsafeRawBufferPointer(rebasing: content[4..<end]), UnsafeRawBufferPointer(rebasing: content[end...]))
  }

  /// True if a flag in the rows is neither true nor false.
  static func hasBadFlag(_ rows: UnsafeRawBufferPointer, _ layout: ColumnLayout) -> Bool {
    let (width, allowed) = (layout.columns.count, [0, 1, ColumnLayout.missing])
    return layout.columns.enumerated().contains { place, column in
      column.kind == .flag
        && stride(from: 8 * place, through: rows.count - 8, by: 8 * width).contains { at in
          !allowed.contains(Int64(littleEndian: rows.loadUnaligned(fromByteOffset: at, as: Int64.self)))
        }
    }
  }
}
