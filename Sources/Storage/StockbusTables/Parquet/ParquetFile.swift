/// What a check of a file has found.
package struct TableReport: Hashable, Sendable {
  package var rows = 0
  /// Row groups of a Parquet file, record batches of an Arrow stream.
  package var groups = 0
  /// True if the file's checksums cover all of its bytes, so that none of them has changed.
  package var isProven = false
  /// False if an Arrow stream has no mark of its end, as one that is still written.
  package var isFinished = true
  /// Columns of types that are not read, whose values were not looked at.
  package var skipped: [String] = []
}

/// Parquet files as a whole.
package enum ParquetFile {
  /// Turns an Arrow stream into a Parquet file, batch by batch, and returns the rows. A stream that was cut gives its whole batches.
  ///
  /// Throws `TableError` if the stream cannot be read; what the sink has then is no file.
  package static func make(
    from stream: TableSource, options: ParquetWriter.Options = ParquetWriter.Options(), limits: TableLimits = TableLimits(),
    sink: @escaping TableSink
  ) throws -> Int {
    let reader = try ArrowReader(stream, limits: limits)
    let writer = try ParquetWriter(reader.schema, metadata: reader.metadata.map { ($0.name, $0.value) }, options: options, sink: sink)
    while let batch = try reader.next() { try writer.write(batch) }
    try writer.finish()
    return writer.rows
  }

  /// Reads all of a file, and throws the first `TableError` that it finds, which says in which row group, column and rows.
  ///
  /// Of a file by `ParquetWriter` every changed bit is found. Of others, what their page checksums cover, and what cannot be decoded.
  package static func check(_ source: TableSource, limits: TableLimits = TableLimits()) throws -> TableReport {
    let reader = try ParquetReader(source, skippingUnreadable: true, limits: limits)
    let footer = reader.footer
    var damaged: Int?
    if footer.isOwn { damaged = try firstDamaged(source, footer) }
    if let damaged {
      // A page's own checksum says more, if it is a page that is damaged.
      reader.seek(group: damaged)
      let first = reader.groups[..<damaged].reduce(0, +)
      let rows = first..<first + reader.groups[damaged]
      var left = rows.count
      while left > 0, let batch = try reader.next() { left -= batch.rows }
      throw TableError("the row group differs from its checksum", group: damaged, rows: rows)
    }
    while try reader.next() != nil {}
    return TableReport(rows: reader.rows, groups: reader.groups.count, isProven: footer.isOwn, skipped: reader.skipped)
  }

  /// The first row group that differs from its checksum; throws if the groups do not fill the file.
  private static func firstDamaged(_ source: TableSource, _ footer: ParquetFooter) throws -> Int? {
    var start = 4
    var buffer = ByteBuffer()
    for (group, sum) in zip(footer.groups.indices, footer.checksums ?? []) {
      var size = 0
      for chunk in footer.groups[group].chunks { size += min(chunk.size, footer.start) }
      guard size <= footer.start - start else { throw TableError("a row group does not end before the footer", group: group) }
      var checksum = XXH64()
      let end = start + size
      while start < end {
        let part = min(1 << 18, end - start)
        try ParquetFooter.fill(&buffer, part, source, at: start)
        checksum.update(buffer.bytes)
        start += part
      }
      if !sum.utf8.elementsEqual(Checksum.digits(checksum)) { return group }
    }
    guard start == footer.start else { throw TableError("there are bytes that belong to no row group", offset: start) }
    return nil
  }
}

/// Arrow streams as a whole.
package enum ArrowStream {
  /// The bytes behind the last message of a stream that has ended.
  package static var end: [UInt8] { ArrowMessage.end }

  /// Reads all of a stream, and throws the first `TableError` that it finds, which says in which batch.
  ///
  /// Of a stream by `ArrowWriter` every changed bit is found; one that is cut within a message is an error too.
  package static func check(_ source: TableSource, limits: TableLimits = TableLimits()) throws -> TableReport {
    let reader = try ArrowReader(source, limits: limits)
    while try reader.next() != nil {}
    let length = try source.length()
    if reader.ending == .cut { throw TableError("the stream ends within a message", offset: reader.wholeEnd, group: reader.batches) }
    if reader.ending == .finished, reader.wholeEnd < length { throw TableError("there are bytes behind the end", offset: reader.wholeEnd) }
    return TableReport(
      rows: reader.rows, groups: reader.batches, isProven: reader.isChecked, isFinished: reader.ending == .finished)
  }
}
