internal import EventBus
internal import MarketData
internal import StockbusPacking

extension Target {
  /// Packed events, as messages in NATS and programs with binary framing have them: events that were unpacked, packed and unpacked again are
  /// the same, none are sent beside those that are counted, and a writer brings no more names than the limit.
  static let packed = Target(
    "packed", "packed events of programs and in NATS messages (the first byte chooses the type)", limit: 2048, seeds: packedSeeds,
    budget: 200
  ) { bytes in
    var choices = Choices(bytes)
    let kind = choices.pick(5)
    let batch = Array(choices.rest)
    switch kind {
    case 0: check(Trade.self, batch)
    case 1: check(Quote.self, batch)
    case 2: check(Bar.self, batch)
    case 3: check(Ranked.self, batch)
    default: check(Alert.self, batch)
    }
  }

  private static func check<E: Event & Hashable>(_: E.Type, _ batch: [UInt8]) {
    guard let events = unpacked(E.self, batch) else { return }
    var out = ByteWriter(capacity: 256)
    var packer = EventPacker(PackedLayout(E.self))
    let count = packer.pack(events.span, from: 0, most: events.count, to: &out)
    law(count == events.count, "\(count) of \(events.count) are packed")
    if events.isEmpty { return }
    let again = unpacked(E.self, out.withBytes { Array($0) })
    law(again == events, "\(events) are \(again.map { "\($0)" } ?? "refused") after packing")
  }

  /// The events of a batch; nil if it is none.
  private static func unpacked<E: Event>(_: E.Type, _ batch: [UInt8]) -> [E]? {
    let topic = Topic<E>("packed", capacity: 1 << 12, columns: columns)
    let inlet = topic.attach(Parker())
    // Otherwise both keep each other.
    defer { inlet.detach() }
    guard var outlet = topic.claim() else { return nil }
    let limit = 20
    let unpacker = EventUnpacker<E>(PackedLayout(E.self), names, limit: limit, columns: columns)
    let count: Int
    do { count = try batch.withUnsafeBytes { try unpacker.unpack($0, into: &outlet) } } catch {
      outlet.rollback()
      guard let error = error as? PackingError else { return nil }
      law(!error.reason.isEmpty && error.offset <= batch.count, "an error at byte \(error.offset) of \(batch.count)")
      return nil
    }
    outlet.commit()
    var events: [E] = []
    while case let found = inlet.nextBatch(limit: 1000), found.count > 0 {
      for i in found.span.indices { events.append(found.span[i]) }
      inlet.finish(found.count)
    }
    law(events.count == count, "\(count) events are counted, \(events.count) came")
    let symbols = Set(events.compactMap { E.schema.symbol(of: $0) }).count
    law(symbols <= limit, "\(symbols) symbols in one batch")
    return events
  }

  /// One for all inputs, so that the table of symbols does not grow with their number.
  private static let names = SymbolIntake(limit: 100_000)

  /// Those of the reader; a batch may have them, or others.
  private static let columns = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("rising", .flag)])

  private static let packedSeeds: [[UInt8]] = [
    seed(0, Trade.self), seed(0, Trade.self, columns), seed(4, Alert.self, columns), seed(1, Quote.self), seed(2, Bar.self),
    seed(3, Ranked.self), seed(4, Alert.self),
  ]

  private static func seed<E: Event>(_ kind: UInt8, _: E.Type, _ columns: ColumnLayout = ColumnLayout()) -> [UInt8] {
    var out = ByteWriter(capacity: 256)
    var packer = EventPacker(PackedLayout(E.self), columns: columns)
    let events = [E.schema.example, E.schema.example]
    let rows: [Int64] = columns.isEmpty ? [] : [1, 1, 2, 0]
    _ = packer.pack(events.span, rows: rows.span, from: 0, most: 2, to: &out)
    return [kind] + out.withBytes { Array($0) }
  }
}
