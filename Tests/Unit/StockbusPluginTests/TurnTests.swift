import StockbusPlugin
import Testing

/// The order in which a component's inputs are read.
@Suite struct TurnTests {
  /// The batches that a sink gets from inputs with these numbers of events, all published before it begins: the number of the input and the
  /// length of the batch.
  private func batches(_ waiting: [Int]) async throws -> [[Int]] {
    let topics = waiting.indices.map { Topic<Trade>("input \($0)") }
    let diary = Diary()
    return try await Diary.$current.withValue(diary) {
      let assembly = try Blueprint.sink(RunKeeper.self).assembly(nil, at: ConfigNode.Mark(line: 1, column: 1))
      let slot = Slot(.sink, context(), inputs: topics.map { Edge($0) }, output: nil)
      for (i, topic) in topics.enumerated() {
        var outlet = Outlet(topic)
        var trade = Trade.schema.example
        trade.price = Price(raw: Int64(i))
        for _ in 0..<waiting[i] { outlet.send(trade) }
        outlet.commit()
        topic.close()
      }
      try await slot.run(assembly)
      #expect(slot.ports.map(\.counts.delivered) == waiting)
      return diary.lines.map { $0.split(separator: " ").compactMap { Int($0) } }
    }
  }

  @Test func `one input is read to its end`() async throws {
    #expect(try await batches([2500]) == [[0, 1024], [0, 1024], [0, 452]])
  }

  @Test func `inputs are read by turns, a run each, and empty ones passed over`() async throws {
    let expected = [[0, 1024], [2, 1024], [3, 10], [0, 976], [2, 1024], [2, 952]]
    #expect(try await batches([2000, 0, 3000, 10]) == expected)
  }

  @Test func `a component whose first inputs are empty reads the others`() async throws {
    #expect(try await batches([0, 0, 3]) == [[2, 3]])
    #expect(try await batches([0, 0]) == [])
  }
}

/// Records the input and the length of every batch.
private actor RunKeeper: Sink {
  init(_: NoOptions, _: Context) {}

  func receive(_ trades: Span<Trade>) { Diary.current.note("\(trades[0].price.raw) \(trades.count)") }
}
