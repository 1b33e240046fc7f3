import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import StockbusViewing
import TestSupport
import Testing

@testable import Dashboard

/// Columns beside events in frames: what a client is told of them.
@Suite struct ColumnTests {
  private static let layout = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("hot", .flag)])

  private let reader = ColumnReader<Trade>(Self.layout)

  private func push() -> Push {
    var market = Market()
    market.keep(reader.columns)
    return Push(PageBoard(Instruments(), market), calm: PushTests.second) { 0 }
  }

  /// The frame's bytes behind those of the pane's head.
  private func next(_ push: inout Push, _ id: Push.ClientID) throws -> [UInt8] {
    _ = push.tick(now: 0, time: 1_381_239_000_000)
    let message = push.next(for: id, now: 0)
    push.painted(id, push.board.frame)
    return try #require(message).frame
  }

  @Test func `the bytes of rows with columns`() throws {
    var push = push()
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(), 0..<10, now: 0)
    reader.read([PushTests.trade("A", 100)], [[-3, 1]]) { push.board.take($0, at: 0) }
    var bytes = try next(&push, id)
    // Flag 2. Behind the rank of the row: two values; -3 is 5 zigzag, so 6; 1 is 2 zigzag, so 3.
    #expect(bytes[1] == 2)
    #expect(bytes.suffix(4) == [0, 2, 6, 3])
    // Another price with the same values: none are sent.
    reader.read([PushTests.trade("A", 101)], [[-3, 1]]) { push.board.take($0, at: 0) }
    bytes = try next(&push, id)
    #expect(bytes.last == 0)
    // The same price with another value: both are sent; no value is 0.
    reader.read([PushTests.trade("A", 101)], [[-3, nil]]) { push.board.take($0, at: 0) }
    bytes = try next(&push, id)
    #expect(bytes.suffix(3) == [2, 6, 0])
    // A client that comes later gets all.
    let other = push.connect(cursor: 0)
    _ = push.look(other, pane: 0, at: RowQuery(), 0..<10, now: 0)
    bytes = try next(&push, other)
    #expect(bytes.suffix(4) == [0, 2, 6, 0])
  }

  @Test func `a run without columns has frames without them`() throws {
    var push = PushTests.push()
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(), 0..<10, now: 0)
    push.board.take([PushTests.trade("A", 100)].span, at: 0)
    #expect(try next(&push, id)[1] == 0)
  }

  @Test func `a view is sorted and filtered by columns`() throws {
    var push = push()
    let id = push.connect(cursor: 0)
    let query = RowQuery(filter: "hot", sorting: Sorting(.beside("vwap")))
    #expect(push.look(id, pane: 0, at: query, 0..<10, now: 0) == nil)
    reader.read(
      [PushTests.trade("A", 100), PushTests.trade("B", 100), PushTests.trade("C", 100), PushTests.trade("D", 100)],
      [[5, 1], [9, 0], [nil, 1], [7, 1]]
    ) { push.board.take($0, at: 0) }
    var client = TestClient()
    client.read(try next(&push, id))
    #expect(client.panes[0]?.order == [3, 0, 2])
    #expect(push.look(id, pane: 0, at: RowQuery(filter: "hott or price > 1"), 0..<10, now: 0)?.character == 0)
  }

  /// Whatever happens, a client has after each frame what the last events had beside them.
  @Test(arguments: 0..<20) func `a client has the values that the board has`(seed: UInt64) throws {
    var random = SplitMix(seed)
    let symbols: [Symbol] = ["A", "B", "C", "D", "E"]
    var push = push()
    let id = push.connect(cursor: 0)
    var (client, expected): (TestClient, [String: [Int64?]]) = (TestClient(), [:])
    for _ in 0..<60 {
      let events = (0..<random.upTo(4)).map { _ in PushTests.trade(symbols[random.upTo(symbols.count - 1)], Int64(1 + random.upTo(3))) }
      let rows: [[Int64?]] = events.map { _ in
        [random.upTo(3) == 0 ? nil : random.upTo(9) == 0 ? .max : Int64(random.upTo(3)) - 1, Int64(random.upTo(2))]
      }
      for (event, row) in zip(events, rows) { expected[event.symbol.description] = row }
      reader.read(events, rows) { push.board.take($0, at: 0) }
      let first = Int32(random.upTo(3))
      if random.upTo(4) == 0 { _ = push.look(id, pane: 0, at: RowQuery(), first..<first + 4, now: 0) }
      _ = push.tick(now: 0, time: 0)
      guard random.upTo(3) > 0, let message = push.next(for: id, now: 0) else { continue }
      client.read(message.frame)
      push.painted(id, push.board.frame)
      for row in client.panes[0]?.rows.values.map(\.self) ?? [] { #expect(row.columns == expected[row.name]) }
    }
  }
}
