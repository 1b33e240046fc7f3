import Testing

@testable import StockbusTables

@Suite struct ArrowTests {
  private func rows(_ count: Int, seed: UInt64 = 1, texts: Int = 20) throws -> (TableSchema, [[Cell?]]) {
    let schema = try Samples.schema()
    var samples = Samples(seed: seed)
    return (schema, (0..<count).map { _ in samples.row(schema, texts: texts) })
  }

  @Test func `the end is eight bytes, and a schema is a message of whole words`() throws {
    let bytes = try arrow(try TableSchema([TableColumn("a", .integer)]), [[.number(1)]])
    #expect(bytes.prefix(4) == [255, 255, 255, 255])
    let size = Int(bytes[4]) | Int(bytes[5]) << 8
    #expect(size % 8 == 0)
    #expect(try ArrowReader(TableSource(bytes)).wholeEnd == 8 + size)
    #expect(bytes.suffix(8) == [255, 255, 255, 255, 0, 0, 0, 0])
  }

  @Test(arguments: [0, 1, 9, 10, 11, 500]) func `rows of every type come back`(count: Int) throws {
    let (schema, rows) = try rows(count)
    let bytes = try arrow(schema, rows)
    #expect(try readArrow(bytes) == rows)
    let reader = try ArrowReader(TableSource(bytes))
    #expect(reader.schema == schema)
    #expect(reader.metadata.map(\.name) == ["who"])
    #expect(reader.isChecked)
    while try reader.next() != nil {}
    #expect(reader.rows == count)
    // An empty table has an empty batch.
    #expect(reader.batches == max(1, (count + 9) / 10))
    #expect(reader.ending == .finished)
    #expect(reader.wholeEnd == bytes.count)
  }

  @Test func `of many texts only those of the batch are written`() throws {
    let schema = try TableSchema([TableColumn("id", .text, isOptional: true)])
    let rows = (0..<3000).map { n in [n % 9 == 0 ? nil : Cell.text("identifier \(n / 2)")] }
    let bytes = try arrow(schema, rows, size: 50)
    #expect(try readArrow(bytes) == rows)
    // All dictionaries whole would have 120 times up to 3,000 texts of 15 bytes.
    #expect(bytes.count < 1_500_000)
  }

  @Test func `a stream that was cut at any byte gives its whole batches`() throws {
    let schema = try Samples.small()
    var samples = Samples(seed: 2)
    let rows = (0..<20).map { _ in samples.row(schema) }
    let bytes = try arrow(schema, rows)
    let ends = try wholeEnds(schema, rows)
    for cut in 0..<bytes.count {
      let source = TableSource(Array(bytes[..<cut]))
      guard cut >= ends[0] else {
        #expect(throws: TableError.self) { try ArrowReader(source) }
        continue
      }
      let reader = try ArrowReader(source)
      var back: [[Cell?]] = []
      while let batch = try reader.next() { back += batch.cells }
      let whole = ends.lastIndex { $0 <= cut } ?? 0
      #expect(back == Array(rows.prefix(whole * 10)))
      #expect(reader.rows == whole * 10)
      #expect(reader.wholeEnd == ends[whole])
      // Dictionaries of the next batch may be whole.
      if cut == ends[whole] { #expect(reader.ending == .open) } else { #expect(reader.ending != .finished) }
      let report = try? ArrowStream.check(source)
      #expect(report?.isFinished != true)
    }
  }

  /// Where the schema and each batch of ten rows end.
  private func wholeEnds(_ schema: TableSchema, _ rows: [[Cell?]]) throws -> [Int] {
    try stride(from: 0, through: rows.count, by: 10).map { try arrow(schema, Array(rows[..<$0]), ended: false).count }
  }

  @Test func `a stream that was cut is continued behind its whole batches`() throws {
    let schema = try Samples.small()
    var samples = Samples(seed: 2)
    let rows = (0..<20).map { _ in samples.row(schema) }
    let written = Written()
    written.bytes = Array(try arrow(schema, rows).dropLast(30))
    let reader = try ArrowReader(TableSource(written.bytes))
    while try reader.next() != nil {}
    #expect(reader.rows == 10)
    written.bytes.removeSubrange(reader.wholeEnd...)
    let writer = try ArrowWriter(schema, isContinued: true, sink: written.take)
    let batch = TableBatch(schema, capacity: 10)
    for row in rows[10...] { batch.append(row) }
    try writer.write(batch)
    try writer.finish()
    #expect(try readArrow(written.bytes) == rows)
    #expect(try ArrowStream.check(TableSource(written.bytes)).isProven)
  }

  @Test func `a stream that grows is read on`() throws {
    let (schema, rows) = try rows(30)
    let bytes = try arrow(schema, rows)
    let written = Written()
    let source = TableSource(
      length: { written.bytes.count }, read: { buffer, offset in try TableSource(written.bytes).read(buffer, offset) })
    written.bytes = try arrow(schema, [], ended: false)
    let reader = try ArrowReader(source)
    var back: [[Cell?]] = []
    while reader.ending != .finished {
      while let batch = try reader.next() { back += batch.cells }
      let count = written.bytes.count
      if reader.ending == .finished { break }
      try #require(count < bytes.count)
      written.bytes += bytes[count..<min(bytes.count, count + 101)]
    }
    #expect(back == rows)
  }

  @Test(arguments: [0, 3]) func `every flipped bit is found`(count: Int) throws {
    let schema = try Samples.small()
    var samples = Samples(seed: 8)
    let bytes = try arrow(schema, (0..<count).map { _ in samples.row(schema) })
    #expect(try ArrowStream.check(TableSource(bytes)) == TableReport(rows: count, groups: 1, isProven: true))
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: TableError.self, "bit \(bit)") { try ArrowStream.check(TableSource(flipped)) }
    }
  }

  @Test func `bytes behind the end and a lost batch in the middle are not hidden`() throws {
    let (schema, rows) = try rows(12)
    let bytes = try arrow(schema, rows)
    #expect(throws: TableError("there are bytes behind the end", offset: bytes.count)) { try ArrowStream.check(TableSource(bytes + [0])) }
    #expect(throws: TableError.self) { try ArrowStream.check(TableSource(bytes.dropLast(8) + [UInt8](repeating: 0, count: 4096))) }
  }

  @Test func `an error keeps what is whole before it`() throws {
    let (schema, rows) = try rows(30)
    var bytes = try arrow(schema, rows)
    let ends = try wholeEnds(schema, rows)
    bytes[ends[2] - 1] ^= 1
    let reader = try ArrowReader(TableSource(bytes))
    var error: TableError?
    do { while try reader.next() != nil {} } catch let failure as TableError { error = failure }
    #expect(error?.reason == "the message differs from its checksum")
    #expect(error?.group == 1)
    #expect(error?.rows == 10..<20)
    #expect(reader.wholeEnd == ends[1])
    #expect(reader.rows == 10)
    #expect(throws: try #require(error)) { try reader.next() }
  }

  @Test func `garbage is refused and never traps`() throws {
    let (schema, rows) = try rows(12)
    let bytes = try arrow(schema, rows)
    var samples = Samples(seed: 17)
    for _ in 0..<300 {
      var wild = bytes
      for _ in 0...samples.below(6) { wild[samples.below(wild.count)] = UInt8(truncatingIfNeeded: samples.next()) }
      // Without checksums, so that the damage is read.
      for i in 0..<wild.count - 14 where wild[i] == 115 && wild[i + 9] == 120 && wild[i + 13] == 52 { wild[i] = 83 }
      _ = try? ArrowStream.check(TableSource(wild))
    }
    for size in [0, 1, 7, 8, 9, 100] {
      #expect(throws: TableError.self) { try ArrowReader(TableSource([UInt8](repeating: 255, count: size))) }
    }
  }

  @Test func `limits hold`() throws {
    let (schema, rows) = try rows(100)
    let bytes = try arrow(schema, rows, size: 100)
    var limits = TableLimits()
    limits.rows = 99
    #expect(throws: TableError.self) { try ArrowStream.check(TableSource(bytes), limits: limits) }
    limits = TableLimits()
    limits.block = 100
    #expect(throws: TableError.self) { try ArrowStream.check(TableSource(bytes), limits: limits) }
    limits = TableLimits()
    limits.text = 10
    #expect(throws: TableError.self) { try ArrowStream.check(TableSource(bytes), limits: limits) }
    limits = TableLimits()
    limits.metadata = 50
    #expect(throws: TableError.self) { try ArrowReader(TableSource(bytes), limits: limits) }
  }

  @Test func `whole messages pass, in whatever pieces they come, and can be ended anywhere`() throws {
    let (schema, rows) = try rows(30)
    let bytes = try arrow(schema, rows)
    for size in [1, 7, 64, 1000, bytes.count] {
      var (messages, out, at) = (WholeMessages(), [UInt8](), 0)
      #expect(messages.isEmpty)
      while at < bytes.count {
        out += try messages.take(Array(bytes[at..<min(bytes.count, at + size)]))
        at += size
        // What has passed is a stream, as soon as it is ended.
        if !messages.isEmpty { #expect(try ArrowStream.check(TableSource(out + (messages.hasEnded ? [] : WholeMessages.end))).isFinished) }
      }
      #expect(out == bytes && messages.hasEnded && !messages.isEmpty)
    }
    var messages = WholeMessages()
    #expect(throws: TableError.self) { try messages.take(Array("event: end\n".utf8)) }
    var long = WholeMessages()
    #expect(throws: TableError.self) { try long.take([255, 255, 255, 255, 255, 255, 255, 127]) }
  }

  @Test func `a batch may carry metadata, and then also without rows`() throws {
    let schema = try TableSchema([TableColumn("name", .text), TableColumn("n", .integer)])
    let written = Written()
    let writer = try ArrowWriter(schema, sink: written.take)
    let batch = TableBatch(schema, capacity: 1)
    try writer.write(batch)
    let before = written.bytes.count
    try writer.write(batch, metadata: [("left", "7"), ("why", "ä")])
    #expect(written.bytes.count > before)
    batch.append([.text("a"), .number(1)])
    try writer.write(batch, metadata: [("left", "8")])
    try writer.finish()
    #expect(try ArrowStream.check(TableSource(written.bytes)).isProven)
    let input = ArrowInput(TableSource(written.bytes), TableLimits())
    var found: [[String]] = []
    while case .message(let message) = try input.read() {
      if message.kind != ArrowMessage.Kind.batch.rawValue { continue }
      found.append(try message.root.pairs(4).dropFirst().map { "\($0.name)=\($0.value)" })
    }
    #expect(found == [["left=7", "why=ä"], ["left=8"]])
    #expect(try readArrow(written.bytes) == [[.text("a"), .number(1)]])
  }
}
