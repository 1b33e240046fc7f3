import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusTables

/// A type with every form of field.
private struct Note: SymbolEvent, Equatable {
  var symbol: Symbol
  var text: String
  var total: Amount
  var side: Side
  var length: BarLength
  var count: UInt32
  var other: Int64
  var price: Price
  var decimals: UInt8
  var time: Timestamp

  static let schema = EventSchema<Note>(
    "note", "A note.", key: \.symbol, time: \.time,
    example: Note(
      symbol: "AAPL", text: "first", total: Amount(raw: 1), side: .buy, length: .time(60_000_000_000), count: 1, other: 1, price: 1,
      decimals: 2, time: Timestamp(ns: 1)),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("text", \.text, "Words."), .init("total", \.total, "A sum."),
      .init("side", \.side, "A side."), .init("length", \.length, "A length."), .init("count", \.count, "A count."),
      .init("other", \.other, "A number."), .init("price", \.price, "A price.", decimals: \.decimals), .init("time", \.time, "When."),
    ])
}

/// Events as tables, read back.
@Suite struct EventTableTests {
  private let columns = ColumnLayout(ColumnKind.allCases.map { ColumnInfo("beside_\($0.rawValue)", $0) })

  private func notes(_ count: Int, seed: Int) -> [(event: Note, row: [Int64])] {
    var random = SplitMix(seed)
    let symbols: [Symbol] = ["A", "BRK.B", "ÄÖ", "1", "EURUSD"]
    func word(_ random: inout SplitMix) -> Int64 {
      random.oneIn(4) ? [.min, .max, 0, -1][random.upTo(3)] : Int64(truncatingIfNeeded: random.next()) >> Int64(random.upTo(62))
    }
    return (0..<count).map { _ in
      let note = Note(
        symbol: symbols[random.upTo(4)], text: random.oneIn(3) ? "" : "words \(random.upTo(1000)), \"ä\"\n",
        total: Amount(raw: Int128(word(&random)) * 7),
        side: Side.allCases[random.upTo(Side.allCases.count - 1)], length: .time(Int64(1 + random.upTo(50)) * 60_000_000_000),
        count: UInt32(truncatingIfNeeded: random.next()), other: word(&random), price: Price(raw: word(&random)),
        decimals: UInt8(random.upTo(9)), time: Timestamp(ns: word(&random)))
      let row = columns.columns.map { $0.kind == .flag ? Int64(random.upTo(1)) : word(&random) }
      return (note, row.map { random.oneIn(5) ? ColumnLayout.missing : $0 })
    }
  }

  private func bytes(_ form: EventTableForm, _ notes: [(event: Note, row: [Int64])], fields: [String]? = nil, decimals: Bool = true) throws
    -> [UInt8]
  {
    let stream = try #require(try EventTableStream<Note>(form, fields: fields, columns: columns, decimals: decimals))
    var bytes: [UInt8] = []
    for (n, note) in notes.enumerated() {
      try stream.add(note.event, row: note.row)
      if n % 777 == 5 {
        _ = try stream.take {
          bytes += $0
          return nil as Bool?
        }
      }
    }
    try stream.finish()
    _ = try stream.take {
      bytes += $0
      return nil as Bool?
    }
    return bytes
  }

  /// The rows as texts, as CSV would have them.
  private func rows(_ form: EventTableForm, _ bytes: [UInt8]) throws -> (names: [String], rows: [[String]]) {
    var (names, rows): ([String], [[String]]) = ([], [])
    func add(_ batch: TableBatch) {
      names = batch.schema.columns.map(\.name)
      for row in 0..<batch.rows {
        rows.append(
          batch.schema.columns.enumerated().map { column, info in
            guard let value = batch[row, column] else { return "-" }
            return info.type == .text ? batch.text(row, column) ?? "?" : "\(value)"
          })
      }
    }
    switch form {
    case .arrow:
      let reader = try ArrowReader(TableSource(bytes))
      while let batch = try reader.next() { add(batch) }
      #expect(reader.isChecked && reader.ending == .finished)
    case .parquet:
      let reader = try ParquetReader(TableSource(bytes))
      while let batch = try reader.next() { add(batch) }
    }
    return (names, rows)
  }

  private func text(_ value: some FieldValue) -> String {
    var out = ByteWriter(capacity: 256)
    value.write(to: &out)
    return out.string
  }

  @Test(arguments: [EventTableForm.arrow, .parquet]) func `every value comes back, of fields and of columns`(form: EventTableForm) throws {
    let notes = notes(20_000, seed: 5)
    let found = try rows(form, bytes(form, notes))
    #expect(found.names == Note.schema.fields.map(\.name) + columns.names + ["price_decimals"])
    #expect(found.rows.count == notes.count)
    for (row, (note, beside)) in zip(found.rows, notes) {
      let wanted =
        [
          note.symbol.description, note.text, text(note.total), note.side.fieldName, text(note.length), "\(note.count)", "\(note.other)",
          "\(note.price.raw)", "\(note.time.ns)",
        ] + beside.map { $0 == ColumnLayout.missing ? "-" : "\($0)" } + ["\(note.decimals)"]
      if row != wanted { Issue.record("\(row), not \(wanted)") }
    }
  }

  @Test func `chosen fields stand in their order, and unknown ones are none`() throws {
    let notes = notes(3, seed: 6)
    let found = try rows(.arrow, bytes(.arrow, notes, fields: ["beside_time", "price", "symbol"], decimals: false))
    #expect(found.names == ["beside_time", "price", "symbol"])
    #expect(
      found.rows.map { $0[1] } == notes.map { "\($0.event.price.raw)" }
        && found.rows.map { $0[2] } == notes.map { $0.event.symbol.description })
    #expect(try EventTableStream<Note>(.arrow, fields: ["prise"], columns: columns) == nil)
  }

  @Test func `of an Arrow stream all events can be read before it ends`() throws {
    let stream = try #require(try EventTableStream<Trade>(.arrow))
    try stream.add(Trade.schema.example, row: [])
    var bytes: [UInt8] = []
    _ = try stream.take {
      bytes += $0
      return nil as Bool?
    }
    let reader = try ArrowReader(TableSource(bytes))
    #expect(try reader.next()?.rows == 1)
    #expect(try reader.next() == nil && reader.ending == .open)
  }

  @Test func `a batch is full of its rows, or of long texts`() throws {
    let rows = try #require(EventTable<Trade>(capacity: 3))
    for n in 0..<3 {
      #expect(!rows.isFull, "after \(n) rows")
      rows.add(Trade.schema.example)
    }
    #expect(rows.isFull)
    let texts = try #require(EventTable<Note>(capacity: 1000))
    var note = Note.schema.example
    note.text = String(repeating: "x", count: 100_000)
    while !texts.isFull { texts.add(note) }
    #expect(texts.batch.rows == 11)
    texts.clear()
    #expect(!texts.isFull)
  }

  /// Texts that hardly come twice must not stay in memory for as long as the stream.
  @Test func `texts begin anew where there are many`() throws {
    let notes = (0..<30).map { n -> (event: Note, row: [Int64]) in
      var note = Note.schema.example
      note.text = String(repeating: "\(n % 10)", count: 100_000)
      return (note, [])
    }
    for form in [EventTableForm.arrow, .parquet] {
      let stream = try #require(try EventTableStream<Note>(form))
      var bytes: [UInt8] = []
      for note in notes {
        try stream.add(note.event, row: [])
        _ = try stream.take {
          bytes += $0
          return nil as Bool?
        }
      }
      try stream.finish()
      _ = try stream.take {
        bytes += $0
        return nil as Bool?
      }
      #expect(try rows(form, bytes).rows.map { $0[1] } == notes.map(\.event.text))
    }
  }
}
