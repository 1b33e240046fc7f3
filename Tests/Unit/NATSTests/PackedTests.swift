import Foundation
import TestSupport
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

/// Many events in one message.
@Suite(.timeLimit(.minutes(15))) struct PackedTests {
  private static let stream = "stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 4\nbatch: 100"

  private func fill(_ server: FakeNATS, _ range: Range<Int>, _ more: String = "") async throws {
    try await PluginHarness().consume([trades(range)], by: Plugin.natsOut, options: server.options(Self.stream + more))
  }

  /// What a reader makes of the stream.
  private func read(_ server: FakeNATS, _ count: Int, _ options: String = "stream: TICKS", _ harness: PluginHarness = PluginHarness())
    async throws -> [Trade]
  {
    let reader = try harness.start(Plugin.natsIn, options: server.options(options), emitting: Trade.self)
    let events = await reader.output(count: count)
    try? await reader.stop()
    return events
  }

  private func byPartition(_ events: [Trade]) -> [Int: [Trade]] {
    Dictionary(grouping: events) { SubjectTemplate.partition(of: $0.symbol.utf8, among: 4) }
  }

  @Test func `a message has the events of one subject, packed as the specification says`() async throws {
    let server = try await FakeNATS()
    var trade = Trade(
      symbol: "AB", price: Price(raw: 258), size: Quantity(raw: -2), time: Timestamp(ns: 3), received: Timestamp(ns: 4), side: .sell,
      priceDecimals: 2, sizeDecimals: 1)
    let first = trade
    trade.symbol = "C"
    try await PluginHarness().consume(
      [[first, trade, first]], by: Plugin.natsOut, options: server.options("stream: TICKS\nsubject: ticks.all\nbatch: 2"))
    #expect(server.stored.map { $0.header("Stockbus-Packed") } == ["2", "1"])
    #expect(server.stored.map { $0.header("Stockbus-Event") } == [EventMark(Trade.self).text, EventMark(Trade.self).text])
    #expect(server.positions.map(\.number) == [0, 1])
    #expect(server.positions.map(\.place) == [0, 2])
    let rest: [UInt8] =
      [2, 1, 0, 0, 0, 0, 0, 0] + [0xfe] + [UInt8](repeating: 255, count: 7) + [2] + [3, 0, 0, 0, 0, 0, 0, 0] + [4, 0, 0, 0, 0, 0, 0, 0]
      + [0, 2, 1]
    #expect(
      server.stored[0].bytes == [0, 0, 0, 0, 2, 0, 2, 65, 66, 1, 67, 2, 0, 0, 0] + [0, 0, 0, 0] + rest + [1, 0, 0, 0] + rest)
    // Each message is read by itself, so the name is there once more.
    #expect(server.stored[1].bytes == [0, 0, 0, 0, 1, 0, 2, 65, 66, 1, 0, 0, 0] + [0, 0, 0, 0] + rest)
    #expect(try await read(server, 3) == [first, trade, first])
    await server.close()
  }

  @Test func `all events that wait go into one message, if it may have as many`() async throws {
    let server = try await FakeNATS()
    let options = server.options("stream: TICKS\nsubject: ticks.all\nbatch: 65536")
    try await PluginHarness().consume([trades(0..<1500)], by: Plugin.natsOut, options: options)
    #expect(server.stored.map { $0.header("Stockbus-Packed") } == ["1500"])
    #expect(try await read(server, 1500) == trades(0..<1500))
    await server.close()
  }

  @Test func `each partition has its events in their order, with places that follow each other`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<3000)
    try await fill(server, 3000..<3500)
    var places: [String: Int64] = [:]
    for (message, position) in zip(server.stored, server.positions) {
      #expect(position.place == places[message.subject, default: 0])
      places[message.subject, default: 0] += Int64(message.header("Stockbus-Packed") ?? "") ?? 0
    }
    #expect(server.positions.map(\.number) == server.positions.indices.map { Int64($0) })
    let harness = PluginHarness()
    #expect(byPartition(try await read(server, 3500, "stream: TICKS\nsubject: 'ticks.*'", harness)) == byPartition(trades(0..<3500)))
    #expect(harness.notices.gaps.value == [])
    #expect(harness.deadLetters == [])
    await server.close()
  }

  @Test(arguments: 1...6) func `whatever is lost on the way, each event is there once`(seed: Int) async throws {
    var random = SplitMix(UInt64(seed))
    let plan = (0..<400).map { _ in random.oneIn(5) ? 1 + random.upTo(1) : 0 }
    let server = try await FakeNATS { number, _ in
      switch number < plan.count ? plan[number] : 0 {
      case 1: .cut
      case 2: .storeAndCut
      default: .store
      }
    }
    let harness = PluginHarness()
    let options = Self.stream.replacing("batch: 100", with: "batch: \([1, 7, 100][seed % 3])\nin_flight: \([2, 64][seed % 2])")
    try await harness.withShortPauses {
      try await harness.consume([trades(0..<1500)], by: Plugin.natsOut, options: server.options(options))
    }
    #expect(byPartition(try await read(server, 1500)) == byPartition(trades(0..<1500)))
    #expect(server.connections > 1)
    await server.close()
  }

  /// Messages are cut elsewhere than before, so no message of the second run is one of the first.
  @Test(arguments: [0, 1, 99, 100, 101, 777, 1500]) func `a replay passes over the events that the stream holds`(held: Int) async throws {
    let server = try await FakeNATS()
    if held > 0 { try await fill(server, 0..<held, "\ninput: replay") }
    let harness = PluginHarness()
    let options = Self.stream.replacing("batch: 100", with: "batch: 64\ninput: replay")
    try await harness.consume([trades(0..<1500)], by: Plugin.natsOut, options: server.options(options))
    #expect(byPartition(try await read(server, 1500)) == byPartition(trades(0..<1500)))
    #expect(harness.counter("already there") == held)
    await server.close()
  }

  @Test func `a replay that was not packed goes on packed, and not the other way round`() async throws {
    let server = try await FakeNATS()
    let single = Self.stream.replacing("\nbatch: 100", with: "\ninput: replay")
    try await PluginHarness().consume([trades(0..<300)], by: Plugin.natsOut, options: server.options(single))
    try await fill(server, 0..<800, "\ninput: replay")
    #expect(byPartition(try await read(server, 800)) == byPartition(trades(0..<800)))
    let harness = PluginHarness()
    let said = await failure {
      try await harness.consume([trades(0..<900)], by: Plugin.natsOut, options: server.options(single))
    }
    #expect(said.contains("the stream 'TICKS' has packed messages, so a replay needs 'batch' to find its position"))
    await server.close()
  }

  @Test func `an event that is too large is a dead letter, and its neighbours are not`() async throws {
    let server = try await FakeNATS()
    var letters = (0..<30).map { number in
      var letter = DeadLetter.schema.example
      letter.payload = "\(number) " + String(repeating: "x", count: 10_000)
      return letter
    }
    letters[7].payload = String(repeating: "x", count: 70_000)
    letters[29].payload = String(repeating: "x", count: 70_000)
    // The second run finds all there, also the places of those that were refused.
    for run in 1...2 {
      let harness = PluginHarness()
      let options = "stream: TICKS\nsubject: ticks.all\nbatch: 1000\ninput: replay"
      try await harness.consume([letters], by: Plugin.natsOut, options: server.options(options))
      #expect(harness.deadLetters.count == 2)
      #expect(harness.counter("already there") == (run == 1 ? 0 : 28))
      #expect(server.stored.compactMap { $0.header("Stockbus-Packed").flatMap { Int($0) } }.reduce(0, +) == 28)
      // Five of them take 50 KB of the 64 that the server takes.
      #expect(server.stored.allSatisfy { $0.bytes.count < 65_536 - 1024 })
    }
    await server.close()
  }

  @Test func `damaged messages are dead letters as a whole, and the others go on`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<400)
    let good = server.stored
    var random = SplitMix(7)
    // Of each good message some damaged ones, between others.
    var harmless = 0
    for message in good {
      for _ in 0..<20 {
        var bytes = message.bytes
        switch random.upTo(2) {
        case 0: bytes.removeLast(1 + random.upTo(bytes.count - 1))
        case 1: bytes.append(0)
        default: bytes[bytes.count - 1] = 10 + UInt8(random.upTo(200))
        }
        server.store(.init(subject: message.subject, headers: message.headers, bytes: bytes))
        harmless += 1
      }
      server.store(
        .init(
          subject: message.subject, headers: message.headers.replacing("Stockbus-Packed: ", with: "Stockbus-Packed: 9"),
          bytes: message.bytes))
      server.store(
        .init(
          subject: message.subject, headers: message.headers.replacing("Stockbus-Packed: ", with: "Stockbus-Packed: x"),
          bytes: message.bytes))
      server.store(.init(subject: message.subject, headers: message.headers, bytes: message.bytes))
    }
    let harness = PluginHarness()
    let events = try await read(server, 800, "stream: TICKS", harness)
    #expect(byPartition(events) == byPartition(trades(0..<400)).mapValues { $0 + $0 })
    #expect(harness.deadLetters.count == harmless + 2 * good.count)
    #expect(harness.deadLetters.allSatisfy { $0.payload == "packed" })
    await server.close()
  }

  @Test func `events that come while some are sent gather in the next messages`() async throws {
    let server = try await FakeNATS()
    let harness = PluginHarness()
    let options = server.options("stream: TICKS\nsubject: ticks.all\nbatch: 100\nlinger: 1s")
    let writer = try harness.start(Plugin.natsOut, options: options, taking: [Trade.self])
    try await writer.send(trades(0..<1))
    await harness.clock.waitForSleeper(until: .seconds(1))
    try await writer.send(trades(1..<4))
    try await writer.send(trades(4..<6))
    harness.clock.advance(by: .seconds(1))
    try await harness.clock.running(within: .seconds(1)) {
      await writer.delivered()
      try await writer.stop()
    }
    #expect(server.stored.map { $0.header("Stockbus-Packed") } == ["1", "5"])
    await server.close()
  }
}

/// The reader in Python knows the declarations that there are.
@Suite struct ExampleTests {
  @Test func `the example in Python has the declarations of prices, quotes, bars and ranks`() throws {
    let text = try String(contentsOf: Repository.root.appending(path: "Examples/nats/stockbus_packed.py"), encoding: .utf8)
    let types: [any Event.Type] = [Trade.self, Quote.self, Bar.self, Ranked.self]
    for type in types {
      let declaration = EventMark.declaration(of: type)
      #expect(text.contains("    \"\(declaration)\",\n"), "\(declaration)")
    }
  }
}
