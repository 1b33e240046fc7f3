import Glibc
import StockbusTables

/// `tables-tool write ROWS SEED FILE`, `dump ROWS SEED`, `read FILE`, `check FILE`, `turn STREAM FILE`, `bench ROWS`. Files that end in `.parquet`
/// are Parquet, others Arrow streams. Errors are one line, with status 1.
@main enum Tool {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do { try run(arguments) } catch {
      complain("\(error)\n")
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    switch arguments.first {
    case "write" where arguments.count >= 4:
      try write(Int(arguments[1]) ?? 0, UInt64(arguments[2]) ?? 0, arguments[3], arguments.dropFirst(4).first)
    case "dump" where arguments.count == 3: try dump(Int(arguments[1]) ?? 0, UInt64(arguments[2]) ?? 0)
    case "read" where arguments.count >= 2: try read(arguments[1], Array(arguments.dropFirst(2)))
    case "check" where arguments.count == 2: try check(arguments[1])
    case "turn" where arguments.count == 3: try turn(arguments[1], arguments[2])
    case "bench" where arguments.count == 3: try Bench.run(rows: Int(arguments[1]) ?? 0, folder: arguments[2])
    default:
      complain("usage: tables-tool write ROWS SEED FILE | dump ROWS SEED | read FILE | check FILE | turn STREAM FILE | bench ROWS FOLDER\n")
      exit(64)
    }
  }

  static func isParquet(_ path: String) -> Bool { path.hasSuffix(".parquet") }

  private static func write(_ rows: Int, _ seed: UInt64, _ path: String, _ shape: String?) throws {
    let schema = try MadeUp.schema()
    let file = try OutputFile(path)
    let batch = TableBatch(schema, capacity: 1000)
    var made = MadeUp(seed: seed)
    func each(_ write: (TableBatch) throws -> Void) throws {
      for n in 0..<rows {
        made.row(n, batch)
        if batch.isFull {
          try write(batch)
          batch.removeAll()
          // Numbers change their meaning within a row group.
          if n % 7000 == 999 { batch.dictionary(0).removeAll() }
        }
      }
      try write(batch)
    }
    if isParquet(path) {
      var options = ParquetWriter.Options()
      if shape == "gzip" { options.compression = .gzip(level: 1) }
      if shape == "none" { options.compression = .none }
      if shape == "small" { options.groupRows = 1500 }
      let writer = try ParquetWriter(schema, metadata: [("seed", "\(seed)")], options: options, sink: file.write)
      try each(writer.write)
      try writer.finish()
    } else {
      let writer = try ArrowWriter(schema, metadata: [("seed", "\(seed)")], sink: file.write)
      try each(writer.write)
      try writer.finish()
    }
    file.close()
  }

  private static func dump(_ rows: Int, _ seed: UInt64) throws {
    let batch = TableBatch(try MadeUp.schema(), capacity: 1)
    var made = MadeUp(seed: seed)
    for n in 0..<rows {
      made.row(n, batch)
      show(batch)
      batch.removeAll()
    }
  }

  private static func read(_ path: String, _ columns: [String]) throws {
    let file = try InputFile(path)
    if isParquet(path) {
      let reader = try ParquetReader(file.source, columns: columns.isEmpty ? nil : columns)
      showTypes(reader.schema)
      while let batch = try reader.next() { show(batch) }
    } else {
      let reader = try ArrowReader(file.source)
      showTypes(reader.schema)
      while let batch = try reader.next() { show(batch) }
      if reader.ending == .cut { complain("cut behind byte \(reader.wholeEnd)\n") }
    }
  }

  private static func check(_ path: String) throws {
    let file = try InputFile(path)
    if isParquet(path) { print(try ParquetFile.check(file.source)) } else { print(try ArrowStream.check(file.source)) }
  }

  private static func turn(_ from: String, _ path: String) throws {
    let input = try InputFile(from)
    let output = try OutputFile(path)
    let rows = try ParquetFile.make(from: input.source, sink: output.write)
    output.close()
    print("\(rows)")
  }

  private static func showTypes(_ schema: TableSchema) {
    print("# " + schema.columns.map { "\($0.name):\($0.type)\($0.isOptional ? "?" : "")" }.joined(separator: " "))
  }

  /// A line for each row: numbers of units, texts in quotes, nothing for what is missing.
  private static func show(_ batch: TableBatch) {
    var out = ""
    for row in 0..<batch.rows {
      for (column, info) in batch.schema.columns.enumerated() {
        if column > 0 { out += "\t" }
        if info.type == .text {
          if let text = batch.text(row, column) { out += "'\(text)'" }
        } else if let value = batch[row, column] {
          out += String(value)
        }
      }
      out += "\n"
    }
    print(out, terminator: "")
  }
}

/// Writes to standard error.
func complain(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}
