import Glibc
import FileWriter
import MarketData
import StockbusPlugin
import StockbusTables
import StockbusTestKit

/// The rows of a table as texts: numbers in their smallest units.
struct TableRowsRead: Equatable {
  var names: [String] = []
  var rows: [[String]] = []
  var ending = ArrowReader.Ending.finished

  init(_ path: String) throws {
    let file = try TableFile(path: path)
    switch file.format {
    case .arrow:
      let reader = try ArrowReader(file.source)
      names = reader.schema.columns.map(\.name)
      while let batch = try reader.next() { add(batch) }
      ending = reader.ending
    case .parquet:
      let reader = try ParquetReader(file.source)
      names = reader.schema.columns.map(\.name)
      while let batch = try reader.next() { add(batch) }
    }
  }

  private mutating func add(_ batch: TableBatch) {
    for row in 0..<batch.rows {
      rows.append(
        batch.schema.columns.enumerated().map { column, info in
          guard let value = batch[row, column] else { return "-" }
          return info.type == .text ? batch.text(row, column) ?? "?" : "\(value)"
        })
    }
  }
}

extension TemporaryFolder {
  func table(_ name: String) throws -> TableRowsRead { try TableRowsRead(file(name)) }

  /// The values of the first column of all tables, of which each row is in one: `x.1`, `x.2` and so on, and then `x`.
  func allRows(_ stem: String) throws -> [String] {
    func number(_ name: String) -> Int { Int(name.split(separator: ".")[1]) ?? .max }
    return try names.filter { $0.hasPrefix(stem + ".") }.sorted { number($0) < number($1) }.flatMap { try table($0).rows.map { $0[0] } }
  }

  func bytes(_ name: String) -> [UInt8] {
    guard let handle = fopen(file(name), "r") else { return [] }
    defer { fclose(handle) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(handle), byte != EOF { bytes.append(UInt8(byte)) }
    return bytes
  }

  func removeAll() { for name in names { remove(name) } }
}

/// Trades of the sizes `range`, and the rows that they are with `fields: [size]`.
func sizes(_ range: Range<Int>) -> [Trade] {
  range.map { i in
    var trade = Trade.schema.example
    trade.size = Quantity(raw: Int64(i) * 1_000_000_000)
    return trade
  }
}
func rows(_ range: Range<Int>) -> [String] { range.map { "\($0 * 1_000_000_000)" } }
