internal import StockbusText

/// Writes a file's footer: its schema, where the columns of the row groups are, statistics, metadata and checksums.
///
/// Source: parquet.thrift, `FileMetaData`. The Arrow schema is in the metadata too, so that readers based on Arrow give durations and
/// dictionaries back.
struct ParquetFooterWriter {
  let schema: TableSchema
  let rows: Int
  let groups: [ParquetWriter.Group]
  let metadata: [(String, String)]

  /// The footer, its length and the mark of the end.
  mutating func bytes() -> [UInt8] {
    let sums = groups.map { String(decoding: Checksum.digits($0.checksum), as: UTF8.self) }
    // A copy of the metadata in a file of another program is not taken for checksums of that file, because the offset of the footer is another.
    let start = String(groups.last.map { $0.offset + $0.size } ?? Parquet.magic.count)
    let blank = String(decoding: Checksum.blank, as: UTF8.self)
    let pairs =
      metadata + [
        (Parquet.arrowKey, Base64.encode(ArrowMessage.schema(schema, metadata: [], checked: false))),
        (Parquet.checksumKey, ([start] + sums + [blank]).joined(separator: " ")),
      ]
    var out = ThriftWriter()
    // The checksum is in the last pair, behind which only the name of this program and orders of columns stand.
    var place = 0
    out.element { [self] file in
      file.int(1, 2)
      file.structures(2, [nil] + schema.columns.map(Optional.some)) { put($1, &$0) }
      file.long(3, rows)
      file.structures(4, groups) { put($1, &$0) }
      file.structures(5, pairs) {
        $0.text(1, $1.0)
        $0.text(2, $1.1)
        place = $0.out.count - Checksum.size
      }
      // Its number does not depend on that of the list before, so that no single bit hides both signs of who made the file.
      file.text(6, Array(Parquet.createdBy.utf8), isAbsolute: true)
      // The order of each type is the usual one: readers use the statistics only if that is said.
      file.structures(7, schema.columns) { order, _ in order.structure(1) { _ in } }
    }
    let size = out.out.count
    out.out.put(UInt32(size))
    out.out.append(Parquet.magic)
    var sum = XXH64()
    sum.update(out.out.bytes)
    out.out.replace(at: place, with: Checksum.digits(sum))
    return Array(out.out.bytes)
  }

  /// A column, or the root of the schema.
  private func put(_ column: TableColumn?, _ out: inout ThriftWriter) {
    guard let column else {
      out.text(4, "schema")
      out.int(5, Int32(schema.columns.count))
      return
    }
    out.int(1, column.physical.rawValue)
    if case .decimal = column.type { out.int(2, Int32(Parquet.decimalWidth)) }
    out.int(3, column.isOptional ? 1 : 0)
    out.text(4, column.name)
    switch column.type {
    case .decimal(let decimals):
      out.int(6, 5)
      out.int(7, Int32(decimals))
      out.int(8, 19)
      out.structure(10) { type in
        type.structure(5) {
          $0.int(1, Int32(decimals))
          $0.int(2, 19)
        }
      }
    case .timestamp:
      out.structure(10) { type in
        type.structure(8) {
          $0.flag(1, true)
          $0.structure(2) { unit in unit.structure(3) { _ in } }
        }
      }
    case .text:
      out.int(6, 0)
      out.structure(10) { type in type.structure(1) { _ in } }
    case .integer, .duration, .flag: break
    }
  }

  private func put(_ group: ParquetWriter.Group, _ out: inout ThriftWriter) {
    var offset = group.offset
    out.structures(1, Array(zip(schema.columns, group.chunks))) { out, pair in
      let (column, chunk) = pair
      out.long(2, 0)
      out.structure(3) { put(column, chunk, group.rows, offset, &$0) }
      offset += chunk.size
    }
    out.long(2, group.chunks.reduce(0) { $0 + $1.rawSize })
    out.long(3, group.rows)
    out.long(5, group.offset)
    out.long(6, group.size)
  }

  private func put(_ column: TableColumn, _ chunk: ChunkWriter.Chunk, _ rows: Int, _ offset: Int, _ out: inout ThriftWriter) {
    out.int(1, column.physical.rawValue)
    out.ints(2, chunk.encodings.map(\.rawValue))
    out.texts(3, [column.name])
    out.int(4, chunk.codec.rawValue)
    out.long(5, rows)
    out.long(6, chunk.rawSize)
    out.long(7, chunk.size)
    out.long(9, offset + chunk.dictionarySize)
    if chunk.dictionarySize > 0 { out.long(11, offset) }
    out.structure(12) {
      $0.long(3, chunk.missing)
      if let bounds = chunk.bounds {
        $0.text(5, bounds.most)
        $0.text(6, bounds.least)
      }
    }
  }
}

extension TableColumn {
  var physical: Parquet.Physical {
    switch type {
    case .decimal: .fixed
    case .integer, .timestamp, .duration: .int64
    case .flag: .boolean
    case .text: .byteArray
    }
  }
}
