import Testing

@testable import StockbusTables

@Suite struct ValueTests {
  @Test func `a schema with two columns of one name is refused`() {
    #expect(throws: TableError("two columns have this name", column: "a")) {
      try TableSchema([TableColumn("a", .integer), TableColumn("a", .text)])
    }
    #expect(throws: TableError.self) { try TableSchema([TableColumn("a", .decimal(10))]) }
    #expect(throws: TableError.self) { try TableSchema([TableColumn("", .integer)]) }
  }

  @Test func `an error names its places in one line`() {
    let error = TableError("the page differs from its checksum", offset: 4, group: 0, column: "price", rows: 0..<10)
    #expect("\(error)" == "group 0, column 'price', rows 0..<10, byte 4: the page differs from its checksum")
    #expect("\(TableError("no"))" == "no")
  }

  @Test func `a value that is not set is missing, also after the batch was used`() throws {
    let batch = TableBatch(try TableSchema([TableColumn("a", .integer, isOptional: true), TableColumn("b", .flag)]), capacity: 2)
    batch.set(0, 5)
    batch.set(1, 1)
    batch.endRow()
    batch.set(0, 6)
    batch.removeAll()
    batch.set(1, 0)
    batch.endRow()
    #expect(batch.cells == [[nil, .number(0)]])
    #expect(batch.missing(0) == 1)
  }

  @Test func `a missing value of a column that is not optional is refused with its row`() throws {
    let schema = try TableSchema([TableColumn("a", .integer), TableColumn("b", .integer)])
    let batch = TableBatch(schema, capacity: 3)
    batch.append([.number(1), .number(1)])
    batch.append([.number(1), nil])
    let written = Written()
    let expected = TableError("the value is missing, and the column is not optional", column: "b", rows: 1..<2)
    let arrow = try ArrowWriter(schema, sink: written.take)
    #expect(throws: expected) { try arrow.write(batch) }
    let parquet = try ParquetWriter(schema, sink: written.take)
    #expect(throws: expected) { try parquet.write(batch) }
  }

  @Test func `a text that is not in the dictionary and a flag of two are refused`() throws {
    let written = Written()
    for (type, value) in [(ColumnType.text, 0), (.text, -1), (.flag, 2), (.flag, -1)] as [(ColumnType, Int64)] {
      let schema = try TableSchema([TableColumn("a", type)])
      let batch = TableBatch(schema, capacity: 1)
      batch.append([.number(value)])
      let writer = try ArrowWriter(schema, sink: written.take)
      #expect(throws: TableError.self) { try writer.write(batch) }
    }
  }

  @Test func `texts keep their numbers, and begin anew after they were removed`() {
    let dictionary = TextDictionary()
    for round in 0..<2 {
      for n in 0..<1000 { #expect(dictionary.number(of: "text \(n)") == n) }
      #expect(dictionary.number(of: "text 500") == 500)
      #expect(dictionary.number(of: "") == 1000)
      #expect(dictionary.string(7) == "text 7")
      #expect(dictionary.generation == round)
      dictionary.removeAll()
      #expect(dictionary.count == 0)
    }
  }

  @Test(
    arguments: [
      (0.1, 100_000_000), (-12.5, -12_500_000_000), (0, 0), (1e-9, 1), (123_456.789, 123_456_789_000_000), (1.5e-9, nil), (0.3 - 0.1, nil),
      (9_007_199_254.740_992, 9_007_199_254_740_992_000), (9e9, 9_000_000_000_000_000_000), (1e10, nil), (.infinity, nil), (.nan, nil),
      (1e-300, nil), (1e300, nil),
      (67_000.123_456_789, 67_000_123_456_789), (-0.0, 0), (.leastNonzeroMagnitude, nil), (4_503_599.627_370_497, 4_503_599_627_370_497),
    ] as [(Double, Int64?)])
  func `a double becomes the units of its shortest decimal, or nothing`(value: Double, units: Int64?) {
    #expect(FloatUnits.units(value) == units)
  }

  @Test func `decimals with up to nine digits behind the point come back from their doubles`() {
    var samples = Samples(seed: 3)
    for _ in 0..<3000 {
      // Up to 15 digits, which a double always holds.
      let digits = samples.below(1_000_000_000_000_000), decimals = samples.below(10)
      let text = String(digits)
      let padded = String(repeating: "0", count: max(0, decimals + 1 - text.count)) + text
      let literal = padded.dropLast(decimals) + "." + padded.suffix(decimals) + "0"
      guard let value = Double(literal) else { continue }
      let (units, overflow) = Int64(digits).multipliedReportingOverflow(by: TenPower[9 - decimals])
      #expect(FloatUnits.units(value) == (overflow ? nil : units), "\(literal)")
    }
  }

  @Test(
    arguments: [(Float(0.1), 100_000_000), (Float(16_777_216), 16_777_216_000_000_000), (Float(1.1), 1_100_000_000)] as [(Float, Int64)])
  func `a float becomes the units of its own shortest decimal`(value: Float, units: Int64) { #expect(FloatUnits.units(value) == units) }
}
