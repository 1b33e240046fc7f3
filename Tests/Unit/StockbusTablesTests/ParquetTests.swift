import Testing

@testable import StockbusTables

@Suite struct ParquetTests {
  private func rows(_ count: Int, seed: UInt64 = 1) throws -> (TableSchema, [[Cell?]]) {
    let schema = try Samples.schema()
    var samples = Samples(seed: seed)
    return (schema, (0..<count).map { _ in samples.row(schema) })
  }

  private func options(_ compression: TableCompression = .none, groupRows: Int = 1 << 20) -> ParquetWriter.Options {
    var options = ParquetWriter.Options()
    options.compression = compression
    options.groupRows = groupRows
    return options
  }

  @Test func `the bytes of a small page are those of the format`() throws {
    let schema = try TableSchema([TableColumn("p", .price)])
    let bytes = try parquet(schema, [[.number(1)], [.number(-2)]], options: options())
    #expect(bytes.prefix(4) == Array("PAR1".utf8)[...])
    #expect(bytes.suffix(4) == Array("PAR1".utf8)[...])
    // The header: a data page (1), 18 bytes before and after compression, its checksum, two plain values with levels in runs.
    #expect(bytes[4..<10] == [0x15, 0, 0x15, 36, 0x15, 36])
    let page: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 254]
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: page) })
    #expect(bytes[start - 11..<start] == [0x1c, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0])
  }

  @Test(arguments: [0, 1, 2, 63, 64, 65, 1000], [TableCompression.none, .gzip(level: 1), .zstd(level: 1)])
  func `rows of every type come back`(count: Int, compression: TableCompression) throws {
    guard compression.isAvailable else { return }
    let (schema, rows) = try rows(count)
    for groupRows in [100, 1 << 20] {
      let bytes = try parquet(schema, rows, options: options(compression, groupRows: groupRows))
      let reader = try ParquetReader(TableSource(bytes))
      #expect(reader.schema == schema)
      #expect(reader.rows == count)
      #expect(reader.groups.count == (count + groupRows - 1) / groupRows)
      #expect(reader.metadata.map(\.value) == ["test"])
      #expect(try readParquet(bytes) == rows)
      #expect(try ParquetFile.check(TableSource(bytes)) == TableReport(rows: count, groups: reader.groups.count, isProven: true))
    }
  }

  @Test func `columns are given in the order in which they are asked for`() throws {
    let (schema, rows) = try rows(150)
    let bytes = try parquet(schema, rows)
    #expect(try readParquet(bytes, columns: ["price", "symbol"]) == rows.map { [$0[1], $0[0]] })
    #expect(throws: TableError("there is no such column", column: "nothing")) { try readParquet(bytes, columns: ["nothing"]) }
  }

  @Test func `pages end and dictionaries overflow without a change of values`() throws {
    // Few numbers at first, then many; texts that outgrow a dictionary; numbers in a row.
    let schema = try TableSchema([
      TableColumn("price", .price), TableColumn("text", .text), TableColumn("time", .timestamp),
      TableColumn("count", .integer, isOptional: true),
    ])
    var samples = Samples(seed: 4)
    let long = String(repeating: "x", count: 300)
    var rows: [[Cell?]] = []
    for n in 0..<80_000 {
      let price = n < 66_000 ? Int64(samples.below(100)) : samples.word()
      let text = n < 30_000 ? "t\(n % 50)" : "\(long)\(samples.below(20_000))"
      let count: Cell? = n % 3 == 0 ? nil : .number(Int64(samples.below(1000)))
      rows.append([.number(price), .text(text), .number(Int64(n) * 1_000_000_007), count])
    }
    let bytes = try parquet(schema, rows, size: 5000)
    #expect(try readParquet(bytes, batchRows: 1 << 12) == rows)
    #expect(try ParquetFile.check(TableSource(bytes)).isProven)
  }

  @Test func `a row group ends when it has too many bytes`() throws {
    let schema = try TableSchema([TableColumn("price", .price)])
    var samples = Samples(seed: 4)
    let rows: [[Cell?]] = (0..<140_000).map { _ in [.number(Int64(bitPattern: samples.next()))] }
    var options = options()
    options.groupBytes = 1 << 20
    let bytes = try parquet(schema, rows, size: 10_000, options: options)
    let reader = try ParquetReader(TableSource(bytes))
    #expect(reader.groups.count == 2)
    #expect(try readParquet(bytes, batchRows: 1 << 16) == rows)
  }

  @Test(arguments: [TableCompression.none, .zstd(level: 1)]) func `every flipped bit is found`(compression: TableCompression) throws {
    guard compression.isAvailable else { return }
    let schema = try Samples.small()
    var samples = Samples(seed: 8)
    let rows = (0..<9).map { _ in samples.row(schema) }
    let bytes = try parquet(schema, rows, options: options(compression, groupRows: 5))
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: TableError.self, "bit \(bit)") { try ParquetFile.check(TableSource(flipped)) }
    }
  }

  @Test func `a damaged page is named by row group, column and rows`() throws {
    let schema = try TableSchema([TableColumn("a", .integer), TableColumn("price", .price)])
    let rows: [[Cell?]] = (0..<30).map { n in [.number(Int64(n) * 7), .number(0x0102_0304_0506_0708 + Int64(n) << 40)] }
    var bytes = try parquet(schema, rows, options: options(groupRows: 10))
    let value: [UInt8] = [0, 1, 2, 3, 24]
    // The first value of the second row group: 10 more in the fourth byte.
    let wanted = [UInt8(0)] + withUnsafeBytes(of: (0x0102_0304_0506_0708 + Int64(10) << 40).bigEndian) { Array($0) }
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: wanted) })
    #expect(value.count == 5)
    bytes[place + 8] ^= 4
    var error: TableError?
    do { _ = try ParquetFile.check(TableSource(bytes)) } catch let failure as TableError { error = failure }
    #expect(error?.reason == "the page differs from its checksum")
    #expect(error?.group == 1)
    #expect(error?.column == "price")
    #expect(error?.rows == 10..<20)
    #expect(error?.offset ?? 0 < place)
  }

  @Test func `a file that was cut is refused at every byte`() throws {
    let schema = try Samples.small()
    var samples = Samples(seed: 8)
    let bytes = try parquet(schema, (0..<9).map { _ in samples.row(schema) })
    for cut in 0..<bytes.count { #expect(throws: TableError.self) { try ParquetFile.check(TableSource(Array(bytes[..<cut]))) } }
  }

  @Test func `garbage is refused and never traps`() throws {
    let (schema, rows) = try rows(50)
    let files = [
      try parquet(schema, rows, options: options()), try parquet(schema, rows, options: options(.gzip(level: 1), groupRows: 20)),
    ]
    var samples = Samples(seed: 23)
    for round in 0..<300 {
      var wild = files[round % 2]
      for _ in 0...samples.below(6) { wild[samples.below(wild.count)] = UInt8(truncatingIfNeeded: samples.next()) }
      // Without this module's checksums, so that the damage is read.
      for i in 0..<wild.count - 8 where wild[i...].starts(with: Array("stockbus".utf8)) { wild[i] = 83 }
      _ = try? ParquetFile.check(TableSource(wild))
    }
  }

  @Test func `an Arrow stream becomes the same table`() throws {
    let (schema, rows) = try rows(95)
    let stream = try arrow(schema, rows)
    let written = Written()
    #expect(try ParquetFile.make(from: TableSource(stream), sink: written.take) == 95)
    #expect(try readParquet(written.bytes) == rows)
    #expect(try ParquetReader(TableSource(written.bytes)).schema == schema)
    // One that was cut gives what is whole.
    written.bytes = []
    #expect(try ParquetFile.make(from: TableSource(Array(stream.dropLast(20))), sink: written.take) == 90)
    #expect(try readParquet(written.bytes) == Array(rows.prefix(90)))
  }

  @Test func `limits hold`() throws {
    let (schema, rows) = try rows(100)
    let bytes = try parquet(schema, rows, options: options())
    var limits = TableLimits()
    limits.block = 100
    #expect(throws: TableError.self) { try ParquetFile.check(TableSource(bytes), limits: limits) }
    limits = TableLimits()
    limits.metadata = 100
    #expect(throws: TableError.self) { try ParquetReader(TableSource(bytes), limits: limits) }
    limits = TableLimits()
    limits.fileRows = 99
    #expect(throws: TableError.self) { try ParquetReader(TableSource(bytes), limits: limits) }
  }

  @Test func `texts are begun anew when there are too many, within a row group too`() throws {
    let schema = try TableSchema([TableColumn("text", .text)])
    let rows: [[Cell?]] = (0..<5000).map { [.text("number \($0 % 300)")] }
    let bytes = try parquet(schema, rows, size: 500)
    var limits = TableLimits()
    limits.text = 1000
    let reader = try ParquetReader(TableSource(bytes), batchRows: 64, limits: limits)
    var back: [[Cell?]] = []
    while let batch = try reader.next() {
      back += batch.cells
      #expect(batch.dictionary(0).count < 100)
    }
    #expect(back == rows)
  }
}
