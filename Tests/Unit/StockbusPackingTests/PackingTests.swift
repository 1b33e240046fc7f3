import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusPacking

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A type with every form of field: text, values that are written as text, choices.
struct Note: SymbolEvent, Equatable {
  var symbol: Symbol
  var text: String
  var total: Amount
  var side: Side
  var length: BarLength
  var count: UInt32
  var other: Int64
  var time: Timestamp

  static let schema = EventSchema<Note>(
    "note", "A note.", key: \.symbol, time: \.time,
    example: Note(
      symbol: "AAPL", text: "first", total: Amount(raw: 1), side: .buy, length: .time(60_000_000_000), count: 1, other: 1,
      time: Timestamp(ns: 1)),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("text", \.text, "Words."), .init("total", \.total, "A sum."),
      .init("side", \.side, "A side."), .init("length", \.length, "A length."), .init("count", \.count, "A count."),
      .init("other", \.other, "A number."), .init("time", \.time, "When."),
    ])
}

@Suite struct PackingTests {
  /// Rounds of the random tests.
  private static let rounds = getenv("STOCKBUS_FUZZ_COUNT").flatMap { Int(String(cString: $0)) } ?? 300
  private let names: [Symbol] = ["A", "BRK.B", "ÄÖ", "1", "EURUSD"]

  private func bytes<E: Event>(_ packer: inout EventPacker, _ events: [E], most: Int = .max) -> [[UInt8]] {
    var (batches, next) = ([[UInt8]](), 0)
    while next < events.count {
      var out = ByteWriter()
      next += packer.pack(events.span, from: next, most: most, to: &out)
      batches.append(out.withBytes { Array($0) })
    }
    return batches
  }

  /// What a reader makes of batches.
  private func events<E: Event>(_ batches: [[UInt8]], limit: Int = 100, as _: E.Type = E.self) throws -> [E] {
    let topic = Topic<E>("packed", capacity: 1 << 12)
    let inlet = topic.attach(Parker())
    guard var outlet = topic.claim() else { return [] }
    let unpacker = EventUnpacker<E>(PackedLayout(E.self), .open, limit: limit)
    var count = 0
    for batch in batches { count += try batch.withUnsafeBytes { try unpacker.unpack($0, into: &outlet) } }
    outlet.commit()
    var events: [E] = []
    while true {
      let batch = inlet.nextBatch(limit: 1000)
      if batch.count == 0 { break }
      for i in batch.span.indices { events.append(batch.span[i]) }
      inlet.finish(batch.count)
    }
    #expect(count == events.count)
    return events
  }

  @Test func `a trade is packed as the specification says`() {
    var packer = EventPacker(PackedLayout(Trade.self))
    var trade = Trade(
      symbol: "AB", price: Price(raw: 0x0102), size: Quantity(raw: -2), time: Timestamp(ns: 3), received: Timestamp(ns: 4), side: .sell,
      priceDecimals: 2, sizeDecimals: 1)
    let head: [UInt8] = [0, 0, 0, 0, 1, 0, 2, 65, 66, 1, 0, 0, 0]
    let record: [UInt8] =
      [0, 0, 0, 0] + [2, 1, 0, 0, 0, 0, 0, 0] + [0xfe] + [UInt8](repeating: 255, count: 7) + [2] + [3, 0, 0, 0, 0, 0, 0, 0]
      + [4, 0, 0, 0, 0, 0, 0, 0] + [0] + [2, 1]
    #expect(bytes(&packer, [trade]) == [head + record])
    // The second time the name is known.
    #expect(bytes(&packer, [trade]) == [[1, 0, 0, 0, 0, 0, 1, 0, 0, 0] + record])
    trade.symbol = "C"
    #expect(bytes(&packer, [trade]) == [[1, 0, 0, 0, 1, 0, 1, 67, 1, 0, 0, 0] + [1] + record.dropFirst()])
  }

  @Test func `random events are the same after they were packed and unpacked, in batches of any size`() throws {
    var random = SplitMix(1)
    for _ in 0..<Self.rounds {
      var trades: [Trade] = []
      for _ in 0..<(1 + random.upTo(600)) {
        trades.append(
          Trade(
            symbol: names[random.upTo(4)], price: Price(raw: Int64(bitPattern: random.next())),
            size: Quantity(raw: Int64(bitPattern: random.next())),
            time: Timestamp(ns: Int64(bitPattern: random.next())), received: Timestamp(ns: Int64(bitPattern: random.next())),
            side: Side.allCases[random.upTo(2)], priceDecimals: UInt8(random.upTo(9)), sizeDecimals: UInt8(random.upTo(9)),
            condition: TradeCondition.allCases[random.upTo(TradeCondition.allCases.count - 1)]))
      }
      var packer = EventPacker(PackedLayout(Trade.self))
      #expect(try events(bytes(&packer, trades, most: 1 + random.upTo(300))) == trades)
    }
  }

  @Test func `every event type of stockbus is packed: its example comes back`() throws {
    func check<E: Event>(_: E.Type) throws {
      var packer = EventPacker(PackedLayout(E.self))
      let got: [E] = try events(bytes(&packer, [E.schema.example, E.schema.example]))
      #expect(got.map { E.schema.json($0) } == [E.schema.json(E.schema.example), E.schema.json(E.schema.example)])
    }
    let types: [any Event.Type] = [
      Trade.self, Quote.self, Bar.self, Ranked.self, Mover.self, Alert.self, Order.self, Fill.self, Position.self, AccountState.self,
      ConnectionStatus.self, Gap.self, DeadLetter.self, Health.self, Note.self,
    ]
    for type in types { try check(type) }
  }

  @Test func `long texts make several batches, and one event is never cut`() throws {
    let notes = (0..<10).map { number -> Note in
      var note = Note.schema.example
      note.text = String(repeating: "é", count: 100_000 + number)
      return note
    }
    var packer = EventPacker(PackedLayout(Note.self))
    let batches = bytes(&packer, notes)
    #expect(batches.count == 10)
    #expect(try events(batches) == notes)
  }

  @Test func `records with texts are packed alike wherever the writer's memory ends`() {
    var note = Note.schema.example
    note.text = ""
    var packer = EventPacker(PackedLayout(Note.self))
    let expected = bytes(&packer, [note, note])[0]
    for before in 0..<400 {
      var out = ByteWriter(capacity: 64)
      out.append(String(repeating: "x", count: before))
      packer.forgetNames()
      #expect(packer.pack([note, note].span, from: 0, most: 2, to: &out) == 2)
      #expect(out.withBytes { Array($0.dropFirst(before)) } == expected, "behind \(before) bytes")
    }
  }

  @Test func `names beyond a limit, unknown symbols, and bytes too many or too few are errors`() throws {
    var packer = EventPacker(PackedLayout(Trade.self))
    var trades = [Trade](repeating: Trade.schema.example, count: 2)
    trades[1].symbol = "B"
    let batch = bytes(&packer, trades)[0]
    func error(_ bytes: [UInt8], limit: Int = 100) -> String {
      do {
        let _: [Trade] = try events([bytes], limit: limit)
        return "none"
      } catch { return "\(error)" }
    }
    #expect(error(batch) == "none")
    #expect(error(batch, limit: 1) == "more than 1 names at byte 7")
    #expect(error(batch + [0]) == "2 events cannot have 81 bytes at byte 18")
    #expect(error(Array(batch.dropLast())) == "2 events cannot have 79 bytes at byte 18")
    #expect(error([]) == "the batch ends too early at byte 1")
    #expect(error([5] + batch.dropFirst()) == "names from number 5 on, although 0 are known at byte 5")
    var bad = batch
    bad[17] = 2
    #expect(error(bad) == "symbol 2 of 2 at byte 22")
    bad = batch
    bad[17 + 20] = 3
    #expect(error(bad) == "'side' is none of its values at byte 39")
    bad = batch
    bad[7] = 34
    #expect(error(bad).hasPrefix("a bad name: a symbol cannot contain"))
  }

  @Test func `damaged batches are errors or other events, and no trap`() {
    var random = SplitMix(2)
    func damage<E: Event>(_ good: [E]) {
      var packer = EventPacker(PackedLayout(E.self))
      let batch = bytes(&packer, good)[0]
      let topic = Topic<E>("fuzzed", capacity: 1 << 12)
      guard var outlet = topic.claim() else { return }
      let layout = PackedLayout(E.self)
      var (readable, broken) = (0, 0)
      for round in 0..<(Self.rounds * 10) {
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
        let unpacker = EventUnpacker<E>(layout, .open, limit: 10)
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
