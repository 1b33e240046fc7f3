import TestSupport
import StockbusPlugin
import Synchronization
import Testing

/// Slots whose inputs change while their instance runs.
@Suite(.timeLimit(.minutes(15))) struct SlotTests {
  private static let mark = ConfigNode.Mark(line: 1, column: 1)

  private func publish(_ count: Int, on topic: Topic<Trade>, seed: Int) async throws {
    var outlet = Outlet(topic)
    var random = SplitMix(seed)
    for number in 1...count {
      var trade = Trade.schema.example
      trade.size = Quantity(raw: Int64(number))
      trade.symbol = try Symbol(topic.name)
      try await outlet.publish(trade)
      if random.oneIn(3) { await Task.yield() }
    }
    topic.close()
  }

  @Test(arguments: 0..<20) func `one instance reads other inputs, between two batches, and loses nothing of those that stay`(seed: Int)
    async throws
  {
    let (a, b) = (Topic<Trade>("A", capacity: 64), Topic<Trade>("B", capacity: 64))
    let hoard = Hoard()
    let slot = Slot(.sink, context(), inputs: [Edge(a)], output: nil)
    let assembly = try Hoard.$current.withValue(hoard) { try Blueprint.sink(Hoarder.self).assembly(nil, at: Self.mark) }
    let life = Hoard.$current.withValue(hoard) { Task { try await slot.run(assembly) } }
    let producers = [
      Task { try await publish(3000, on: a, seed: seed) }, Task { try await publish(3000, on: b, seed: seed + 100) },
    ]
    var random = SplitMix(seed)
    for _ in 0..<50 {
      let options = SubscriptionOptions(
        overflow: [.block, .dropOldest, .dropNewest, .conflate].randomElement(using: &random)!, capacity: 1 + random.upTo(20))
      let second = Edge(b, options: options)
      // The first edge stays, and is always lossless.
      let edges = [[Edge(a)], [Edge(a), second], [second, Edge(a)]].randomElement(using: &random)!
      // A rewiring after everything has ended is never carried out.
      let (told, tell) = AsyncStream<Void>.makeStream()
      slot.rewire(edges) { tell.finish() }
      let end = Task {
        _ = try? await life.value
        tell.finish()
      }
      for await _ in told {}
      end.cancel()
      for _ in 0..<random.upTo(40) { await Task.yield() }
    }
    for producer in producers { try await producer.value }
    #expect(try await life.value == .ended)
    slot.retire()
    #expect(hoard.numbers(of: "A") == (1...3000).map { Int64($0) })
    let others = hoard.numbers(of: "B")
    #expect(zip(others, others.dropFirst()).allSatisfy(<))
    #expect(slot.edges.count <= 2, "one for each name")
    let counts = slot.edges.map(\.counts)
    #expect(counts.allSatisfy { $0.residue == 0 && $0.inFlight == 0 })
    #expect(counts.reduce(0) { $0 + $1.delivered } == 3000 + others.count)
    #expect(hoard.starts == 1)
  }

  @Test func `an input that stays goes on where it is, with other options, and its counts are kept`() async throws {
    let topic = Topic<Trade>("A", capacity: 8)
    let slot = Slot(.sink, context(), inputs: [Edge(topic)], output: nil)
    var outlet = Outlet(topic)
    for number in 1...5 {
      var trade = Trade.schema.example
      trade.size = Quantity(raw: Int64(number))
      trade.symbol = "A"
      outlet.send(trade)
    }
    outlet.commit()
    // Five events wait, and there is room for two.
    slot.reconnect([Edge(topic, options: SubscriptionOptions(overflow: .dropOldest, capacity: 2))])
    let hoard = Hoard()
    try await Hoard.$current.withValue(hoard) {
      let assembly = try Blueprint.sink(Hoarder.self).assembly(nil, at: Self.mark)
      topic.close()
      #expect(try await slot.run(assembly) == .ended)
    }
    #expect(hoard.numbers(of: "A") == [4, 5])
    let counts = slot.ports[0].counts
    #expect([counts.published, counts.delivered, counts.dropped, counts.residue] == [5, 2, 3, 0])
  }

  @Test func `an input that is read no more has dropped what waited, and counts nothing that comes later`() throws {
    let (a, b) = (Topic<Trade>("A"), Topic<Trade>("B"))
    let slot = Slot(.sink, context(), inputs: [Edge(a)], output: nil)
    var outlet = Outlet(a)
    for _ in 0..<3 { outlet.send(Trade.schema.example) }
    outlet.commit()
    slot.reconnect([Edge(b)])
    for _ in 0..<4 { outlet.send(Trade.schema.example) }
    outlet.commit()
    #expect(slot.edges.map(\.from) == ["A", "B"])
    let counts = slot.edges[0].counts
    #expect([counts.published, counts.dropped, counts.inFlight, counts.residue] == [3, 3, 0, 0])
    // When the input is read again, it is a new edge, which begins at the next event.
    slot.reconnect([Edge(a), Edge(b)])
    #expect(slot.ports.map(\.counts.published) == [0, 0] && slot.edges.map(\.counts.published) == [3, 0])
  }

  @Test func `a rewiring that nobody has carried out can be withdrawn, and then nothing has changed`() async throws {
    let (a, b) = (Topic<Trade>("A"), Topic<Trade>("B"))
    let slot = Slot(.sink, context(), inputs: [Edge(a)], output: nil)
    slot.rewire([Edge(b)]) { Issue.record("it was carried out") }
    #expect(slot.withdraw())
    #expect(!slot.withdraw())
    let hoard = Hoard()
    try await Hoard.$current.withValue(hoard) {
      let assembly = try Blueprint.sink(Hoarder.self).assembly(nil, at: Self.mark)
      a.close()
      #expect(try await slot.run(assembly) == .ended)
    }
    #expect(slot.ports.map(\.name) == ["A"] && slot.edges.map(\.from) == ["A"])
  }
}

/// The events that a sink has received.
private final class Hoard: Sendable {
  @TaskLocal static var current = Hoard()
  private let trades = Mutex<[Trade]>([])
  private let count = Mutex(0)

  func add(_ trade: Trade) { trades.withLock { $0.append(trade) } }
  func begin() { count.withLock { $0 += 1 } }
  var starts: Int { count.withLock { $0 } }
  func numbers(of name: String) -> [Int64] { trades.withLock { $0.filter { $0.symbol.description == name }.map(\.size.raw) } }
}

private actor Hoarder: Sink {
  private let hoard = Hoard.current
  init(_ settings: NoOptions, _ context: Context) {}
  func start() { hoard.begin() }

  func receive(_ events: Span<Trade>) async {
    for i in events.indices { hoard.add(events[i]) }
    await Task.yield()
  }
}
