import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusPacking

/// Rows of columns in packed batches.
@Suite struct PackedColumnTests {
  private let all: [ColumnInfo] = [
    ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("age", .duration), ColumnInfo("since", .time),
    ColumnInfo("rising", .flag), ColumnInfo(String(repeating: "long", count: 100), .number),
  ]

  private func batches<E: Event>(_ events: [E], _ layout: ColumnLayout, _ rows: [Int64], most: Int = .max) -> [[UInt8]] {
    var packer = EventPacker(PackedLayout(E.self), columns: layout)
    var (batches, next) = ([[UInt8]](), 0)
    while next < events.count {
      var out = ByteWriter()
      next += packer.pack(events.span, rows: rows.span, from: next, most: most, to: &out)
      batches.append(out.withBytes { Array($0) })
    }
    return batches
  }

  /// The events and rows that a reader of these columns gets.
  private func read<E: Event>(_ batches: [[UInt8]], _ layout: ColumnLayout, as _: E.Type) throws -> (events: [E], rows: [Int64]) {
    let topic = Topic<E>("packed", capacity: 1 << 12, columns: layout)
    let inlet = topic.attach(Parker())
    let columns = BatchColumns(layout)
    if !layout.isEmpty { inlet.columns = columns }
    guard var outlet = topic.claim() else { return ([], []) }
    let unpacker = EventUnpacker<E>(PackedLayout(E.self), .open, limit: 100, columns: layout)
    var count = 0
    for batch in batches { count += try batch.withUnsafeBytes { try unpacker.unpack($0, into: &outlet) } }
    outlet.commit()
    var (events, rows, row) = ([E](), [Int64](), [Int64]())
    while true {
      let batch = inlet.nextBatch(limit: 1000)
      if batch.count == 0 { break }
      inlet.begin(batch)
      for i in batch.indices {
        events.append(batch[i])
        columns.copyRow(i, to: &row)
        rows += row
      }
      inlet.finish(batch.count)
    }
    #expect(count == events.count)
    return (events, rows)
  }

  @Test func `rows stand between the number of events, whose highest bit says so, and the events`() {
    let trade = Trade(
      symbol: "AB", price: Price(raw: 0x0102), size: Quantity(raw: -2), time: Timestamp(ns: 3), received: Timestamp(ns: 4), side: .sell,
      priceDecimals: 2, sizeDecimals: 1)
    let record: [UInt8] =
      [0, 0, 0, 0] + [2, 1, 0, 0, 0, 0, 0, 0] + [0xfe] + [UInt8](repeating: 255, count: 7) + [2] + [3, 0, 0, 0, 0, 0, 0, 0]
      + [4, 0, 0, 0, 0, 0, 0, 0] + [0] + [2, 1]
    let layout = ColumnLayout([ColumnInfo("v", .number), ColumnInfo("up", .flag)])
    let head: [UInt8] = [0, 0, 0, 0, 1, 0, 2, 65, 66, 1, 0, 0, 0x80] + [2, 0, 1, 0, 0, 0, 118, 4, 2, 0, 0, 0, 117, 112]
    let row: [UInt8] = [5, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0x80]
    #expect(batches([trade], layout, [5, .min]) == [head + row + record])
    // Without columns it is as it was.
    #expect(batches([trade], ColumnLayout(), []) == [[0, 0, 0, 0, 1, 0, 2, 65, 66, 1, 0, 0, 0] + record])
  }

  @Test func `random events come back with their columns, as far as a reader wants them`() throws {
    var random = SplitMix(31)
    for _ in 0..<rounds(60) {
      let layout = ColumnLayout(Array(all.shuffled(using: &random).prefix(1 + random.upTo(all.count - 1))))
      let wanted = ColumnLayout(Array(all.shuffled(using: &random).prefix(random.upTo(all.count))))
      let count = 1 + random.upTo(600)
      let rows = (0..<count).map { _ in
        layout.columns.map { column -> Int64 in
          if random.oneIn(4) { return ColumnLayout.missing }
          return column.kind == .flag ? Int64(random.upTo(1)) : Int64(bitPattern: random.next())
        }
      }
      func expected() -> [Int64] {
        rows.flatMap { row in wanted.columns.map { column in layout.place(of: column.name).map { row[$0] } ?? ColumnLayout.missing } }
      }
      if random.oneIn(2) {
        let trades = (0..<count).map { number -> Trade in
          var trade = Trade.schema.example
          trade.size = Quantity(raw: Int64(number))
          trade.symbol = ["A", "BB", "CCC"][number % 3]
          return trade
        }
        let found = try read(batches(trades, layout, rows.flatMap(\.self), most: 1 + random.upTo(400)), wanted, as: Trade.self)
        #expect(found.events == trades && found.rows == expected())
      } else {
        let notes = (0..<count).map { number -> Note in
          var note = Note.schema.example
          note.text = String(repeating: "é", count: number % 7)
          return note
        }
        let found = try read(batches(notes, layout, rows.flatMap(\.self), most: 1 + random.upTo(400)), wanted, as: Note.self)
        #expect(found.events == notes && found.rows == expected())
      }
    }
  }

  @Test func `what is no row of columns is an error`() {
    let good = batches([Trade.schema.example], ColumnLayout([ColumnInfo("v", .number), ColumnInfo("up", .flag)]), [5, 1])[0]
    func error(_ change: (inout [UInt8]) -> Void, _ wanted: [ColumnInfo] = [ColumnInfo("v", .number), ColumnInfo("up", .flag)]) -> String {
      var bytes = good
      change(&bytes)
      do {
        _ = try read([bytes], ColumnLayout(wanted), as: Trade.self)
        return "none"
      } catch { return "\(error)" }
    }
    // Behind the name AAPL: the number of events at 11, that of columns at 15, the first kind at 16, name at 17...21, the second at 22.
    #expect(error { _ in } == "none")
    #expect(error { $0[15] = 0 } == "0 columns at byte 17")
    #expect(error { $0[15] = 65 } == "65 columns at byte 17")
    #expect(error { $0[16] = 5 } == "a column of the unknown kind 5 at byte 18")
    #expect(error { $0[21] = 0xff } == "a column's name that is not UTF-8 at byte 23")
    #expect(error { $0[18] = 0xff } == "the batch ends too early at byte 22")
    #expect(error { $0[37] = 2 } == "'up' is neither true nor false at byte 46")
    #expect(error({ $0[37] = 2 }, [ColumnInfo("v", .number)]) == "none")
    #expect(error({ $0[11] = 2 }, [ColumnInfo("v", .number)]) == "2 events cannot have 24 bytes at byte 62")
    #expect(error { $0.removeLast() } == "1 events cannot have 39 bytes at byte 46")
    #expect(
      error({ _ in }, [ColumnInfo("up", .number)]) == "the column 'up' is a flag, but a number is expected at byte 30")
    var twice = batches([Trade.schema.example], ColumnLayout([ColumnInfo("v", .number), ColumnInfo("w", .flag)]), [5, 1])[0]
    twice[27] = 118
    #expect(error { $0 = twice } == "two columns of one name at byte 29")
  }

  @Test func `damaged batches are errors or other events, and no trap`() {
    var random = SplitMix(32)
    func damage<E: Event>(_ good: [E]) {
      let layout = ColumnLayout(all)
      let batch = batches(good, layout, good.flatMap { _ in [1, 2, 3, 4, 1, .min] })[0]
      let topic = Topic<E>("fuzzed", capacity: 1 << 12, columns: layout)
      guard var outlet = topic.claim() else { return }
      let packed = PackedLayout(E.self)
      var (readable, broken) = (0, 0)
      for round in 0..<rounds(3000) {
        var bytes = batch
        for _ in 0...random.upTo(3) where round > 0 {
          let place = random.upTo(bytes.count - 1)
          switch random.upTo(3) {
          case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
          default: bytes.removeSubrange(place..<min(bytes.count, place + random.upTo(30)))
          }
          if bytes.isEmpty { bytes = [0] }
        }
        let unpacker = EventUnpacker<E>(packed, .open, limit: 10, columns: layout)
        let isRead = bytes.withUnsafeBytes { bytes in (try? unpacker.unpack(bytes, into: &outlet)) != nil }
        outlet.rollback()
        if isRead { readable += 1 } else { broken += 1 }
      }
      #expect(readable > 0 && broken > 0)
    }
    damage([Trade.schema.example, Trade.schema.example])
    damage([Note.schema.example, Note.schema.example, Note.schema.example])
  }
}
