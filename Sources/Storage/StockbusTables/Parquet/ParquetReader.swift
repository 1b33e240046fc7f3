/// Reads a Parquet file, a batch of rows at a time, with bounded memory: a page and a dictionary of each column.
///
/// Reads what `ParquetWriter` writes, and columns of others that are not nested: plain, dictionary, run length, delta and split encodings,
/// compressed with Snappy, gzip or zstd. Values are exact: a decimal or floating point number that has more than nine decimals, or that 64
/// bits do not hold, is an error that says where; NaN is a missing value. Checksums are checked where a file has them. Nothing that a file
/// says takes more memory than `TableLimits` allows.
///
/// Source: Parquet format, version 2.11.
package final class ParquetReader {
  /// The columns that are read.
  package let schema: TableSchema
  /// The rows of the file.
  package let rows: Int
  /// The rows of each row group.
  package let groups: [Int]
  /// Names and values in the footer.
  package let metadata: [(name: String, value: String)]
  /// Columns that are not read since nobody asked for them, or, with `skippingUnreadable`, cannot be.
  package let skipped: [String]

  let footer: ParquetFooter
  private let source: TableSource
  private let limits: TableLimits
  private let columns: [ParquetColumn]
  private let batch: TableBatch
  private let scratch: UnsafeMutablePointer<UInt32>
  private let decompressor = Decompressor()
  private var (group, groupRow, done) = (0, 0, 0)
  private var chunks: [ChunkReader] = []
  /// Thrown again by each call after the first error, because columns may stand at different rows then.
  private var failure: (any Error)?

  /// Reads the footer. Throws `TableError`, and what the source throws.
  /// - Parameters:
  ///   - names: the columns that are read, in this order; nil for all.
  ///   - skippingUnreadable: leaves out columns that cannot be read instead of throwing.
  ///   - batchRows: the most rows that `next` gives at a time.
  package init(
    _ source: TableSource, columns names: [String]? = nil, skippingUnreadable: Bool = false, batchRows: Int = 1 << 16,
    limits: TableLimits = TableLimits()
  ) throws {
    self.source = source
    self.limits = limits
    footer = try ParquetFooter(source, limits)
    let all = try ParquetColumn.columns(of: footer)
    var chosen: [ParquetColumn] = []
    for name in names ?? all.map(\.name) {
      let found = all.filter { $0.name == name }
      guard let column = found.first else { throw TableError("there is no such column", column: name) }
      if found.count > 1 { throw TableError("two columns have this name", column: name) }
      if let refusal = column.refusal {
        if skippingUnreadable { continue }
        throw TableError(refusal, column: name)
      }
      chosen.append(column)
    }
    columns = chosen
    schema = try TableSchema(chosen.map(\.column))
    skipped = all.map(\.name).filter { name in !chosen.contains { $0.name == name } }
    rows = footer.rows
    groups = footer.groups.map(\.rows)
    metadata = footer.pairs.filter { $0.name != Parquet.checksumKey && $0.name != Parquet.arrowKey }
    var sum = 0
    for rows in groups {
      let (more, overflow) = sum.addingReportingOverflow(rows)
      if overflow { throw TableError("the row groups have too many rows") }
      sum = more
    }
    guard rows <= limits.fileRows else { throw TableError("the file has \(rows) rows") }
    guard sum == rows else { throw TableError("the row groups have \(sum) rows, and the file \(rows)") }
    // The parts that are read begin at whole words of presence.
    batch = TableBatch(schema, capacity: (max(1, min(batchRows, groups.max() ?? 0, (32 << 20) / max(1, chosen.count))) + 63) / 64 * 64)
    scratch = .allocate(capacity: batch.capacity)
    for dictionary in batch.dictionaries { dictionary.checkedLimit = limits.text * 2 }
  }

  deinit { scratch.deallocate() }

  /// The next rows, in a batch that is used again by the next call; nil at the end, and if no column is read. A batch has rows of one row group.
  package func next() throws -> TableBatch? {
    if let failure { throw failure }
    do { return try read() } catch {
      failure = error
      throw error
    }
  }

  private func read() throws -> TableBatch? {
    while group < groups.count, groupRow == groups[group] {
      (group, groupRow, chunks) = (group + 1, 0, [])
    }
    guard group < groups.count, !columns.isEmpty else { return nil }
    if groupRow == 0 { try open() }
    let count = min(batch.capacity, groups[group] - groupRow)
    batch.refill(rows: count)
    for index in columns.indices {
      let texts = batch.dictionary(index)
      if texts.byteCount > limits.text || texts.count > limits.text / 32 { texts.removeAll() }
      do { try chunks[index].read(batch, index, count: count, scratch: scratch) } catch let error as TableError {
        throw error.located(group: group, column: columns[index].name, rows: done..<done + count)
      }
    }
    groupRow += count
    done += count
    return batch
  }

  /// Moves to the begin of a row group.
  func seek(group: Int) {
    (self.group, groupRow, chunks) = (group, 0, [])
    done = groups[..<group].reduce(0, +)
  }

  /// Finds the columns of the row group.
  private func open() throws(TableError) {
    for column in columns {
      let chunk = footer.groups[group].chunks[column.leaf]
      var start = chunk.offset
      // Some writers say 0 if there is no dictionary.
      if chunk.dictionaryOffset > 0 { start = min(start, chunk.dictionaryOffset) }
      guard !chunk.isElsewhere, start >= 4, start < footer.start else {
        throw TableError("the pages of the column are not in the file", offset: footer.start, group: group, column: column.name)
      }
      guard chunk.values == groups[group] else {
        throw TableError(
          "a column has \(chunk.values) values in \(groups[group]) rows", offset: footer.start, group: group, column: column.name)
      }
      let pages = PageReader(source, limits, decompressor, codec: chunk.codec, from: start, end: footer.start)
      chunks.append(ChunkReader(column, pages, values: chunk.values))
    }
  }
}
