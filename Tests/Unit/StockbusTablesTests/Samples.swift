import TestSupport
import Testing

@testable import StockbusTables

/// Made-up rows of every type, the same for the same seed.
struct Samples {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed) }

  mutating func next() -> UInt64 { random.next() }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  static func schema() throws -> TableSchema {
    try TableSchema([
      TableColumn("symbol", .text), TableColumn("price", .price), TableColumn("size", .price, isOptional: true),
      TableColumn("tick", .decimal(2)), TableColumn("side", .text, isOptional: true), TableColumn("late", .flag, isOptional: true),
      TableColumn("open", .flag), TableColumn("count", .integer, isOptional: true), TableColumn("number", .integer),
      TableColumn("time", .timestamp), TableColumn("received", .timestamp, isOptional: true), TableColumn("wait", .duration),
      TableColumn("note", .text, isOptional: true), TableColumn("never", .integer, isOptional: true),
    ])
  }

  /// Few columns, for tests that look at each bit.
  static func small() throws -> TableSchema {
    try TableSchema([
      TableColumn("symbol", .text), TableColumn("price", .price, isOptional: true), TableColumn("time", .timestamp),
    ])
  }

  mutating func word() -> Int64 {
    switch below(4) {
    case 0: [.min, .max, 0, 1, -1, .min + 1, .max - 1][below(7)]
    case 1: Int64(below(1000)) - 500
    default: Int64(bitPattern: next()) >> Int64(below(63))
    }
  }

  /// A row: numbers as they are, texts as texts.
  mutating func row(_ schema: TableSchema, texts: Int = 20) -> [Cell?] {
    schema.columns.map { column in
      if column.name == "never" || column.isOptional && below(4) == 0 { return nil }
      switch column.type {
      case .text: return .text(below(5) == 0 ? "" : "ä\(below(texts))🙂")
      case .flag: return .number(Int64(below(2)))
      default: return .number(word())
      }
    }
  }
}

enum Cell: Hashable {
  case number(Int64)
  case text(String)
}

/// What was written to a sink.
final class Written {
  var bytes: [UInt8] = []
  func take(_ more: UnsafeRawBufferPointer) { bytes += Array(more) }
}

extension TableBatch {
  func append(_ row: [Cell?]) {
    for (column, cell) in row.enumerated() {
      switch cell {
      case .number(let value): set(column, value)
      case .text(let text): set(column, dictionary(column).number(of: text))
      case nil: continue
      }
    }
    endRow()
  }

  var cells: [[Cell?]] {
    (0..<rows).map { row in
      schema.columns.indices.map { column in
        if schema.columns[column].type == .text { return text(row, column).map(Cell.text) }
        return self[row, column].map(Cell.number)
      }
    }
  }
}

/// Writes rows in batches of `size`.
func arrow(_ schema: TableSchema, _ rows: [[Cell?]], size: Int = 10, ended: Bool = true) throws -> [UInt8] {
  let written = Written()
  let writer = try ArrowWriter(schema, metadata: [("who", "test")], sink: written.take)
  try batches(schema, rows, size) { try writer.write($0) }
  if ended { try writer.finish() }
  return written.bytes
}

func parquet(_ schema: TableSchema, _ rows: [[Cell?]], size: Int = 10, options: ParquetWriter.Options = ParquetWriter.Options()) throws
  -> [UInt8]
{
  let written = Written()
  let writer = try ParquetWriter(schema, metadata: [("who", "test")], options: options, sink: written.take)
  try batches(schema, rows, size) { try writer.write($0) }
  try writer.finish()
  return written.bytes
}

private func batches(_ schema: TableSchema, _ rows: [[Cell?]], _ size: Int, _ write: (TableBatch) throws -> Void) throws {
  let batch = TableBatch(schema, capacity: size)
  for (n, row) in rows.enumerated() {
    batch.append(row)
    if batch.isFull {
      try write(batch)
      batch.removeAll()
      // Numbers of texts get another meaning now and then.
      if n % 7 == 0 { batch.dictionary(0).removeAll() }
    }
  }
  try write(batch)
}

func readArrow(_ bytes: [UInt8], batchRows: Int = 7) throws -> [[Cell?]] {
  let reader = try ArrowReader(TableSource(bytes), batchRows: batchRows)
  var rows: [[Cell?]] = []
  while let batch = try reader.next() { rows += batch.cells }
  return rows
}

func readParquet(_ bytes: [UInt8], columns: [String]? = nil, batchRows: Int = 64) throws -> [[Cell?]] {
  let reader = try ParquetReader(TableSource(bytes), columns: columns, batchRows: batchRows)
  var rows: [[Cell?]] = []
  while let batch = try reader.next() { rows += batch.cells }
  return rows
}
