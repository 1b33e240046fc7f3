@testable internal import StockbusTables

extension Target {
  static let arrow = Target("arrow", "Arrow streams", seeds: Tables.seeds(.arrow), budget: 3000) { Tables.arrow($0) }
  static let parquet = Target("parquet", "Parquet files", seeds: Tables.seeds(.parquet), budget: 3000) { Tables.parquet($0) }
}

/// The properties of both readers: any bytes are read or refused, rows are as many as promised, what was read, written and read again is the
/// same, and memory and time are within their limits.
private enum Tables {
  private static var limits: TableLimits {
    var limits = TableLimits()
    limits.metadata = 1 << 16
    limits.block = 1 << 18
    limits.rows = 1 << 14
    limits.fileRows = 1 << 16
    limits.text = 1 << 18
    return limits
  }

  static func parquet(_ bytes: [UInt8]) {
    let source = TableSource(bytes)
    guard let reader = try? ParquetReader(source, skippingUnreadable: true, batchRows: 200, limits: limits) else { return }
    var rows = 0
    do {
      while let batch = try reader.next() {
        rows += batch.rows
        if isOneOfEight(bytes) { try again(batch) }
      }
      law(rows == reader.rows || reader.schema.columns.isEmpty, "\(rows) rows of \(reader.rows)")
    } catch { law("\(error)".isEmpty == false, "an error without words") }
    _ = try? ParquetFile.check(source, limits: limits)
  }

  static func arrow(_ bytes: [UInt8]) {
    let source = TableSource(bytes)
    guard let reader = try? ArrowReader(source, batchRows: 100, limits: limits) else { return }
    var rows = 0
    do {
      while let batch = try reader.next() {
        rows += batch.rows
        if isOneOfEight(bytes) { try again(batch) }
      }
      law(rows == reader.rows, "\(rows) rows of \(reader.rows)")
    } catch {}
    law(reader.wholeEnd <= bytes.count, "whole until \(reader.wholeEnd) of \(bytes.count)")
    // What is whole is read alone too.
    if let first = try? ArrowReader(TableSource(Array(bytes[..<reader.wholeEnd])), limits: limits) {
      do { while try first.next() != nil {} } catch {}
      law(
        first.rows == reader.rows && first.wholeEnd == reader.wholeEnd, "\(first.rows) rows until \(first.wholeEnd), \(reader.rows) before")
    } else {
      law(false, "the whole part is no stream")
    }
  }

  /// Writing costs many times what reading does.
  private static func isOneOfEight(_ bytes: [UInt8]) -> Bool { bytes.reduce(UInt8(0), &+) % 8 == 0 }

  /// Writes a batch in both formats and reads it again.
  private static func again(_ batch: TableBatch) throws {
    let words = shown(batch)
    var stream: [UInt8] = []
    let arrow = try ArrowWriter(batch.schema) { stream += Array($0) }
    try arrow.write(batch)
    let back = try ArrowReader(TableSource(stream))
    if let copy = try back.next() { law(shown(copy) == words, "the stream differs") } else { law(batch.rows == 0, "the stream is empty") }
    var file: [UInt8] = []
    var options = ParquetWriter.Options()
    options.compression = .none
    let parquet = try ParquetWriter(batch.schema, options: options) { file += Array($0) }
    try parquet.write(batch)
    try parquet.finish()
    let reader = try ParquetReader(TableSource(file))
    if let copy = try reader.next() {
      law(shown(copy) == words, "the file differs")
    } else {
      law(batch.rows == 0 || words.isEmpty, "the file is empty")
    }
  }

  private static func shown(_ batch: TableBatch) -> [String] {
    var shown: [String] = []
    for column in batch.schema.columns.indices {
      for row in 0..<batch.rows {
        if batch.schema.columns[column].type == .text {
          shown.append(batch.text(row, column) ?? "nil")
        } else {
          shown.append(batch[row, column].map(String.init) ?? "nil")
        }
      }
    }
    return shown
  }

  /// Small files of this module, with and without its checksums.
  static func seeds(_ form: EventTableForm) -> [[UInt8]] { (try? allSeeds(form)) ?? [] }

  private static func allSeeds(_ form: EventTableForm) throws -> [[UInt8]] {
    let schema = try TableSchema([
      TableColumn("s", .text), TableColumn("p", .price, isOptional: true), TableColumn("f", .flag),
      TableColumn("n", .integer, isOptional: true),
      TableColumn("t", .timestamp), TableColumn("d", .duration),
    ])
    let batch = TableBatch(schema, capacity: 40)
    for n in 0..<Int64(40) {
      batch.set(0, batch.dictionary(0).number(of: "s\(n % 5)"))
      if n % 3 > 0 { batch.set(1, n * 1000) }
      batch.set(2, n & 1)
      if n % 7 > 0 { batch.set(3, n % 2) }
      batch.set(4, n * n)
      batch.set(5, n)
      batch.endRow()
    }
    if form == .arrow {
      var stream: [UInt8] = []
      let arrow = try ArrowWriter(schema) { stream += Array($0) }
      try arrow.write(batch)
      try arrow.finish()
      return [stream, unchecked(stream)]
    }
    var seeds: [[UInt8]] = []
    for compression in [TableCompression.none, .gzip(level: 1), .zstd(level: 1)] where compression.isAvailable {
      var file: [UInt8] = []
      var options = ParquetWriter.Options()
      (options.compression, options.groupRows) = (compression, 25)
      let parquet = try ParquetWriter(schema, options: options) { file += Array($0) }
      try parquet.write(batch)
      try parquet.finish()
      seeds += [file, unchecked(file)]
    }
    return seeds
  }

  /// Names of other programs in the place of this one's, so that a change does not end at a checksum. The pages of Parquet keep theirs.
  private static func unchecked(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let name = Array("stockbus".utf8)
    for i in 0..<max(0, bytes.count - name.count) where bytes[i..<i + name.count].elementsEqual(name) { bytes[i] = 83 }
    return bytes
  }
}
