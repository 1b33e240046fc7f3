/// Writes a Parquet file row group by row group, with bounded memory: the compressed pages of a row group are kept until it is full.
///
/// Decimals are `DECIMAL(19, d)` in nine bytes, so that they are exact for every reader, and the smallest and largest value of each column
/// of a row group is in the footer. Every flipped bit of the file is found by `ParquetFile.check`: pages have the format's CRC-32; the
/// metadata has, under `stockbus.xxh64`, the XXH64 of each row group with its headers, and as the last that of the footer, computed as if
/// its own digits were zeros, up to the end of the file.
///
/// Source: Parquet format, version 2.11.
package final class ParquetWriter {
  package let schema: TableSchema
  /// The rows of whole row groups and of the one that is being filled.
  package private(set) var rows = 0

  /// The shape of a file.
  package struct Options: Sendable {
    /// Rows after which a row group ends.
    package var groupRows = 1 << 20
    /// Bytes of compressed pages after which a row group ends.
    package var groupBytes = 64 << 20
    package var compression = TableCompression.usual

    package init() {}
  }

  struct Group {
    var rows = 0
    var offset = 0
    var chunks: [ChunkWriter.Chunk] = []
    var size: Int { chunks.reduce(0) { $0 + $1.size } }
    var checksum = XXH64()
  }

  private let metadata: [(String, String)]
  private let options: Options
  private let sink: TableSink
  private let columns: [ChunkWriter]
  private var groups: [Group] = []
  private var groupRows = 0
  private var offset = 0

  /// Throws `TableError` if the compression is not available, and what the sink throws.
  /// - Parameters:
  ///   - metadata: names and values in the footer; `stockbus.xxh64` and `ARROW:schema` are left out, since the file has its own.
  ///   - sink: gets the bytes of the file.
  package init(_ schema: TableSchema, metadata: [(String, String)] = [], options: Options = Options(), sink: @escaping TableSink) throws {
    self.schema = schema
    self.metadata = metadata.filter { $0.0 != Parquet.checksumKey && $0.0 != Parquet.arrowKey }
    self.options = options
    self.sink = sink
    let compressor = try Compressor(options.compression)
    columns = schema.columns.map { ChunkWriter($0, compressor) }
    try Parquet.magic.withUnsafeBytes { try put($0) }
  }

  /// Adds the batch's rows. Throws `TableError` if a value is missing that has to be there, and what the sink throws.
  package func write(_ batch: TableBatch) throws {
    precondition(batch.schema == schema, "the batch has the columns of the writer")
    try batch.validate()
    var first = 0
    while first < batch.rows {
      let count = min(batch.rows - first, max(1, options.groupRows) - groupRows, ChunkWriter.pageRows)
      for (i, column) in columns.enumerated() { try column.add(batch, i, from: first, count: count) }
      first += count
      groupRows += count
      rows += count
      if groupRows >= options.groupRows || columns.reduce(0, { $0 + $1.kept }) >= options.groupBytes { try endGroup() }
    }
  }

  /// Writes what is left and the footer.
  package func finish() throws {
    if groupRows > 0 { try endGroup() }
    var footer = ParquetFooterWriter(schema: schema, rows: rows, groups: groups, metadata: metadata)
    try footer.bytes().withUnsafeBytes { try put($0) }
  }

  private func endGroup() throws {
    var group = Group(rows: groupRows, offset: offset)
    for column in columns {
      group.chunks.append(
        try column.finish { bytes in
          group.checksum.update(bytes)
          try put(bytes)
        })
    }
    groups.append(group)
    groupRows = 0
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws {
    if bytes.isEmpty { return }
    try sink(bytes)
    offset += bytes.count
  }
}
