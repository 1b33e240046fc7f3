import StockbusTables

/// Made-up rows of every type, the same for the same seed.
struct MadeUp {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  mutating func below(_ limit: UInt64) -> Int64 { Int64(next() % limit) }

  static func schema() throws -> TableSchema {
    try TableSchema([
      TableColumn("symbol", .text), TableColumn("price", .price), TableColumn("size", .price, isOptional: true),
      TableColumn("tick", .decimal(2)), TableColumn("side", .text, isOptional: true), TableColumn("late", .flag, isOptional: true),
      TableColumn("count", .integer, isOptional: true), TableColumn("time", .timestamp),
      TableColumn("received", .timestamp, isOptional: true), TableColumn("wait", .duration, isOptional: true),
      TableColumn("note", .text, isOptional: true),
    ])
  }

  private static let extremes: [Int64] = [.min, .max, 0, 1, -1, .min + 1, .max - 1]

  private mutating func wild() -> Int64 {
    switch below(4) {
    case 0: Self.extremes[Int(below(7))]
    case 1: below(1000) - 500
    default: Int64(bitPattern: next()) >> below(63)
    }
  }

  /// Appends one row; the first rows have extremes everywhere.
  mutating func row(_ n: Int, _ batch: TableBatch) {
    let time = 1_720_000_000_000_000_000 + Int64(n) * 1_000_003
    batch.set(0, batch.dictionary(0).number(of: "S\(below(500))"))
    batch.set(1, n < 100 ? wild() : below(90_000) * 10_000_000)
    if below(10) > 0 { batch.set(2, n < 100 ? wild() : below(1_000_000_000_000)) }
    batch.set(3, wild())
    if below(3) > 0 { batch.set(4, batch.dictionary(4).number(of: ["buy", "sell", ""][Int(below(3))])) }
    if below(5) > 0 { batch.set(5, below(2)) }
    if below(2) > 0 { batch.set(6, wild()) }
    batch.set(7, n < 7 ? Self.extremes[n] : time)
    if below(20) > 0 { batch.set(8, time + below(1_000_000)) }
    if below(4) == 0 { batch.set(9, wild()) }
    if below(8) == 0 { batch.set(10, batch.dictionary(10).number(of: "näte \(below(1 << 40)) 🙂")) }
    batch.endRow()
  }
}
