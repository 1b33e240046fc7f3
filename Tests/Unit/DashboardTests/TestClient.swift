import Testing

@testable import Dashboard

/// A client as the protocol's page describes it: it knows nothing of the board, only bytes.
struct TestClient {
  struct Row: Equatable {
    var name = ""
    var updates: UInt64 = 0
    var time: Int64 = 0
    var priceDecimals: UInt8 = 0
    var sizeDecimals: UInt8 = 0
    var marks: UInt8 = 0
    var price: Int64 = 0
    var reference: Int64 = 0
    var volume: Int64 = 0
    var bid: Int64 = 0
    var ask: Int64 = 0
    var low: Int64 = 0
    var high: Int64 = 0
    var rank: UInt64 = 0
    /// Beside the row's last event.
    var columns: [Int64?] = []
  }

  struct Pane: Equatable {
    var total: UInt64 = 0
    var from: UInt64 = 0
    var order: [Int64] = []
    var rows: [Int64: Row] = [:]
  }

  private(set) var frame: UInt64 = 0
  private(set) var time: Int64 = 0
  private(set) var panes: [UInt8: Pane] = [:]
  private(set) var hasText = false
  private var hasColumns = false

  mutating func read(from push: inout Push, _ id: Push.ClientID, now: Int64) throws {
    let message = push.next(for: id, now: now)
    read(try #require(message).frame)
  }

  mutating func read(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    #expect(reader.byte() == 1)
    let flags = reader.byte()
    (hasText, hasColumns) = (flags & 1 != 0, flags & 2 != 0)
    frame = reader.varint()
    time = Int64(reader.varint())
    for _ in 0..<reader.varint() { readPane(&reader) }
    #expect(reader.at == bytes.count, "bytes behind the frame")
  }

  private mutating func readPane(_ reader: inout Reader) {
    let number = reader.byte()
    var pane = panes[number] ?? Pane()
    let hasOrder = reader.byte() == 1
    pane.total = reader.varint()
    pane.from = reader.varint()
    if hasOrder {
      var last: Int64 = 0
      pane.order = (0..<reader.varint()).map { _ in
        last += reader.svarint()
        return last
      }
      pane.rows = pane.rows.filter { pane.order.contains($0.key) }
    }
    var last: Int64 = 0
    for _ in 0..<reader.varint() {
      last += reader.svarint()
      let fields = reader.byte()
      #expect(fields & 128 != 0 || pane.rows[last] != nil, "an unknown row without a name")
      var row = pane.rows[last] ?? Row()
      row.updates = reader.varint()
      row.time = time - reader.svarint()
      if fields & 64 != 0 { (row.priceDecimals, row.sizeDecimals, row.marks) = (reader.byte(), reader.byte(), reader.byte()) }
      if fields & 128 != 0 { row.name = reader.text() }
      if fields & 1 != 0 { row.price = reader.svarint() }
      if fields & 2 != 0 { row.reference = reader.svarint() }
      if fields & 4 != 0 { row.volume = reader.svarint() }
      if fields & 8 != 0 { (row.bid, row.ask) = (reader.svarint(), reader.svarint()) }
      if fields & 16 != 0 { (row.low, row.high) = (reader.svarint(), reader.svarint()) }
      if fields & 32 != 0 { row.rank = reader.varint() }
      if hasColumns, case let count = reader.varint(), count > 0 {
        row.columns = (0..<count).map { _ in
          let value = reader.varint()
          return value == 0 ? nil : Int64(bitPattern: (value - 1) >> 1 ^ (0 &- ((value - 1) & 1)))
        }
      }
      pane.rows[last] = row
    }
    panes[number] = pane
  }

  private struct Reader {
    let bytes: [UInt8]
    var at = 0

    mutating func byte() -> UInt8 {
      defer { at += 1 }
      return bytes[at]
    }

    mutating func varint() -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while true {
        let next = byte()
        value |= UInt64(next & 0x7f) << shift
        if next < 0x80 { return value }
        shift += 7
      }
    }

    mutating func svarint() -> Int64 {
      let value = varint()
      return Int64(value >> 1) ^ -Int64(value & 1)
    }

    mutating func text() -> String {
      let count = Int(varint())
      defer { at += count }
      return String(decoding: bytes[at..<at + count], as: UTF8.self)
    }
  }
}
